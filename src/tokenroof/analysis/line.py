"""The line of time against bytes, over the lengths of one model.

Along it the weights stay the same and only the cache grows. Its slope is therefore the time per
*added* byte, and 1 / slope the rate at which added bytes were read. Where the line meets zero
bytes is a point that no run can reach: weights are read at another rate than the cache, so that
time may even be negative. It is a property of the line and the cost of nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tokenroof.analysis.results import DecodePoint, Line
from tokenroof.notices import Notice
from tokenroof.units import bandwidth, count, milliseconds

NO_LINE = frozenset({"analysis.line_flat", "analysis.line_too_few", "analysis.line_too_narrow"})
"""The reasons why there is none."""

LENGTHS_FOR_A_LINE = 3
LEAST_VARIATION = 0.1
AMPLE = 1.1
"""A length that is proposed should be enough for certain."""


def fit_line(points: Sequence[DecodePoint], peak: float | None) -> tuple[Line | None, list[Notice]]:
    """The least-squares line through the points, or the reason why there is none.

    Args:
        points: decode points of one series.
        peak: the device's bandwidth in bytes per second, where known.
    """
    known = [
        (point.read_bytes, point.counted.seconds_per_token)
        for point in points
        if point.read_bytes is not None and point.counted is not None
    ]
    lengths = len({bytes_read for bytes_read, _ in known})
    if lengths < LENGTHS_FOR_A_LINE:
        few = {"lengths": lengths, "need": LENGTHS_FOR_A_LINE}
        return None, [Notice("analysis.line_too_few", few)]
    least, most = min(x for x, _ in known), max(x for x, _ in known)
    if most < least * (1 + LEAST_VARIATION):
        return None, [_too_narrow(points, least, most)]
    number = len(known)
    mean_x, mean_y = sum(x for x, _ in known) / number, sum(y for _, y in known) / number
    slope = sum((x - mean_x) * (y - mean_y) for x, y in known) / sum(
        (x - mean_x) ** 2 for x, _ in known
    )
    zero = mean_y - slope * mean_x
    line = Line(
        lengths=lengths,
        zero_bytes_seconds=zero,
        seconds_per_byte=slope,
        added_bytes_per_second=1 / slope if slope > 0 else None,
        worst_misfit=max(abs(zero + slope * x - y) / y for x, y in known),
    )
    return line, _remarks(line, peak)


def _too_narrow(points: Sequence[DecodePoint], least: float, most: float) -> Notice:
    """By how much the bytes vary, and how long an input would make them vary enough.

    The cache grows by the same bytes for every further token once all windows are full.
    """
    share = f"{(most / least - 1) * 100:.1f} %"
    ends = {
        point.read_bytes: point.context_tokens
        for point in points
        if point.read_bytes is not None and point.context_tokens is not None
    }
    short, long = ends.get(least), ends.get(most)
    if short is None or long is None or most <= least or long <= short:
        return Notice("analysis.line_flat", {"share": share})
    per_token = (most - least) / (long - short)
    needed = short + LEAST_VARIATION * AMPLE * least / per_token
    return Notice("analysis.line_too_narrow", {"share": share, "tokens": count(_rounded(needed))})


def _rounded(tokens: float) -> int:
    """Upwards, to two digits: what is only about right is not said to the token."""
    step: int = 10 ** max(math.floor(math.log10(tokens)) - 1, 0)
    return math.ceil(tokens / step) * step


def _remarks(line: Line, peak: float | None) -> list[Notice]:
    found = []
    added = line.added_bytes_per_second
    if added is None:
        found.append(Notice("analysis.line_not_rising"))
    elif peak is not None and added > peak:
        values = {"added": bandwidth(added), "peak": bandwidth(peak)}
        found.append(Notice("analysis.line_above_peak", values))
    if line.zero_bytes_seconds < 0:
        values = {"time": milliseconds(line.zero_bytes_seconds)}
        found.append(Notice("analysis.line_below_zero", values))
    return found
