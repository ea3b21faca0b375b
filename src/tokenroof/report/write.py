"""Put a report on the disk: every file whole, or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenroof.analysis import Analysis
from tokenroof.records import Run
from tokenroof.report import render
from tokenroof.report.charts import charts
from tokenroof.report.page import report_html
from tokenroof.report.summary import summary_markdown
from tokenroof.report.tables import text_in
from tokenroof.store.files import make_folder, write_whole_file


def write_report(
    folder: Path, analysis: Analysis, runs: Sequence[Run], language: str = "en"
) -> tuple[Path, ...]:
    """Write ``report.html``, ``summary.md`` and ``charts/*.svg|png`` into a folder.

    Where no font here has Japanese letters, the PNG pictures are in English, and the summary
    says so.

    Returns:
        The files, the page first.

    Raises:
        OutputError: the folder or a file cannot be written; what was written before is whole.
    """
    figures = charts(analysis, runs, language)
    in_pixels, remarks = figures, []
    if language == "ja" and not render.draws_japanese():
        in_pixels = charts(analysis, runs, "en")
        remarks = [text_in(language)("report.pictures_in_english")]
    pictures = folder / "charts"
    make_folder(pictures)
    page, summary = folder / "report.html", folder / "summary.md"
    html = report_html(analysis, runs, language, figures)
    write_whole_file(page, html.encode())
    markdown = summary_markdown(analysis, language, figures, remarks)
    write_whole_file(summary, markdown.encode())
    written = [page, summary]
    for figure in figures:
        path = pictures / f"{figure.name}.svg"
        write_whole_file(path, render.svg(figure.standing_alone()).encode())
        written.append(path)
    for figure in in_pixels:
        path = pictures / f"{figure.name}.png"
        write_whole_file(path, render.png(figure.standing_alone()))
        written.append(path)
    return tuple(written)
