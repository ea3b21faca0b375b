"""The second article's six tables, each by the command that docs/second-article.md documents.

The expected figures are the article's own, or arithmetic with them, as its text and the public
sources that it names state them: llama.cpp discussions 4167 and 15013, vendors' pages.
"""

from __future__ import annotations

import importlib.util
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tokenroof.cli import main

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/second-article.md", "docs/second-article.ja.md")
EXAMPLE = re.compile(
    r"^```console\n\$ tokenroof (?P<command>.+)\n```\n\n(?P<table>(?:\|.*\n)+)", re.M
)
PREDICTED = ("decode tok/s", "as estimated", "見積もり")

FIVE = (
    "GeForce RTX 5090",
    "GeForce RTX 4090",
    "GeForce RTX 3090",
    "Apple M4 Max (40-core GPU)",
    "Apple M4 Pro (20-core GPU)",
)
LLAMA_2_7B_READ = 3_751_340_288
QWEN3_8B_READ = 4_671_768_832


def examples(page: str) -> list[tuple[str, str]]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [(each["command"], each["table"]) for each in EXAMPLE.finditer(text)]


@pytest.fixture(autouse=True)
def in_the_repository(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path / "data"))


def table(number: int, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The rows of a table, counted from 1, by its documented command."""
    command, _ = examples(PAGES[0])[number - 1]
    words = shlex.split(command.replace(" --table markdown", " --json"))
    assert main(words) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["rows"]
    return rows


def test_both_pages_show_the_same_six_commands() -> None:
    english, japanese = ([command for command, _ in examples(page)] for page in PAGES)
    assert len(english) == 6
    assert english == [command.replace(" --lang ja", "") for command in japanese]


@pytest.mark.parametrize(
    ("page", "number"), [(page, number) for page in PAGES for number in range(6)]
)
def test_the_page_shows_what_the_command_prints(
    page: str, number: int, capsys: pytest.CaptureFixture[str]
) -> None:
    command, shown = examples(page)[number]
    assert main(shlex.split(command)) == 0
    assert _without_predictions(capsys.readouterr().out) == _without_predictions(shown)


def _without_predictions(text: str) -> list[list[str]]:
    """The cells, but for predictions: those get better as more is learnt."""
    rows = [
        [cell.strip() for cell in line.strip("| ").split("|")] for line in text.strip().splitlines()
    ]
    kept = [number for number, title in enumerate(rows[0]) if title not in PREDICTED]
    return [[row[number] for number in kept] for row in rows]


def test_1_measured_ceiling_and_share_on_five_devices(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(1, capsys)
    assert [row["device"] for row in rows] == list(FIVE)
    # tg128, bandwidth in GB/s, and the article's percent of bandwidth / 3.8 GB
    article = [(290.02, 1792, 62), (186.21, 1008, 70), (158.16, 936, 64), (83.06, 546, 58),
               (50.74, 273, 71)]  # fmt: skip
    for row, (measured, bandwidth, percent) in zip(rows, article, strict=True):
        assert row["measured"]["tokens_per_s"] == measured
        # Within the rounding of the published bandwidths: 1008.4, 936.2, 546.1.
        assert row["bandwidth_bytes_per_s"] == pytest.approx(bandwidth * 1e9, rel=5e-4)
        by_size = row["by_size"]
        assert by_size["bytes"] == 3_800_000_000
        assert by_size["ceiling_tokens_per_s"] == pytest.approx(bandwidth / 3.8, rel=5e-4)
        assert abs(by_size["share"] * 100 - percent) < 1
        # Ours: weights that are read, and 64 tokens of cache, 524,288 B each.
        read = LLAMA_2_7B_READ + 64 * 524_288
        assert row["read_bytes"] == read
        assert row["measured"]["share"] == pytest.approx(
            measured * read / bandwidth / 1e9, rel=5e-4
        )
        assert 0.57 < row["measured"]["share"] < 0.71


def test_2_ceilings_of_qwen3_8b_on_seven_devices(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(2, capsys)
    bandwidths = [1792, 1008, 936, 546, 273, 256, 89.6]
    assert len(rows) == 7
    for row, bandwidth in zip(rows, bandwidths, strict=True):
        assert row["read_bytes"] == QWEN3_8B_READ
        assert row["ceiling_tokens_per_s"] == pytest.approx(
            bandwidth * 1e9 / QWEN3_8B_READ, rel=5e-4
        )
        assert row["by_size"]["ceiling_tokens_per_s"] == pytest.approx(bandwidth / 5.0, rel=5e-4)
    # 8.2e9 weights of 4.89 bits are 5.0 GB, 7 % more than a token reads.
    assert round(8.2e9 * 4.89 / 8 / 1e9, 1) == 5.0
    ratio = rows[0]["ceiling_tokens_per_s"] / rows[0]["by_size"]["ceiling_tokens_per_s"]
    assert round((ratio - 1) * 100) == 7


def test_3_rtx_3090_against_rtx_4090(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(3, capsys)
    phases = [(row["measured"]["phase"], row["device"]) for row in rows]
    assert phases == [(p, d) for p in ("prefill", "decode") for d in (FIVE[2], FIVE[1])]
    before, after = rows[0], rows[1]
    # 165.2 / 71.2 TFLOP/s; pp512 11,993 / 5,175; tg128 186.21 / 158.16
    assert round(after["flop_per_s"] / before["flop_per_s"], 1) == 2.3
    speeds = [row["measured"]["tokens_per_s"] for row in rows]
    assert round(speeds[1] / speeds[0], 1) == 2.3
    assert round(speeds[3] / speeds[2], 2) == 1.18
    assert [row["flop_per_s"] for row in rows[:2]] == [71.2e12, 165.2e12]


def test_4_three_types_on_the_m4_max(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(4, capsys)
    found = {
        (row["measured"]["phase"], row["file_type"]): row["measured"]["tokens_per_s"]
        for row in rows
    }
    assert found == {
        ("decode", "F16"): 31.64,
        ("decode", "Q8_0"): 54.05,
        ("decode", "Q4_0"): 83.06,
        ("prefill", "F16"): 923,
        ("prefill", "Q8_0"): 892,
        ("prefill", "Q4_0"): 886,
    }
    # 83.06 / 31.64 = 2.63; prefill within 4 %
    _, text = examples(PAGES[0])[3]
    assert re.search(r"Q4\\_0 \| 83.1 \| 2.63 ", text)
    shares = {
        row["file_type"]: row["measured"]["share"]
        for row in rows
        if row["measured"]["phase"] == "decode"
    }
    # The fewer the bytes, the more else counts.
    assert shares["F16"] > shares["Q8_0"] > shares["Q4_0"]


def test_5_a_mixture_of_experts_against_dense_on_256_gb_per_s(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mixture, dense = table(5, capsys)
    # 30.5e9 weights of 4.89 bits are 18.6 GB: a dense model of that total has 256 / 18.6 = 13.7.
    assert mixture["by_size"]["bytes"] == pytest.approx(30.5e9 * 4.89 / 8, rel=0.01)
    assert mixture["by_size"]["ceiling_tokens_per_s"] == pytest.approx(256 / 18.6, rel=0.01)
    # The seeds' qwen3-coder:30b, of the same shape, reads 1,919,597,696 B: 133 tok/s.
    assert mixture["ceiling_tokens_per_s"] == pytest.approx(256e9 / 1_919_597_696, rel=0.01)
    # 32.8e9 weights
    assert dense["ceiling_tokens_per_s"] == pytest.approx(256 / (32.8 * 4.89 / 8), rel=0.05)


def test_6_seconds_to_read_4000_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    rows = table(6, capsys)
    seconds = [row["measured"]["reads_seconds"] for row in rows]
    # 4,000 / 14,073, 11,993, 5,175, 886, 440
    assert [float(f"{each:.2g}") for each in seconds] == [0.28, 0.33, 0.77, 4.5, 9.1]
    assert {row["measured"]["reads_tokens"] for row in rows} == {4000}


def test_the_size_of_the_file_and_the_bytes_read_differ_by_2_and_7_percent(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for model, read, percent in (
        ("llama-2-7b@Q4_0", LLAMA_2_7B_READ, {2}),
        # 7 by the article's 5.0 GB, 8 by the tensors' 5.02
        ("qwen3-8b@Q4_K_M", QWEN3_8B_READ, {7, 8}),
    ):
        words = ["estimate", model, "--bandwidth", "256", "--size", "file"]
        assert main([*words, "--json"]) == 0
        (row,) = json.loads(capsys.readouterr().out)["rows"]
        found = row["by_size"]
        assert found["weight_bytes"] == row["read_bytes"] == read
        assert round((found["bytes"] / read - 1) * 100) in percent
        # All of it is the input embedding, of which one row is read.
        assert found["lookup_bytes"] == pytest.approx(found["bytes"] - read, abs=10_000)
        assert main(words) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "of the input embedding one row is looked up" in said


def test_the_tool_writes_the_pages_as_they_are() -> None:
    spec = importlib.util.spec_from_file_location("make_articles", ROOT / "tools/make_articles.py")
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert {str(each) for each in tool.PAGES} == set(PAGES)
    page = (ROOT / PAGES[0]).read_text(encoding="utf-8")
    assert [each["command"] for each in tool.EXAMPLE.finditer(page)] == [
        command for command, _ in examples(PAGES[0])
    ]
