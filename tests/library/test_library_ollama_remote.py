"""A remote Ollama's answer is the header that its file would give."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simulator.file_server import Exchange, FileServer
from support.gguf_files import vocabulary_metadata, write_gguf
from tokenroof.clock import FakeClock
from tokenroof.errors import EngineMissing, InputError, NotFound, UsageError
from tokenroof.gguf import GGUFArray, read_header
from tokenroof.library import locate, resolve
from tokenroof.library.ollama_remote import server_of, server_url
from tokenroof.library.system import System

TENSORS = [
    ("token_embd.weight", (256, 500), "Q6_K"),
    ("blk.0.attn_q.weight", (512, 32), "Q4_K"),
    ("blk.0.ffn_gate_exps.weight", (32, 32, 4), "MXFP4"),
    ("output_norm.weight", (64,), "F32"),
]
METADATA: dict[str, Any] = {
    "general.architecture": "gptoss",
    "general.file_type": 15,
    "gptoss.block_count": 1,
    "gptoss.attention.head_count_kv": [8, 8],
    "gptoss.attention.layer_norm_rms_epsilon": 0.5,
    "gptoss.rope.scaling": True,
}


def answer(**changes: object) -> dict[str, Any]:
    """What Ollama 0.33 says with `verbose` (server/routes.go, GetModelInfo)."""
    return {
        "license": "MIT",
        "modelfile": "FROM /x",
        "details": {"format": "gguf", "family": "gptoss", "quantization_level": "Q4_K_M"},
        "model_info": {
            **METADATA,
            "general.parameter_count": 123,
            "tokenizer.ggml.tokens": ["a", "b"],
            "tokenizer.ggml.merges": None,
        },
        "tensors": [{"name": n, "type": t, "shape": list(s)} for n, s, t in TENSORS],
        "capabilities": ["completion"],
        **changes,
    }


def says(content: object) -> Callable[[Exchange], None]:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return lambda exchange: exchange.send(200, {"Content-Type": "application/json"}, body)


def name(server: FileServer, model: str = "gpt-oss:20b") -> str:
    return f"ollama://127.0.0.1:{server.port}/{model}"


def test_the_answer_gives_the_tensors_and_keys_that_the_file_has(
    server: FileServer, tmp_path: Path
) -> None:
    server.add("/api/show", b"", says(answer()))
    remote = locate(name(server)).header()
    local = read_header(write_gguf(tmp_path / "m.gguf", METADATA, TENSORS))
    assert [(t.name, t.shape, t.type, t.bytes) for t in remote.tensors] == [
        (t.name, t.shape, t.type, t.bytes) for t in local.tensors
    ]
    assert remote.tensor_bytes == local.tensor_bytes
    for key in METADATA:
        mine, theirs = remote.metadata[key], local.metadata[key]
        if isinstance(theirs, GGUFArray):
            assert isinstance(mine, GGUFArray)
            assert mine.values() == theirs.values()
        else:
            assert mine == theirs
    assert "tokenizer.ggml.merges" not in remote.metadata  # null: the server left it out
    assert remote.file_bytes is None
    assert remote.paths == ()


def test_the_question_is_verbose_and_about_that_model(server: FileServer) -> None:
    server.add("/api/show", b"", says(answer()))
    locate(name(server, "hf.co/me/x")).header()
    (request,) = server.requests
    assert request.method == "POST"
    assert json.loads(request.body) == {"model": "hf.co/me/x:latest", "verbose": True}


def test_a_vocabulary_of_real_size_arrives(server: FileServer) -> None:
    vocabulary = {
        key: list(value.values) if hasattr(value, "values") else value
        for key, value in vocabulary_metadata(150_000).items()
    }
    server.add("/api/show", b"", says(answer(model_info={**METADATA, **vocabulary})))
    tokens = locate(name(server)).header().metadata["tokenizer.ggml.tokens"]
    assert isinstance(tokens, GGUFArray)
    assert len(tokens) == 150_000


def test_a_projector_is_told_of_and_not_counted(server: FileServer) -> None:
    server.add("/api/show", b"", says(answer(projector_info={"general.architecture": "clip"})))
    header = locate(name(server)).header()
    assert [n.message for n in header.problems] == ["library.projector_apart_unsized"]


def test_the_variable_names_the_machine_that_is_asked(server: FileServer, system: System) -> None:
    """As for Ollama's own commands; a loopback address stands for this machine's store."""
    there = System("linux", {"OLLAMA_HOST": "gpu-box"}, system.home)
    found = locate("ollama:qwen3:8b", there)
    assert found.name == "ollama://gpu-box:11434/qwen3:8b"
    with pytest.raises(InputError) as caught:
        resolve("ollama:qwen3:8b", there)
    assert caught.value.message == "library.not_local"


@pytest.mark.parametrize(
    "host", ["", "127.0.0.1", "localhost:11434", "0.0.0.0", "[::1]:80", "::", "http://127.0.0.1"]
)
def test_a_machine_that_is_this_one_is_not_asked(system: System, host: str) -> None:
    assert server_of(System("linux", {"OLLAMA_HOST": host}, system.home)) is None


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("gpu-box", "http://gpu-box:11434"),
        ("gpu-box:8080", "http://gpu-box:8080"),
        ("http://gpu-box", "http://gpu-box"),
        ("https://ollama.example.org", "https://ollama.example.org"),
        ("https://example.org/ollama/", "https://example.org/ollama"),
        ("10.0.0.5", "http://10.0.0.5:11434"),
        ("fd00::5", "http://[fd00::5]:11434"),
        ("[fd00::5]:80", "http://[fd00::5]:80"),
        (":8080", "http://127.0.0.1:8080"),
    ],
)
def test_a_host_is_read_as_ollama_reads_it(text: str, url: str) -> None:
    assert server_url(text) == url


@pytest.mark.parametrize("text", ["ftp://gpu-box", "gpu-box:99999", "gpu box", "[::1", "http://"])
def test_a_host_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        server_url(text)


@pytest.mark.parametrize(
    "text", ["ollama://", "ollama://host", "ollama:///qwen3", "ollama://h/a b"]
)
def test_a_name_that_lacks_a_part_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        locate(text)


# --- what goes wrong ---------------------------------------------------------------------------


def message(server: FileServer) -> str:
    with pytest.raises(InputError) as caught:
        locate(name(server)).header(FakeClock())
    return caught.value.message


def test_a_model_that_is_not_there_is_not_found(server: FileServer) -> None:
    body = b'{"error":"model \'gpt-oss:20b\' not found"}'
    server.add("/api/show", b"", lambda exchange: exchange.send(404, {}, body))
    with pytest.raises(NotFound) as caught:
        locate(name(server)).header()
    assert caught.value.message == "library.served_not_found"


def test_a_model_that_is_not_there_is_answered_with_the_closest_that_are(
    server: FileServer,
) -> None:
    server.add("/api/show", b"", lambda exchange: exchange.send(404, {}, b"{}"))
    names = ["gpt-oss:120b", "gpt-oss:20b-q8_0", "mistral:7b", None]
    server.add("/api/tags", b"", says({"models": [{"name": each} for each in names]}))
    with pytest.raises(NotFound) as caught:
        locate(name(server)).header()
    assert caught.value.message == "library.served_not_found_but"
    assert str(caught.value.values["closest"]) == "gpt-oss:20b-q8_0, gpt-oss:120b"


@pytest.mark.parametrize(
    "tags", [[], {"models": None}, {"models": "x"}, {"models": [1]}, b"<html>"]
)
def test_a_list_that_is_none_gives_no_names(server: FileServer, tags: object) -> None:
    server.add("/api/show", b"", lambda exchange: exchange.send(404, {}, b"{}"))
    server.add("/api/tags", b"", says(tags))
    assert message(server) == "library.served_not_found"


def test_an_ollama_that_fails_is_not_told_to_be_started(server: FileServer) -> None:
    server.add("/api/show", b"", lambda exchange: exchange.send(500, {}, b"{}"))
    assert message(server) == "library.served_failed"


def test_nobody_listening_is_an_engine_that_is_missing() -> None:
    with FileServer() as server:
        model = locate(name(server))
    with pytest.raises(EngineMissing) as caught:
        model.header(FakeClock())
    assert caught.value.exit_code == 4
    assert "ollama serve" in str(caught.value)


def test_a_cloud_model_is_said_to_be_one(server: FileServer) -> None:
    cloud = answer(remote_model="gpt-oss:120b", remote_host="https://ollama.com:443")
    server.add("/api/show", b"", says(cloud))
    assert message(server) == "library.ollama_cloud"


@pytest.mark.parametrize(
    "content",
    [
        [],
        {},
        {"model_info": {}},
        answer(model_info=None),
        answer(model_info=[]),
        answer(tensors=None),
        answer(tensors=[]),
        answer(tensors=["x"]),
        answer(tensors=[{"name": "x"}]),
        answer(tensors=[{"name": "x", "type": "F32", "shape": None}]),
        answer(tensors=[{"name": "x", "type": "F32", "shape": [-1]}]),
        answer(tensors=[{"name": "x", "type": "F32", "shape": [1.5]}]),
        answer(tensors=[{"name": "x", "type": "F32", "shape": [True]}]),
        answer(tensors=[{"name": "x", "type": "F32", "shape": [1] * 5}]),
        answer(tensors=[{"name": 1, "type": "F32", "shape": [1]}]),
    ],
    ids=lambda content: str(content)[-40:],
)
def test_an_answer_that_is_not_ollamas_is_called_odd(server: FileServer, content: object) -> None:
    server.add("/api/show", b"", says(content))
    assert message(server) == "library.served_odd"


@pytest.mark.parametrize("content", [b"", b"<html>", b"{", b"\xff", b"[" * 200_000])
def test_an_answer_that_is_not_json_is_said_to_be_none(server: FileServer, content: bytes) -> None:
    server.add("/api/show", b"", says(content))
    assert message(server) == "library.remote_not_json"


def test_a_type_that_the_server_does_not_know_is_not_guessed(server: FileServer) -> None:
    tensors = [{"name": "x\x1b[31m", "type": "unknown", "shape": [32]}]
    server.add("/api/show", b"", says(answer(tensors=tensors)))
    with pytest.raises(InputError) as caught:
        locate(name(server)).header()
    assert caught.value.message == "library.served_type"
    assert "\x1b" not in str(caught.value)


def test_values_that_no_header_can_hold_are_left_out(server: FileServer) -> None:
    odd = {**METADATA, "a.nested": {"x": 1}, "a.mixed": [1, {"x": 1}], "a.null": None}
    server.add("/api/show", b"", says(answer(model_info=odd)))
    assert set(locate(name(server)).header().metadata) == set(METADATA)


def test_a_question_is_not_carried_elsewhere_as_another_one(server: FileServer) -> None:
    server.add("/other", b"", says(answer()))
    server.add("/api/show", b"", lambda exchange: exchange.redirect("/other", 302))
    assert message(server) == "library.remote_status"
    server.add("/api/show", b"", lambda exchange: exchange.redirect("/other", 307))
    assert locate(name(server)).header().integer("gptoss.block_count") == 1
    assert server.requests[-1].method == "POST"
