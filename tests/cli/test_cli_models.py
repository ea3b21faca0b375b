"""`tokenroof models` shows every model in 80 columns, and every name can be used as it is shown."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path, PurePath

import pytest

from support.commands import Tokenroof
from support.gguf_files import Value, gguf_builder, write_gguf
from support.schemas import check
from tokenroof.cli import wide
from tokenroof.library import ollama
from tokenroof.library.system import System

BLOB = "a" * 64


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A person who has nothing but what the test gives."""
    home = tmp_path / "home"
    monkeypatch.setattr(ollama, "_SERVICE_STORES", ())
    monkeypatch.setenv("TOKENROOF_CACHE", str(tmp_path / "cache"))
    for module in ("resolve", "installed"):
        found = import_module(f"tokenroof.library.{module}")
        monkeypatch.setattr(found, "here", lambda: System("linux", {}, PurePath(home)))
    return home


def put(path: Path, architecture: str = "llama", width: int = 256) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata: dict[str, Value] = {
        "general.architecture": architecture,
        "general.name": path.stem,
        f"{architecture}.block_count": 1,
        f"{architecture}.context_length": 4096,
        f"{architecture}.embedding_length": width,
        f"{architecture}.attention.head_count": 4,
        f"{architecture}.attention.head_count_kv": 2,
    }
    tensors = [
        ("token_embd.weight", (width, 512), "Q4_K"),
        ("output.weight", (width, 512), "Q6_K"),
        ("blk.0.attn_q.weight", (width, width), "Q4_K"),
        ("blk.0.attn_k.weight", (width, width // 2), "Q4_K"),
        ("blk.0.attn_v.weight", (width, width // 2), "Q4_K"),
    ]
    return write_gguf(path, metadata, tensors)


def pull(home: Path, *tags: str) -> None:
    """Give Ollama a model under some tags."""
    store = home / ".ollama" / "models"
    put(store / "blobs" / f"sha256-{BLOB}")
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{BLOB}"}
    for tag in tags:
        path = store / "manifests" / "registry.ollama.ai" / "library" / "qwen3" / tag
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"layers": [layer]}))


def test_a_name_stands_on_its_line_and_its_figures_below(tokenroof: Tokenroof, home: Path) -> None:
    pull(home, "8b", "latest")
    shown = tokenroof("models")
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[1] == "ollama:qwen3:8b"
    # Q4_K: (131,072 + 65,536 + 2 x 32,768) / 256 x 144 = 147,456 bytes; Q6_K: 131,072 / 256 x 210
    # = 107,520; of 393,216 weights 5.19 bits each; less all rows but one of 512 x 144 = 181,392
    assert re.fullmatch(r"  llama +Q4_K 58% Q6_K 42% +5\.19 +256 kB +181 kB +512 B", lines[2])
    assert lines[3] == "  also ollama:qwen3:latest"


def test_a_small_share_is_not_nothing_and_the_rest_not_all(
    tokenroof: Tokenroof, tmp_path: Path
) -> None:
    # 4 bytes of 2**20 x 4 + 4 are 0.0001 %
    tensors = [("token_embd.weight", (2**10, 2**10), "F16"), ("output_norm.weight", (1,), "F32")]
    (tmp_path / "m").mkdir()
    write_gguf(tmp_path / "m" / "a.gguf", {"general.architecture": "clip"}, tensors)
    assert "F16 >99% F32 <1%" in tokenroof("models", tmp_path / "m").out


def test_a_companion_is_told_of_under_the_name_that_brings_it(
    tokenroof: Tokenroof, home: Path
) -> None:
    pull(home, "8b", "latest")
    path = home / ".ollama/models/manifests/registry.ollama.ai/library/qwen3/latest"
    layers = json.loads(path.read_text())["layers"]
    kind = "application/vnd.ollama.image.projector"
    path.write_text(json.dumps({"layers": [*layers, {**layers[0], "mediaType": kind}]}))
    lines = tokenroof("models").out.splitlines()
    assert lines[3] == "  also ollama:qwen3:latest"
    assert lines[4].startswith("  ollama:qwen3:latest comes with a projector of ")


def test_every_name_shown_can_be_given_to_another_command(
    tokenroof: Tokenroof, home: Path, tmp_path: Path
) -> None:
    pull(home, "8b")
    put(home / ".lmstudio" / "models" / "a" / "b" / "c d.gguf")
    put(tmp_path / "more" / "x.gguf")
    names = [row["name"] for row in models(tokenroof, str(tmp_path / "more"))]
    assert len(names) == 3
    for name in names:
        assert tokenroof("inspect", name, "--json").code == 0


def models(tokenroof: Tokenroof, *arguments: str) -> list[dict[str, object]]:
    done = tokenroof("models", *arguments, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    check(document, "models")
    found: list[dict[str, object]] = document["models"]
    return found


def test_the_document_follows_its_schema_with_and_without_a_device(
    tokenroof: Tokenroof, tmp_path: Path, home: Path
) -> None:
    put(tmp_path / "m" / "a.gguf")
    (tmp_path / "m" / "broken.gguf").touch()
    pull(home, "8b")
    plain = models(tokenroof, str(tmp_path / "m"))
    assert [row["ceiling_tokens_per_s"] for row in plain] == [None] * 3
    rows = models(tokenroof, str(tmp_path / "m"), "--bandwidth", "100", "--memory", "24")
    assert sorted(str(row["verdict"]) for row in rows) == ["fits", "fits", "unknown"]


def test_a_device_is_named_as_for_an_estimate(tokenroof: Tokenroof, tmp_path: Path) -> None:
    put(tmp_path / "m" / "a.gguf")
    (named,) = models(tokenroof, str(tmp_path / "m"), "--on", "RTX 3090")
    # 384 bit x 19.5 Gbit/s / 8 = 936 GB/s as the maker states it, with 24 GB
    (given,) = models(tokenroof, str(tmp_path / "m"), "--bandwidth", "936.2", "--memory", "24")
    assert named["ceiling_tokens_per_s"] == given["ceiling_tokens_per_s"]
    assert (named["verdict"], given["verdict"]) == ("fits", "fits")
    assert "ceiling" in tokenroof("models", tmp_path / "m", "--on", "RTX 3090").out
    for wrong in (("--on", "RTX 3080"), ("--on", "nothing"), ("--on", "M1", "--bandwidth", "9")):
        assert tokenroof("models", tmp_path / "m", *wrong).code == 2


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("device", [(), ("--bandwidth", "1000", "--memory", "96")])
def test_everything_but_a_name_fits_80_columns(
    tokenroof: Tokenroof, tmp_path: Path, home: Path, language: str, device: tuple[str, ...]
) -> None:
    pull(home, "8b", *(f"tag-{number}" for number in range(12)))
    folder = tmp_path / ("long-folder-" * 9)
    put(folder / "a.gguf", "nemotron_h_moe_with_a_long_name", 2048)
    write_gguf(folder / "mmproj-x.gguf", {"general.architecture": "clip"}, [("v", (32,), "F16")])
    (folder / "page.gguf").write_bytes(b"<html>" + bytes(20))
    builder = gguf_builder({"general.architecture": "llama"}, [("a", (2**20,), "F32")])
    builder.write(folder / "part.gguf", present_bytes=len(builder.header()))
    shown = tokenroof("models", folder, *device, "--lang", language)
    assert shown.code == 0
    others = [line for line in shown.out.splitlines() if str(folder) not in line]
    assert max(map(wide.width, others)) <= 80


def test_a_broken_file_is_a_row_and_not_the_end(tokenroof: Tokenroof, tmp_path: Path) -> None:
    put(tmp_path / "a.gguf")
    (tmp_path / "b.gguf").touch()
    put(tmp_path / "c.gguf")
    shown = tokenroof("models", tmp_path)
    assert shown.code == 0
    assert f"{tmp_path / 'c.gguf'}\n" in shown.out
    assert "empty" in shown.out


def test_a_machine_without_models_says_what_to_do(tokenroof: Tokenroof) -> None:
    shown = tokenroof("models")
    assert shown.code == 0
    assert "tokenroof models FOLDER" in shown.out
    assert models(tokenroof) == []


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("name", "a b c"),
        ("size", "b c a"),
        ("read", "b c a"),
        ("kv", "b c a"),
        ("bits", "a c b"),  # the wider, the less of it is the output in Q6_K
        ("architecture", "b a c"),
    ],
)
def test_rows_are_in_the_order_asked_for(
    tokenroof: Tokenroof, tmp_path: Path, sort: str, order: str
) -> None:
    put(tmp_path / "a.gguf", "llama", 256)
    put(tmp_path / "b.gguf", "gemma", 1024)
    put(tmp_path / "c.gguf", "llama", 512)
    rows = models(tokenroof, str(tmp_path), "--sort", sort)
    assert " ".join(Path(str(row["name"])).stem for row in rows) == order
    shown = tokenroof("models", tmp_path, "--sort", sort).out
    assert re.findall(r"(\w)\.gguf", shown) == order.split()


def test_what_is_not_known_comes_last(tokenroof: Tokenroof, tmp_path: Path) -> None:
    (tmp_path / "a.gguf").touch()
    put(tmp_path / "b.gguf")
    rows = models(tokenroof, str(tmp_path), "--sort", "size")
    assert [Path(str(row["name"])).stem for row in rows] == ["b", "a"]


def test_reading_is_announced_the_first_time_only(tokenroof: Tokenroof, tmp_path: Path) -> None:
    for number in range(3):
        put(tmp_path / f"{number}.gguf")
    assert tokenroof("models", tmp_path).err == "reading the headers of 3 models\n"
    assert tokenroof("models", tmp_path).err == ""


def test_a_hostile_name_reaches_no_terminal_as_it_is(tokenroof: Tokenroof, tmp_path: Path) -> None:
    put(tmp_path / "evil\x1b[31m\u202e.gguf")
    shown = tokenroof("models", tmp_path).out
    assert not {"\x1b", "\u202e"} & set(shown)
    assert "evil\\x1b[31m\\u202e.gguf" in shown


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["models", "--sort", "colour"], 2),
        (["models", "--memory", "24"], 2),
        (["models", "--bandwidth", "0"], 2),
        (["models", "/no/such/folder"], 3),
    ],
)
def test_what_cannot_be_meant_is_refused(
    tokenroof: Tokenroof, arguments: list[str], code: int
) -> None:
    done = tokenroof(*arguments)
    assert done.code == code
    assert len(done.err.splitlines()) == 1
