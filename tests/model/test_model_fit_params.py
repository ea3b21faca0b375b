"""llama.cpp's own allocator on the small real model: 149 settings of its context."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from support.small_model import small_model
from tokenroof.gguf import read_header
from tokenroof.model import Model, build_model

RUNS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "data" / "fit_params_gemma.json").read_text()
)["runs"]
MIB = 2**20


@cache
def model() -> Model:
    return build_model(read_header(small_model()))


@pytest.mark.parametrize("run", RUNS, ids=lambda run: "-".join(map(str, run.values())))
def test_the_context_takes_the_mebibytes_that_the_engines_tool_prints(run: dict[str, Any]) -> None:
    settings = dict(run)
    printed = settings.pop("mib")
    allocated = model().kv_allocated(settings.pop("context"), **settings)
    assert allocated is not None
    assert allocated // MIB == printed
