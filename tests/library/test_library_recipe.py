"""Models that are nowhere yet, by their names: the catalogue, configs here, on the web, on the Hub.

4,671,768,832 bytes are what a token reads of Qwen3-8B in the plain Q4_K_M, and 4,869,359,872 what
it reads of Ollama's own build, which keeps every attn_v in F16: 36 layers of 4096 x 1024 weights,
18 of them otherwise in Q4_K (144 bytes for 256 weights) and 18 in Q6_K (210 bytes for 256).
"""

from __future__ import annotations

import json
from pathlib import Path, PurePath
from typing import Any

import pytest

from simulator.file_server import FileServer
from support.gguf_files import write_gguf
from tokenroof.errors import InputError, NotFound, TokenroofError, UsageError
from tokenroof.gguf import Header
from tokenroof.library import locate, open_blueprint, open_header, resolve
from tokenroof.library.system import System
from tokenroof.model import build_model
from tokenroof.recipes import find

READ = 4_671_768_832
OLLAMA_READ = (
    READ
    + 18 * (4096 * 1024) * (2 * 256 - 144) // 256
    + (18 * (4096 * 1024) * (2 * 256 - 210) // 256)
)
QWEN3_8B: dict[str, Any] = find("qwen3-8b").config


def read_of(header: Header) -> object:
    return build_model(header).decode_weight_bytes


def put(path: Path, config: object = QWEN3_8B) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(config), encoding="utf-8")
    return path


def notices(header: Header) -> list[str]:
    return [each.message for each in header.problems]


# --- the catalogue -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["qwen3-8b@Q4_K_M", "qwen3-8b@q4_k_m", "qwen3-8b", "Qwen3-8B@Q4_K_M", "qwen3:8b",
     "Qwen/Qwen3-8B@Q4_K_M", "qwen3_8b@Q4_K"],
)  # fmt: skip
def test_every_spelling_means_the_recipe_of_the_model(name: str) -> None:
    header = open_header(name)
    assert read_of(header) == READ
    assert header.recipe == "qwen3-8b@Q4_K_M"
    assert header.file_bytes is None
    assert "recipes.recipe" in notices(header)
    assert ("recipes.type_assumed" in notices(header)) == ("@" not in name)


def test_a_file_of_that_name_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_gguf(tmp_path / "qwen3-8b", {"general.architecture": "llama"}, [("a", (32,), "F32")])
    assert open_header("qwen3-8b").recipe is None
    assert open_header("qwen3-8b@Q4_K_M").recipe == "qwen3-8b@Q4_K_M"


def test_a_model_that_ollama_has_comes_before_the_recipe(system: System) -> None:
    store = Path(system.home, ".ollama", "models")
    manifest = store / "manifests" / "registry.ollama.ai" / "library" / "qwen3" / "8b"
    blob = store / "blobs" / f"sha256-{'a' * 64}"
    blob.parent.mkdir(parents=True)
    write_gguf(blob, {"general.architecture": "llama"}, [("a", (32,), "F32")])
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{'a' * 64}"}
    put(manifest, {"layers": [layer]})
    assert open_header("qwen3:8b").recipe is None
    assert open_header("qwen3:8b@Q4_K_M").recipe == "qwen3-8b@Q4_K_M"
    assert open_blueprint("ollama:qwen3:8b").id == "qwen3-8b"


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("llama3.1:8b-instruct-q4_K_M", "llama-3.1-8b@Q4_K_M"),
        ("llama3.1:8b-instruct-fp16", "llama-3.1-8b@F16"),
        ("qwen3:30b-a3b-q8_0", "qwen3-30b-a3b@Q8_0"),
        ("bartowski/Meta-Llama-3.1-8B-Instruct-GGUF:Q5_K_M", "llama-3.1-8b@Q5_K_M"),
        ("hf.co/Qwen/Qwen3-8B-GGUF:Q6_K", "qwen3-8b@Q6_K"),
    ],
)
def test_a_tag_that_ends_in_a_type_asks_for_it(name: str, meant: str) -> None:
    assert open_header(name).recipe == meant


@pytest.mark.parametrize(
    "name", ["qwen3:8b-zzz", ":Q4_K_M", "qwen3:", "qwen3:Q8_0", "qwen3-8b:Q9_Z"]
)
def test_a_tag_that_ends_in_no_type_is_an_unknown_name(name: str) -> None:
    with pytest.raises(NotFound):
        open_header(name)


def test_ollamas_build_has_a_second_tag() -> None:
    assert read_of(open_header("ollama:qwen3:8b-q4_K_M")) == OLLAMA_READ


def test_what_ollama_would_pull_is_answered_with_its_own_build() -> None:
    header = open_header("ollama:qwen3:8b")
    assert read_of(header) == OLLAMA_READ == 4_869_359_872
    assert notices(header)[0] == "recipes.ollama_build"
    assert "ollama pull qwen3:8b" in header.problems[0].text()


def test_an_unknown_name_is_answered_with_the_closest_three() -> None:
    for name in ("qwen3-9b@Q4_K_M", "qwen3-9b"):
        with pytest.raises(NotFound) as caught:
            open_header(name)
        assert "qwen3-8b" in str(caught.value)
    with pytest.raises(NotFound) as caught:
        open_header("qwen3-9b@Q4_K_M")
    assert len(str(caught.value.values["closest"]).split(", ")) == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("qwen3-8b@UD-Q4_K_XL", "recipes.publishers_mix"),
        ("qwen3-8b@Q4_K_L", "recipes.publishers_mix"),
        ("qwen3-8b@i1-Q4_K_M", "recipes.publishers_matrix"),
        ("qwen3:8b-UD-Q4_K_XL", "recipes.publishers_mix"),
        ("qwen3-8b@", "recipes.type_missing"),
        ("qwen3-8b@ ", "recipes.type_missing"),
        ("qwen3-8b@NVFP4", "recipes.type_not_made"),
        ("qwen3-8b@Q9_Z", "recipes.unknown_type"),
        ("gpt-oss-20b@Q1_0", "recipes.row_refused"),
    ],
)
def test_a_type_that_no_rule_makes_is_refused_by_its_name(name: str, message: str) -> None:
    with pytest.raises(TokenroofError) as caught:
        open_header(name)
    assert caught.value.message == message


def test_what_needs_the_weights_says_that_there_are_none() -> None:
    with pytest.raises(InputError) as caught:
        resolve("qwen3-8b@Q4_K_M")
    assert caught.value.message == "library.not_local"


# --- configs on this machine -------------------------------------------------------------------


def test_a_config_is_named_by_its_path_or_its_folder(tmp_path: Path) -> None:
    config = put(tmp_path / "My-Qwen" / "config.json")
    for name in (f"{config}@Q4_K_M", f"{config.parent}@Q4_K_M", str(config), str(config.parent)):
        header = open_header(name)
        assert read_of(header) == READ
        assert header.text("general.name") == "My-Qwen"
        assert header.recipe == f"{name.removesuffix('@Q4_K_M')}@Q4_K_M"


def test_a_config_of_another_name_is_called_after_itself(tmp_path: Path) -> None:
    config = put(tmp_path / "qwen.JSON")
    assert open_header(f"{config}@Q8_0").text("general.name") == "qwen"


def test_a_folder_with_a_model_and_its_config_is_the_model(tmp_path: Path) -> None:
    put(tmp_path / "config.json")
    write_gguf(tmp_path / "a.gguf", {"general.architecture": "llama"}, [("a", (32,), "F32")])
    assert open_header(str(tmp_path)).recipe is None
    assert open_header(f"{tmp_path}@Q4_K_M").recipe is not None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[]", "library.config_not_json"),
        (b"{", "library.config_not_json"),
        (b"\xff\xfe", "library.config_not_json"),
        (b"[" * 100_000, "library.config_not_json"),
        (b" " * (4 * 2**20 + 1), "library.config_too_long"),
        (b"{}", "recipes.config_lacks"),
    ],
)
def test_what_is_no_config_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "config.json").write_bytes(data)
    with pytest.raises(InputError) as caught:
        open_header(str(tmp_path / "config.json"))
    assert caught.value.message == message
    assert "config.json" in str(caught.value)


def test_a_missing_config_is_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        open_header(str(tmp_path / "config.json"))


# --- elsewhere ---------------------------------------------------------------------------------


def test_a_config_is_read_from_the_web(server: FileServer) -> None:
    url = server.add("/models/mine/config.json", json.dumps(QWEN3_8B).encode())
    assert read_of(open_header(f"{url}@Q4_K_M")) == READ
    assert open_header(url).text("general.name") == "mine"
    broken = server.add("/broken/config.json", b"<html>")
    with pytest.raises(InputError, match=r"broken/config\.json"):
        open_header(broken)


REPO = "Qwen/Qwen3-8B"
CONFIG = f"/{REPO}/resolve/main/config.json"


def at(server: FileServer, system: System) -> System:
    return System("linux", {"HF_ENDPOINT": server.url}, system.home)


@pytest.mark.parametrize("name", [f"hf:{REPO}@Q4_K_M", f"hf:{REPO}", f"hf:{REPO}/config.json"])
def test_a_checkpoint_on_the_hub_is_its_recipe(
    server: FileServer, system: System, name: str
) -> None:
    files = ["config.json", "model-00001-of-00005.safetensors"]
    entries = [{"type": "file", "path": file, "size": 1} for file in files]
    server.add(f"/api/models/{REPO}/tree/main", json.dumps(entries).encode())
    server.add(CONFIG, json.dumps(QWEN3_8B).encode())
    header = open_header(name, system=at(server, system))
    assert read_of(header) == READ
    assert header.recipe == f"hf:{REPO}@Q4_K_M"


def test_a_config_in_the_cache_is_read_without_the_network(system: System) -> None:
    snapshot = Path(system.home, ".cache", "huggingface", "hub", "models--Qwen--Qwen3-8B")
    put(snapshot / "snapshots" / ("0" * 40) / "config.json")
    offline = System("linux", {"HF_ENDPOINT": "http://127.0.0.1:9"}, PurePath(system.home))
    assert read_of(open_header(f"hf:{REPO}@Q4_K_M", system=offline)) == READ


def test_a_repository_without_a_config_is_said_to_be_missing(
    server: FileServer, system: System
) -> None:
    with pytest.raises(NotFound) as caught:
        locate(f"hf:{REPO}@Q4_K_M", at(server, system))
    assert caught.value.message == "library.hub_not_found"


# --- before a type is chosen -------------------------------------------------------------------


def test_a_model_file_has_lost_what_it_was_made_of(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    write_gguf(path, {"general.architecture": "llama"}, [("a", (32,), "F32")])
    with pytest.raises(UsageError) as caught:
        open_blueprint(str(path))
    assert caught.value.message == "library.no_blueprint"


def test_a_blueprint_is_found_by_every_name_of_a_recipe(tmp_path: Path) -> None:
    config = put(tmp_path / "config.json")
    for name in ("qwen3-8b", "qwen3:8b", "qwen3-8b@Q8_0", "ollama:qwen3:8b", str(config)):
        assert read_of(open_blueprint(name).header("Q4_K_M")) == READ
