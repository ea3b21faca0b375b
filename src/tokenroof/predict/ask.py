"""From cases to questions: looks up what each is about, and refuses what cannot be answered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from tokenroof.errors import InputError, TokenroofError, UsageError
from tokenroof.notices import Notice
from tokenroof.predict.cases import Case
from tokenroof.predict.records import Estimate, Row
from tokenroof.predict.rows import Question, rows
from tokenroof.safetext import printable
from tokenroof.units import bandwidth as written_bandwidth, count, size

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.model import Model

HERE = "here"

DEFAULT_UBATCH = 512
"""llama.cpp's own."""

_PLACEMENT = ("gpu_layers", "cpu_moe")
"""They move layers between devices, which changes every figure; refused until it is modelled."""

_LEAST = {
    "depth": 0,
    "prompt": 1,
    "output": 1,
    "cached": 0,
    "thinking": 0,
    "batch": 1,
    "ubatch": 1,
    "threads": 1,
    "context": 1,
    "parallel": 1,
    "weight_bytes": 1,
}


class Asker:
    """Answers questions; a model or a device that several ask about is looked at once.

    Args:
        load: makes the model of a name.
        here: this machine's CPU with its measured bandwidth.
    """

    def __init__(self, load: Callable[[str], Model], here: Callable[[], Device]) -> None:
        self._load = load
        self._here = here
        self._models: dict[str, Model] = {}
        self._devices: dict[tuple[str, str | None, float | None], Device] = {}
        self._device_here: Device | None = None

    def estimate(self, cases: Iterable[Case]) -> Estimate:
        """A row for each case.

        Raises:
            TokenroofError: the first case that cannot be answered.
        """
        return Estimate(rows=tuple(rows([self._look_up(case) for case in cases])))

    def estimate_each(self, cases: Iterable[Case | TokenroofError]) -> Estimate:
        """A row for each case, in their order; one that cannot be answered says why."""
        questions: list[Question] = []
        answered: list[Row | None] = []
        for case in cases:
            try:
                if isinstance(case, TokenroofError):
                    raise case
                questions.append(self._look_up(case))
                answered.append(None)
            except TokenroofError as error:
                answered.append(_refused(case if isinstance(case, Case) else Case(), error))
        answers = iter(rows(questions))
        return Estimate(rows=tuple(next(answers) if row is None else row for row in answered))

    def _look_up(self, case: Case) -> Question:
        _check(case)
        model, device = self._model(case), self._device(case)
        depth = case.depth or 0
        type_k, type_v = _cache_types(case)
        weights = case.weight_bytes or model.decode_weight_bytes
        cache = model.kv_read(depth, type_k, type_v)
        context = _context(case, depth)
        allocated = model.kv_allocated(
            context, ubatch=case.ubatch or DEFAULT_UBATCH, type_k=type_k, type_v=type_v
        )
        if weights is None or cache is None or allocated is None:
            raise InputError("predict.not_modelled", model=printable(model.name))
        return Question(
            case=case,
            model=model,
            device=device,
            depth=depth,
            context=context,
            read_bytes=round(weights + cache),
            resident_bytes=model.resident_bytes + allocated,
            prompt_flop=model.prefill_flop(case.prompt, depth) if case.prompt else None,
            assumes=_assumes(case, model, device, context),
        )

    def _model(self, case: Case) -> Model:
        if case.model is None:
            raise UsageError("predict.no_model")
        if case.model not in self._models:
            self._models[case.model] = self._load(case.model)
        model = self._models[case.model]
        if not model.weights_known and any(entry.passes for entry in model.ledger):
            raise InputError("predict.not_modelled", model=printable(model.name))
        if not model.writes_tokens:
            raise InputError("predict.no_decode", model=printable(model.name))
        return model

    def _device(self, case: Case) -> Device:
        from tokenroof.hardware.device import given_device, with_figures

        if case.bandwidth is not None:
            if case.device is not None or case.host is not None:
                raise UsageError("predict.device_twice")
            return given_device(case.bandwidth, case.memory, case.tflops)
        if case.device is None:
            raise UsageError("predict.no_device")
        if case.device.strip().lower() == HERE:
            if case.host is not None:
                raise UsageError("predict.host_of_here")
            return with_figures(self._measured_here(), case.memory, case.tflops)
        return with_figures(self._named(case.device, case.host, case.memory), None, case.tflops)

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


def _check(case: Case) -> None:
    for key, least in _LEAST.items():
        value = getattr(case, key)
        if value is not None and not value >= least:
            raise UsageError("predict.out_of_range", key=key, value=value, least=least)
    for key in _PLACEMENT:
        if getattr(case, key) is not None:
            raise UsageError("predict.not_supported", key=key)
    if (case.parallel or 1) > 1:
        raise UsageError("predict.not_supported", key="parallel")


def _cache_types(case: Case) -> tuple[str, str]:
    names = (case.kv_type or "f16").split(",")
    return names[0].strip(), names[-1].strip()


def _context(case: Case, depth: int) -> int:
    """The context given, or what the question needs; the token to come has its place too."""
    needed = depth + (case.prompt or 0) + (case.output or 1)
    if case.context is None:
        return needed
    if case.context < needed:
        raise UsageError(
            "predict.context_too_small", context=count(case.context), tokens=count(needed)
        )
    return case.context


def _assumes(case: Case, model: Model, device: Device, context: int) -> tuple[Notice, ...]:
    from tokenroof.hardware.device import NamedDevice

    parts, own = (device.parts, device.notices) if isinstance(device, NamedDevice) else ((), ())
    notices = [
        Notice("predict.assumes_engine"),
        *_made_of(model),
        Notice("predict.assumes_one_stream"),
        _placement(device, len(parts)),
        *own,
    ]
    if device.bandwidth_basis == "measured" and device.bandwidth_bytes_per_second is not None:
        rate = written_bandwidth(device.bandwidth_bytes_per_second)
        notices.append(Notice("predict.assumes_measured_bandwidth", {"bandwidth": rate}))
    if case.weight_bytes is not None:
        notices.append(Notice("predict.assumes_weight_bytes", {"weights": size(case.weight_bytes)}))
    depth = case.depth or 0
    bounds = model.kv_read_bounds(depth, *_cache_types(case))
    if not model.is_understood:
        low, high = model.decode_weight_bounds
        values = {"least": size(float(low)), "most": size(float(high))}
        notices.append(Notice("predict.assumes_architecture", values))
    elif bounds is not None and bounds[0] < bounds[1]:
        values = {"least": size(bounds[0]), "most": size(bounds[1])}
        notices.append(Notice("predict.assumes_all_rows", values))
    if model.context_length is not None and context > model.context_length:
        trained = count(model.context_length)
        notices.append(Notice("predict.assumes_beyond_training", {"trained": trained}))
    notices.append(Notice("predict.assumes_resident"))
    return tuple(notices)


def _made_of(model: Model) -> Iterator[Notice]:
    """What stands in the place of a file, where there is none."""
    if model.header.recipe is not None:
        yield Notice("predict.assumes_recipe", {"recipe": model.header.recipe})
    for notice in model.header.problems:
        if notice.message == "recipes.ollama_build":
            yield Notice("predict.assumes_ollama_build", notice.values)


def _placement(device: Device, parts: int) -> Notice:
    """Where the layers lie, which the ceiling follows from."""
    if not parts:
        return Notice("predict.assumes_one_device")
    message = "predict.assumes_sockets" if device.place == "cpu" else "predict.assumes_split"
    return Notice(message, {"count": count(parts)})


def _refused(case: Case, error: TokenroofError) -> Row:
    return Row(
        model=case.model,
        device=case.device,
        depth=case.depth,
        error=Notice(error.message, error.values),
    )
