"""What `ollama ps` and `ollama list` say, as tables or as JSON of `/api/ps` and `/api/tags`: which
models there are, and where one lies.

They hold no times. What `ollama ps` calls SIZE is the memory that it takes, cache included; the
share of the processor is one of bytes, and a small share of layers can be a large one of bytes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

from tokenroof.importing.collector import Collector
from tokenroof.importing.figures import finite, number, scalar, scalars, whole
from tokenroof.records import Flag, RunEngine, RunModel, Settings

NAME = "ollama"

_CELLS = re.compile(r"\s{2,}|\t+")
_SHARE = re.compile(r"(?P<cpu>\d{1,3})%/(?P<gpu>\d{1,3})% CPU/GPU|100% (?P<one>CPU|GPU)", re.ASCII)
_ID = re.compile(r"[0-9a-f]{12}")
_SIZE = re.compile(r"(?P<amount>[\d.,]{1,20}) (?P<unit>[KMGT]?B)", re.ASCII)
_UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


class Tables:
    """The tables of one paste."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._titles: list[str] | None = None

    def take(self, line: int, text: str) -> bool:
        """Take a header, or a row under one."""
        cells = _CELLS.split(text[:1000].strip())
        if cells[:3] == ["NAME", "ID", "SIZE"]:
            self._titles = cells
            return True
        if self._titles is None:
            return False
        if len(cells) < 3 or not _ID.fullmatch(cells[1]):
            self._titles = None
            return False
        self._row(line, dict(zip(self._titles, cells, strict=False)))
        return True

    def _row(self, line: int, row: dict[str, str]) -> None:
        place = _place(row.get("PROCESSOR"))
        flags: tuple[Flag, ...] = ("partial_offload",) if place == "mixed" else ()
        size = _SIZE.fullmatch(row["SIZE"])
        amount = None if size is None else number(size["amount"])
        said: dict[str, Any] = {title.lower(): cell for title, cell in row.items()}
        if size is not None and amount is not None:
            said["size_bytes"] = round(amount * _UNITS[size["unit"]])
        self._collector.add(
            line,
            source=NAME,
            model=RunModel(name=row["NAME"]),
            engine=RunEngine(name=NAME, place=place),
            settings=Settings(context=whole(row.get("CONTEXT"), 1)),
            flags=flags,
            raw={"ollama_ps" if "PROCESSOR" in row else "ollama_list": said},
        )


def is_listing(document: Mapping[str, Any]) -> bool:
    """Whether it is an answer of `/api/ps` or `/api/tags`; llama-server's models have no size."""
    models = document.get("models")
    return isinstance(models, list) and any(map(_is_model, models))


def add_listing(collector: Collector, line: int, document: Mapping[str, Any]) -> None:
    """Collect each model of such an answer."""
    for model in document["models"]:
        if _is_model(model):
            _add_model(collector, line, model)
        else:
            collector.refuse(line, "importing.unknown_object")


def _is_model(model: object) -> bool:
    return isinstance(model, dict) and "name" in model and bool(_bytes(model.get("size")))


def _bytes(value: object) -> int | None:
    """A size in bytes; more than any count of tokens."""
    size = finite(value)
    return None if size is None or size < 0 or isinstance(value, str) else int(size)


def _add_model(collector: Collector, line: int, model: dict[str, Any]) -> None:
    size, on_gpu = _bytes(model["size"]), _bytes(model.get("size_vram"))
    place: Literal["cpu", "gpu", "mixed"] | None = None
    if size is not None and on_gpu is not None:
        place = "cpu" if not on_gpu else "gpu" if on_gpu >= size else "mixed"
    details = scalars(model.get("details"))
    collector.add(
        line,
        source=NAME,
        model=RunModel(
            name=_text(model["name"]),
            digest=_text(model.get("digest")),
            architecture=_text(details.get("family")),
            file_type=_text(details.get("quantization_level")),
        ),
        engine=RunEngine(name=NAME, place=place),
        settings=Settings(context=whole(model.get("context_length"), 1)),
        flags=("partial_offload",) if place == "mixed" else (),
        raw={"ollama_list" if on_gpu is None else "ollama_ps": scalars(model) | details},
    )


def _text(value: object) -> str | None:
    return str(scalar(value)) if isinstance(value, str) and value else None


def _place(processor: str | None) -> Literal["cpu", "gpu", "mixed"] | None:
    match = _SHARE.fullmatch(processor or "")
    if match is None:
        return None
    if match["one"]:
        return "cpu" if match["one"] == "CPU" else "gpu"
    cpu, gpu = int(match["cpu"]), int(match["gpu"])
    return "mixed" if cpu and gpu else "cpu" if cpu else "gpu"
