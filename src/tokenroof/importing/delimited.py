"""llama-bench's CSV and SQL, and LocalScore's CSV: lines of values under names."""

from __future__ import annotations

import csv
import re

from tokenroof.importing import localscore
from tokenroof.importing.collector import Collector
from tokenroof.importing.llama_bench_rows import add_row

_INSERT = re.compile(r"\s*INSERT INTO \w{1,64} \((?P<names>[\w, ]{1,4000})\) VALUES \(", re.ASCII)
_NEEDED = {"n_prompt", "n_gen"}
_TIMED = {"avg_ts", "avg_ns", "prompt_tps"}


class Csv:
    """A header line, then rows whose values are quoted."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._names: list[str] | None = None

    def take(self, line: int, text: str) -> bool:
        """Take a header, or a row under one."""
        if (names := set(text.replace('"', "").split(","))) >= _NEEDED and _TIMED & names:
            self._names = _values(text, '"')
            return True
        if self._names is None:
            return False
        values = _values(text, '"')
        is_cut = values is None and text.startswith('"')  # in the middle of a value
        if not is_cut and (values is None or len(values) < 2):
            self._names = None
            return False
        _add(self._collector, line, self._names, values)
        return True


class Sql:
    """The statement that makes the table, then one that inserts each row."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._is_inside = False

    def take(self, line: int, text: str) -> bool:
        """Take a line of either statement."""
        if text.lstrip().startswith("CREATE TABLE"):
            self._is_inside = True
        if self._is_inside:
            self._is_inside = not text.rstrip().endswith(");")
            return True
        match = _INSERT.match(text)
        if match is None:
            return False
        values = _values(text[match.end() :].rstrip().removesuffix(";").removesuffix(")"), "'")
        names = [name.strip() for name in match["names"].split(",")]
        _add(self._collector, line, names, values)
        return True


def _values(text: str, quote: str) -> list[str] | None:
    try:
        return next(csv.reader([text], quotechar=quote, skipinitialspace=True, strict=True), None)
    except csv.Error:
        return None


def _add(
    collector: Collector, line: int, names: list[str] | None, values: list[str] | None
) -> None:
    if names is None or values is None or len(names) != len(values):
        collector.refuse(line, "importing.cut_row")
        return
    row = dict(zip(names, values, strict=True))
    if localscore.is_row(row):
        localscore.add_results(collector, line, row)
    else:
        add_row(collector, line, row)
