"""`tokenroof inspect` through its arguments: the contract's document, and a page for people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.article_models import gpt_oss_20b
from support.commands import Tokenroof
from support.fake_world import model_file
from support.schemas import check
from tokenroof.cli import wide


@pytest.fixture(scope="module")
def gpt_oss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_file(tmp_path_factory.mktemp("models"), gpt_oss_20b, "gpt-oss-20b.gguf")


def test_the_document_is_the_one_of_the_contract(tokenroof: Tokenroof, gpt_oss: Path) -> None:
    arguments = ("--json", "--depth", "470,31600", "--context", "32768")
    outcome = tokenroof("inspect", gpt_oss, *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    check(document, "inspect")
    assert document["schema"] == "tokenroof.inspect/1"
    model = document["model"]
    assert (model["name"], model["architecture"]) == ("Gpt Oss 20B", "gpt-oss")
    assert (model["file_type"], model["parameters"]) == ("MXFP4_MOE", 20_914_757_184)
    assert (model["bits_per_weight"], model["tensor_bytes"]) == (4.63, 12_096_558_336)
    groups = {name: (each["bytes"], each["tensors"]) for name, each in document["groups"].items()}
    assert groups["embedding"] == (615_329_280, 1)
    assert groups["experts"] == (10_178_887_680, 144)
    assert groups["other"] == (1_302_341_376, 314)
    assert groups["unread"] == (0, 0)
    assert document["types"][0] == {"type": "MXFP4", "tensors": 72, "bytes": 10_152_345_600}
    assert document["decode"]["weight_bytes"] == 2_574_705_396
    assert document["decode"]["embedding"] == "row"
    assert document["experts"] == {"total": 32, "used": 4}
    kv = document["kv"]
    assert (kv["bytes_per_token"], kv["state_bytes"]) == (24_576, 0)
    assert [(each["depth"], each["bytes"]) for each in kv["read"]] == [
        (470, 14_696_448),
        (31_600, 779_747_328),
    ]
    assert kv["allocated"] == [{"context": 32_768, "bytes": 824_180_736}]
    assert "tensors" not in document


def test_tensors_are_listed_when_asked_for_and_sum_up(tokenroof: Tokenroof, gpt_oss: Path) -> None:
    document = json.loads(tokenroof("inspect", gpt_oss, "--json", "--tensors").out)
    check(document, "inspect")
    tensors = document["tensors"]
    assert sum(each["decode_bytes"] for each in tensors) == pytest.approx(2_574_705_396)
    assert {each["class"] for each in tensors} == {"read", "lookup", "expert"}
    query = next(each for each in tensors if each["name"] == "blk.0.attn_q.weight")
    assert (query["shape"], query["type"], query["bytes"]) == ([2880, 4096], "Q8_0", 12_533_760)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_fits_80_columns_and_says_the_figures(
    tokenroof: Tokenroof, gpt_oss: Path, language: str
) -> None:
    arguments = ("--depth", "470,31600", "--context", "32k", "--lang", language)
    outcome = tokenroof("inspect", gpt_oss, *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    assert max(map(wide.width, outcome.out.splitlines())) <= 80
    assert not any(line.endswith(" ") for line in outcome.out.splitlines())
    for figure in ("MXFP4", "2.57 GB", "24,576 B", "31,600", "780 MB", "786 MiB", "12.0 GiB"):
        assert figure in outcome.out
    assert "\x1b" not in outcome.out


def test_a_narrow_terminal_gets_narrow_lines(
    tokenroof: Tokenroof, gpt_oss: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "48")
    outcome = tokenroof("inspect", gpt_oss, "--depth", "470")
    assert outcome.code == 0
    assert max(map(wide.width, outcome.out.splitlines())) <= 48


def test_sentences_of_the_document_do_not_depend_on_the_locale(
    tokenroof: Tokenroof, gpt_oss: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    english = tokenroof("inspect", gpt_oss, "--json").out
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert tokenroof("inspect", gpt_oss, "--json").out == english
    japanese = json.loads(tokenroof("inspect", gpt_oss, "--json", "--lang", "ja").out)
    ids = [each["id"] for each in json.loads(english)["warnings"]]
    assert [each["id"] for each in japanese["warnings"]] == ids != []
    assert japanese["warnings"] != json.loads(english)["warnings"]


def test_a_cache_type_that_no_engine_keeps_is_a_usage_error(
    tokenroof: Tokenroof, gpt_oss: Path
) -> None:
    outcome = tokenroof("inspect", gpt_oss, "--kv-type", "q9_9")
    assert outcome.code == 2
    assert "q9_9" in outcome.err


def test_the_python_function_gives_the_same_record(tokenroof: Tokenroof, gpt_oss: Path) -> None:
    import tokenroof as package

    record = package.inspect(gpt_oss, depth=470, context=(32_768,))
    document = json.loads(
        tokenroof("inspect", gpt_oss, "--json", "--depth", "470", "--context", "32768").out
    )
    assert record.to_dict() == document
