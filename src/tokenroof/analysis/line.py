"""The line of time against bytes, over the lengths of one model.

Along it the weights stay the same and only the cache grows. Its slope is therefore the time per
*added* byte, and 1 / slope the rate at which added bytes were read. Where the line meets zero
bytes is a point that no run can reach: weights are read at another rate than the cache, so that
time may even be negative. It is a property of the line and the cost of nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.analysis.results import DecodePoint, Line
from tokenroof.notices import Notice
from tokenroof.units import bandwidth, milliseconds

LENGTHS_FOR_A_LINE = 3
LEAST_VARIATION = 0.1


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
        narrow = {"share": f"{(most / least - 1) * 100:.1f} %"}
        return None, [Notice("analysis.line_too_narrow", narrow)]
    count = len(known)
    mean_x, mean_y = sum(x for x, _ in known) / count, sum(y for _, y in known) / count
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
