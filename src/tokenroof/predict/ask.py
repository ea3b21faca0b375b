"""From cases to questions: looks up what each is about, and refuses what cannot be answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from tokenroof.errors import InputError, TokenroofError, UsageError
from tokenroof.notices import Notice
from tokenroof.predict.assumptions import assumptions
from tokenroof.predict.bare import bare_row, names_bytes_alone
from tokenroof.predict.cases import Case
from tokenroof.predict.exchanges import tokens_needed
from tokenroof.predict.learnt.calibrated import Learned
from tokenroof.predict.memory.engine_setup import EngineSetup, engine_setup
from tokenroof.predict.memory.placing import placing
from tokenroof.predict.memory.processors import Processors, processors
from tokenroof.predict.memory.wishes import says_places
from tokenroof.predict.pace.conditions_of_runs import KnownRuns
from tokenroof.predict.question import Question
from tokenroof.predict.records import Estimate, Row
from tokenroof.predict.rows import rows
from tokenroof.safetext import printable
from tokenroof.units import count

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.model import Model
    from tokenroof.predict.learnt.profile import Profile
    from tokenroof.records import Run

HERE = "here"

LEAST_FITTED_CONTEXT = 4096
"""What `fit` sets aside where the question needs less: llama.cpp's own least (`--fit-ctx`)."""

_LEAST = {
    "depth": 0,
    "prompt": 1,
    "output": 1,
    "cached": 0,
    "thinking": 0,
    "turns": 1,
    "agent": 1,
    "prompt_low": 1,
    "prompt_high": 1,
    "batch": 1,
    "ubatch": 1,
    "threads": 1,
    "context": 1,
    "parallel": 1,
    "weight_bytes": 1,
    "gpu_layers": 0,
    "cpu_moe": 0,
}


_MOST = dict.fromkeys(_LEAST, 2**30) | {
    "output": 2**24,
    "thinking": 2**24,
    "turns": 1000,
    "weight_bytes": 2**50,
}
"""Sixteen million tokens are more than any context holds, and each is a step that is added up; no
model has a petabyte."""


class Asker:
    """Answers questions; a model or a device that several ask about is looked at once.

    Args:
        load: makes the model of a name.
        here: this machine's CPU with its measured bandwidth.
        learned: what was learnt of this machine.
        runs: what was measured, here or elsewhere; those of a question's condition answer it. It
            is looked at once, and where a question is of a device that a run can be of.
    """

    def __init__(
        self,
        load: Callable[[str], Model],
        here: Callable[[], Device],
        learned: Callable[[], Learned] = Learned,
        runs: Callable[[], Sequence[Run]] = tuple,
    ) -> None:
        self._load = load
        self._here = here
        self._look_for_profiles = learned
        self._learned: Learned | None = None
        self._look_for_runs = runs
        self._known: KnownRuns | None = None
        self._models: dict[str, Model] = {}
        self._devices: dict[tuple[str, str | None, float | None], Device] = {}
        self._device_here: Device | None = None

    def estimate(self, cases: Iterable[Case]) -> Estimate:
        """A row for each case.

        Raises:
            TokenroofError: the first case that cannot be answered.
        """
        questions: list[Question] = []
        answered: list[Row | None] = []
        for case in cases:
            answered.append(self._bare(case))
            if answered[-1] is None:
                questions.append(self._look_up(case))
        answers = iter(self._rows(questions))
        return Estimate(rows=tuple(next(answers) if row is None else row for row in answered))

    def estimate_each(self, cases: Iterable[Case | TokenroofError]) -> Estimate:
        """A row for each case, in their order; one that cannot be answered says why."""
        questions: list[Question] = []
        answered: list[Row | None] = []
        for case in cases:
            try:
                if isinstance(case, TokenroofError):
                    raise case
                bare = self._bare(case)
                if bare is None:
                    questions.append(self._look_up(case))
                answered.append(bare)
            except TokenroofError as error:
                answered.append(_refused(case if isinstance(case, Case) else Case(), error))
        answers = iter(self._rows(questions))
        return Estimate(rows=tuple(next(answers) if row is None else row for row in answered))

    def _rows(self, questions: Sequence[Question]) -> list[Row]:
        # No run is of a device that only figures describe.
        if self._known is None and any(each.case.bandwidth is None for each in questions):
            self._known = KnownRuns(self._look_for_runs())
        return rows(questions, self._known)

    def question(self, case: Case) -> Question:
        """A case with everything looked up.

        Raises:
            TokenroofError: it cannot be answered.
        """
        return self._look_up(case)

    def model(self, case: Case) -> Model:
        """The model of a case.

        Raises:
            TokenroofError: it cannot be had, or does not write token by token.
        """
        return self._model(case)

    def processors(self, case: Case) -> Processors:
        """What computes where on the device of a case.

        Raises:
            TokenroofError: the device is not known, or none is named.
        """
        has_host = case.host is not None or says_places(case) or bool(case.fit)
        device, host = self._device(case), self._host(case)
        return processors(device, host, has_host=has_host, here=self._measured_here)

    def _bare(self, case: Case) -> Row | None:
        """The answer where nothing is known of the model but what a token reads."""
        if not names_bytes_alone(case):
            return None
        _check(case)
        return bare_row(case, self._device(case))

    def _look_up(self, case: Case) -> Question:
        _check(case)
        model, device = self._model(case), self._device(case)
        depth = case.depth or 0
        types = _cache_types(case)
        weights = case.weight_bytes or model.decode_weight_bytes
        cache = model.kv_read(depth, *types)
        if weights is None or cache is None:
            raise InputError("predict.not_modelled", model=printable(model.name))
        setup = _setup(case, types)
        places = self.processors(case)
        placed = placing(case, model, setup, places, projector_bytes=self._projector_bytes(case))
        profile, remark = self._profile(case, device)
        return Question(
            case=case,
            model=model,
            device=device,
            depth=depth,
            read_bytes=round(weights + cache),
            placing=placed,
            prompt_flop=model.prefill_flop(case.prompt, depth) if case.prompt else None,
            assumes=assumptions(case, model, device, placed),
            profile=profile,
            of_profile=remark,
        )

    def _profile(self, case: Case, device: Device) -> tuple[Profile | None, Notice | None]:
        if not is_here(case):
            return None, None
        if self._learned is None:
            self._learned = self._look_for_profiles()
        return self._learned.of(case, device.name)

    def _model(self, case: Case) -> Model:
        if case.model is None:
            raise UsageError("predict.no_model")
        name = self._known_size(case.model) if case.weight_bytes is not None else case.model
        if name not in self._models:
            self._models[name] = self._load(name)
        model = self._models[name]
        if not model.weights_known and any(entry.passes for entry in model.ledger):
            raise InputError("predict.not_modelled", model=printable(model.name))
        if not model.writes_tokens:
            raise InputError("predict.no_decode", model=printable(model.name))
        return model

    def _known_size(self, name: str) -> str:
        """A model of which somebody says how many bytes a token reads.

        A publisher's mix, which has no recipe, is then the plain type that it is named after.
        """
        from tokenroof.recipes.mixes import mix, nearest_plain

        model, at, kind = name.rpartition("@")
        plain = nearest_plain(kind) if at and mix(kind) is not None else None
        return f"{model}@{plain}" if plain else name

    def _device(self, case: Case) -> Device:
        from tokenroof.hardware.device import given_device, with_figures

        if case.bandwidth is not None:
            if case.device is not None:
                raise UsageError("predict.device_twice")
            return given_device(case.bandwidth, case.memory, case.tflops)
        if case.device is None:
            raise UsageError("predict.no_device")
        if is_here(case):
            if case.host is not None:
                raise UsageError("predict.host_of_here")
            return with_figures(self._measured_here(), case.memory, case.tflops)
        return with_figures(self._named(case.device, case.host, case.memory), None, case.tflops)

    def _host(self, case: Case) -> Device | None:
        """The host of a device that only its figures describe; others know theirs."""
        if case.host is None or case.bandwidth is None:
            return None
        from tokenroof.hardware.device_text import named_host

        return named_host(case.host)

    def _projector_bytes(self, case: Case) -> int:
        return 0 if case.projector is None else self._load(case.projector).tensor_bytes

    def _measured_here(self) -> Device:
        if self._device_here is None:
            self._device_here = self._here()
        return self._device_here

    def _named(self, name: str, host: str | None, memory: float | None) -> Device:
        from tokenroof.hardware.device_text import named_device

        key = (name, host, memory)
        if key not in self._devices:
            self._devices[key] = named_device(*key)
        return self._devices[key]


def is_here(case: Case) -> bool:
    """Whether a question is about this machine."""
    return case.bandwidth is None and (case.device or "").strip().lower() == HERE


def _check(case: Case) -> None:
    for key, least in _LEAST.items():
        value = getattr(case, key)
        if value is not None and not value >= least:
            raise UsageError("predict.out_of_range", key=key, value=value, least=least)
        if value is not None and value > _MOST[key]:
            raise UsageError("predict.too_large", key=key, value=value, most=count(_MOST[key]))


def _cache_types(case: Case) -> tuple[str, str]:
    names = (case.kv_type or "f16").split(",")
    return names[0].strip(), names[-1].strip()


def _setup(case: Case, types: tuple[str, str]) -> EngineSetup:
    """The engine's context: the one given, or what the question needs, for every sequence."""
    needed = tokens_needed(case)
    wanted = max(needed, LEAST_FITTED_CONTEXT) if case.fit else needed
    if case.context is None:
        alone = engine_setup(case, wanted, types)
        if alone.tokens_of_sequence < needed:
            return engine_setup(case, wanted * alone.allocation.sequences, types)
        return alone
    setup = engine_setup(case, case.context, types)
    if setup.tokens_of_sequence < needed:
        raise UsageError(
            "predict.context_too_small",
            context=count(setup.tokens_of_sequence),
            tokens=count(needed),
        )
    return setup


def _refused(case: Case, error: TokenroofError) -> Row:
    return Row(
        model=case.model,
        device=case.device,
        depth=case.depth,
        error=Notice(error.message, error.values),
    )
