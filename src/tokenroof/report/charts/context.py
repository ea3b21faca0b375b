"""What every chart says about where its figures come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokenroof import words
from tokenroof.analysis import Analysis, Series
from tokenroof.report.charts.figure import legend_label
from tokenroof.safetext import printable


def subtitle(analysis: Analysis, shown: Sequence[Series], language: str) -> str:
    """Engine, device, date and how many runs a median stands on; the model where it is one."""
    parts = []
    if len(shown) == 1:
        parts.append(legend_label(shown[0], language))
    parts += _listed(
        " ".join(filter(None, (s.engine.name, s.engine.version, s.engine.backend))) for s in shown
    )
    parts += _listed(s.device or "" for s in shown)
    parts += _listed((s.first_started or "")[:10] for s in shown)
    parts.append(_runs(shown, language))
    return " · ".join(part for part in parts if part)


def _listed(values: Iterable[str]) -> list[str]:
    return [", ".join(dict.fromkeys(printable(v, 60) for v in values if v))]


def _runs(shown: Sequence[Series], language: str) -> str:
    counts = [
        point.counted.runs
        for series in shown
        for point in (*series.prefill, *series.decode)
        if point.counted is not None and not series.aggregate
    ]
    known = [count for count in counts if count is not None]
    stated = {
        point.aggregate.statistic
        for series in shown
        for point in (*series.prefill, *series.decode)
        if point.aggregate is not None
    }
    if stated:
        return words.text("report.runs_stated", language, statistics=", ".join(sorted(stated)))
    if not known:
        return ""
    least, most = min(known), max(known)
    if most == 1:
        return words.text("report.runs_one", language)
    span = str(most) if least == most else f"{least}–{most}"
    return words.text("report.runs_median", language, runs=span)
