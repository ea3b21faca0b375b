"""Results of llama-batched-bench: several sequences that are read and written at once.

A step of the batch writes one token of each sequence, so the time of writing spans as many steps
as one of them has tokens, and steps over seconds is the rate that one of several users sees; the
rates that the program prints are those of all together. The prompts of several sequences are read
in one go and the time is that of all of them, so no prompt has a time of its own; where all share
one prompt, it is read once. Where the sequences are written one after the other, the time is that
of all of them.

How many sequences there were is an option of the program, and makes runs unlike in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tokenroof.importing.collector import Collector
from tokenroof.importing.figures import finite, scalars, span, whole
from tokenroof.records import Output, Prompt, RunEngine, RunModel, Settings, Workload

NAME = "llama-batched-bench"

Row = Mapping[str, Any]

_ROW = {"pp", "tg", "pl", "t_pp", "t_tg"}
_TITLES = ("PP", "TG", "B", "N_KV", "T_PP s", "S_PP t/s", "T_TG s", "S_TG t/s", "T s", "S t/s")
_FIELDS = ("pp", "tg", "pl", "n_kv", "t_pp", "speed_pp", "t_tg", "speed_tg", "t", "speed")
_STATED = re.compile(r"(?:main|llama_batched_bench): (?P<pairs>n_kv_max = .*)")


def is_row(document: Row) -> bool:
    """Whether it is a line of its JSON."""
    return document.keys() >= _ROW


class Tables:
    """Its tables, and the line above one that names the settings."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._stated: dict[str, str] = {}
        self._is_open = False

    def take(self, line: int, text: str) -> bool:
        """Take a line of a table, or the one above it."""
        text = text[:1000].strip(" \t\\")
        if stated := _STATED.fullmatch(text):
            pairs = (each.split(" = ") for each in stated["pairs"].split(", "))
            self._stated = {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
            return True
        cells = tuple(cell.strip() for cell in text.strip("|").split("|"))
        if cells == _TITLES:
            self._is_open = True
            return True
        is_row = self._is_open and len(cells) == len(_TITLES) and text.startswith("|")
        if not is_row:
            self._is_open = False
            return False
        if not set(text) <= set("|-: "):
            add_row(self._collector, line, self._stated | dict(zip(_FIELDS, cells, strict=True)))
        return True


def add_row(collector: Collector, line: int, row: Row) -> None:
    """Collect a run of a row, or refuse it."""
    prompt, output, sequences = whole(row["pp"]), whole(row["tg"]), whole(row["pl"], 1)
    read, written = span(row["t_pp"]), span(row["t_tg"])
    if sequences is None or not (prompt or output):
        collector.refuse(line, "importing.no_test")
        return
    if read is None and written is None:
        collector.refuse(line, "importing.no_time")
        return
    is_shared = finite(row.get("is_pp_shared")) == 1
    in_turn = finite(row.get("is_tg_separate")) == 1
    if written is not None and in_turn:
        written /= sequences
    flash = finite(row.get("flash_attn"))
    collector.add(
        line,
        source=NAME,
        model=RunModel(name=None),
        engine=RunEngine(name=NAME, flags={"parallel": sequences} | _as_asked(is_shared, in_turn)),
        settings=Settings(
            context=whole(row.get("n_kv_max"), 1),
            flash_attention={0.0: False, 1.0: True}.get(-1.0 if flash is None else flash),
            gpu_layers=whole(row.get("n_gpu_layers")),
            threads=whole(row.get("n_threads"), 1),
            batch=whole(row.get("n_batch"), 1),
            ubatch=whole(row.get("n_ubatch"), 1),
        ),
        workload=Workload(prompt_target=prompt, output_target=output),
        prompt=Prompt(
            tokens=prompt,
            cached=0,
            seconds=read if prompt and (sequences == 1 or is_shared) else None,
        ),
        output=Output(tokens=output, steps=output, seconds=written if output else None),
        wall_seconds=span(row.get("t")),
        raw={NAME: scalars(dict(row))},
    )


def _as_asked(is_shared: bool, in_turn: bool) -> dict[str, Any]:
    """Options that say how the sequences were read and written, where they are not the default."""
    options = {"is_pp_shared": is_shared, "is_tg_separate": in_turn}
    return {name: 1 for name, is_on in options.items() if is_on}
