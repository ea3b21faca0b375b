"""How all charts look: colours, fonts, axes.

The colours are those of Okabe and Ito, which people with any kind of colour vision can tell apart;
shapes say the same again. The dark set holds the same hues, lighter.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from typing import Any

_LATIN = "'Noto Sans', 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial"
_JAPANESE = (
    "'Noto Sans CJK JP', 'Noto Sans JP', 'Hiragino Sans', 'Yu Gothic', 'Meiryo', 'IPAPGothic', "
    "'IPAGothic', 'TakaoPGothic', 'VL PGothic'"
)
FONTS = {
    "en": f"{_LATIN}, {_JAPANESE}, sans-serif",
    "ja": f"{_JAPANESE}, {_LATIN}, sans-serif",
}
"""The first that is there draws; in Japanese the one that has the letters comes first."""

_LIGHT = ("#0072B2", "#D55E00", "#009E73", "#AA4499", "#B87A00", "#3A8FC4", "#555555")
_DARK = ("#56B4E9", "#FF8A4C", "#2FC79A", "#E39AC5", "#F0C14B", "#9CCBEF", "#BBBBBB")
SHAPES = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "stroke")

INK, SOFT, GRID, MARKED = (f"tokenroof:{name}" for name in ("ink", "soft", "grid", "marked"))
"""Stand-ins for colours that depend on the scheme: text, side matters, lines behind, excluded."""

_LIGHT_INKS = {INK: "#1b1b1b", SOFT: "#5a5a5a", GRID: "#e3e3e3", MARKED: "#D55E00"}
_DARK_INKS = {INK: "#e8e8e8", SOFT: "#b5b5b5", GRID: "#3a3d42", MARKED: "#FF8A4C"}

PLOT_WIDTH = 330
PLOT_HEIGHT = 250
WIDE_WIDTH = 620
LABEL_HEIGHT = 13


def inks(*, dark: bool) -> dict[str, str]:
    """What the stand-ins are in one colour scheme."""
    return _DARK_INKS if dark else _LIGHT_INKS


def config(language: str, *, dark: bool) -> dict[str, Any]:
    """The Vega-Lite configuration of one colour scheme. The page holds both."""
    return {
        "background": "transparent" if dark else "#ffffff",
        "font": FONTS[language],
        "padding": 12,
        "view": {"stroke": None},
        "range": {"category": list(_DARK if dark else _LIGHT)},
        "title": {
            "anchor": "start",
            "color": INK,
            "fontSize": 15,
            "fontWeight": "bold",
            "subtitleColor": SOFT,
            "subtitleFontSize": 11.5,
            "subtitlePadding": 5,
            "offset": 14,
        },
        "axis": {
            "labelColor": SOFT,
            "titleColor": INK,
            "gridColor": GRID,
            "domainColor": SOFT,
            "tickColor": SOFT,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "legend": {
            "labelColor": INK,
            "titleColor": INK,
            "labelFontSize": 12,
            "labelLimit": 520,
            "symbolSize": 90,
            "symbolOpacity": 1,
        },
        "text": {"fontSize": 11},
    }


def dressed(value: Any, *, dark: bool) -> Any:
    """A specification with the colours of one scheme in place of their stand-ins."""
    if isinstance(value, dict):
        return {key: dressed(each, dark=dark) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [dressed(each, dark=dark) for each in value]
    return inks(dark=dark).get(value, value) if isinstance(value, str) else value


def log_ticks(low: float, high: float) -> list[float]:
    """Ticks at 1, 2 and 5 times powers of ten within a range."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    ticks = [step * 10.0**power for power in range(first, last + 1) for step in (1, 2, 5)]
    return [tick for tick in ticks if low <= tick <= high]


def log_domain(values: Sequence[float]) -> tuple[float, float]:
    """A domain with room for labels on both sides, also around a single value."""
    low, high = min(values), max(values)
    margin = max((high / low) ** 0.2, 1.5)
    return low / margin, high * margin


def together(values: Sequence[float], domain: tuple[float, float]) -> list[float]:
    """The values, those that nearly coincide on a log axis moved to the outermost of them."""
    near = (domain[1] / domain[0]) ** 0.06
    edge = min(values) if min(values) / domain[0] < domain[1] / max(values) else max(values)
    return [edge if 1 / near <= value / edge <= near else value for value in values]


def apart(positions: Sequence[float], span: float, pixels: float) -> list[float]:
    """Label positions in data units, pushed apart so that no two of them overlap.

    Args:
        positions: where the labels would stand.
        span: how many data units the axis covers, over `pixels` pixels.
    """
    room = span / pixels * LABEL_HEIGHT
    clusters: list[list[int]] = []
    for index in sorted(range(len(positions)), key=lambda i: positions[i]):
        clusters.append([index])
        while len(clusters) > 1 and _overlap(clusters[-2], clusters[-1], positions, room):
            clusters[-2:] = [clusters[-2] + clusters[-1]]
    placed = list(positions)
    for cluster in clusters:
        lowest = _center(cluster, positions) - room * (len(cluster) - 1) / 2
        for rank, index in enumerate(cluster):
            placed[index] = lowest + room * rank
    return placed


def above(positions: Sequence[float], floor: float, span: float, pixels: float) -> list[float]:
    """The same, and none below the floor: what is too low pushes up what is above it."""
    room = span / pixels * LABEL_HEIGHT
    placed = apart(positions, span, pixels)
    least = floor + room / 2
    for index in sorted(range(len(placed)), key=lambda i: placed[i]):
        placed[index] = max(placed[index], least)
        least = placed[index] + room
    return placed


def _center(cluster: Sequence[int], positions: Sequence[float]) -> float:
    return sum(positions[index] for index in cluster) / len(cluster)


def _overlap(
    below: Sequence[int], above: Sequence[int], positions: Sequence[float], room: float
) -> bool:
    needed = room * (len(below) + len(above)) / 2
    return _center(above, positions) - _center(below, positions) < needed


def wrapped(text: str, columns: int) -> list[str]:
    """Text in lines of so many columns; a wide (East Asian) character takes two."""
    lines = [""]
    for word in _words(text):
        if lines[-1] and _columns(lines[-1] + word.rstrip(" ")) > columns:
            lines[-1] = lines[-1].rstrip(" ")
            lines.append(word.lstrip(" "))
        else:
            lines[-1] += word
    return lines


def _words(text: str) -> list[str]:
    words = [""]
    for character in text:
        if words[-1] and (_is_wide(character) or _is_wide(words[-1][-1])):
            # Closing marks stay with the word before them.
            if unicodedata.category(character) in ("Pe", "Po"):
                words[-1] += character
            else:
                words.append(character)
        else:
            words[-1] += character
            if character == " ":
                words.append("")
    return words


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F")


def _columns(text: str) -> int:
    return sum(2 if _is_wide(character) else 1 for character in text)
