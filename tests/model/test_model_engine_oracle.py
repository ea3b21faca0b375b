"""Our own oracle: tiny random models of every kind, run by the embedded engine.

Each is written with a converter's metadata, decoded for a few tokens in a process of its own, and
compared: the bytes of every weight tensor that the last step touched, how often its block ran, and
the bytes allocated for caches and states.

The embedded llama.cpp (0.5.0) is too old or refuses in these cases, which is why they are not
here: qwen4exp keeps two indexer keys from 0.6 on (see the log test); qwen35's square classifier is
not in its graph yet; plm's graph ends the process for more than one token (its values are one
vector of all heads, which the cache refuses); eagle3, dflash and gemma4-assistant run only beside
another model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.gguf_files import write_gguf
from support.oracle.engine import run
from support.oracle.kinds import KINDS, Kind, converted
from support.oracle.random_data import fill
from tokenroof.gguf import read_header
from tokenroof.model import Model, build_model

pytestmark = pytest.mark.engine

DEFAULTS: dict[str, Any] = {
    "context": 1024, "ubatch": 64, "sequences": 1, "unified": False, "swa_full": False,
    "type_k": "f16", "type_v": "f16",
}  # fmt: skip


def write(kind: Kind, folder: Path) -> Path:
    metadata, tensors = converted(kind)
    path = write_gguf(folder / f"{kind.name}.gguf", metadata, tensors)
    fill(path)
    return path


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Model, dict[str, Any]]]:
    """Every kind's model, and what the engine did with its file."""
    pytest.importorskip("llama_cpp")
    folder = tmp_path_factory.mktemp("kinds")
    models, jobs = {}, []
    for kind in KINDS:
        path = write(kind, folder)
        models[kind.name] = build_model(read_header(path))
        weights = [entry.name for entry in models[kind.name].ledger]
        jobs.append({"path": str(path), "weights": weights, **DEFAULTS, **kind.context})
    results = run(jobs)
    for path in folder.iterdir():
        path.unlink()
    return {kind.name: (models[kind.name], result)
            for kind, result in zip(KINDS, results, strict=True)}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_engine_touches_what_the_ledger_says(
    observed: dict[str, tuple[Model, dict[str, Any]]], kind: Kind
) -> None:
    model, engine = observed[kind.name]
    assert engine.get("status") == 0, engine
    touched = {
        entry.name: entry.decode_bytes / max(entry.passes, 1)
        for entry in model.ledger
        if entry.decode_bytes
    }
    assert touched == engine["reads"]
    assert model.is_understood


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_engine_allocates_what_the_model_says(
    observed: dict[str, tuple[Model, dict[str, Any]]], kind: Kind
) -> None:
    model, engine = observed[kind.name]
    settings = DEFAULTS | dict(kind.context)
    assert model.kv_allocated(settings.pop("context"), **settings) == engine["cache_bytes"]


@pytest.mark.parametrize("name", ["looped", "looped_stacks"])
def test_the_engine_runs_the_blocks_of_a_looped_model_as_often_as_they_count(
    observed: dict[str, tuple[Model, dict[str, Any]]], name: str
) -> None:
    model, engine = observed[name]
    matrices = [e for e in model.ledger if ".ffn_up." in e.name and e.name.startswith("blk.")]
    assert matrices
    assert {e.name: e.passes for e in matrices} == {
        e.name: engine["passes"][e.name] for e in matrices
    }
    assert all(entry.passes > 1 for entry in matrices)
