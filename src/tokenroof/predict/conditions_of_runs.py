"""Which runs were of the very condition that a question asks about.

The same file, on the same device, in the same place, with the same cache types, and with whatever
else the question names: its engine, version, flash attention, layers, threads, micro-batch. What
a question leaves open any run may have; of several such sets the newest counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tokenroof.errors import TokenroofError
from tokenroof.records import Run

if TYPE_CHECKING:
    from tokenroof.predict.rows import Question

NOT_A_TIME = frozenset(
    {
        "combined_rate",
        "contended",
        "empty_output",
        "end_to_end_rate",
        "lower_bound",
        "reloaded",
        "speculative",
        "throttled",
        "timing_disabled",
        "truncated",
    }
)
"""Flags of runs that say nothing of a quiet machine, or whose seconds are not one phase's."""

SAME_WEIGHTS = 0.0005
"""Files that a token reads as much of, to so small a share, are the same where no digest tells."""

ALIKE_WEIGHTS = 0.05
"""Of one name and type, but made at another time with another tool: told of, and allowed for."""


def runs_of(question: Question, runs: Iterable[Run]) -> list[Run]:
    """The runs of this condition that count; of several conditions that fit, the newest."""
    from tokenroof.library.digest import header_digest

    try:
        digest = header_digest(question.model.header)
    except TokenroofError:
        digest = None
    devices: dict[str, bool] = {}
    sets: dict[str, list[Run]] = {}
    for run in runs:
        if run.excluded is not None or run.workload.cached or NOT_A_TIME & set(run.flags):
            continue
        if not (_same_settings(run, question) and same_model(run, question, digest)):
            continue
        name = run.device or ""
        if name not in devices:
            devices[name] = same_device(run, question)
        if devices[name]:
            sets.setdefault(_condition(run), []).append(run)
    # An import without a date is older than anything measured here.
    return max(sets.values(), key=lambda each: max(run.started or "" for run in each), default=[])


def same_model(run: Run, question: Question, digest: str | None) -> bool:
    """Whether a run's file is the question's, or one of its name and type that reads as much."""
    model, of = question.model, run.model
    if digest is not None and of.digest is not None and of.digest.startswith("header-sha256:"):
        return of.digest == digest
    if of.architecture is not None and of.architecture != model.architecture:
        return False
    ratio = weights_ratio([run], question)
    if ratio is not None and abs(ratio - 1) <= SAME_WEIGHTS:
        return True
    if ratio is None or abs(ratio - 1) > ALIKE_WEIGHTS:
        return False
    own = {_plain(model.name), _plain((question.case.model or "").partition("@")[0])}
    return _plain(of.name or "") in own and of.file_type == model.file_type


def weights_ratio(runs: Sequence[Run], question: Question) -> float | None:
    """What a token reads of the runs' file over what it reads of the question's."""
    own, told = question.model.decode_weight_bytes, runs[0].model.weight_bytes
    if question.case.weight_bytes is not None:
        own = int(question.case.weight_bytes)
    return None if not own or not told else float(told) / float(own)


def same_device(run: Run, question: Question) -> bool:
    """Whether a run's device is the question's, under any of its names."""
    from tokenroof.hardware.device_text import named_device

    if run.device is None:
        return False
    if _plain(run.device) == _plain(question.device.name):
        return True
    if question.case.device is None or question.case.device.strip().lower() == "here":
        return False
    try:
        return named_device(run.device, None, None).name == question.device.name
    except TokenroofError:
        return False


def _same_settings(run: Run, question: Question) -> bool:
    case, setup, of = question.case, question.placing.setup, run.settings
    types = [each.lower() for each in (setup.type_k, setup.type_v)]
    if [(of.kv_type_k or "f16").lower(), (of.kv_type_v or "f16").lower()] != types:
        return False
    is_split = question.placing.is_split
    if (run.engine.place == "mixed" or "partial_offload" in run.flags) != is_split:
        return False
    asked = (
        (case.engine, run.engine.name),
        (case.engine_version, run.engine.version),
        (case.backend, run.engine.backend),
        (case.flash_attention, of.flash_attention),
        (case.gpu_layers, of.gpu_layers),
        (case.threads, of.threads),
        (case.batch, of.batch),
        (case.ubatch, of.ubatch),
    )
    return all(
        wanted is None
        or had == wanted
        or (isinstance(had, str) and had.lower() == str(wanted).lower())
        for wanted, had in asked
    )


def _condition(run: Run) -> str:
    engine = run.engine
    settings = run.settings
    return repr(
        (
            run.model.digest,
            run.model.weight_bytes,
            engine.name,
            engine.version,
            engine.backend,
            engine.place,
            sorted((name, repr(value)) for name, value in engine.flags.items()),
            run.device,
            settings.flash_attention,
            settings.gpu_layers,
            settings.threads,
            settings.batch,
            settings.ubatch,
            settings.threads_batch,
            run.aggregate is not None,
        )
    )


def _plain(name: str) -> str:
    """A name without what different tools write differently."""
    return re.sub(r"[^a-z0-9]+", "", name.lower().removeprefix("ollama:"))
