"""The page of `inspect` for every kind of model and file: 80 columns, both languages, no gaps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.article_models import gpt_oss_20b, qwen3_8b, qwen3_coder_30b
from support.commands import Tokenroof
from support.fake_world import model_file
from support.gguf_files import GGUFBuilder, write_gguf
from support.oracle.kinds import KINDS, converted
from support.schemas import check
from support.small_model import small_model
from support.text import is_safe
from tokenroof.cli import wide

KIND = {kind.name: kind for kind in KINDS}
SHOWN = (
    "dense", "dense_tied", "experts", "experts_grouped", "windows_default_period_6",
    "shared_kv_gemma3n", "mla", "mla_indexer_and_windows", "mla_hybrid_kda", "compressed",
    "mamba_2", "rwkv_7", "delta_net_by_interval", "hybrid_with_plain_layers", "hybrid_parallel",
    "short_convolution", "lightning", "looped_stacks", "adapters", "encoder", "encoder_decoder",
    "diffusion", "vision_experts", "predicting_block", "sound_decoder",
)  # fmt: skip

HOSTILE = "evil\x1b[31m\x1b]0;t\x07\u202egpj.exe</script><b>\n=cmd\x9b2J\u2066"


def written(folder: Path, name: str, **keys: Any) -> Path:
    """A kind as a file, with other keys."""
    metadata, tensors = converted(KIND[name])
    return write_gguf(folder / f"{name}.gguf", metadata | keys, tensors)


def renamed(folder: Path, name: str, architecture: str) -> Path:
    """A kind under a name that nobody knows."""
    metadata, tensors = converted(KIND[name])
    old = metadata["general.architecture"]
    metadata = {key.replace(f"{old}.", f"{architecture}."): value
                for key, value in metadata.items()}  # fmt: skip
    metadata["general.architecture"] = architecture
    return write_gguf(folder / "renamed.gguf", metadata, tensors)


@pytest.fixture(scope="module")
def article(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("article")
    made = (qwen3_8b, gpt_oss_20b, qwen3_coder_30b)
    return {make.__name__: model_file(folder, make, f"{make.__name__}.gguf") for make in made}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_fits_and_has_no_gaps(
    tokenroof: Tokenroof, tmp_path: Path, name: str, language: str
) -> None:
    arguments = ("--depth", "0,100", "--context", "1024", "--tensors", "--lang", language)
    outcome = tokenroof("inspect", written(tmp_path, name), *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert max(map(wide.width, lines)) <= 80
    for gap in ("None", "nan", "unknown", "不明"):
        assert not [line for line in lines[4:] if gap in line], gap
    assert not any(line.endswith(" ") for line in lines)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("looped", ("some several times", "6 the whole context")),
        ("predicting_block", ("the rest stays in the file", "3.64 MB: multi-token prediction")),
        ("encoder_decoder", ("encoder",)),
        ("vision_experts", ("1.18 MB: images and sound",)),
        ("shared_kv_gemma3n", ("4 nothing, and read another's", "16 a window of 32 tokens")),
        ("mla_hybrid_kda", ("1 latent rows (MLA), 3 a state", "2 of 8 a layer", "210,432 B")),
        ("mamba_2", ("2 a state", "more than the weights never")),
        ("dense_tied", ("it is the output projection too",)),
        ("hybrid_with_plain_layers", ("1 nothing",)),
    ],
)
def test_a_page_says_what_is_special(
    tokenroof: Tokenroof, tmp_path: Path, name: str, said: tuple[str, ...]
) -> None:
    page = " ".join(tokenroof("inspect", written(tmp_path, name)).out.split())
    for words in said:
        assert words in page


@pytest.mark.parametrize("name", ["encoder", "diffusion", "sound_decoder"])
def test_what_does_not_write_tokens_has_no_cache_on_its_page(
    tokenroof: Tokenroof, tmp_path: Path, name: str
) -> None:
    page = tokenroof("inspect", written(tmp_path, name)).out
    assert "What one pass over a text reads" in page
    assert "What the context costs" not in page
    assert "What reading a prompt takes" not in page


@pytest.mark.parametrize("name", SHOWN)
def test_the_parts_sum_to_the_file(tokenroof: Tokenroof, tmp_path: Path, name: str) -> None:
    document = json.loads(tokenroof("inspect", written(tmp_path, name), "--tensors", "--json").out)
    check(document, "inspect")
    sums_up(document)
    assert all(layer["keeps"] for layer in document["kv"]["by_layer"])
    assert len(document["kv"]["by_layer"]) >= document["model"]["layers"]


def sums_up(document: dict[str, Any]) -> None:
    """Groups, components, types and tensors are the tensors; tensors and the rest, the file."""
    model, tensors = document["model"], document["tensors"]
    whole = model["tensor_bytes"] + model["overlap_bytes"]
    assert sum(each["bytes"] for each in document["groups"].values()) == whole
    assert sum(each["bytes"] for each in document["components"]) == whole
    assert sum(each["bytes"] for each in document["types"]) == whole
    assert sum(each["bytes"] for each in tensors) == whole
    assert whole - model["overlap_bytes"] + model["other_bytes"] == (
        model["file_bytes"] + model["missing_bytes"]
    )
    read = document["decode"]["weight_bytes"]
    assert sum(each["decode_bytes"] for each in tensors) == pytest.approx(read)
    assert sum(each["decode_bytes"] for each in document["components"]) == pytest.approx(read)
    assert {each["class"] for each in tensors if "reason" in each} <= {"unread"}
    unread = [each for each in tensors if each["class"] == "unread"]
    assert all(each["reason"] and each["decode_bytes"] == 0 for each in unread)


def test_classes_sum_to_a_file_with_overlaps_gaps_and_unknown_types(
    tokenroof: Tokenroof, tmp_path: Path
) -> None:
    metadata, tensors = converted(KIND["dense"])
    builder = GGUFBuilder()
    for key, value in metadata.items():
        builder.add(key, value)
    for name, shape, kind in tensors:
        builder.tensor(name, shape, kind)
    builder.tensor("twice", (64,), "F32", offset=0)
    builder.tensor("new", (10,), 153, offset=builder.data_size + 4096)
    path = tmp_path / "odd.gguf"
    path.write_bytes(builder.build() + bytes(999))
    document = json.loads(tokenroof("inspect", path, "--tensors", "--json").out)
    assert document["model"]["overlap_bytes"] == 256
    sums_up(document)
    page = tokenroof("inspect", path).out
    assert "-256 B" in page
    assert "type 153" in page
    path.write_bytes(path.read_bytes()[:-60_000])
    document = json.loads(tokenroof("inspect", path, "--tensors", "--json").out)
    assert document["model"]["missing_bytes"] > 0
    sums_up(document)


def test_the_page_of_qwen3_8b_says_where_the_cache_outweighs_the_weights(
    tokenroof: Tokenroof, article: dict[str, Path]
) -> None:
    page = tokenroof("inspect", article["qwen3_8b"]).out
    assert "33,022 tokens" in page
    assert "147,456 B" in page
    assert "one row of 350 MB" in page
    # 32,768 x 147,456 B of cache beside 4.87 GB of weights: half of what is read.
    assert "4.83 GB          9.70 GB            50 %" in page


def test_the_page_of_a_sparse_model_says_how_many_experts_are_used(
    tokenroof: Tokenroof, article: dict[str, Path]
) -> None:
    page = tokenroof("inspect", article["qwen3_coder_30b"]).out
    assert "8 of 128 a layer: 1.10 GB of 17.6 GB" in page
    assert "with 128 of 128 experts" in page


def test_what_engines_do_otherwise_is_said_with_its_figure(
    tokenroof: Tokenroof, article: dict[str, Path]
) -> None:
    # All 24 layers alike: 24 x 2 x 8 x 64 x 2 B.
    document = json.loads(tokenroof("inspect", article["gpt_oss_20b"], "--json").out)
    (notice,) = [each for each in document["warnings"] if each["id"] == "engine_windows"]
    assert "vLLM" in notice["text"]
    assert "49,152 B" in notice["text"]
    assert document["engine"] == "llama.cpp"


def test_reading_a_prompt_is_told_by_its_operations_and_bytes(
    tokenroof: Tokenroof, article: dict[str, Path]
) -> None:
    arguments = ("--prompt", "35700", "--ubatch", "512", "--json")
    document = json.loads(tokenroof("inspect", article["qwen3_8b"], *arguments).out)
    cost = document["prefill"]
    assert cost["flop_per_token"] == 2 * 6_945_767_424
    assert cost["distinct_experts"] is None
    (prompt,) = cost["prompts"]
    assert prompt["micro_batches"] == 70
    assert prompt["linear_flop"] / 1e12 == pytest.approx(496, abs=0.5)
    assert prompt["attention_flop"] / 1e12 == pytest.approx(376, abs=0.5)
    sparse = json.loads(tokenroof("inspect", article["qwen3_coder_30b"], "--json").out)["prefill"]
    assert sparse["distinct_experts"] == pytest.approx(128)


def test_allocation_follows_sequences_and_windows(tokenroof: Tokenroof) -> None:
    def allocated(*arguments: str) -> int:
        asked = ("inspect", small_model(), "--context", "8192", "--json", *arguments)
        size: int = json.loads(tokenroof(*asked).out)["kv"]["allocated"][0]["bytes"]
        return size

    # 3 full layers and 15 with a window of 512, each 2 x 256 numbers of 2 B a cell.
    cell = 2 * 256 * 2
    assert allocated() == cell * (3 * 8192 + 15 * 1024)
    assert allocated("--parallel", "4", "--unified") == cell * (3 * 8192 + 15 * 2560)
    assert allocated("--parallel", "4") == cell * (3 * 8192 + 15 * 4 * 1024)
    assert allocated("--swa-full") == cell * 18 * 8192
    assert allocated("--ubatch", "64") == cell * (3 * 8192 + 15 * 768)


@pytest.mark.parametrize("name", ["dense", "experts", "windows_default_period_6", "lightning"])
def test_an_unknown_architecture_has_bounds_everywhere(
    tokenroof: Tokenroof, tmp_path: Path, name: str
) -> None:
    path = renamed(tmp_path, name, "brand-new")
    arguments = ("--depth", "5000", "--context", "8192", "--prompt", "100", "--json")
    document = json.loads(tokenroof("inspect", path, *arguments).out)
    check(document, "inspect")
    assert "architecture_unknown" in {each["id"] for each in document["warnings"]}
    decode, kv = document["decode"], document["kv"]
    assert decode["weight_bytes_low"] < decode["weight_bytes"] <= decode["weight_bytes_high"]
    assert kv["bytes_per_token_low"] == 0 < kv["bytes_per_token"]
    assert kv["read"][0]["low"] == 0 < kv["read"][0]["bytes"]
    assert kv["allocated"][0]["low"] == 0 < kv["allocated"][0]["bytes"]
    assert kv["outweighs_weights_at"] is None
    assert document["prefill"]["flop_per_token"] is None
    assert document["prefill"]["prompts"][0]["weight_bytes"] is None
    for language in ("en", "ja"):
        page = tokenroof("inspect", path, "--lang", language).out
        assert max(map(wide.width, page.splitlines())) <= 80
        assert ("between" if language == "en" else "の間") in page


def test_hostile_names_are_shown_escaped_everywhere(tokenroof: Tokenroof, tmp_path: Path) -> None:
    metadata, tensors = converted(KIND["experts"])
    tensors.append((f"bad{HOSTILE[:20]}", (8,), "F32"))
    metadata["general.name"] = HOSTILE
    one = write_gguf(tmp_path / "one.gguf", metadata, tensors)
    for arguments in (
        ("inspect", one, "--tensors"),
        ("inspect", one, "--tensors", "--json"),
        ("inspect", one, one, "--tensors"),
        ("inspect", one, one, "--json"),
    ):
        for language in ("en", "ja"):
            outcome = tokenroof(*arguments, "--lang", language)
            assert outcome.code == 0
            assert is_safe(outcome.out.replace("\n", ""))
    shown = json.loads(tokenroof("inspect", one, "--json").out)
    assert shown["model"]["name"] == HOSTILE
    assert all(is_safe(each["text"]) and is_safe(each["where"]) for each in shown["warnings"])


def test_files_that_are_no_models_are_described(tokenroof: Tokenroof, tmp_path: Path) -> None:
    def page(metadata: dict[str, Any], tensors: list[Any]) -> str:
        outcome = tokenroof("inspect", write_gguf(tmp_path / "m.gguf", metadata, tensors))
        assert (outcome.code, outcome.err) == (0, "")
        return str(outcome.out)

    clip = {"general.architecture": "clip", "general.type": "mmproj"}
    shown = page(clip, [("v.blk.0.attn_q.weight", (64, 64), "F16")])
    assert "never read  8.19 kB: images and sound" in shown
    assert "projector" in shown
    shown = page({"general.architecture": "llama", "llama.block_count": 2}, [])
    assert "no tensors" in shown
    shown = page({"general.name": "x"}, [("blk.0.attn_q.weight", (64, 64), "F16")])
    assert "between 0 B and 8.19 kB" in shown
    assert "never read" not in shown


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("other", ["mla_hybrid_kda", "encoder", "looped_stacks", "mamba_2"])
def test_two_models_stand_side_by_side(
    tokenroof: Tokenroof, tmp_path: Path, other: str, language: str
) -> None:
    one, two = written(tmp_path, "experts"), written(tmp_path, other)
    arguments = ("--tensors", "--depth", "0,100", "--context", "2048", "--lang", language)
    outcome = tokenroof("inspect", one, two, *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    assert max(map(wide.width, outcome.out.splitlines())) <= 80
    assert "B / A" in outcome.out
    assert "blk.0.ffn_gate_inp.weight" in outcome.out


def test_two_models_are_one_document(tokenroof: Tokenroof, article: dict[str, Path]) -> None:
    paths = article["qwen3_8b"], article["gpt_oss_20b"]
    document = json.loads(tokenroof("inspect", *paths, "--json", "--depth", "470").out)
    check(document, "inspect-pair")
    assert document["schema"] == "tokenroof.inspect-pair/1"
    for path, found in zip(paths, document["models"], strict=True):
        assert json.loads(tokenroof("inspect", path, "--json", "--depth", "470").out) == found


def test_two_models_are_compared_by_their_ratio(
    tokenroof: Tokenroof, article: dict[str, Path]
) -> None:
    page = tokenroof("inspect", article["qwen3_8b"], article["gpt_oss_20b"]).out
    # 2,574,705,396 of 4,869,359,872 bytes.
    (weights,) = [line for line in page.splitlines() if line.split()[:1] == ["weights"]]
    assert weights.split() == ["weights", "4.87", "GB", "2.57", "GB", "0.529"]
    assert "MXFP4   –         10.2 GB" in page


def test_the_same_model_twice_differs_in_nothing(tokenroof: Tokenroof, tmp_path: Path) -> None:
    one = written(tmp_path, "dense")
    assert "No tensor differs" in tokenroof("inspect", one, one, "--tensors").out


def test_three_models_are_too_many(tokenroof: Tokenroof, tmp_path: Path) -> None:
    one = written(tmp_path, "dense")
    outcome = tokenroof("inspect", one, one, one)
    assert (outcome.code, outcome.out) == (2, "")
    assert "3" in outcome.err
