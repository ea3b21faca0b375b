"""Fit the coefficients of public predictions, and say how good they are.

    python tools/fit_public.py MEASUREMENTS.csv            # cross-validation, printed
    python tools/fit_public.py MEASUREMENTS.csv --write    # and what is shipped

The table of measurements stays where it is: what is shipped are coefficients, errors by kind, and
a histogram of predicted over measured (`docs/predictions/validation.json`), from which
`tools/make_predictions.py` makes the page and its pictures.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from public.histogram import histogram
from public.measured import Row, read_table
from public.shipping import spreads, write
from public.train import own_distances, train
from public.validate import Errors, errors_by_kind, floor, left_out, others
from tokenroof.predict.public.coefficients import DECODE, PREFILL

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = ROOT / "src" / "tokenroof" / "predict" / "public" / "data" / "public.json"
VALIDATION = ROOT / "docs" / "predictions" / "validation.json"

HEADING = (
    f"{'':34}{'rows':>6}{'dev':>5}{'median':>8}{'p90':>7}{'by dev':>8}{'p90':>7}{'in 80 %':>9}"
)


def main() -> None:
    """Read, validate, print, and write if asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("table", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    table = read_table(asked.table)
    rows = table.rows
    print(f"{len(rows)} rows can be used; left out: {dict(table.left_out)}")
    began = time.monotonic()
    known = train(rows)
    print(f"fitted in {time.monotonic() - began:.1f} s")
    found: dict[str, Any] = {}
    seconds, spread = left_out(rows, "device")
    found["devices left out"] = _told(
        "whole devices left out", errors_by_kind(rows, seconds, spread)
    )
    by_model, model_spread = left_out(rows, "model")
    found["models left out"] = _told(
        "whole models left out", errors_by_kind(rows, by_model, model_spread)
    )
    found["other tools"] = {
        name: _told(name, kinds.items()) for name, kinds in others(rows).items()
    }
    found["floor"] = {kind: floor(rows, kind) for kind in (DECODE, PREFILL)}
    for kind, (pairs, median, p90) in found["floor"].items():
        print(f"repeats of one condition, {kind}: {pairs} pairs, {median:.1f} / {p90:.1f} %")
    if not asked.write:
        return
    off = np.log([row.seconds for row in rows]) - np.log(seconds)
    core = [n for n, row in enumerate(rows) if row.is_core]
    known = msgspec.structs.replace(
        known,
        devices=own_distances(known, rows),
        spreads=spreads(known, [rows[n] for n in core], off[core]),
    )
    write(SHIPPED, known, _about(rows))
    VALIDATION.parent.mkdir(parents=True, exist_ok=True)
    found["histogram"] = histogram(rows, seconds)
    found["left out of the fit"] = dict(table.left_out)
    found["sources"] = dict(Counter(row.source for row in rows).most_common())
    VALIDATION.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _told(title: str, kinds: Any) -> Mapping[str, Any]:
    print(f"\n{title}\n{HEADING}")
    made: dict[str, Any] = {}
    for kind, errors in kinds:
        name = kind if isinstance(kind, str) else kind.name
        target = None if isinstance(kind, str) else kind.target
        _print(name, errors, target)
        made[name] = {**errors.plain(), "target": target}
    return made


def _print(name: str, errors: Errors, target: float | None) -> None:
    covered = "" if errors.covered is None else f"{errors.covered:.0f}/{errors.device_covered:.0f}"
    goal = "" if target is None else f"  (target {target:g})"
    print(
        f"{name:34}{errors.rows:6}{errors.devices:5}{errors.median:8.1f}{errors.p90:7.1f}"
        f"{errors.device_median:8.1f}{errors.device_p90:7.1f}{covered:>9}{goal}"
        + (f"  {errors.above} above the ceiling" if errors.above else "")
    )


def _about(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "rows": len(rows),
        "devices": len({row.device for row in rows}),
        "models": len({row.model for row in rows}),
        "sources": [name for name, _ in Counter(row.source for row in rows).most_common()],
        "fitted_by": "tools/fit_public.py",
        "errors": "docs/predictions.md",
    }


if __name__ == "__main__":
    main()
