"""What the charts of an estimate show: the rows, and the ceilings at the depths between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from tokenroof.api.estimating import asker
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.grid import grid
from tokenroof.predict.records import Estimate, Row
from tokenroof.report.charts.estimate_depths import Curve
from tokenroof.report.charts.estimate_plane import Crossing
from tokenroof.report.estimate_charts import write_charts
from tokenroof.safetext import printable

DEEPEST = 32_768
"""How deep a line goes where nobody asks about a depth."""

STEPS = 64


def draw(path: str | Path, cases: Sequence[Case], estimate: Estimate, language: str = "en") -> None:
    """Draw the ceilings over the depth and the map of devices and models into a file.

    Args:
        path: its ending says as what: ``.png``, ``.svg`` or ``.html``.
        cases: the questions of the rows.
        estimate: the rows, in their order.
        language: of what is written on it.

    Raises:
        UsageError: another ending, or no ceiling is known.
        OutputError: it cannot be written.
    """
    pairs = [
        (case, row)
        for case, row in zip(cases, estimate.rows, strict=True)
        if row.bandwidth_bytes_per_s
    ]
    names = _Names([row for _, row in pairs])
    answers = asker()
    lines: dict[str, list[tuple[Case, Row]]] = {}
    for case, row in pairs:
        lines.setdefault(names.line(row), []).append((case, row))
    depths = [row.depth or 0 for _, row in pairs]
    deepest = max(depths, default=0)
    # Figures of a few tokens say nothing of how deep anybody wants to look.
    deepest = deepest if deepest >= STEPS * 4 else DEEPEST
    curves = [
        _curve(answers, name, names.model(asked[0][1]), asked, deepest)
        for name, asked in lines.items()
    ]
    start = min(depths, default=0)
    write_charts(
        Path(path), curves, _crossings([row for _, row in pairs], names, start), start, language
    )


def _curve(
    answers: Asker, name: str, model: str, asked: Sequence[tuple[Case, Row]], deepest: int
) -> Curve:
    points = {row.depth or 0: row.ceiling_tokens_per_s or 0.0 for _, row in asked}
    measured = [
        (row.depth or 0, row.measured.tokens_per_s)
        for _, row in asked
        if row.measured is not None and row.measured.phase == "decode"
    ]
    case = asked[0][0]
    if not case.fit:
        depths = [round(deepest * n / STEPS) for n in range(STEPS + 1)]
        made = grid(
            answers,
            [case.model or ""],
            [case.device],
            depths,
            msgspec.structs.replace(case, context=None),
        )
        points = (
            dict(zip(depths, made.ceiling_tokens_per_second[0, 0].tolist(), strict=True)) | points
        )
    along = sorted(points)
    return Curve(
        label=name,
        model=model,
        device=printable(asked[0][1].device or "", 40),
        depths=along,
        ceilings=[points[depth] for depth in along],
        asked=[row.depth or 0 for _, row in asked],
        measured=measured,
    )


def _crossings(rows: Sequence[Row], names: _Names, depth: int) -> list[Crossing]:
    found: dict[tuple[str, str], Crossing] = {}
    for row in rows:
        if row.depth == depth and row.read_bytes and row.bandwidth_bytes_per_s:
            verdict = row.fits.verdict if row.fits is not None else "unknown"
            found.setdefault(
                (names.model(row), row.device or ""),
                Crossing(
                    model=names.model(row),
                    device=printable(row.device or "", 40),
                    read_bytes=row.read_bytes,
                    bandwidth=row.bandwidth_bytes_per_s,
                    fits=None if verdict == "unknown" else verdict != "does_not_fit",
                ),
            )
    return list(found.values())


class _Names:
    """What rows are called: by what differs among them."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._types: dict[str | None, set[str | None]] = {}
        for row in rows:
            self._types.setdefault(row.model, set()).add(row.file_type)
        self._one_model = len({self.model(row) for row in rows}) <= 1
        self._one_device = len({row.device for row in rows}) <= 1

    def model(self, row: Row) -> str:
        """A model, with its type where one name stands for several."""
        name = printable(row.model or "", 40)
        return f"{name} {row.file_type}" if len(self._types[row.model]) > 1 else name

    def line(self, row: Row) -> str:
        """A model on a device."""
        device = printable(row.device or "", 40)
        if self._one_model:
            return device
        return self.model(row) if self._one_device else f"{self.model(row)}, {device}"
