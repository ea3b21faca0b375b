"""`tokenroof estimate` through its arguments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support import fake_world
from support.article_models import gpt_oss_20b
from support.commands import Tokenroof
from support.fake_world import model_file
from support.schemas import check
from tokenroof.cli import wide


@pytest.fixture(scope="module")
def gpt_oss(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_file(tmp_path_factory.mktemp("models"), gpt_oss_20b, "gpt-oss-20b.gguf")


def test_the_document_is_the_one_of_the_contract(
    tokenroof: Tokenroof, gpt_oss: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(gpt_oss.parent)
    outcome = tokenroof(
        "estimate", "gpt-oss-20b.gguf", "--bandwidth", "256", "--depth", "470", "--json"
    )
    assert (outcome.code, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    check(document, "estimate")
    assert document["schema"] == "tokenroof.estimate/1"
    (row,) = document["rows"]
    assert (row["model"], row["device"], row["depth"]) == ("Gpt Oss 20B", "256 GB/s", 470)
    assert row["read_bytes"] == 2_589_401_844
    assert row["ceiling_tokens_per_s"] == pytest.approx(98.86, abs=0.005)
    assert row["decode"] == {
        "tokens_per_s": None,
        "low": None,
        "high": row["ceiling_tokens_per_s"],
        "basis": "spec",
    }
    assert (row["prefill"], row["wait"], row["basis"]) == (None, None, "spec")
    assert row["fits"]["verdict"] == "unknown"
    assert row["assumes"][:3] == ["llama.cpp", "one stream", "all layers on one device"]
    assert row["verify"] == "tokenroof bench gpt-oss-20b.gguf --lengths 470"
    assert "error" not in row


def test_the_first_line_is_the_answer(tokenroof: Tokenroof, gpt_oss: Path) -> None:
    outcome = tokenroof("estimate", gpt_oss, "--bandwidth", "256", "--depth", "470")
    assert outcome.code == 0
    assert outcome.out.startswith("Gpt Oss 20B on 256 GB/s: at most 98.9 tok/s at depth 470")
    assert "tokenroof bench" in outcome.out


def test_what_does_not_fit_is_an_answer_too(tokenroof: Tokenroof, gpt_oss: Path) -> None:
    outcome = tokenroof("estimate", gpt_oss, "--bandwidth", "256", "--memory", "8")
    assert outcome.code == 0
    assert "does not fit" in outcome.out.splitlines()[0]


def test_every_depth_is_a_row(tokenroof: Tokenroof, gpt_oss: Path) -> None:
    outcome = tokenroof("estimate", gpt_oss, "--bandwidth", "256", "--depth", "0,1k", "--json")
    assert [row["depth"] for row in json.loads(outcome.out)["rows"]] == [0, 1024]


def test_here_is_this_machines_cpu(
    tokenroof: Tokenroof, gpt_oss: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tokenroof.hardware.bandwidth.measure_read_bandwidth", fake_world.read_bandwidth
    )
    document = json.loads(tokenroof("estimate", gpt_oss, "--on", "here", "--json").out)
    check(document, "estimate")
    (row,) = document["rows"]
    # 256e9 / 2,574,705,396 = 99.43
    assert row["ceiling_tokens_per_s"] == pytest.approx(99.43, abs=0.005)
    assert row["fits"]["capacity_bytes"] > 0


@pytest.mark.parametrize("language", ["en", "ja"])
def test_devices_by_name_are_rows_of_a_table(
    tokenroof: Tokenroof, gpt_oss: Path, language: str
) -> None:
    devices = ("--on", "2x rtx-3090 + ddr5-5600 x2", "--on", "rtx-5070, Apple M4 Max, 40 GPU cores")
    outcome = tokenroof("estimate", gpt_oss, *devices, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    check(document, "estimate")
    assert [row["device"] for row in document["rows"]] == [
        "2x GeForce RTX 3090 + DDR5-5600 x2",
        "GeForce RTX 5070",
        "Apple M4 Max (40-core GPU)",
    ]
    # 936.2, 672 and 546.1 GB/s over 2,574,705,396 bytes. The input embedding, 0.62 of 12.1 GB,
    # stays with the host, so 12 GiB (12.9 GB) have 1.4 GB left.
    ceilings = [row["ceiling_tokens_per_s"] for row in document["rows"]]
    assert ceilings == pytest.approx([363.62, 261.00, 212.10], abs=0.01)
    verdicts = [row["fits"]["verdict"] for row in document["rows"]]
    assert verdicts == ["fits", "fits", "fits"]
    page = tokenroof("estimate", gpt_oss, *devices, "--lang", language)
    lines = [each for each in page.out.splitlines() if "tokenroof bench" not in each]
    assert max(map(wide.width, lines)) <= 80


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_file_of_questions_is_answered_in_its_order(
    tokenroof: Tokenroof,
    gpt_oss: Path,
    tmp_path: Path,
    language: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # How long the names of folders are decides how wide the page is.
    monkeypatch.chdir(tmp_path)
    lines = [
        {"depth": 5, "bandwidth": 100},
        {"bandwith": 100},
        {"model": "none.gguf"},
        {"device": "rtx-4095"},
        {},
    ]
    cases = Path("cases.jsonl")
    cases.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    arguments = ("estimate", gpt_oss, "--bandwidth", "256", "--cases", cases, "--lang", language)
    outcome = tokenroof(*arguments, "--json")
    assert outcome.code == 0
    document = json.loads(outcome.out)
    check(document, "estimate")
    rows = document["rows"]
    assert ["error" in row for row in rows] == [False, True, True, True, False]
    assert [row["device"] for row in rows] == ["100 GB/s", None, None, "rtx-4095", "256 GB/s"]
    # A line that names a device is not told a bandwidth by the options as well.
    assert "rtx-4095" in rows[3]["error"]
    page = tokenroof(*arguments)
    assert page.code == 0
    assert "bandwith" in page.out
    assert not any(line.endswith(" ") for line in page.out.splitlines())
    # A command is there to be copied, and stays on its line.
    lines_to_read = [each for each in page.out.splitlines() if "tokenroof bench" not in each]
    assert max(map(wide.width, lines_to_read)) <= 80


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["--bandwidth", "1", "--on", "here"], 2, "--on"),
        (["--on", "rtx-4095"], 2, "--bandwidth"),
        (["--on", "rtx-3080"], 2, "GeForce RTX 3080 12 GB"),
        (["--on", "rtx-3090", "--on", "m4 max"], 2, "Apple M4 Max (32-core GPU)"),
        ([], 2, "--bandwidth"),
        (["--bandwidth", "1", "--fit"], 2, "--fit"),
        (["--bandwidth", "1", "--cases", "none.jsonl"], 3, "none.jsonl"),
        (["--bandwidth", "1", "--cases", "none.jsonl", "--depth", "1,2"], 2, "--cases"),
        (["--bandwidth", "1", "--kv-type", "zip"], 2, "zip"),
    ],
)
def test_a_question_without_an_answer_is_one_sentence(
    tokenroof: Tokenroof, gpt_oss: Path, arguments: list[str], code: int, word: str
) -> None:
    outcome = tokenroof("estimate", gpt_oss, *arguments)
    assert (outcome.code, outcome.out) == (code, "")
    assert outcome.err.count("\n") == 1
    assert word in outcome.err


def test_a_terminal_that_knows_only_ascii_gets_question_marks_and_no_crash(gpt_oss: Path) -> None:
    command = [sys.executable, "-m", "tokenroof", "estimate", str(gpt_oss), "--bandwidth", "256"]
    done = subprocess.run(
        command,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"? 99.4" in done.stdout


def test_no_model_at_all_is_a_usage_error(tokenroof: Tokenroof) -> None:
    assert tokenroof("estimate", "--bandwidth", "1").code == 2
