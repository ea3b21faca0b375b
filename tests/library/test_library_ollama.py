"""Ollama's store is read as Ollama reads it, whatever its manifests say."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.gguf_files import write_gguf
from tokenroof.errors import InputError, NotFound, UsageError
from tokenroof.library import LocalModel, locate, ollama, open_header, resolve
from tokenroof.library.ollama_names import OllamaName, parse
from tokenroof.library.system import System

KIND = "application/vnd.ollama.image."


class Store:
    """A store made as Ollama makes one: blobs by their digest, manifests by their names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "blobs").mkdir(parents=True)

    def blob(self, data: bytes) -> dict[str, Any]:
        digest = hashlib.sha256(data).hexdigest()
        (self.folder / "blobs" / f"sha256-{digest}").write_bytes(data)
        return {"digest": f"sha256:{digest}", "size": len(data)}

    def layer(self, kind: str, data: bytes) -> dict[str, Any]:
        return {"mediaType": KIND + kind, **self.blob(data)}

    def manifest(self, name: str, content: dict[str, Any] | bytes) -> Path:
        path = self.folder / "manifests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        path.write_bytes(data)
        return path

    def add(self, name: str, *layers: dict[str, Any], config: object = None) -> Path:
        content = {
            "schemaVersion": 2,
            "mediaType": "application/vnd.docker.distribution.manifest.v2+json",
            "config": self.blob(json.dumps(config or {"model_format": "gguf"}).encode()),
            "layers": list(layers),
        }
        return self.manifest(name, content)


def gguf(tmp_path: Path, name: str = "Qwen3 8B") -> bytes:
    metadata = {"general.architecture": "qwen3", "general.name": name}
    path = write_gguf(tmp_path / "source.gguf", metadata, [("a.weight", (32,), "F32")])
    return path.read_bytes()


@pytest.fixture
def store(system: System) -> Store:
    return Store(Path(system.home, ".ollama", "models"))


QWEN = "registry.ollama.ai/library/qwen3/8b"


def test_a_name_with_the_prefix_is_the_gguf_layer(store: Store, tmp_path: Path) -> None:
    data = gguf(tmp_path)
    store.add(QWEN, store.layer("template", b"{{ .Prompt }}"), store.layer("model", data))
    assert resolve("ollama:qwen3:8b").read_bytes() == data
    assert open_header("ollama:qwen3:8b").text("general.name") == "Qwen3 8B"


@pytest.mark.parametrize(
    "name",
    [
        "qwen3:8b",
        "library/qwen3:8b",
        "registry.ollama.ai/library/qwen3:8b",
        "QWEN3:8B",
    ],
)
def test_every_way_to_write_a_name_means_one_model(store: Store, tmp_path: Path, name: str) -> None:
    store.add(QWEN, store.layer("model", gguf(tmp_path)))
    found = locate(f"ollama:{name}")
    assert found.name == "ollama:qwen3:8b"


def test_a_name_without_a_tag_is_latest(store: Store, tmp_path: Path) -> None:
    store.add("registry.ollama.ai/library/qwen3/latest", store.layer("model", gguf(tmp_path)))
    assert locate("ollama:qwen3").name == "ollama:qwen3:latest"


def test_other_registries_and_namespaces_are_folders(store: Store, tmp_path: Path) -> None:
    store.add("hf.co/bartowski/Qwen3-8B-GGUF/Q4_K_M", store.layer("model", gguf(tmp_path)))
    store.add("registry.ollama.ai/someone/qwen3/8b", store.layer("model", gguf(tmp_path)))
    full = "hf.co/bartowski/Qwen3-8B-GGUF:Q4_K_M"
    assert locate(f"ollama:{full}").name == f"ollama:{full}"
    assert locate("ollama:someone/qwen3:8b").name == "ollama:someone/qwen3:8b"


def test_a_bare_name_that_is_no_file_is_found_and_said_so(store: Store, tmp_path: Path) -> None:
    store.add(QWEN, store.layer("model", gguf(tmp_path)))
    problems = open_header("qwen3:8b").problems
    assert [notice.message for notice in problems] == ["library.found_in_ollama"]
    assert "ollama:qwen3:8b" in problems[0].text()
    assert open_header("ollama:qwen3:8b").problems == ()


def test_a_file_of_a_bare_name_comes_first(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add("registry.ollama.ai/library/qwen3/latest", store.layer("model", gguf(tmp_path)))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qwen3").write_bytes(gguf(tmp_path, "The file"))
    assert open_header("qwen3").text("general.name") == "The file"


def test_projector_adapter_and_draft_stay_apart(store: Store, tmp_path: Path) -> None:
    data = gguf(tmp_path)
    extras = [store.layer(kind, kind.encode() * 1000) for kind in ("projector", "adapter", "draft")]
    store.add(QWEN, extras[0], store.layer("model", data), *extras[1:])
    found = locate("ollama:qwen3:8b")
    assert isinstance(found, LocalModel)
    assert [(c.kind, c.path.read_bytes()[:7]) for c in found.companions] == [
        ("projector", b"project"),
        ("adapter", b"adapter"),
        ("draft", b"draftdr"),
    ]
    header = found.header()
    assert header.file_bytes == len(data)
    assert [n.message.partition(".")[2] for n in header.problems] == [
        "projector_apart",
        "adapter_apart",
        "draft_apart",
    ]
    assert "9.00 kB" in header.problems[0].text()


def test_the_variable_says_where_the_store_is(store: Store, tmp_path: Path) -> None:
    elsewhere = Store(tmp_path / "else where")
    elsewhere.add(QWEN, elsewhere.layer("model", gguf(tmp_path, "Elsewhere")))
    store.add("registry.ollama.ai/library/other/latest", store.layer("model", gguf(tmp_path)))
    system = System("linux", {"OLLAMA_MODELS": f' "{elsewhere.folder}" '}, Path("/nobody"))
    assert locate("ollama:qwen3:8b", system).header().text("general.name") == "Elsewhere"
    with pytest.raises(NotFound):
        locate("ollama:other", system)


def test_a_service_has_its_own_store(
    system: System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Store(tmp_path / "usr" / "models")
    service.add(QWEN, service.layer("model", gguf(tmp_path)))
    monkeypatch.setattr(ollama, "_SERVICE_STORES", (str(service.folder),))
    assert resolve("ollama:qwen3:8b").is_file()


# --- what cannot be read -----------------------------------------------------------------------


def why_not(name: str) -> str:
    with pytest.raises(InputError) as caught:
        locate(name)
    sentence = str(caught.value)
    assert name.removeprefix("ollama:") in sentence
    return caught.value.message


def test_a_cloud_model_is_said_to_be_one(store: Store) -> None:
    config = {"remote_host": "https://ollama.com:443", "remote_model": "qwen3-coder:480b"}
    store.add("registry.ollama.ai/library/qwen3-coder/480b-cloud", config=config)
    assert why_not("ollama:qwen3-coder:480b-cloud") == "library.ollama_cloud"
    assert why_not("qwen3-coder:480b-cloud") == "library.ollama_cloud"


def test_a_model_of_another_format_is_said_to_be_one(store: Store) -> None:
    tensors = [store.layer("tensor", bytes([n]) * 10) for n in range(3)]
    store.add(QWEN, *tensors, config={"model_format": "safetensors"})
    assert why_not("ollama:qwen3:8b") == "library.ollama_not_gguf"


def test_a_manifest_without_a_model_is_said_to_be_one(store: Store) -> None:
    store.add(QWEN, store.layer("license", b"MIT"))
    assert why_not("ollama:qwen3:8b") == "library.ollama_no_model"


def test_a_missing_blob_is_named(store: Store, tmp_path: Path) -> None:
    store.add(QWEN, layer := store.layer("model", gguf(tmp_path)))
    (store.folder / "blobs" / layer["digest"].replace(":", "-")).unlink()
    assert why_not("ollama:qwen3:8b") == "library.ollama_no_blob"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"layers": {}}',
        b'{"layers": [1]}',
        b'{"layers": [{"mediaType": 1}]}',
        b'{"config": []}',
        b"[" * 100_000,
        b'{"x": "' + b"y" * (17 * 2**20) + b'"}',
    ],
    ids=lambda content: repr(content[:20]),
)
def test_an_odd_manifest_is_called_damaged(store: Store, content: bytes) -> None:
    store.manifest(QWEN, content)
    assert why_not("ollama:qwen3:8b") == "library.ollama_manifest"


@pytest.mark.parametrize("content", [b"{}", b'{"layers": null}', b'{"layers": []}'])
def test_an_empty_manifest_names_no_model(store: Store, content: bytes) -> None:
    store.manifest(QWEN, content)
    assert why_not("ollama:qwen3:8b") == "library.ollama_no_model"


@pytest.mark.parametrize(
    "digest",
    [
        "sha256:../../../../secret",
        "../../../secret",
        "/etc/passwd",
        "sha256:" + "0" * 63,
        "sha256:" + "g" * 64,
        "md5:" + "0" * 64,
        "sha256:" + "0" * 64 + "/../../x",
        "",
    ],
)
def test_a_digest_that_is_none_is_never_a_path(store: Store, digest: str) -> None:
    (store.folder.parent / "secret").write_bytes(b"GGUF")
    layer = {"mediaType": KIND + "model", "digest": digest, "size": 4}
    store.manifest(QWEN, {"layers": [layer]})
    expected = "library.ollama_manifest" if digest else "library.ollama_no_model"
    assert why_not("ollama:qwen3:8b") == expected


def test_a_digest_may_be_written_either_way(store: Store, tmp_path: Path) -> None:
    layer = store.layer("model", gguf(tmp_path))
    layer["digest"] = layer["digest"].replace(":", "-").upper().replace("SHA256", "sha256")
    store.add(QWEN, layer)
    assert resolve("ollama:qwen3:8b").is_file()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read all")
def test_a_closed_store_is_told_from_an_empty_one(store: Store, tmp_path: Path) -> None:
    store.add(QWEN, store.layer("model", gguf(tmp_path)))
    store.folder.chmod(0)
    try:
        assert why_not("ollama:qwen3:8b") == "library.ollama_closed"
    finally:
        store.folder.chmod(0o755)


def test_a_store_that_may_not_be_read_is_told_from_an_empty_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed(_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(ollama, "_is_file", closed)
    with pytest.raises(InputError) as caught:
        locate("ollama:qwen3:8b")
    assert caught.value.message == "library.ollama_closed"
    assert "ollama://127.0.0.1:11434/qwen3:8b" in str(caught.value)


def test_an_unknown_name_is_answered_with_the_three_closest(store: Store, tmp_path: Path) -> None:
    for tag in ("8b", "4b", "14b", "32b-cloud"):
        store.add(f"registry.ollama.ai/library/qwen3/{tag}", store.layer("model", gguf(tmp_path)))
    store.add("registry.ollama.ai/library/mistral/latest", store.layer("model", gguf(tmp_path)))
    for name in ("ollama:qwen3:18b", "qwen3:18b"):
        with pytest.raises(NotFound) as caught:
            locate(name)
        closest = caught.value.values["closest"]
        assert isinstance(closest, str)
        assert len(closest.split(", ")) == 3
        assert "qwen3:8b" in closest
        assert "mistral" not in closest


def test_an_empty_machine_says_how_to_fetch_the_model() -> None:
    with pytest.raises(NotFound) as caught:
        locate("ollama:mistral:7b")
    assert "ollama pull mistral:7b" in str(caught.value)


@pytest.mark.parametrize(
    ("host", "daemon"),
    [
        (None, "ollama://127.0.0.1:11434/mistral:7b"),
        ("127.0.0.1:8080", "ollama://127.0.0.1:8080/mistral:7b"),
    ],
)
def test_an_empty_machine_says_how_a_container_is_asked(
    system: System, host: str | None, daemon: str
) -> None:
    there = System("linux", {"OLLAMA_HOST": host} if host else {}, system.home)
    with pytest.raises(NotFound) as caught:
        locate("ollama:mistral:7b", there)
    assert daemon in str(caught.value)


# --- names -------------------------------------------------------------------------------------

LIBRARY = ("registry.ollama.ai", "library")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("qwen3", (*LIBRARY, "qwen3", "latest")),
        ("qwen3:8b", (*LIBRARY, "qwen3", "8b")),
        ("me/qwen3:8b", ("registry.ollama.ai", "me", "qwen3", "8b")),
        ("hf.co/me/qwen3", ("hf.co", "me", "qwen3", "latest")),
        ("localhost:5000/me/qwen3", ("localhost:5000", "me", "qwen3", "latest")),
        ("localhost:5000/me/qwen3:8b", ("localhost:5000", "me", "qwen3", "8b")),
        ("q_w.e-n:8b-q4_K_M", (*LIBRARY, "q_w.e-n", "8b-q4_K_M")),
    ],
)
def test_what_a_name_leaves_out_is_filled_in(text: str, parts: tuple[str, ...]) -> None:
    name = parse(text)
    assert name is not None
    assert name.parts == parts


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "qwen3:",
        ":8b",
        "a/b/c/d",
        "../../etc/passwd",
        "a/../b",
        "..:8b",
        ".hidden",
        "-option",
        "a b",
        "a\\b",
        "a:b:c",
        "me.dots/qwen3",
        "qwen3:8b/x",
        "a\0b",
        "qwen3:" + "x" * 81,
        "qwén",
        "qwen3\n",
        "qwen3@sha256:abc",
    ],
)
def test_what_ollama_refuses_is_no_name(text: str) -> None:
    assert parse(text) is None
    with pytest.raises(UsageError):
        locate(f"ollama:{text}")


def test_a_name_is_written_as_ollama_lists_it() -> None:
    assert str(OllamaName("registry.ollama.ai", "library", "qwen3", "latest")) == "qwen3:latest"
    assert str(OllamaName("registry.ollama.ai", "me", "qwen3", "8b")) == "me/qwen3:8b"
    assert str(OllamaName("hf.co", "me", "qwen3", "8b")) == "hf.co/me/qwen3:8b"
