"""The curve of reading time against prompt length, through measured points (`predict.powers`)."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.analysis.results import Curve, PrefillPoint, Spread, Timing
from tokenroof.notices import Notice
from tokenroof.predict.pace.powers import fit_powers
from tokenroof.units import percent

LENGTHS_FOR_A_CURVE = 2
LENGTHS_FOR_A_SQUARE = 4
MISFIT_WORTH_SAYING = 0.1


def fit_curve(points: Sequence[PrefillPoint]) -> tuple[Curve | None, list[Notice]]:
    """The curve through the points that read a whole prompt, or the reason why there is none."""
    known = [
        (float(point.prompt_tokens), point.seconds, point.counted)
        for point in points
        if point.prompt_tokens and point.seconds and point.counted and point.depth == 0
    ]
    lengths = len({tokens for tokens, _, _ in known})
    if lengths < LENGTHS_FOR_A_CURVE:
        values = {"lengths": lengths, "need": LENGTHS_FOR_A_CURVE}
        return None, [Notice("analysis.curve_too_few", values)]
    powers = 3 if lengths >= LENGTHS_FOR_A_SQUARE else 2
    fixed, linear, square = fit_powers([(n, seconds) for n, seconds, _ in known], powers)
    ratios, spreads = [1.0], set()
    worst = 0.0
    for tokens, seconds, timing in known:
        fitted = fixed + linear * tokens + square * tokens**2
        low, high, spread = known_to(timing)
        ratios += [seconds / fitted * low, seconds / fitted * high]
        spreads.add(spread)
        worst = max(worst, abs(fitted / seconds - 1))
    curve = Curve(
        lengths=lengths,
        fixed_seconds=fixed,
        linear_seconds=linear,
        square_seconds=square if powers == 3 else None,
        shortest_tokens=min(tokens for tokens, _, _ in known),
        longest_tokens=max(tokens for tokens, _, _ in known),
        worst_misfit=worst,
        low=min(ratios),
        high=max(ratios),
        spread=weakest(spreads),
    )
    if worst <= MISFIT_WORTH_SAYING:
        return curve, []
    misses = {"share": percent(worst), "lengths": lengths, "need": LENGTHS_FOR_A_SQUARE}
    bends = lengths >= LENGTHS_FOR_A_SQUARE
    message = "analysis.curve_misfit" if bends else "analysis.curve_misfit_straight"
    return curve, [Notice(message, misses)]


def known_to(timing: Timing) -> tuple[float, float, Spread]:
    """Factors around a median that enclose what is known of it, and what they stand for."""
    middle = timing.seconds_per_token
    low, high = timing.low_seconds_per_token, timing.high_seconds_per_token
    if low is not None and high is not None:
        return low / middle, high / middle, "interval"
    least, most = timing.least_seconds_per_token, timing.most_seconds_per_token
    if least is not None and most is not None and timing.runs != 1:
        return least / middle, most / middle, "range"
    return 1.0, 1.0, "fit"


def weakest(spreads: set[Spread]) -> Spread:
    """The least that is known among several."""
    order: tuple[Spread, ...] = ("fit", "range", "interval")
    return next(each for each in order if each in spreads)
