"""What llama-server says of itself at `/props`."""

from __future__ import annotations

import re
from typing import Any

from tokenroof.engines.counters import Counters
from tokenroof.importing.llama_bench_rows import build_version

_BUILD = re.compile(r"b(\d+)-(\w+)", re.ASCII)


def dictionary(document: object) -> dict[str, Any]:
    """A document that should be an object; empty where it is none."""
    return document if isinstance(document, dict) else {}


def version_of(props: dict[str, Any]) -> str | None:
    """The build, `b<number>-<commit>`; None where it does not know its own."""
    match = _BUILD.fullmatch(str(props.get("build_info", "")))
    return build_version(int(match[1]), match[2]) if match else None


def context_of(props: dict[str, Any]) -> int | None:
    """Tokens that one slot holds."""
    return Counters(props.get("default_generation_settings")).count("n_ctx", 1)


def file_name(props: dict[str, Any]) -> str | None:
    """The name of the model's file; the path may be one of another machine, or of Windows."""
    path = props.get("model_path")
    return re.split(r"[/\\]", path)[-1] or None if isinstance(path, str) else None


def whole_name(name: str) -> str:
    """The name of a split set, whichever of its parts is named."""
    return re.sub(r"-\d{5}-of-\d{5}(?=\.gguf$)", "", name, flags=re.ASCII)
