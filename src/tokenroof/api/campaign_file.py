"""A campaign file: which models, engines, cache types, threads and flags are measured, crossed.

    model = ["small.gguf", "ollama:qwen3:8b"]
    engine = ["embedded", "llama-server"]
    kv_type = ["f16", "q8_0,f16"]
    flags = ["", "-ub 256"]
    lengths = "512-8k*2"
    budget = "10m"

    [program]
    llama-server = "/opt/llama.cpp/llama-server"

Keys of the first kind take one value or a list, and every value is combined with every other; keys
of the second kind hold for all. Each combination is a campaign of its own, with all lengths in it.
"""

from __future__ import annotations

import hashlib
import json
import shlex
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from tokenroof import sweeps
from tokenroof.api.planning import BenchOptions
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import NotFound, UsageError
from tokenroof.safetext import printable
from tokenroof.units import binary_size

LARGEST_BYTES = 2**20
MOST_COMBINATIONS = 500

_CROSSED = ("model", "engine", "kv_type", "threads", "flash_attention", "flags")
_ENGINE_TABLES = ("program", "url")


@dataclass(frozen=True, slots=True)
class Combination:
    """One campaign to be made. `varied` holds what tells it from the others of its file."""

    model: str
    options: BenchOptions
    varied: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CampaignFile:
    """A file that was read; its id follows from what it asks for."""

    path: Path
    id: str
    combinations: tuple[Combination, ...]


def read_campaign_file(path: Path) -> CampaignFile:
    """Read a campaign file and cross its values.

    Raises:
        NotFound: there is no such file.
        UsageError: it is no TOML, has a key or a value that means nothing, or no model.
    """
    table = _table(path)
    shown = printable(str(path))
    known = {*_CROSSED, *_SHARED, *_ENGINE_TABLES}
    strange = sorted(set(table) - known)
    if strange:
        raise UsageError(
            "batch.unknown_key",
            path=shown,
            key=printable(strange[0], 60),
            choices=", ".join(sorted(known)),
        )
    if "model" not in table:
        raise UsageError("batch.no_model", path=shown)
    shared = {
        name: _value(shown, name, table[name], read)
        for name, (_, read) in _SHARED.items()
        if name in table
    }
    tables = {name: _engines(shown, name, table.get(name, {})) for name in _ENGINE_TABLES}
    crossed = {name: _several(shown, name, table[name]) for name in _CROSSED if name in table}
    many = {name for name, values in crossed.items() if len(values) > 1}
    combinations = tuple(
        _combination(path.parent, dict(zip(crossed, values, strict=True)), shared, tables, many)
        for values in product(*crossed.values())
    )
    if len(combinations) > MOST_COMBINATIONS:
        raise UsageError("batch.too_many", path=shown, most=MOST_COMBINATIONS)
    asked = json.dumps(table, sort_keys=True, default=str)
    id_ = hashlib.sha256(f"{path.absolute()}\n{asked}".encode()).hexdigest()[:16]
    return CampaignFile(path, id_, combinations)


def _table(path: Path) -> dict[str, Any]:
    shown = printable(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise NotFound("batch.no_file", path=shown, reason=reason) from problem
    if len(data) > LARGEST_BYTES:
        why = f"> {binary_size(LARGEST_BYTES)}"
        raise UsageError("batch.not_toml", path=shown, why=why)
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as problem:
        raise UsageError("batch.not_toml", path=shown, why=printable(str(problem))) from problem


def _combination(
    folder: Path,
    values: dict[str, Any],
    shared: Mapping[str, Any],
    tables: Mapping[str, Mapping[str, str]],
    many: set[str],
) -> Combination:
    engine = values.get("engine")
    engine_options = EngineOptions(
        program=tables["program"].get(engine or ""),
        url=tables["url"].get(engine or ""),
        flags=tuple(shlex.split(values.get("flags", ""))),
    )
    options: dict[str, Any] = {_SHARED[name][0]: value for name, value in shared.items()}
    options |= {name: values[name] for name in ("threads", "flash_attention") if name in values}
    if "kv_type" in values:
        key, _, value = values["kv_type"].partition(",")
        options["kv_type"] = (key.strip(), (value or key).strip())
    if engine is not None:
        options["engine"] = engine
    if engine_options.given:
        options["engine_options"] = engine_options
    beside = folder / values["model"]
    model = str(beside) if beside.exists() else values["model"]
    varied = {name: value for name, value in values.items() if name in many or name == "model"}
    return Combination(model, options, varied)  # type: ignore[arg-type]


def _several(shown: str, name: str, value: Any) -> list[Any]:
    """The values of a key that takes one or a list; each once."""
    values = value if isinstance(value, list) else [value]
    read = [_value(shown, name, each, _READ[name]) for each in values]
    if not read:
        raise UsageError("batch.bad_value", path=shown, key=name, value="[]")
    return list(dict.fromkeys(read))


def _engines(shown: str, name: str, value: Any) -> dict[str, str]:
    """A table of engines and a text for each."""
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise UsageError("batch.bad_value", path=shown, key=name, value=printable(str(value), 80))
    return value


def _value(shown: str, name: str, value: Any, read: Callable[[Any], Any]) -> Any:
    try:
        found = read(value)
    except (ValueError, UsageError):
        found = None
    if found is None:
        raise UsageError("batch.bad_value", path=shown, key=name, value=printable(str(value), 80))
    return found


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value.isprintable() else None


def _flags(value: Any) -> str | None:
    text = _text(value)
    if text is not None:
        shlex.split(text)  # a quotation mark that is not closed is a ValueError
    return text


def _switch(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: Any) -> int | None:
    if isinstance(value, str):
        value = sweeps.count(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _lengths(value: Any) -> tuple[int, ...] | None:
    if isinstance(value, list):
        return sweeps.sweep(",".join(str(each) for each in value), 1)
    return sweeps.sweep(str(value), 1)


def _span(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return sweeps.seconds(str(value))


def _share(value: Any) -> float | None:
    """A percentage, as on the command line: 2 is 2 %."""
    if isinstance(value, str):
        value = float(value.strip().removesuffix("%"))
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return value / 100 if number and 0 < value < 100 else None


_READ: dict[str, Callable[[Any], Any]] = {
    "model": lambda value: _text(value) or None,
    "engine": lambda value: _text(value) or None,
    "kv_type": lambda value: _text(value) or None,
    "threads": lambda value: value if value == "auto" else _count(value),
    "flash_attention": _switch,
    "flags": _flags,
}

_SHARED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "lengths": ("lengths", _lengths),
    "output": ("output_tokens", _count),
    "rounds": ("rounds", _count),
    "precision": ("precision", _share),
    "budget": ("budget_seconds", _span),
    "context": ("context", _count),
    "wait_quiet": ("wait_quiet_seconds", _span),
    "strict": ("strict", _switch),
    "cached": ("cached", _switch),
}
"""Key -> the option that it becomes, and how its value is read."""
