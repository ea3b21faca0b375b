"""A model elsewhere is inspected and estimated as one on this disk, and never measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.file_server import Exchange, FileServer
from support.commands import Tokenroof
from support.gguf_files import TensorSpec, Value, gguf_builder, vocabulary_metadata

METADATA: dict[str, Value] = {
    "general.architecture": "llama",
    "general.basename": "Elsewhere",
    "llama.block_count": 1,
    "llama.context_length": 4096,
    "llama.embedding_length": 256,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
}
TENSORS: list[TensorSpec] = [
    ("token_embd.weight", (256, 512), "Q4_K"),
    ("blk.0.attn_q.weight", (256, 256), "Q4_K"),
    ("blk.0.attn_k.weight", (256, 128), "Q4_K"),
    ("blk.0.attn_v.weight", (256, 128), "Q6_K"),
]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)
    with FileServer() as running:
        yield running


@pytest.fixture
def local(tmp_path: Path) -> Path:
    metadata = {**METADATA, **vocabulary_metadata(50_000)}
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_builder(metadata, TENSORS).build())
    return path


def document(tokenroof: Tokenroof, *arguments: str | Path) -> dict[str, object]:
    done = tokenroof(*arguments, "--json")
    assert done.code == 0, done.err
    found: dict[str, object] = json.loads(done.out)
    return found


@pytest.mark.parametrize("answer", [Exchange.well, Exchange.whole])
def test_a_model_on_the_web_is_inspected_as_one_here(
    tokenroof: Tokenroof, server: FileServer, local: Path, answer: object
) -> None:
    url = server.add("/m.gguf", local.read_bytes(), answer)  # type: ignore[arg-type]
    arguments = ("--depth", "470", "--context", "4096", "--tensors")
    here = document(tokenroof, "inspect", local, *arguments)
    assert document(tokenroof, "inspect", url, *arguments) == here


def test_a_model_of_another_ollama_is_inspected_as_far_as_it_tells(
    tokenroof: Tokenroof, server: FileServer, local: Path
) -> None:
    answer = {
        "model_info": METADATA,
        "tensors": [{"name": n, "type": t, "shape": list(s)} for n, s, t in TENSORS],
    }
    body = json.dumps(answer).encode()
    server.add("/api/show", b"", lambda exchange: exchange.send(200, {}, body))
    name = f"ollama://127.0.0.1:{server.port}/elsewhere:8b"
    there = document(tokenroof, "inspect", name, "--depth", "470")
    here = document(tokenroof, "inspect", local, "--depth", "470")
    for part in ("groups", "types", "decode", "kv"):
        assert there[part] == here[part]
    rows = []
    for model in (name, local):
        found = document(tokenroof, "estimate", model, "--bandwidth", "100")["rows"]
        assert isinstance(found, list)
        rows.append({key: value for key, value in found[0].items() if key != "verify"})
    assert rows[0] == rows[1]  # what would verify it names the model, each its own


@pytest.mark.parametrize("verb", ["bench", "lab"])
def test_a_model_that_is_not_here_is_not_measured(
    tokenroof: Tokenroof, server: FileServer, local: Path, verb: str
) -> None:
    url = server.add("/m.gguf", local.read_bytes())
    done = tokenroof(verb, url)
    assert done.code == 3
    assert len(done.err.splitlines()) == 1


def test_what_cannot_be_had_is_one_sentence(tokenroof: Tokenroof, server: FileServer) -> None:
    done = tokenroof("inspect", server.url + "/none.gguf")
    assert done.code == 3
    assert len(done.err.splitlines()) == 1
    assert "/none.gguf" in done.err
