"""llama-bench's tables, from 2023 to now, as they are pasted everywhere.

Columns are read by their titles: a column is there only where its option is not the default, and
titles changed (`n_gpu_layers` became `ngl`, `pp 512` became `pp512`). The line `build: ...` under
a table belongs to the tables above it; device lines above a table name what it may have used.
"""

from __future__ import annotations

import re
from typing import Any

from tokenroof.importing.collector import MOST_RUNS, Collector
from tokenroof.importing.figures import finite, number
from tokenroof.importing.llama_bench_rows import add_row

_BUILD = re.compile(r"\s*build:\s*(?P<commit>\w{1,40})\s*\((?P<number>\d{1,9})\)\s*", re.ASCII)
_DEVICE = re.compile(r"\s*Device \d{1,3}: (?P<name>[^,]{1,100}),")

_SAY_DEVICE = re.compile(r"CUDA|ROCm|HIP|MUSA")
"""Backends whose devices such lines name: a table of Metal below one of CUDA ran elsewhere."""

_TEST = re.compile(
    r"(?:pp\s*(?P<prompt>\d{1,9}))?(?P<and>\s*\+\s*)?(?:tg\s*(?P<output>\d{1,9}))?"
    r"(?:\s*@\s*d\s*(?P<depth>\d{1,9}))?",
    re.ASCII,
)
_RATE = re.compile(r"(?P<mean>[^±]{1,40}?)\s*(?:(?:±|\+-|\+/-)\s*(?P<deviation>[^±]{1,40}))?")

_NAMES = {
    "model": "model_type",
    "backend": "backends",
    "ngl": "n_gpu_layers",
    "threads": "n_threads",
    "th": "n_threads",
    "fa": "flash_attn",
    "ncmoe": "n_cpu_moe",
    "sm": "split_mode",
    "mg": "main_gpu",
    "nkvo": "no_kv_offload",
    "dev": "devices",
    "ts": "tensor_split",
    "ot": "tensor_buft_overrides",
    "mmap": "use_mmap",
    "dio": "use_direct_io",
    "lm": "load_mode",
    "embd": "embeddings",
    "nopo": "no_op_offload",
    "noh": "no_host",
    "rpk": "repack",
    "fitt": "fit_target",
    "fitc": "fit_min_ctx",
}
"""Titles of columns, and the fields that they shorten."""

_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}
_COUNTS = {"": 1, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}

_MOST_COLUMNS = 100


class Tables:
    """Tables of one paste; rows wait for the line that names their build."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._titles: list[str] | None = None
        self._waiting: list[tuple[int, dict[str, Any]]] = []
        self._devices: list[str] = []

    def take(self, line: int, text: str) -> bool:
        """Take a line of a table, or one that says something about a table."""
        stripped = text.strip()
        if stripped.startswith("|"):
            return self._row(line, stripped)
        if "build:" not in text and "Device" not in text:
            return False
        if build := _BUILD.fullmatch(text):
            self._built(build["commit"], build["number"])
            return True
        if device := _DEVICE.match(text):
            if self._waiting:
                self._built(None, None)
            self._devices.append(device["name"].strip())
        return False  # a log says so too

    def close(self) -> None:
        """No build was named for what still waits."""
        self._built(None, None)

    def _row(self, line: int, text: str) -> bool:
        if self._collector.is_full:
            return True
        cells = [cell.strip() for cell in text.strip("|").split("|")]
        if set(text) <= set("|-: "):
            return True
        if "test" in cells and "t/s" in cells and len(cells) <= _MOST_COLUMNS:
            self._titles = cells
            return True
        if self._titles is None:
            return False
        named = _named(self._titles, cells)
        row = None if named is None else _fields(named)
        if row is None:
            self._collector.refuse(line, "importing.strange_row", text=text[:60])
        elif len(self._waiting) < MOST_RUNS:
            self._collector.end_of_text()
            self._waiting.append((line, row))
        else:
            self._built(None, None)
            self._collector.full(line)
        return True

    def _built(self, commit: str | None, build: str | None) -> None:
        named = set(self._devices)
        device = named.pop() if len(named) == 1 else None
        for line, row in self._waiting:
            is_of_them = _SAY_DEVICE.search(str(row.get("backends") or "")) is not None
            row |= {"build_commit": commit, "build_number": build}
            add_row(self._collector, line, row, device if is_of_them else None)
        if self._waiting:
            self._devices = []
        self._waiting = []


def _named(titles: list[str], cells: list[str]) -> dict[str, str] | None:
    """Cells by the titles of their columns. A pattern in `ot` may hold the mark between cells."""
    more = len(cells) - len(titles)
    if more > 0 and "ot" in titles:
        at = titles.index("ot")
        cells = [*cells[:at], "|".join(cells[at : at + more + 1]), *cells[at + more + 1 :]]
    if len(cells) != len(titles):
        return None
    return dict(zip(titles, cells, strict=True))


def _fields(named: dict[str, str]) -> dict[str, Any] | None:
    """A row as the other formats have it; None where it is no test with a rate."""
    test = _TEST.fullmatch(named["test"].strip("*` "))
    rate = _RATE.fullmatch(named["t/s"].strip("*` "))
    if test is None or rate is None or not (test["prompt"] or test["output"]):
        return None
    if bool(test["and"]) != bool(test["prompt"] and test["output"]):
        return None
    row: dict[str, Any] = {
        _NAMES.get(title, title): value
        for title, value in named.items()
        if value and title not in {"test", "t/s"}
    }
    row |= {
        "n_prompt": int(test["prompt"] or 0),
        "n_gen": int(test["output"] or 0),
        "n_depth": int(test["depth"] or 0),
        "avg_ts": number(rate["mean"]),
        "stddev_ts": finite(rate["deviation"]),
        "model_size": _scaled(named.get("size"), _UNITS),
        "model_n_params": _scaled(named.get("params"), _COUNTS),
    }
    return row


def _scaled(text: str | None, units: dict[str, int]) -> int | None:
    """A rounded size or count as a number."""
    amount, _, unit = (text or "").partition(" ")
    value = number(amount)
    return (
        None if value is None or unit.strip() not in units else round(value * units[unit.strip()])
    )
