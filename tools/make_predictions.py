"""Write `docs/predictions.md` and its pictures from the errors that are shipped.

    python tools/make_predictions.py [--check]

`tools/fit_public.py MEASUREMENTS.csv --write` makes `docs/predictions/validation.json`; this needs
nothing else, and least of all the measurements.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from pathlib import Path
from typing import Any

import altair as alt

from tokenroof.report.charts.style import config, dressed
from tokenroof.report.render import svg

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "predictions"
VALIDATION = FOLDER / "validation.json"
TEXT = FOLDER / "page.md"
PAGE = ROOT / "docs" / "predictions.md"

CLASSES = {
    "nv": "NVIDIA",
    "amd": "AMD",
    "apple": "Apple",
    "intel": "Intel",
    "cpu": "CPU",
    "partial": "card + host",
}


def main() -> int:
    """Write the page, or say whether it is what the numbers make."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    found = json.loads(VALIDATION.read_text(encoding="utf-8"))
    page = filled(TEXT.read_text(encoding="utf-8"), found)
    if check:
        return int(PAGE.read_text(encoding="utf-8") != page)
    PAGE.write_text(page, encoding="utf-8")
    for kind in ("decode", "prefill"):
        (FOLDER / f"{kind}.svg").write_text(picture(found, kind), encoding="utf-8")
    return 0


def filled(text: str, found: dict[str, Any]) -> str:
    """The page with its tables."""
    floor = found["floor"]
    places = {
        "devices": _errors(found["devices left out"]),
        "models": _errors(found["models left out"]),
        "others": _others(found),
        "sources": ", ".join(f"{name} ({count:,})" for name, count in found["sources"].items()),
        "left_out": "; ".join(
            f"{reason}: {count}" for reason, count in found["left out of the fit"].items()
        ),
        "rows": f"{sum(found['sources'].values()):,}",
        **{
            f"floor_{kind}": f"{median:.1f} % at the median and {p90:.0f} % at the 90th percentile "
            f"({pairs:,} pairs)"
            for kind, (pairs, median, p90) in floor.items()
        },
    }
    for name, value in places.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def picture(found: dict[str, Any], kind: str) -> str:
    """Predicted against measured, by class, as an SVG."""
    rows = [
        {
            "class": CLASSES[each["class"]],
            "measured": 10 ** each["measured"],
            "predicted": 10 ** (each["measured"] + each["ratio"]),
            "rows": each["rows"],
        }
        for each in found["histogram"]
        if each["kind"] == kind and each["class"] in CLASSES
    ]
    low = 10 ** math.floor(min(math.log10(row["measured"]) for row in rows))
    high = 10 ** math.ceil(max(math.log10(row["measured"]) for row in rows))
    scale = alt.Scale(type="log", domain=[low, high], clamp=True)
    points = (
        alt.Chart()
        .mark_circle(opacity=0.6)
        .encode(
            x=alt.X("measured:Q", scale=scale, title="measured tok/s", axis=alt.Axis(format="~s")),
            y=alt.Y(
                "predicted:Q", scale=scale, title="predicted tok/s", axis=alt.Axis(format="~s")
            ),
            size=alt.Size("rows:Q", title="figures", scale=alt.Scale(type="sqrt", range=[12, 260])),
        )
    )
    line = (
        alt.Chart(alt.InlineData(values=[{"at": low}, {"at": high}]))
        .mark_line(strokeDash=[4, 3], color="#777777")
        .encode(x=alt.X("at:Q", scale=scale), y=alt.Y("at:Q", scale=scale))
    )
    chart = (
        alt.layer(line, points, data=alt.InlineData(values=rows))
        .properties(width=210, height=170)
        .facet(facet=alt.Facet("class:N", title=None, sort=list(CLASSES.values())), columns=3)
    )
    spec: dict[str, Any] = chart.to_dict()
    spec.pop("config", None)
    return svg(dressed({**spec, "config": config("en", dark=False)}, dark=False))


def _errors(kinds: dict[str, Any]) -> str:
    lines = [
        "| what | figures | devices | median | 90th | by device: median | 90th | in the interval | "
        "goal |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name, each in kinds.items():
        goal = "" if each["target"] is None else f"{each['target']:g} %"
        lines.append(
            f"| {name} | {each['rows']:,} | {each['devices']} | {each['median']:.1f} % | "
            f"{each['p90']:.0f} % | {each['device_median']:.1f} % | {each['device_p90']:.0f} % | "
            f"{each['covered']:.0f} % ({each['device_covered']:.0f} % by device) | {goal} |"
        )
    return "\n".join(lines)


def _others(found: dict[str, Any]) -> str:
    ours = found["devices left out"]
    names = list(found["other tools"])
    lines = [
        "| median (90th) of the same figures | tokenroof | " + " | ".join(names) + " |",
        "|---|---:|" + "---:|" * len(names),
    ]
    for kind, each in ours.items():
        theirs = [found["other tools"][name].get(kind) for name in names]
        if any(theirs):
            cells = [_pair(each), *(_pair(other) for other in theirs)]
            lines.append(f"| {kind} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _pair(each: dict[str, Any]) -> str:
    above = f", {each['above']} above the ceiling" if each["above"] else ""
    return f"{each['median']:.1f} % ({each['p90']:.0f} %){above}"


if __name__ == "__main__":
    sys.exit(main())
