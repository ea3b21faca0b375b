"""Which runs were of the very condition that a question asks about.

The same file, on the same device, in the same place, with the same cache types, and with whatever
else the question names: its engine, version, flash attention, layers, threads, micro-batch. What
a question leaves open any run may have; of several such sets the newest counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tokenroof.errors import TokenroofError
from tokenroof.records import Run, RunModel

if TYPE_CHECKING:
    from tokenroof.model import Model
    from tokenroof.predict.question import Question

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


class KnownRuns:
    """Runs that may answer questions, sorted once for all of them by their model and device.

    Runs whose prompt was to be found in a cache are left out: nobody asks about those.
    """

    def __init__(self, runs: Iterable[Run] = ()) -> None:
        self._groups: dict[tuple[RunModel, str | None], list[Run]] = {}
        for run in runs:
            if not run.workload.cached:
                self._groups.setdefault((run.model, run.device), []).append(run)
        self._names: dict[str, str | None] = {}
        self._digests: dict[int, tuple[Model, str | None]] = {}

    def like(self, question: Question) -> Iterator[Run]:
        """All runs of a question's model on its device, set up as it asks."""
        if not self._groups:
            return
        digest = self._digest(question.model)
        for (_, device), group in self._groups.items():
            if self._is_device(device, question) and same_model(group[0], question, digest):
                yield from (run for run in group if _same_settings(run, question))

    def _digest(self, model: Model) -> str | None:
        """Of the model's header, read once; the model is kept so that its id stays its own."""
        from tokenroof.library.digest import header_digest

        if id(model) not in self._digests:
            try:
                digest = header_digest(model.header)
            except TokenroofError:
                digest = None
            self._digests[id(model)] = model, digest
        return self._digests[id(model)][1]

    def _is_device(self, device: str | None, question: Question) -> bool:
        """Whether a run's device is the question's, under any of its names."""
        if device is None:
            return False
        if _plain(device) == _plain(question.device.name):
            return True
        if question.case.device is None or question.case.device.strip().lower() == "here":
            return False
        if device not in self._names:
            self._names[device] = _name_of(device)
        return self._names[device] == question.device.name


def _name_of(device: str) -> str | None:
    """What a device is called here; None where nobody knows it."""
    from tokenroof.hardware.device_text import named_device

    try:
        return named_device(device, None, None).name
    except TokenroofError:
        return None


def runs_of(question: Question, known: KnownRuns) -> list[Run]:
    """The runs of this condition that count; of several conditions that fit, the newest."""
    sets: dict[str, list[Run]] = {}
    for run in known.like(question):
        if run.excluded is None and not NOT_A_TIME & set(run.flags):
            sets.setdefault(_condition(run), []).append(run)
    # An import without a date is older than anything measured here.
    return max(sets.values(), key=lambda each: max(run.started or "" for run in each), default=[])


def loads_of(question: Question, known: KnownRuns) -> list[float]:
    """Seconds of all loads of this model, of runs that do not count for a load as well."""
    return [run.load_seconds for run in known.like(question) if run.load_seconds]


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
