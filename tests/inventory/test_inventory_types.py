"""A model in every file type, held against what llama-quantize says of its own dry runs."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from support.schemas import check
from tokenroof.errors import NotFound, UsageError
from tokenroof.hardware.device import Device
from tokenroof.inventory import TypeTable, search_catalogue, type_table
from tokenroof.predict.cases import Case
from tokenroof.recipes import blueprint, blueprint_of_config, find

DATA = Path(__file__).parents[1] / "recipes" / "data" / "dry_run_sizes.json"
SIZES: dict[str, dict[str, tuple[float | None, int]]] = json.loads(DATA.read_text())["models"]


def no_measurement() -> Device:
    raise AssertionError("nothing is measured here")


@cache
def table(name: str, place: Case | None = None) -> TypeTable:
    return type_table(blueprint(find(name)), place, here=no_measurement)


@pytest.mark.parametrize("name", ["gemma-3-270m", "qwen3-0.6b"])
def test_sizes_and_fallbacks_are_those_of_the_dry_runs(name: str) -> None:
    rows = {row.type: row for row in table(name).types}
    assert set(SIZES[name]) <= set(rows)
    for kind, (mebibytes, swapped) in SIZES[name].items():
        row = rows[kind]
        assert mebibytes is not None
        assert row.tensor_bytes is not None
        assert row.tensor_bytes / 2**20 == pytest.approx(mebibytes, abs=0.006), kind
        fallbacks = [each.message for each in row.warnings].count("recipes.fallback")
        assert fallbacks == (1 if swapped else 0), kind


def test_rows_are_in_the_order_of_their_size() -> None:
    sizes = [row.tensor_bytes for row in table("qwen3-8b").types]
    assert sizes == sorted(size for size in sizes if size is not None)
    assert len(sizes) == 35


def test_a_type_that_cannot_be_comes_last_with_its_reason() -> None:
    """gpt-oss has rows of 2,880 weights: no multiple of the 128 of Q1_0's blocks."""
    *others, last = table("gpt-oss-20b").types
    assert (last.type, last.tensor_bytes) == ("Q1_0", None)
    assert last.reason is not None
    assert last.reason.message == "recipes.row_refused"
    assert all(row.reason is None for row in others)


def test_ceilings_are_bandwidth_over_what_a_token_reads() -> None:
    """256e9 B/s over the 4,671,768,832 B of the article's plain recipe: 54.797..."""
    found = table("qwen3-8b", Case(bandwidth=256, memory=8))
    rows = {row.type: row for row in found.types}
    assert rows["Q4_K_M"].read_bytes == 4_671_768_832
    assert rows["Q4_K_M"].ceiling_tokens_per_s == 54.8
    # 5.02 GB of tensors and 4,096 tokens of 147,456 B are 5.63 GB; 8.70 GB alone are too much.
    assert (rows["Q4_K_M"].verdict, rows["Q8_0"].verdict) == ("fits", "does_not_fit")
    assert found.context == 4096


def test_without_a_device_nothing_is_said_of_speed() -> None:
    found = table("qwen3-8b")
    assert found.device is None
    assert all(row.ceiling_tokens_per_s is None for row in found.types)
    assert {row.verdict for row in found.types} == {"unknown"}


def test_states_that_a_token_reads_and_writes_are_in_its_ceiling() -> None:
    """Mamba layers keep a state: what is read is more than the weights."""
    row = table("qwen3.5-0.8b", Case(bandwidth=100)).types[-1]
    assert row.read_bytes is not None
    assert row.weight_bytes is not None
    assert row.read_bytes > row.weight_bytes
    assert row.ceiling_tokens_per_s == pytest.approx(100e9 / row.read_bytes, abs=0.005)


def test_a_device_that_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError):
        table("qwen3-8b", Case(device="no such thing"))
    with pytest.raises(UsageError) as caught:
        table("qwen3-8b", Case(memory=8))
    assert caught.value.message == "predict.no_device"


def test_what_is_known_of_all_types_is_said_once() -> None:
    messages = [each.message for each in table("gpt-oss-20b").warnings]
    assert messages == ["recipes.recipe", "recipes.published_in", "inventory.below_four_bits"]


def test_the_document_follows_its_schema() -> None:
    for name in ("gpt-oss-20b", "gemma-3-270m"):
        check(table(name, Case(bandwidth=256, memory=8)).to_dict(), "inspect-types")


def test_a_config_has_a_table_too() -> None:
    made = blueprint_of_config(find("qwen3-8b").config, "/x/config.json", "x")
    found = type_table(made, None, here=no_measurement)
    assert (found.model, found.recipe) == ("x", "/x/config.json")
    assert [row.tensor_bytes for row in found.types] == [
        row.tensor_bytes for row in table("qwen3-8b").types
    ]


# --- the catalogue -----------------------------------------------------------------------------


def test_every_word_of_a_query_has_to_occur() -> None:
    found = {row.name: row for row in search_catalogue("Qwen3 coder").models}
    assert "qwen3-coder-30b-a3b@Q4_K_M" in found
    assert all("coder" in name for name in found)
    row = found["qwen3-coder-30b-a3b@Q4_K_M"]
    assert row.weight_bytes == 1_919_597_696  # the article's
    assert (row.source, row.path, row.file_bytes) == ("catalogue", None, None)
    assert row.config is not None
    assert row.config.startswith("https://huggingface.co/Qwen/Qwen3-Coder-30B-A3B")


def test_a_model_is_told_in_the_type_that_it_was_published_in() -> None:
    row = next(row for row in search_catalogue("gpt-oss-20b").models)
    assert (row.name, row.tensor_bytes) == ("gpt-oss-20b@MXFP4_MOE", 12_096_558_336)
    assert row.weight_bytes == 2_574_705_396


def test_a_query_that_finds_nothing_is_answered_with_the_closest_three() -> None:
    with pytest.raises(NotFound) as caught:
        search_catalogue("qwen33-8b")
    assert "qwen3-8b" in str(caught.value.values["closest"])
