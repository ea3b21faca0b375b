"""What was measured, to look at: charts, one HTML file, a Markdown summary."""

from tokenroof.report.charts import Figure, charts
from tokenroof.report.embedded import read_report
from tokenroof.report.page import report_html
from tokenroof.report.summary import summary_markdown
from tokenroof.report.write import write_report

__all__ = [
    "Figure",
    "charts",
    "read_report",
    "report_html",
    "summary_markdown",
    "write_report",
]
