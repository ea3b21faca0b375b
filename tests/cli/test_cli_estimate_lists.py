"""`tokenroof estimate` over lists: tables that fit, Markdown, CSV, orders, and given figures."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tokenroof.cli import main, wide

DEVICES = (
    "GeForce RTX 5090",
    "GeForce RTX 4090",
    "GeForce RTX 3090",
    "Apple M4 Max (40-core GPU)",
    "Apple M4 Pro (20-core GPU)",
)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["estimate", *words]) == 0
    return capsys.readouterr().out


def on(*devices: str) -> list[str]:
    return [word for device in devices for word in ("--on", device)]


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_model_is_asked_in_every_type_on_every_device_at_every_depth(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["llama-2-7b", "qwen3-8b", "--types", "Q4_0,q8_0", "--depth", "0,4096", "--json"]
    document = json.loads(run(capsys, *words, *on(*DEVICES[:2])))
    asked = [
        (row["model"], row["file_type"], row["device"], row["depth"]) for row in document["rows"]
    ]
    names = ("Llama-2-7b-chat-hf", "Qwen3-8B")
    assert asked == [
        (model, kind, device, depth)
        for model in names
        for kind in ("Q4_0", "Q8_0")
        for device in DEVICES[:2]
        for depth in (0, 4096)
    ]


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize(
    "words",
    [
        ["qwen3-8b@Q4_K_M", "--prompt", "512", *on(*DEVICES)],
        ["qwen3-8b", "llama-2-7b", "--types", "Q4_0,Q8_0", "--prompt", "512", *on(*DEVICES)],
        ["qwen3-8b", "--types", "Q4_0,Q8_0", "--depth", "0,32k", "--sort", "decode", *on(*DEVICES)],
        ["qwen3-8b@Q4_K_M", "--prompt", "4k", "--depth", "0,4k,32k", *on(DEVICES[0])],
        ["llama-2-7b@Q4_0", "--size", "3.8", "--measured", "docs/articles/five-devices-decode.csv"],
        ["llama-2-7b@Q4_0", "--measured", "docs/articles/rtx-3090-against-4090.csv"],
        [*on(DEVICES[3]), "--measured", "docs/articles/m4-max-types.csv", "--size", "file"],
    ],
)
def test_a_table_fits_80_columns(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    language: str,
) -> None:
    monkeypatch.chdir(Path(__file__).resolve().parents[2])
    monkeypatch.setenv("COLUMNS", "80")
    lines = run(capsys, *words, "--lang", language).splitlines()
    told = [line for line in lines if not line.lstrip().startswith("tokenroof")]
    assert max(map(wide.width, told)) <= 80
    assert not any("…" in line for line in told)


def test_names_get_lines_of_their_own_before_figures_are_left_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    words = ["qwen3-8b", "llama-2-7b", "--types", "Q4_0,Q8_0", *on(*DEVICES)]
    lines = run(capsys, *words).splitlines()
    for name in ("Qwen3-8B Q4_0", "Qwen3-8B Q8_0", "Llama-2-7b-chat-hf Q4_0"):
        assert f"  {name}" in lines
    headings = [line for line in lines if "device" in line and "at most" in line]
    assert len(headings) == 4
    assert len(set(headings)) == 1  # the columns of all groups stand below one another


def test_speeds_fall_and_all_else_rises(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["qwen3-8b@Q4_0", *on(*reversed(DEVICES), "Ryzen 9 7950X"), "--table", "csv", "--sort"]
    for column, key, falls in (
        ("ceiling", "ceiling_tokens_per_s", True),
        ("decode", "decode_tokens_per_s", True),
        ("memory", "resident_bytes", False),
        ("read", "read_bytes", False),
    ):
        values = [float(row[key]) for row in rows_of(run(capsys, *words, column)) if row[key]]
        assert values == sorted(values, reverse=falls)
        assert len(values) >= 5
    names = [row["device"].lower() for row in rows_of(run(capsys, *words, "device"))]
    assert names == sorted(names)


def test_what_is_not_known_comes_last(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "figures.csv"
    file.write_text("device,phase,prompt,tokens_per_s\nGeForce RTX 3090,prefill,512,5175\n"
                    "GeForce RTX 3090,decode,,158\n")  # fmt: skip
    words = ["llama-2-7b@Q4_0", "--measured", str(file), "--table", "csv", "--sort", "share"]
    shares = [row["measured_share"] for row in rows_of(run(capsys, *words))]
    # FP16 in matrix units is no bound, so a prompt's share is not known.
    assert [bool(share) for share in shares] == [True, False]


def test_csv_has_the_figures_of_the_document_in_full(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["gpt-oss-20b", "--bandwidth", "256", "--depth", "470"]
    (line,) = rows_of(run(capsys, *words, "--table", "csv"))
    (row,) = json.loads(run(capsys, *words, "--json"))["rows"]
    assert float(line["ceiling_tokens_per_s"]) == row["ceiling_tokens_per_s"]
    # 2,574,705,396 B of weights and 14,696,448 B of cache
    assert line["read_bytes"] == "2589401844"
    assert line["prefill_tokens_per_s"] == ""


def test_markdown_is_a_table_with_a_bar_for_every_column(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = run(capsys, "qwen3-8b@Q4_0", *on(*DEVICES[:2]), "--table", "markdown")
    lines = text.splitlines()
    assert len(lines) == 4
    assert len({line.count("|") for line in lines}) == 1
    assert lines[1].startswith("| --- | ---: |")
    assert lines[2].startswith("| GeForce RTX 5090 | 0 |")


def test_why_a_question_has_no_answer_stands_in_every_table(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text('{"model": "no-such-model-here", "bandwidth": 256}\n'
                    '{"model": "qwen3-8b@Q4_0", "bandwidth": 256}\n')  # fmt: skip
    for table in ("markdown", "csv"):
        text = run(capsys, "--cases", str(file), "--table", table)
        assert "no-such-model-here: there is no such file" in text
        assert "Qwen3-8B" in text


def test_a_type_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["estimate", "qwen3-8b@Q4_0", "--types", "Q8_0", "--bandwidth", "256"]
    assert main(words) == 2
    assert "qwen3-8b@Q4_0 names a type already" in capsys.readouterr().err


def test_a_measurement_above_the_ceiling_is_shown_as_it_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "figures.csv"
    file.write_text("phase,depth,tokens_per_s\ndecode,470,120\n")
    words = ["gpt-oss-20b", "--bandwidth", "256", "--measured", str(file), "--json"]
    (row,) = json.loads(run(capsys, *words))["rows"]
    # 256e9 / 2,589,401,844 = 98.86; 120 / 98.86 = 1.214
    assert row["measured"]["tokens_per_s"] == 120
    assert row["measured"]["share"] == pytest.approx(1.2138, abs=1e-4)


def test_a_decode_figure_belongs_to_the_mean_depth_of_its_tokens(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "figures.csv"
    file.write_text("# a remark\nphase, depth, output, tokens_per_s\ndecode, 470, 128, 69\n")
    words = ["gpt-oss-20b", "--bandwidth", "256", "--measured", str(file), "--json"]
    (row,) = json.loads(run(capsys, *words))["rows"]
    # 470 + 127 / 2 = 533.5, rounded up
    assert row["depth"] == 534


BAD = {
    "phase,tokens_per_s\ndecode,fast\n": "line 2: 'fast' is no tokens_per_s",
    "phase,tokens_per_s\ndecode,0\n": "line 2: '0' is no tokens_per_s",
    "phase,tokens_per_s\ndecode,nan\n": "line 2: 'nan' is no tokens_per_s",
    "phase,tokens_per_s\n\n# x\nencode,5\n": "line 4: 'encode' is no phase",
    "phase,tokens_per_s\nprefill,5\n": "line 2: '' is no prompt",
    "phase,tokens_per_s,depth\ndecode,5,-1\n": "line 2: '-1' is no depth",
    "phase,tokens_per_s\ndecode,5,6\n": "line 2: more cells than columns",
    "phase,tok/s\ndecode,5\n": "the column 'tok/s' is unknown",
    "phase,phase,tokens_per_s\n": "unknown, or there twice",
    "phase\ndecode\n": "has no column 'tokens_per_s'",
    "phase,tokens_per_s,model\ndecode,5,x\n": "the command says it as well",
    "": "holds no figures",
}


@pytest.mark.parametrize("text", BAD)
def test_a_file_of_figures_that_means_nothing_is_refused_with_its_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str
) -> None:
    file = tmp_path / "figures.csv"
    file.write_text(text)
    words = ["estimate", "gpt-oss-20b", "--bandwidth", "256", "--measured", str(file)]
    assert main(words) in (2, 3)
    assert BAD[text] in capsys.readouterr().err


def test_a_file_without_devices_needs_one_with_the_command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "figures.csv"
    file.write_text("phase,tokens_per_s\ndecode,5\n")
    assert main(["estimate", "gpt-oss-20b", "--measured", str(file)]) == 2
    assert "has no column 'device'" in capsys.readouterr().err


def test_lists_and_files_of_questions_exclude_one_another(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text("{}\n")
    assert main(["estimate", "qwen3-8b", "llama-2-7b", "--cases", str(file)]) == 2
    assert "--cases" in capsys.readouterr().err


@pytest.mark.parametrize("place", [on(*DEVICES[:2]), ["--bandwidth", "256"]])
def test_a_chart_is_drawn_beside_the_answer(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, place: list[str]
) -> None:
    file = tmp_path / "chart.svg"
    assert main(["estimate", "qwen3-8b@Q4_K_M", "--chart", str(file), "--json", *place]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["rows"]
    assert str(file) in said.err
    # 256e9 / 4,671,768,832 = 54.8
    assert (">54.8<" if "256" in place else ">384<") in file.read_text()


def test_a_chart_with_another_ending_is_refused_before_anything_is_worked_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["estimate", "no-such-model", "--bandwidth", "256", "--chart", "x.pdf"]) == 2
    assert "x.pdf" in capsys.readouterr().err
