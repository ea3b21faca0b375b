"""Pastes as people post them, restated from public reports, and importing one."""

from __future__ import annotations

import io
import json
from pathlib import Path

from tokenroof.importing import Imported, import_file, import_stream

DATA = Path(__file__).parents[1] / "importing" / "data"
STREAMS = Path(__file__).parents[1] / "simulator" / "recordings"


def imported(paste: str | bytes, bandwidth: float | None = None) -> Imported:
    """What comes of a paste on standard input."""
    data = paste.encode() if isinstance(paste, str) else paste
    return import_stream(io.BytesIO(data), bandwidth_bytes_per_second=bandwidth)


def recorded(name: str) -> Imported:
    """What comes of a recording."""
    path = DATA / name
    return import_file(path if path.exists() else STREAMS / name)


def reasons(found: Imported) -> dict[int, str]:
    """What was refused, by its line."""
    return {each.line: each.reason.text() for each in found.refused}


def _case(name: str) -> str:
    return (DATA / "cases" / name).read_text(encoding="utf-8")


LLAMA_BENCH_2023 = _case("llama_bench_2023.md")
LLAMA_BENCH_2025 = _case("llama_bench_2025.md")
CUT_JSON = _case("llama_bench_cut.json")
ON_THE_CPU = _case("llama_bench_on_the_cpu.md")
VERBOSE = _case("ollama_verbose.txt")
VERBOSE_MICROSECONDS = _case("ollama_verbose_microseconds.txt")
VERBOSE_WITHOUT_COUNT = _case("ollama_verbose_without_count.txt")
ONLY_REASONING = _case("only_reasoning.sse")
DECIMAL_COMMAS = _case("decimal_commas.log")
NO_TIMES = _case("no_times.log")
LM_STUDIO = _case("lm_studio.txt")
LOCALSCORE = _case("localscore.json")
OLLAMA_PS = _case("ollama_ps.txt")
OLLAMA_LIST = _case("ollama_list.txt")
WHOLE_REQUEST = (
    "Output generated in 9.62 seconds (2.49 tokens/s, 24 tokens, context 11, seed 1777440417)\n"
)


def ollama_message(**counters: int | str | bool | None) -> str:
    """A last message of Ollama's API, one line."""
    known: dict[str, object] = {
        "model": "qwen3:8b",
        "created_at": "2026-11-01T10:00:00.5Z",
        "done": True,
        "done_reason": "stop",
    }
    return json.dumps({**known, **counters}) + "\n"
