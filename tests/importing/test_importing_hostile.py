"""Any text gives runs and refusals, in bounded time and memory, and nothing of it acts."""

from __future__ import annotations

import io
import json
import time
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from support import pastes
from support.compared_runs import runs as made
from support.pastes import imported, reasons
from support.schemas import check
from tokenroof.analysis import analyse
from tokenroof.importing import collector, import_file, import_stream, text
from tokenroof.importing.durations import duration
from tokenroof.importing.figures import number
from tokenroof.report import report_html

FRAGMENTS = [
    *("| model | test | t/s |\n", "| m | pp512 | 1 ± 1 |\n", "data: ", "{", "}", "[", "]", '"'),
    *("eval time = ", " ms / ", "12 runs", "total duration: ", "1h2m3.5s\n", "NAME ID SIZE\n"),
    *("prompt eval count: 9 token(s)\n", "INSERT INTO t (n_prompt, n_gen) VALUES (", "inf", "nan"),
    *("\x1b[31m", "\r\n", "\\", "\u202e", "\x00", "-1", "99999999999999999999", "load time = "),
    *("build: abc (1)\n", "66 tok/sec\n", '"n_prompt":512,"n_gen":0,"avg_ts":', "t/s", "±", ","),
]
"""Pieces that readers look for."""


@settings(deadline=2000, max_examples=300)
@given(st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=20)), max_size=40))
def test_any_text_gives_a_valid_document(parts: list[str]) -> None:
    found = imported("".join(parts))
    document = found.to_dict()
    check(document, "import")
    assert json.loads(json.dumps(document, allow_nan=False)) == document


@settings(deadline=2000, max_examples=200)
@given(st.binary(max_size=400))
def test_any_bytes_give_a_valid_document(data: bytes) -> None:
    check(imported(data).to_dict(), "import")


CASES = sorted((pastes.DATA / "cases").iterdir())


@settings(deadline=2000, max_examples=60)
@given(st.sampled_from(CASES), st.data())
def test_any_beginning_of_a_paste_keeps_the_runs_that_were_whole(
    path: Path, data: st.DataObject
) -> None:
    whole = path.read_text(encoding="utf-8")
    end = data.draw(st.integers(min_value=0, max_value=len(whole)))
    found = imported(whole[:end])
    assert len(found.runs) <= len(imported(whole).runs) + 1
    check(found.to_dict(), "import")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_lines_end_as_any_system_ends_them_and_in_any_encoding_of_a_shell(path: Path) -> None:
    plain = path.read_text(encoding="utf-8")
    expected = [(run.prompt, run.output, run.flags) for run in imported(plain).runs]
    assert expected
    for variant in (
        plain.replace("\n", "\r\n").encode(),
        ("\ufeff" + plain).encode(),
        plain.encode("utf-16"),
        "".join(f"\x1b[1m{line}\x1b[0m\n" for line in plain.splitlines()).encode(),
    ):
        found = imported(variant).runs
        assert [(run.prompt, run.output, run.flags) for run in found] == expected


def test_what_is_shown_of_a_hostile_line_does_not_act() -> None:
    found = imported("\x1b]0;title\x07hello \x1b[2J\u202eworld\x85\n")
    (reason,) = reasons(found).values()
    assert "\x1b" not in reason
    assert "\u202e" not in reason
    model = (
        imported("| model | test | t/s |\n| </script>\u202e`x` Q4_0 | pp512 | 1.0 ± 0.1 |\n")
        .runs[0]
        .model
    )
    assert "\u202e" not in (model.name or "")


def test_the_same_paste_gives_the_same_ids_and_a_copy_in_it_another_one() -> None:
    once, again = imported(pastes.VERBOSE), imported("hello\n" + pastes.VERBOSE)
    assert once.runs[0].id == again.runs[0].id
    twice = imported(pastes.VERBOSE * 2).runs
    assert twice[0].id == once.runs[0].id != twice[1].id


def test_a_million_lines_of_talk_are_one_refusal() -> None:
    began = time.thread_time()
    tracemalloc.start()
    found = imported(b"the quick brown fox jumps over the lazy dog again\n" * 200_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert list(reasons(found)) == [1]
    assert "200000" in reasons(found)[1]
    assert peak < 40 * 2**20  # of which the bytes themselves are 10
    assert time.thread_time() - began < 60


def test_more_figures_than_fit_are_left_out_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "MOST_RUNS", 5)
    row = "| m | pp512 | 1.00 ± 0.10 |\n"
    found = imported("| model | test | t/s |\n" + row * 20)
    assert len(found.runs) == 5
    assert any("More than 5" in reason for reason in reasons(found).values())


def test_more_refusals_than_anybody_reads_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "MOST_REFUSED", 3)
    found = imported("{]}\n" * 50)
    assert len(found.refused) == 4


def test_a_line_without_end_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MOST_CHARACTERS", 1000)
    found = imported("x" * 5000 + "\n" + pastes.VERBOSE)
    assert list(reasons(found)) == [1]
    assert len(found.runs) == 1


def test_an_object_without_end_takes_no_memory_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tokenroof.importing.json_text.MOST_CHARACTERS", 1000)
    found = imported('{"a": [\n' + '"x",\n' * 1000)
    assert any("cut off" in reason for reason in reasons(found).values())


def test_an_object_that_another_follows_was_cut_and_the_other_is_read() -> None:
    whole = pastes.ollama_message(eval_count=101, eval_duration=10**9, prompt_eval_count=200)
    found = imported('{"model": "m",\n "done"\n' + whole)
    assert len(found.runs) == 1
    assert list(reasons(found)) == [1]


@pytest.mark.parametrize(
    "paste",
    [
        "[" * 100_000 + "\n",
        "{" * 100_000 + "\n",
        '{"a":' * 5_000 + "1" + "}" * 5_000 + "\n",
        '{"eval_count": ' + "9" * 10_000 + ', "done": true, "created_at": "x"}\n',
        "data: " + '{"choices":' * 3_000 + "\n",
        "|" * 100_000 + "\n",
        "eval time = " * 20_000 + "\n",
        "\x1b]" * 100_000 + "\n",
        "1h" * 100_000 + "\n",
        "total duration: " + "1h" * 2_000 + "\n",
        " " * 100_000 + "ollama run " + " " * 100_000 + "\n",
    ],
    ids=range(11),
)
def test_what_is_made_to_take_long_does_not(paste: str) -> None:
    began = time.thread_time()
    check(imported(paste).to_dict(), "import")
    # It takes milliseconds; what grows with the square would take minutes.
    assert time.thread_time() - began < 20


def test_a_file_that_is_no_text_is_refused() -> None:
    assert reasons(imported(b"GGUF\x03\x00\x00\x00" + bytes(100))) == {
        1: "This is no text; it was left out."
    }


# What tokenroof wrote itself


def test_own_runs_come_back_as_they_were() -> None:
    own = made(1, count=2)
    lines = "".join(json.dumps(run.to_dict()) + "\n" for run in own)
    found = imported(lines)
    assert list(found.runs) == own
    assert found.refused == ()
    assert found.notices == ()


def test_a_report_gives_back_its_runs(tmp_path: Path) -> None:
    own = made(1, count=2)
    page = tmp_path / "report.html"
    page.write_text(report_html(analyse(own), own), encoding="utf-8")
    assert list(import_file(page).runs) == own
    other = tmp_path / "other.html"
    other.write_text("<!doctype html><title>x</title>", encoding="utf-8")
    assert list(reasons(import_file(other))) == [1]


def test_a_document_gives_the_runs_that_it_holds() -> None:
    own = made(1, count=1)
    document = {"schema": "tokenroof.bench/1", "runs": [run.to_dict() for run in own]}
    assert list(imported(json.dumps(document, indent=2)).runs) == own


def test_a_newer_run_is_refused_politely() -> None:
    run = made(1, count=1)[0].to_dict() | {"schema": "tokenroof.run/2"}
    assert "newer" in reasons(imported(json.dumps(run)))[1]


def test_a_stream_that_gives_a_byte_at_a_time_is_read_whole() -> None:
    class Slow(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self._data = data

        def readable(self) -> bool:
            return True

        def read(self, size: int = -1) -> bytes:
            del size
            part, self._data = self._data[:1], self._data[1:]
            return part

    slow = Slow(pastes.VERBOSE_MICROSECONDS.encode())
    found = import_stream(slow)  # type: ignore[arg-type]
    assert found.runs == imported(pastes.VERBOSE_MICROSECONDS).runs


# The smallest parts


@given(st.integers(min_value=0, max_value=10**15))
def test_a_duration_of_go_is_read_back(nanoseconds: int) -> None:
    hours, rest = divmod(nanoseconds, 3600 * 10**9)
    minutes, rest = divmod(rest, 60 * 10**9)
    written = f"{hours}h{minutes}m{rest / 1e9:.9f}s"
    assert duration(written) == pytest.approx(nanoseconds / 1e9, rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        ("1h2m3.5s", 3723.5),
        ("559.6ms", 0.5596),
        ("12ns", 12e-9),
        ("0s", 0.0),
        ("2m7.682s", 127.682),
    ],
)
def test_durations_of_each_kind(written: str, seconds: float) -> None:
    assert duration(written) == pytest.approx(seconds)


@pytest.mark.parametrize("written", ["", "-1s", "1", "s", "1 s", "1e3s", "1h-2m", "∞"])
def test_what_is_no_duration_is_none(written: str) -> None:
    assert duration(written) is None


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("2226.40", 2226.40),
        ("2226,40", 2226.40),
        ("1,234.56", 1234.56),
        ("1.234,56", 1234.56),
        ("1,234", 1234),
        ("12,5", 12.5),
        ("**98.80**", 98.80),
        ("1e3", 1000),
        ("inf", None),
        ("nan", None),
        ("", None),
        ("1.2.3", None),
        ("٣", None),
    ],
)
def test_a_figure_is_read_with_points_and_commas(written: str, value: float | None) -> None:
    assert number(written) == (None if value is None else pytest.approx(value))
