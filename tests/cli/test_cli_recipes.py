"""Models that are not here yet, on the command line: marked, in every type, and searched for."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path, PurePath

import pytest

from support.commands import Tokenroof
from support.gguf_files import write_gguf
from support.schemas import check
from tokenroof.cli import candidates, wide
from tokenroof.library import ollama
from tokenroof.library.system import System


@pytest.fixture(autouse=True)
def _nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person whose stores hold nothing."""
    monkeypatch.setattr(ollama, "_SERVICE_STORES", ())
    for module in ("resolve", "installed"):
        found = import_module(f"tokenroof.library.{module}")
        monkeypatch.setattr(found, "here", lambda: System("linux", {}, PurePath(tmp_path, "home")))


def test_a_recipe_is_inspected_like_a_file_and_marked_as_one(tokenroof: Tokenroof) -> None:
    page = tokenroof("inspect", "qwen3-8b@Q4_K_M")
    assert page.code == 0
    assert "recipe             qwen3-8b@Q4_K_M\n" in page.out
    assert "its tensors        5.02 GB (4.68 GiB)\n" in page.out
    assert "A recipe: no file was read." in page.out
    document = json.loads(tokenroof("inspect", "qwen3-8b@Q4_K_M", "--json", "--tensors").out)
    check(document, "inspect")
    assert document["model"]["recipe"] == "qwen3-8b@Q4_K_M"
    assert document["model"]["file_bytes"] is None
    assert document["decode"]["weight_bytes"] == 4_671_768_832
    assert len(document["tensors"]) == 399  # 36 layers of 11 tensors, embedding, norm and output
    assert "recipe" in [each["id"] for each in document["warnings"]]


def test_a_file_is_marked_as_no_recipe(tokenroof: Tokenroof, tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "a.gguf", {"general.architecture": "x"}, [("a", (32,), "F32")])
    assert json.loads(tokenroof("inspect", path, "--json").out)["model"]["recipe"] is None
    assert "recipe" not in tokenroof("inspect", path).out
    both = tokenroof("inspect", path, "qwen3-8b@Q4_K_M").out.splitlines()
    assert ["recipe", "none", "qwen3-8b@Q4_K_M"] in [line.split() for line in both]


def test_two_recipes_stand_side_by_side(tokenroof: Tokenroof) -> None:
    page = tokenroof("inspect", "qwen3-8b@Q4_K_M", "qwen3-8b@Q8_0")
    assert page.code == 0
    assert "  recipe              qwen3-8b@Q4_K_M   qwen3-8b@Q8_0\n" in page.out
    assert "  its tensors         5.02 GB           8.70 GB          1.73\n" in page.out


def test_ollamas_own_build_says_that_it_is_one(tokenroof: Tokenroof) -> None:
    page = tokenroof("inspect", "ollama:qwen3:8b")
    assert "its tensors        5.22 GB" in page.out
    assert "Ollama's own build of qwen3:8b, which is not installed here" in page.out
    row = json.loads(tokenroof("estimate", "ollama:qwen3:8b", "--bandwidth", "256", "--json").out)
    assert row["rows"][0]["assumes"][1:3] == [
        "a recipe in the place of a file, ollama:qwen3:8b",
        "Ollama's own build, which is as Q4_K_M but for attn_v.weight F16",
    ]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("device", [(), ("--on", "RTX 3090"), ("--bandwidth", "256")])
def test_all_types_are_shown_in_80_columns(
    tokenroof: Tokenroof, language: str, device: tuple[str, ...]
) -> None:
    page = tokenroof("inspect", "gpt-oss-20b", "--types", *device, "--lang", language)
    assert (page.code, page.err) == (0, "")
    assert max(map(wide.width, page.out.splitlines())) <= 80
    rows = [line.split() for line in page.out.splitlines()]
    mxfp4 = next(row for row in rows if row[:1] == ["MXFP4_MOE"])
    assert mxfp4[1:6] == ["12.1", "GB", "4.63", "2.57", "GB"]
    assert len(mxfp4) == {"--on": 8, "--bandwidth": 7}.get(device[0] if device else "", 6)
    if "--bandwidth" in device:
        assert mxfp4[6] == "99.4"  # 256e9 / 2,574,705,396


def test_the_page_explains_its_marks_and_what_four_bits_mean(tokenroof: Tokenroof) -> None:
    page = tokenroof("inspect", "gpt-oss-20b", "--types").out
    assert "  IQ2_XS      *+ " in page
    assert "  * made only with an importance matrix" in page
    assert "  + some tensors have rows that are no whole blocks of the type" in page
    assert "  Impossible: Q1_0.\n" in page
    assert "Below about 4 bits a weight" in page
    plain = tokenroof("inspect", "qwen3-8b", "--types").out
    assert "  + some tensors" not in plain
    assert "Impossible" not in plain
    assert "get another type: IQ3_XXS 3.36 GB," in plain


def test_the_types_as_a_document(tokenroof: Tokenroof) -> None:
    page = tokenroof("inspect", "qwen3-8b", "--types", "--bandwidth", "256", "--json")
    document = json.loads(page.out)
    check(document, "inspect-types")
    assert document["schema"] == "tokenroof.inspect-types/1"
    assert (document["device"], document["recipe"]) == ("256 GB/s", "qwen3-8b")
    row = next(each for each in document["types"] if each["type"] == "Q4_K_M")
    assert (row["weight_bytes"], row["ceiling_tokens_per_s"]) == (4_671_768_832, 54.8)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("qwen3-8b", "--types", "--depth", "4k"), "--types shows one model"),
        (("qwen3-8b", "qwen3-4b", "--types"), "--types shows one model"),
        (("qwen3-8b", "--types", "--tensors"), "--types shows one model"),
        (("qwen3-8b", "--on", "RTX 3090"), "go with --types"),
        (("qwen3-8b", "--bandwidth", "256"), "go with --types"),
        (("qwen3-8b", "--memory", "24"), "go with --types"),
        (("qwen3-8b", "--types", "--memory", "24"), "--on"),
    ],
)
def test_what_does_not_go_together_is_refused(
    tokenroof: Tokenroof, arguments: tuple[str, ...], sentence: str
) -> None:
    outcome = tokenroof("inspect", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert sentence in outcome.err


def test_a_file_has_no_other_types(tokenroof: Tokenroof, tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "a.gguf", {"general.architecture": "x"}, [("a", (32,), "F32")])
    outcome = tokenroof("inspect", path, "--types")
    assert outcome.code == 2
    assert "is a file, which is in one type already" in outcome.err


def test_an_estimate_says_that_it_rests_on_a_recipe(tokenroof: Tokenroof) -> None:
    command = ("estimate", "qwen3-8b@Q4_K_M", "--bandwidth", "256")
    (row,) = json.loads(tokenroof(*command, "--json").out)["rows"]
    assert row["ceiling_tokens_per_s"] == pytest.approx(256e9 / 4_671_768_832)
    assert row["assumes"][1] == "a recipe in the place of a file, qwen3-8b@Q4_K_M"
    assert row["verify"] is None  # there is nothing to measure
    assert "tokenroof bench" not in tokenroof(*command).out


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_catalogue_is_searched_and_shown_like_what_is_here(
    tokenroof: Tokenroof, language: str
) -> None:
    page = tokenroof("models", "--catalogue", "gpt oss", "--lang", language)
    assert (page.code, page.err) == (0, "")
    lines = page.out.splitlines()
    assert max(map(wide.width, lines)) <= 80
    assert lines[1] == "gpt-oss-120b@MXFP4_MOE"
    assert lines[4] == "gpt-oss-20b@MXFP4_MOE"
    assert lines[5].split()[-6:] == ["12.1", "GB", "2.57", "GB", "24.6", "kB"]
    assert "inspect NAME --types" in page.out.replace("\n", " ")


def test_the_catalogue_is_held_against_a_device_and_sorted(tokenroof: Tokenroof) -> None:
    command = ("models", "--catalogue", "gpt-oss", "--bandwidth", "256", "--memory", "24")
    document = json.loads(tokenroof(*command, "--sort", "size", "--json").out)
    check(document, "models")
    rows = [(row["name"], row["verdict"]) for row in document["models"]]
    assert rows == [("gpt-oss-120b@MXFP4_MOE", "does_not_fit"), ("gpt-oss-20b@MXFP4_MOE", "fits")]
    assert document["models"][1]["ceiling_tokens_per_s"] == 99.43


def test_folders_are_no_part_of_the_catalogue(tokenroof: Tokenroof, tmp_path: Path) -> None:
    outcome = tokenroof("models", tmp_path, "--catalogue", "qwen3")
    assert (outcome.code, outcome.out) == (2, "")
    assert "leave the folders out" in outcome.err


@pytest.mark.parametrize(
    "arguments", [("models", "--catalogue", "qwen33-8b"), ("inspect", "qwen33-8b", "--types")]
)
def test_a_name_that_means_nothing_is_answered_with_the_closest_three(
    tokenroof: Tokenroof, arguments: tuple[str, ...]
) -> None:
    outcome = tokenroof(*arguments)
    assert (outcome.code, outcome.out) == (3, "")
    assert "the closest names are qwen3-8b, qwen3-4b, qwen3-vl-8b" in outcome.err


def test_names_and_types_of_the_catalogue_are_completed() -> None:
    typed = candidates.ANY_MODEL.candidates
    assert set(typed("gpt-oss-")) == {"gpt-oss-20b", "gpt-oss-120b"}
    assert set(typed("qwen3-8b@q4_k")) == {"qwen3-8b@Q4_K_S", "qwen3-8b@Q4_K_M"}
    assert list(typed("no-such-model@Q4")) == []
    assert "gpt-oss-20b" not in set(candidates.MODEL.candidates("gpt-oss-"))
