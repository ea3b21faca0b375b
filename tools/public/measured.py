"""Published measurements as questions to the estimator, with the answer that was measured.

A row goes the way that a person's question goes: the same names of models and devices, the same
placement, the same bytes. What is left out is counted with its reason: a model or a type that has
no recipe, an engine that is not of the family, a row that its publisher doubts, and a model that
its card cannot hold (the driver then spills without saying so).
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from public.naming import model_id, plain_type
from tokenroof.errors import TokenroofError
from tokenroof.library.recipe import by_name
from tokenroof.model import build_model
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.public.asked import Prompt, Step, prompt_of, steps_of
from tokenroof.units import GIB

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.model import Model

Kind = Literal["decode", "prefill"]

_FOREIGN = ("vllm", "exllama", "mlc", "ktransformers", "ds4")
_DOUBTED = re.compile(
    r"SUSPECT|spill|looks like partial|another user was training|specul|draft|eagle", re.IGNORECASE
)
_TEST = re.compile(r"(pp|tg)(\d+)")
_UBATCH = re.compile(r"n?_?ubatch[= ](\d+)")
_SOURCE = re.compile(r"\[(.*?)\]")

LABS = frozenset(
    {
        "mac_llm_bench",
        "geerling_readme",
        "geerling_issues",
        "ik_llama_disc357",
        "indexfile_m1max",
        "llmfit_community",
    }
)
"""Sources whose rows share a cause of their own (power, heat, a method): it is fitted, and left
out of predictions."""

_AVERAGES = {"decode_avg": 100, "avg_tg": 1765, "eval_rate": 200, "decode": 200}
"""Averages over prompts of unknown or several lengths, and about how deep their tokens are."""

_NOISE = {
    "ik_llama_disc399": 0.6,  # one small machine, whose memory may not hold the model
    "localscore_leaderboard": 0.45,
    "mac_llm_bench": 0.45,
    "geerling_readme": 0.3,
    "geerling_issues": 0.3,
    "github_issues": 0.3,
    "localmaxxing_other": 0.3,
    "none": 0.3,
    "llmfit_community": 0.22,
    "dmatora": 0.22,
    "mlc_llm_perf_bench": 0.22,
    "localmaxxing_bench": 0.18,
    "localscore_db": 0.15,
    "lhl_efficiency_table": 0.15,
    "ik_llama_disc164": 0.15,
    "ik_llama_disc357": 0.15,
}
"""How far rows of a source lie apart where the rest is alike, as the logarithm's deviation; by
hand, from repeats of the same condition. Sources of llama-bench tables are steadier."""

_RENTED = {"EPYC 7352": 0.6}
"""Processors of rented machines, of which nobody says how many cores were rented."""

_CONDITION = (
    "engine", "backend", "device", "device_count", "model", "quant", "test", "depth", "flash_attn",
    "ngl", "ncmoe", "kv_type", "engine_version",
)  # fmt: skip

NOISE_OF = {"decode": 0.06, "prefill": 0.12}


@dataclass(frozen=True)
class Row:
    """One published figure.

    Attributes:
        id: its number in the table.
        kind: what it is a rate of.
        source: who published it.
        device: as published, which is what is left out together.
        model: of the catalogue.
        seconds: of one token, or of the prompt.
        steps: what the processors are asked.
        prompt: what reading takes; None for decode.
        is_deep: whether the context held tokens before.
        is_moe: whether the model has experts.
        is_partial: whether a host has a part.
        is_average: whether it is an average over unlike tests.
        noise: see `_NOISE`.
        ceiling_seconds: bytes over bandwidth.
        crossings: between a card and the host.
        condition: everything that was stated, to find repeats by.
        tool_facts: what other tools' formulas take.
    """

    id: str
    kind: Kind
    source: str
    device: str
    model: str
    seconds: float
    steps: tuple[Step, ...]
    prompt: Prompt | None
    is_deep: bool
    is_moe: bool
    is_partial: bool
    is_average: bool
    noise: float
    ceiling_seconds: float
    crossings: int
    condition: tuple[str, ...]
    tool_facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """Tokens that the seconds are of."""
        return 1 if self.prompt is None else self.prompt.tokens

    @property
    def is_core(self) -> bool:
        """Whether it is a bench's own figure, and not an average or a person's remark."""
        return not self.is_average and self.source not in LABS and self.noise <= 0.2


@dataclass
class Table:
    """All rows that can be used, and why others cannot."""

    rows: list[Row] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def read_table(path: Path) -> Table:
    """The rows of a table of measurements."""
    table = Table()
    asker = Asker(_recipe, _nobody)
    with path.open(encoding="utf-8", newline="") as file:
        for raw in csv.DictReader(file):
            try:
                table.rows.append(_row(raw, asker))
            except _Unfit as reason:
                table.left_out[str(reason)] += 1
    return table


def _recipe(name: str) -> Model:
    found = by_name(name)
    assert found is not None, name
    return build_model(found.header())


def _nobody() -> Device:
    raise AssertionError("no row is about this machine")


class _Unfit(Exception):
    """A row that cannot be used, and the reason in a word."""


def _row(raw: Mapping[str, str], asker: Asker) -> Row:
    """A row of the table.

    Raises:
        _Unfit: it cannot be used.
    """
    _check(raw)
    kind, prompt, depth = _what(raw)
    model, stored = model_id(raw["model"]), plain_type(raw["quant"])
    if model is None or stored is None:
        raise _Unfit("no recipe of the model" if model is None else "no recipe of the type")
    try:
        name, weight_bytes = _with_stated_size(raw, model, stored, asker)
        case = _case(raw, asker.model(Case(model=name)).layers)
        question = asker.question(
            msgspec.structs.replace(
                case, model=name, prompt=prompt or None, depth=depth, weight_bytes=weight_bytes
            )
        )
    except TokenroofError as error:
        raise _Unfit(error.message) from error
    steps = steps_of(question, 0)
    path = question.placing.fitted.path
    if not steps or path.ceiling_seconds is None:
        raise _Unfit("device not known")
    on_cards = [step for step in steps if step.place == "gpu"]
    is_partial = bool(on_cards) and len(on_cards) < len(steps)
    if not is_partial and on_cards and not question.placing.found:
        raise _Unfit("does not fit")
    source = _SOURCE.match(raw["notes"])
    tag = source[1] if source else "none"
    rate = float(raw["tokens_per_s"])
    made_prompt = prompt_of(question, steps) if kind == "prefill" else None
    ubatch = None if made_prompt is None else made_prompt.ubatch
    if rate <= 0 or (kind == "prefill" and made_prompt is None):
        raise _Unfit("no rate")
    return Row(
        id=raw["id"],
        kind=kind,
        source=tag,
        device=raw["device"],
        model=model,
        seconds=(prompt if kind == "prefill" else 1) / rate,
        steps=tuple(_with_lab(step, tag) for step in steps),
        prompt=made_prompt,
        is_deep=depth >= 1 and float(raw["depth"] or 0) > 0,
        is_moe=question.model.is_moe,
        is_partial=is_partial,
        is_average=_TEST.fullmatch(raw["test"]) is None,
        noise=max(_NOISE.get(tag, 0.0), NOISE_OF[kind], _RENTED.get(raw["device"], 0.0)),
        ceiling_seconds=path.ceiling_seconds,
        crossings=path.transfers.count,
        condition=(*(raw[key] for key in _CONDITION), str(ubatch)),
        tool_facts=_facts(question.model, steps, weight_bytes),
    )


def _check(raw: Mapping[str, str]) -> None:
    engine = raw["engine"].lower()
    if any(each in engine for each in _FOREIGN):
        raise _Unfit("another engine")
    if _DOUBTED.search(raw["notes"]) or "Cluster" in raw["device"]:
        raise _Unfit("doubted by its publisher")


def _what(raw: Mapping[str, str]) -> tuple[Kind, int, int]:
    """What was measured: the kind, tokens read, and the mean depth."""
    test, depth = raw["test"], float(raw["depth"] or 0)
    if test in _AVERAGES:
        return "decode", 0, round(depth + _AVERAGES[test])
    if test == "avg_pp":
        return "prefill", 1360, 0
    match = _TEST.fullmatch(test)
    if match is None or (match[1] == "pp" and int(match[2]) < 16):
        raise _Unfit("a test that is neither decode nor prefill")
    tokens = int(match[2])
    if match[1] == "pp":
        return "prefill", tokens, round(depth)
    return "decode", 0, round(depth + (tokens - 1) / 2)


def _with_stated_size(
    raw: Mapping[str, str], model: str, stored: tuple[str, bool], asker: Asker
) -> tuple[str, float | None]:
    """The recipe, and how many bytes a token reads where its publisher's file has another size."""
    name, is_exact = stored
    stated = float(raw["model_size_gib"]) * GIB if raw["model_size_gib"] else None
    recipe = f"{model}@{name}"
    if stated is None:
        if is_exact and model.startswith("gpt-oss"):
            recipe = f"{model}@MXFP4_MOE"
        return recipe, None
    of = asker.model(Case(model=recipe))
    if is_exact and model.startswith("gpt-oss") and stated < 0.7 * of.tensor_bytes:
        recipe, is_exact = f"{model}@MXFP4_MOE", False
        of = asker.model(Case(model=recipe))
    own = float(of.decode_weight_bytes or 0)
    ratio = stated / of.tensor_bytes
    if is_exact or not 0.4 < ratio < 2.2:
        return recipe, None
    return recipe, own * ratio


def _case(raw: Mapping[str, str], all_layers: int) -> Case:
    """What is said of the machine and the engine."""
    layers, experts = _places(raw, all_layers)
    count = int(raw["device_count"])
    device = raw["device"]
    if count > 1 and "+" not in device and not device.startswith(f"{count}x"):
        device = f"{count}x {device}"
    on_cpu = raw["backend"].lower().startswith("cpu")
    ubatch = _UBATCH.search(raw["notes"])
    flash = {"1": True, "0": False}.get(raw["flash_attn"])
    return Case(
        device=device,
        backend=raw["backend"] or None,
        engine=raw["engine"] or None,
        engine_version=raw["engine_version"] or None,
        date=raw["date"] or None,
        flash_attention=flash,
        kv_type=raw["kv_type"].replace("fp16", "f16").replace("/", ",") or None,
        gpu_layers=0 if on_cpu and "+" in device else layers,
        cpu_moe=experts,
        ubatch=int(ubatch[1]) if ubatch else None,
        threads=int(raw["threads"]) if raw["threads"] else None,
    )


def _places(raw: Mapping[str, str], all_layers: int) -> tuple[int | None, int | bool | None]:
    """Layers on cards, and blocks whose experts are not, as the engine was told.

    Who writes as many as there are blocks means all: the output layer is on the card as well.
    """
    layers = int(raw["ngl"]) if raw["ngl"] and int(raw["ngl"]) < all_layers else None
    experts: int | bool | None = None
    if raw["ncmoe"].isdigit():
        experts = int(raw["ncmoe"]) or None
    elif raw["ncmoe"] == "all":
        experts = True
    elif "5+" in raw["ncmoe"]:
        experts = 31
    return layers, experts


def _with_lab(step: Step, source: str) -> Step:
    if source in LABS:
        step.levels["lab"] = source
    return step


def _facts(model: Model, steps: list[Step], weight_bytes: float | None) -> dict[str, float]:
    return {
        "parameters": float(model.parameters),
        "active": float(model.active_weights + model.head_weights),
        "file_bytes": float(model.tensor_bytes),
        "read_bytes": weight_bytes or float(model.decode_weight_bytes or 0),
        "bandwidth": max(step.bandwidth for step in steps if step.is_main),
    }


def sources(rows: list[Row]) -> Iterator[tuple[str, int]]:
    """Who published how many of the rows."""
    yield from Counter(row.source for row in rows).most_common()
