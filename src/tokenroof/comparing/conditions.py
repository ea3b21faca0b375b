"""The conditions under which runs were made, and what differs between two sets of them.

Four things must agree before two speeds are worth a look: the phase, the model and its type, the
depth, the program and its version. Phase and depth are never mixed here: each is compared with
itself. The rest can move a speed as well: context, type of the cache, flash attention, batches,
threads, what was put where, power, how the engine was built, and its further options.

What nobody stated is no difference, but it is told: the figures may be unlike all the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tokenroof.comparing.records import Difference
from tokenroof.records import Run
from tokenroof.safetext import printable

FIRST = ("model", "type", "engine", "version")
"""Those of the four that a set of runs has as a whole."""

THEN = (
    *("context", "cache_type_k", "cache_type_v", "flash_attention", "batch", "ubatch", "threads"),
    *("gpu_layers", "place", "device", "backend", "prompt_cached"),
)
ALWAYS = FIRST + THEN

OF_A_SIDE = ("offload", "speculation", "power")
"""Found on runs one by one: a side has it where any of its runs has."""

_FLAGS_OF_A_SIDE = {
    "partial_offload": ("offload", "partial"),
    "speculative": ("speculation", "on"),
    "throttled": ("power", "limited"),
}

_SHOWN = 120

Conditions = Mapping[str, str | None]


def conditions_of(run: Run) -> dict[str, str | None]:
    """The conditions of a run, in the order in which differences are listed."""
    settings, engine = run.settings, run.engine
    found: dict[str, Any] = {
        "model": run.model.name,
        "type": run.model.file_type,
        "engine": engine.name,
        "version": engine.version,
        "context": settings.context,
        "cache_type_k": settings.kv_type_k,
        "cache_type_v": settings.kv_type_v,
        "flash_attention": settings.flash_attention,
        "batch": settings.batch,
        "ubatch": settings.ubatch,
        "threads": settings.threads,
        "gpu_layers": settings.gpu_layers,
        "place": engine.place,
        "device": run.device,
        "backend": engine.backend,
        "prompt_cached": run.workload.cached or None,
        "digest": run.model.digest,
    }
    found |= {f"flag {name}": value for name, value in engine.flags.items()}
    return {name: None if value is None else _text(value) for name, value in found.items()}


def side_conditions(flags: Iterable[str]) -> dict[str, str | None]:
    """What the flags on any run of a side make of the whole side."""
    found: dict[str, str | None] = dict.fromkeys(OF_A_SIDE)
    for flag in flags:
        if flag in _FLAGS_OF_A_SIDE:
            name, value = _FLAGS_OF_A_SIDE[flag]
            found[name] = value
    return found


def varying(groups: Sequence[Conditions]) -> tuple[str, ...]:
    """The conditions that are not the same in all groups of one side."""
    names = dict.fromkeys(name for group in groups for name in group)
    return tuple(
        name for name in names if len({group.get(name) for group in groups}) > 1 and groups
    )


def differences(
    a: Conditions, b: Conditions, paired_by: Iterable[str] = ()
) -> tuple[list[Difference], list[Difference]]:
    """What differs, and what is not stated, between two groups that are to be compared."""
    unlike, unstated = [], []
    same_file = a.get("digest") is not None and a.get("digest") == b.get("digest")
    skipped = {*paired_by, *(("model", "type") if same_file else ())}
    if a.get("model") != b.get("model") or a.get("digest") is None or b.get("digest") is None:
        skipped.add("digest")  # names tell it already, or a side does not know its file
    for name in dict.fromkeys([*ALWAYS, *OF_A_SIDE, *a, *b]):
        one, other = a.get(name), b.get(name)
        if name in skipped or (one == other and not (one is None and name in FIRST)):
            continue
        found = Difference(condition=name, a=one, b=other)
        if name in OF_A_SIDE or (one is not None and other is not None):
            unlike.append(found)
        else:
            unstated.append(found)
    return unlike, unstated


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return printable(str(value), _SHOWN)
