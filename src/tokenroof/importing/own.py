"""What tokenroof wrote itself: runs, documents that hold runs, and the runs inside a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

import msgspec

from tokenroof.importing.collector import Collector
from tokenroof.records import RUN_SCHEMA, Run

RUNS_ID = "tokenroof-runs"
"""The element of a report that holds its runs."""

PREFIX = "tokenroof."


def add_document(collector: Collector, line: int, document: Mapping[str, Any]) -> None:
    """Collect the run that a document is, or those that it holds."""
    schema = str(document.get("schema"))
    held = document.get("runs")
    if schema == RUN_SCHEMA:
        held = [document]
    elif schema.startswith("tokenroof.run/"):
        collector.refuse(line, "importing.newer", schema=schema[:60], known=RUN_SCHEMA)
        return
    if not isinstance(held, list):
        collector.refuse(line, "importing.no_runs", schema=schema[:60])
        return
    for each in held:
        try:
            collector.add_own(line, msgspec.convert(each, Run))
        except (msgspec.ValidationError, RecursionError) as problem:
            collector.refuse(line, "importing.bad_run", reason=str(problem)[:200])


def runs_in_page(page: str) -> list[Run]:
    """The runs inside a report.html.

    Raises:
        ValueError: it is no report, or what it holds are no runs.
    """
    finder = _Finder()
    try:
        finder.feed(page)
        return msgspec.convert(json.loads("".join(finder.found)), list[Run])
    except (msgspec.MsgspecError, RecursionError) as problem:
        raise ValueError(str(problem)) from problem


class _Finder(HTMLParser):
    """Collects the text of the element that holds the runs."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag == "script" and dict(attrs).get("id") == RUNS_ID

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.found.append(data)
