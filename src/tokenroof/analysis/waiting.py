"""How long one waits for an answer, by the estimator: the same sum as `tokenroof wait`.

The runs of a series are one condition, and answer as measured runs do there (see
`predict.pace.measured_pace`); of what they do not reach, whatever predicts this model on its device
answers, as there. Only where nothing does, the measured curves are drawn out, since a page of runs
alone has nothing else. Both are said: `outside`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from tokenroof.analysis.costs import ModelCosts, kv_types
from tokenroof.analysis.results import Ask, Wait
from tokenroof.model import Model
from tokenroof.predict.cases import Case
from tokenroof.predict.pace.conditions_of_runs import NOT_A_TIME
from tokenroof.predict.pace.measured_pace import Known, MeasuredPace, Reads, reads_of
from tokenroof.predict.wait import wait as whole_wait
from tokenroof.records import Run

if TYPE_CHECKING:
    from tokenroof.predict.pace.pace import Floats, Pace

_SPREADS: tuple[Known, ...] = ("reports", "range", "interval")
"""What the ends of a wait stand for: the least that is known first."""


def waits(
    asks: Sequence[Ask], runs: Sequence[Run], cost: ModelCosts | None, weaker: Sequence[Pace] = ()
) -> tuple[Wait, ...]:
    """The wait of each question; those are left out of which a phase is not known.

    Args:
        asks: prompts and answers.
        runs: of one series.
        cost: of its model, where it is at hand.
        weaker: what predicts the same model on the same device, strongest first.
    """
    counted = [run for run in runs if run.excluded is None]
    # As for `tokenroof wait`; of a campaign that was never left alone the page says so first.
    counted = [run for run in counted if not NOT_A_TIME & set(run.flags)] or counted
    if not counted:
        return ()
    reads = _reads(counted, cost)
    measured = MeasuredPace(counted, reads)
    drawn_out = MeasuredPace(counted, reads, is_drawn_out=True)
    found = [_wait(ask, measured, [*weaker, drawn_out]) for ask in asks]
    return tuple(each for each in found if each is not None)


def _wait(ask: Ask, measured: MeasuredPace, others: Sequence[Pace]) -> Wait | None:
    import numpy as np

    case = Case(prompt=ask.prompt_tokens, output=ask.output_tokens)
    found, _ = whole_wait(case, [measured, *others])
    if found is None or found.total_seconds is None or found.ttft_seconds is None:
        return None
    assert found.low is not None
    assert found.high is not None
    depths = np.arange(ask.prompt_tokens, ask.prompt_tokens + ask.output_tokens - 1)
    outside: list[Literal["prefill", "decode"]] = []
    spreads = set(measured.reading_known(ask.prompt_tokens))
    if measured.reading(ask.prompt_tokens, 0) is None:
        outside.append("prefill")
    if len(depths):
        spreads |= measured.decode_known
        steps = measured.steps(depths)
        if steps is None or np.isnan(steps.seconds).any():
            outside.append("decode")
    return Wait(
        prompt_tokens=ask.prompt_tokens,
        output_tokens=ask.output_tokens,
        ttft_seconds=found.ttft_seconds,
        total_seconds=found.total_seconds,
        low_seconds=found.low,
        high_seconds=found.high,
        spread=next((each for each in _SPREADS if each in spreads), "reports"),
        outside=tuple(outside),
        basis=found.basis,
    )


def _reads(runs: Sequence[Run], cost: ModelCosts | None) -> Reads:
    """What a token reads at each depth: of the model, else straight through what the runs say."""
    import numpy as np

    if isinstance(cost, Model):
        return reads_of(cost, kv_types(runs[0]))
    stated: dict[float, float] = {}
    for run in runs:
        depth = run.mean_decode_depth
        read = None if run.cost is None else run.cost.read_bytes
        if depth is not None and read is not None:
            stated[depth] = float(read)
    if len(stated) < 2:
        return lambda depths: depths
    at = np.array(sorted(stated))
    bytes_ = np.array([stated[each] for each in sorted(stated)])

    def reads(depths: Floats) -> Floats:
        first, last = np.diff(bytes_[[0, 1, -2, -1]])[[0, 2]] / np.diff(at[[0, 1, -2, -1]])[[0, 2]]
        before = np.minimum(depths - at[0], 0.0) * first
        beyond = np.maximum(depths - at[-1], 0.0) * last
        return np.asarray(np.interp(depths, at, bytes_) + before + beyond, dtype=np.float64)

    return reads
