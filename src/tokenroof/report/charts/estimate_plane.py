"""The plane of the map of devices and models: what crosses on it, and its lines of one speed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tokenroof import units
from tokenroof.report.charts import style
from tokenroof.report.charts.figure import data

if TYPE_CHECKING:
    import altair as alt

HEIGHT = 400
WIDTH = 520

_ROUND = (1, 2, 5)


@dataclass(frozen=True, slots=True)
class Crossing:
    """A model on a device.

    Attributes:
        model, device: what they are called.
        read_bytes: of one token.
        bandwidth: bytes per second.
        fits: whether it fits; None where that is not known.
    """

    model: str
    device: str
    read_bytes: float
    bandwidth: float
    fits: bool | None

    @property
    def rate(self) -> float:
        """Tokens per second at most."""
        return self.bandwidth / self.read_bytes


@dataclass(frozen=True, slots=True)
class Plane:
    """What the axes cover, and where that lies in pixels from the lower left."""

    across: tuple[float, float]
    upwards: tuple[float, float]

    def right(self, read: float) -> float:
        """Pixels from the left of so many GB."""
        return math.log(read / self.across[0]) / math.log(self.across[1] / self.across[0]) * WIDTH

    def up(self, bandwidth: float) -> float:
        """Pixels from below of so many GB/s."""
        span = math.log(self.upwards[1] / self.upwards[0])
        return math.log(bandwidth / self.upwards[0]) / span * HEIGHT

    @property
    def slope(self) -> float:
        """Of a line of one speed, in radians."""
        wide = WIDTH / math.log(self.across[1] / self.across[0])
        return math.atan2(HEIGHT / math.log(self.upwards[1] / self.upwards[0]), wide)


def diagonals(covers: Plane, crossings: Sequence[Crossing], x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Lines of the same speed, each with its figure where nothing else stands."""
    import altair as alt

    across, upwards = covers.across, covers.upwards
    slowest, fastest = upwards[0] / across[1], upwards[1] / across[0]
    rows: list[dict[str, Any]] = []
    named: list[dict[str, Any]] = []
    for power in range(math.floor(math.log10(slowest)), math.ceil(math.log10(fastest)) + 1):
        for step in _ROUND:
            rate = step * 10.0**power
            first, last = max(across[0], upwards[0] / rate), min(across[1], upwards[1] / rate)
            if first * 1.05 >= last:
                continue
            name = f"{rate:g} tok/s"
            rows += [{"speed": name, "read": at, "bandwidth": at * rate} for at in (first, last)]
            tried = [first * (last / first) ** (n / 24) for n in range(1, 20)]
            at = next((each for each in tried if _is_free(covers, crossings, each, rate)), None)
            if at is not None:
                named.append({"read": at, "bandwidth": at * rate, "label": name})
    angle = 360 - math.degrees(covers.slope)
    return [
        alt.Chart(data(rows))
        .mark_line(color=style.GRID, strokeWidth=1.2)
        .encode(x=x, y=y, detail="speed:N"),
        alt.Chart(data(named))
        .mark_text(
            align="left", baseline="bottom", angle=angle, fontSize=10, color=style.SOFT, dy=-2
        )
        .encode(x=x, y=y, text="label:N"),
    ]


_NAME_LENGTH, _NAME_HEIGHT = 58.0, 15.0


def _is_free(covers: Plane, crossings: Sequence[Crossing], read: float, rate: float) -> bool:
    """Whether a name along a diagonal touches no device, no model and no border."""
    left, low = covers.right(read), covers.up(read * rate)
    rise, run = math.sin(covers.slope), math.cos(covers.slope)
    right, high = left + _NAME_LENGTH * run, low + _NAME_LENGTH * rise + _NAME_HEIGHT * run
    left -= _NAME_HEIGHT * rise
    if left < 2 or right > WIDTH or high > HEIGHT:
        return False
    for each in crossings:
        model = covers.right(each.read_bytes / units.GB)
        device = covers.up(each.bandwidth / units.GB)
        if left - 3 < model < right + 3 or low - 3 < device < high + 3:
            return False
        if left - _FIGURE[0] < model < left and low - 3 < device < high + _FIGURE[1]:
            return False
    return True


_FIGURE = (40.0, 20.0)
"""What the figure beside a crossing takes, to the right and below."""
