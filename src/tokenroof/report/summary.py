"""The report as Markdown: the sentences, the pictures, the tables, and how to measure again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenroof.analysis import Analysis
from tokenroof.report.charts import Figure
from tokenroof.report.charts.figure import joined
from tokenroof.report.conditions import command_line, conditions_table, sources_table
from tokenroof.report.excluded import excluded_table
from tokenroof.report.markdown import escaped, grid
from tokenroof.report.page import page_title
from tokenroof.report.remarks import Remarks, remarks
from tokenroof.report.tables import fits_table, series_tables, text_in
from tokenroof.report.usage import usage_tables
from tokenroof.safetext import printable


def summary_markdown(
    analysis: Analysis,
    language: str = "en",
    figures: Sequence[Figure] = (),
    further: Sequence[str] = (),
) -> str:
    """The summary; pictures are looked for in ``charts/`` beside it.

    Args:
        analysis: what the runs show.
        language: of the summary.
        figures: the charts that lie in ``charts/``.
        further: lines for the reader, plain text.
    """
    text = text_in(language)
    parts = [f"# {escaped(page_title(analysis, language))}"]
    parts += [f"**{escaped(notice.text(language))}**" for notice in analysis.lead]
    for series in analysis.series:
        spoken = [escaped(each.text(language)) for each in series.sentences]
        parts.append(joined(spoken, language))
    parts.append(_rerun(analysis, language))
    if figures:
        parts.append(f"## {text('report.figures')}")
        for figure in figures:
            parts.append(f"![{escaped(figure.title)}](charts/{figure.name}.png)")
            parts.append(escaped(figure.caption))
    parts += [escaped(line) for line in further]
    parts.append(f"## {text('report.results')}")
    for series in analysis.series:
        parts.append(f"### {escaped(series.label)}")
        tables = [*series_tables(series, language), *usage_tables(series, language)]
        parts += [grid(table) for table in tables]
    fits = fits_table(analysis, language)
    parts.append(grid(fits) if fits else "")
    parts += _known(remarks(analysis, figures, language), text("report.notices"))
    parts.append(f"## {text('report.table_excluded')}")
    excluded = excluded_table(analysis, language)
    parts.append(grid(excluded, titled=False) if excluded else text("report.all_counted"))
    for table in (conditions_table(analysis, language), sources_table(analysis, language)):
        parts.append(f"## {table.title}")
        parts.append(grid(table, titled=False))
    parts += [escaped(printable(remark)) for remark in analysis.conditions.remarks]
    return "\n\n".join(part for part in parts if part) + "\n"


def _rerun(analysis: Analysis, language: str) -> str:
    command = command_line(analysis)
    if command is None:
        return ""
    longest = max((len(run) for run in re.findall("`+", command)), default=0)
    fence = "`" * max(3, longest + 1)
    title = text_in(language)("report.rerun")
    return f"## {title}\n\n{fence}sh\n{command}\n{fence}"


def _known(groups: Sequence[Remarks], title: str) -> list[str]:
    parts = [f"## {title}"] if groups else []
    for group in groups:
        if group.label:
            parts.append(f"**{escaped(group.label)}**")
        parts.append("\n".join(f"- {escaped(sentence)}" for sentence in group.sentences))
    return parts
