"""How good predictions were: each held against the runs that were measured after it.

A run counts for a prediction where it is of the same model, device and conditions, and at about
the same depth or length. Predicted and measured are compared as times, since times are what is
predicted: a ratio of 1.1 took 10 % longer than was said.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from tokenroof.errors import TokenroofError
from tokenroof.medians import median
from tokenroof.predict.pace.conditions_of_runs import NOT_A_TIME, SAME_WEIGHTS
from tokenroof.predict.predictions import Prediction, question_of
from tokenroof.predict.records import Basis, Rate, Wait
from tokenroof.records import Record, Run

What = Literal["decode", "prefill", "wait"]

NEAR = 0.1
"""A depth or a length may be so much off the one that was asked about."""

NEAR_TOKENS = 640
"""Or so many tokens off in depth: the shortest prompt and answer that are usually measured."""

_NO_READING = frozenset({"prefill_implausible", "prefill_may_be_cached", "prefill_too_short"})


class Scored(Record, frozen=True, kw_only=True):
    """One prediction beside what was measured since.

    Attributes:
        made: when it was predicted.
        model, device: of what.
        what: the figure.
        basis: what it rested on.
        depth: tokens in the context before.
        prompt: tokens read; None of decode.
        output: tokens written; only of a wait.
        predicted_seconds, low_seconds, high_seconds: as it was said: of one token of decode, of
            the whole prompt, of the whole wait.
        measured_seconds: the median of the runs.
        runs: how many.
        ratio: measured over predicted.
        is_inside: whether the interval held it.
    """

    made: str
    model: str | None
    device: str
    what: What
    basis: Basis
    depth: int
    prompt: int | None
    output: int | None
    predicted_seconds: float
    low_seconds: float
    high_seconds: float
    measured_seconds: float
    runs: int
    ratio: float
    is_inside: bool


class Tally(Record, frozen=True, kw_only=True):
    """All predictions of one figure on one basis.

    Attributes:
        count: how many were measured since.
        inside: in how many the interval held the measurement.
        median_ratio: measured over predicted, in the middle: above 1 it was slower than said.
        median_error: how far off in either direction, in the middle: 0.1 is a tenth.
        worst_error: the farthest.
    """

    basis: Basis
    what: What
    count: int
    inside: int
    median_ratio: float
    median_error: float
    worst_error: float


class Score(Record, frozen=True, kw_only=True):
    """`tokenroof.score/1`.

    Attributes:
        kept: questions whose predictions were kept.
        scored: of these, those that were measured since.
        tallies: how good they were, by basis and figure.
        rows: one by one, the newest last.
        waiting: commands that would measure those that were not, at most ten, the newest first.
    """

    kept: int
    scored: int
    tallies: tuple[Tally, ...] = ()
    rows: tuple[Scored, ...] = ()
    waiting: tuple[str, ...] = ()
    schema: Literal["tokenroof.score/1"] = "tokenroof.score/1"


def score(predictions: Sequence[Prediction], runs: Sequence[Run]) -> Score:
    """Every prediction beside the runs that were measured after it."""
    usable = [
        run
        for run in runs
        if run.excluded is None and not run.workload.cached and not NOT_A_TIME & set(run.flags)
    ]
    asked: dict[str, list[Prediction]] = {}
    for each in predictions:
        asked.setdefault(question_of(each), []).append(each)
    rows: list[Scored] = []
    waiting: list[str] = []
    scored = 0
    for said in asked.values():
        # What was said last before it was measured counts, and counts once.
        figures = (_figures(each, _alike(each, usable)) for each in reversed(said))
        found = next((each for each in figures if each), [])
        rows += found
        scored += bool(found)
        command = said[-1].verify
        if not found and command is not None and command not in waiting:
            waiting.append(command)
    return Score(
        kept=len(asked),
        scored=scored,
        tallies=tuple(_tallies(rows)),
        rows=tuple(sorted(rows, key=lambda row: row.made)),
        waiting=tuple(reversed(waiting))[:10],
    )


def _alike(each: Prediction, runs: Iterable[Run]) -> list[Run]:
    """The runs after a prediction, of its model on its device under its conditions."""
    return [
        run
        for run in runs
        if (run.started or "") > each.made
        and _same_model(each, run)
        and _same_conditions(each, run)
        and _same_device(each, run)
    ]


def _same_model(each: Prediction, run: Run) -> bool:
    own, other = each.model, run.model
    if own.digest is not None and other.digest is not None:
        return own.digest == other.digest
    if (
        None not in (own.architecture, other.architecture)
        and own.architecture != other.architecture
    ):
        return False
    if not own.weight_bytes or not other.weight_bytes:
        return False
    return abs(float(other.weight_bytes) / float(own.weight_bytes) - 1) <= SAME_WEIGHTS


def _same_device(each: Prediction, run: Run) -> bool:
    if run.device is None:
        return False
    if _plain(run.device) == _plain(each.device):
        return True
    if each.here:
        return False
    from tokenroof.hardware.device_text import named_device

    try:
        return named_device(run.device, None, None).name == each.device
    except TokenroofError:
        return False


def _same_conditions(each: Prediction, run: Run) -> bool:
    case, of = each.case, run.settings
    key, _, value = str(case.get("kv_type") or "f16").lower().partition(",")
    if ((of.kv_type_k or "f16").lower(), (of.kv_type_v or "f16").lower()) != (key, value or key):
        return False
    pairs = (
        ("engine", run.engine.name),
        ("engine_version", run.engine.version),
        ("backend", run.engine.backend),
        ("flash_attention", of.flash_attention),
        ("gpu_layers", of.gpu_layers),
        ("threads", of.threads),
        ("batch", of.batch),
        ("ubatch", of.ubatch),
    )
    return all(
        case.get(name) is None or str(case[name]).lower() == str(had).lower() for name, had in pairs
    )


@dataclass(frozen=True, slots=True)
class _Said:
    """One figure of a prediction, as a time."""

    what: What
    basis: Basis
    seconds: float
    low: float
    high: float
    prompt: int | None = None
    output: int | None = None


def _figures(each: Prediction, runs: Sequence[Run]) -> list[Scored]:
    case = each.case
    prompt, output = case.get("prompt"), case.get("output")
    found = [_against(each, _rate("decode", each.decode), runs, _decode_at(each.depth))]
    if prompt is not None:
        reading = _reading_of(prompt, each.depth)
        found.append(_against(each, _rate("prefill", each.prefill, prompt), runs, reading))
    plain = not any(case.get(key) for key in ("cached", "thinking", "cold"))
    if prompt is not None and output is not None and plain and (case.get("turns") or 1) == 1:
        whole = _whole_of(prompt, output, each.depth)
        found.append(_against(each, _wait(each.wait, prompt, output), runs, whole))
    return [one for one in found if one is not None]


def _rate(what: What, rate: Rate | None, prompt: int | None = None) -> _Said | None:
    if rate is None or not rate.tokens_per_s or not rate.low or not rate.high:
        return None
    tokens = prompt or 1
    ends = (tokens / rate.tokens_per_s, tokens / rate.high, tokens / rate.low)
    return _Said(what, rate.basis, *ends, prompt)


def _wait(wait: Wait | None, prompt: int, output: int) -> _Said | None:
    if wait is None or not wait.total_seconds or wait.low is None or wait.high is None:
        return None
    return _Said("wait", wait.basis, wait.total_seconds, wait.low, wait.high, prompt, output)


def _against(
    each: Prediction,
    said: _Said | None,
    runs: Sequence[Run],
    seconds: Callable[[Run], float | None],
) -> Scored | None:
    """A figure beside the runs that measured it; None where none did, or none was predicted."""
    if said is None or said.basis == "measured":
        return None
    times = [time for run in runs if (time := seconds(run)) is not None]
    if not times:
        return None
    measured = float(median(times))
    return Scored(
        made=each.made,
        model=each.model.name,
        device=each.device,
        what=said.what,
        basis=said.basis,
        depth=each.depth,
        prompt=said.prompt,
        output=said.output,
        predicted_seconds=said.seconds,
        low_seconds=said.low,
        high_seconds=said.high,
        measured_seconds=measured,
        runs=len(times),
        ratio=measured / said.seconds,
        is_inside=said.low <= measured <= said.high,
    )


def _decode_at(depth: int) -> Callable[[Run], float | None]:
    def seconds(run: Run) -> float | None:
        at, spent, steps = run.mean_decode_depth, run.output.seconds, run.output.steps
        if at is None or not spent or not steps or "timing_disabled" in run.flags:
            return None
        return spent / steps if abs(at - depth) <= max(NEAR * depth, NEAR_TOKENS) else None

    return seconds


def _reading_of(prompt: int, depth: int) -> Callable[[Run], float | None]:
    """Of a prompt of about that length, brought to just that length."""

    def seconds(run: Run) -> float | None:
        tokens, spent = run.prompt.tokens, run.prompt.seconds
        if not tokens or not spent or run.prompt.cached or _NO_READING & set(run.flags):
            return None
        if run.workload.depth != depth or abs(tokens / prompt - 1) > NEAR:
            return None
        return spent / tokens * prompt

    return seconds


def _whole_of(prompt: int, output: int, depth: int) -> Callable[[Run], float | None]:
    """Reading and further steps of a run with about so many of both."""
    reading = _reading_of(prompt, depth)

    def seconds(run: Run) -> float | None:
        read, steps, spent = reading(run), run.output.steps, run.output.seconds
        if read is None or not steps or not spent or abs(steps - output) > max(NEAR * output, 1):
            return None
        return read + spent / steps * (output - 1)

    return seconds


def _tallies(rows: Sequence[Scored]) -> list[Tally]:
    groups: dict[tuple[Basis, What], list[Scored]] = {}
    for row in rows:
        groups.setdefault((row.basis, row.what), []).append(row)
    found = []
    for (basis, what), group in sorted(groups.items()):
        errors = [math.exp(abs(math.log(row.ratio))) - 1 for row in group]
        found.append(
            Tally(
                basis=basis,
                what=what,
                count=len(group),
                inside=sum(row.is_inside for row in group),
                median_ratio=float(median([row.ratio for row in group])),
                median_error=float(median(errors)),
                worst_error=max(errors),
            )
        )
    return found


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", name.lower())
