"""`tokenroof import`: a paste, a file, a folder; a document, or runs that are kept."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from support import pastes
from support.commands import Tokenroof
from support.compared_runs import runs
from support.schemas import check
from tokenroof.store.journal import Journal


def flat(text: str) -> str:
    """Text as it was before it was broken into lines."""
    return " ".join(text.split())


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> object:
    """Put a paste on standard input."""

    def put(paste: str) -> None:
        stream = io.TextIOWrapper(io.BytesIO(paste.encode()), encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", stream)

    return put


def test_a_paste_is_one_document(tokenroof: Tokenroof, typed: object) -> None:
    assert callable(typed)
    typed("talk before\n" + pastes.VERBOSE + pastes.VERBOSE_MICROSECONDS)
    done = tokenroof("import", "-", "--json")
    assert (done.code, done.err) == (0, "")
    document = json.loads(done.out)
    check(document, "import")
    assert document["schema"] == "tokenroof.import/1"
    assert [run["output"]["seconds"] for run in document["runs"]] == [127.682, 1.042407]
    assert [each["line"] for each in document["refused"]] == [1]
    assert "talk before" in document["refused"][0]["reason"]


def test_a_document_keeps_nothing(tokenroof: Tokenroof, typed: object) -> None:
    assert callable(typed)
    typed(pastes.VERBOSE)
    assert tokenroof("import", "-", "--json").code == 0
    assert not Journal().path.exists()


def test_without_it_the_runs_join_the_others_once(tokenroof: Tokenroof, tmp_path: Path) -> None:
    paste = tmp_path / "paste.txt"
    paste.write_text(pastes.LLAMA_BENCH_2025, encoding="utf-8")
    first, again = tokenroof("import", paste), tokenroof("import", paste)
    assert (first.code, again.code) == (0, 0)
    assert "4, of which new: 4." in flat(first.out)
    assert "4, of which new: 0." in flat(again.out)
    kept = Journal().runs()
    assert len(kept) == 4
    assert len({run.campaign for run in kept}) == 1
    assert "qwen2 7B Q4_K - Medium" in first.out
    assert "117–121" in first.out


def test_flags_and_refusals_are_shown_with_lines(tokenroof: Tokenroof, tmp_path: Path) -> None:
    paste = tmp_path / "paste.txt"
    paste.write_text("what is this?\n" + pastes.VERBOSE, encoding="utf-8")
    done = tokenroof("import", paste)
    assert "what is this?" in done.out
    assert "paste.txt:2: 13 tokens" in flat(done.out)


def test_a_folder_gives_all_its_files_or_its_runs(tokenroof: Tokenroof, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    (folder / "old").mkdir(parents=True)
    (folder / "a.md").write_text(pastes.LLAMA_BENCH_2023, encoding="utf-8")
    (folder / "old" / "b.txt").write_text(pastes.LM_STUDIO, encoding="utf-8")
    (folder / "picture.png").write_bytes(b"\x89PNG\x00")
    document = json.loads(tokenroof("import", folder, "--json").out)
    assert [run["source"] for run in document["runs"]] == [
        "llama-bench",
        "llama-bench",
        "lm-studio",
    ]
    lines = "".join(json.dumps(run.to_dict()) + "\n" for run in runs(1, count=1))
    (folder / "runs.jsonl").write_text(lines, encoding="utf-8")
    document = json.loads(tokenroof("import", folder, "--json").out)
    assert {run["source"] for run in document["runs"]} == {"bench"}


def test_nothing_understood_is_input_of_no_use(tokenroof: Tokenroof, typed: object) -> None:
    assert callable(typed)
    for paste in ("", "hello\n"):
        typed(paste)
        done = tokenroof("import", "-")
        assert done.code == 3
        assert done.err.startswith("No figure was understood in the paste.")
        typed(paste)
        done = tokenroof("import", "-", "--json")
        assert done.code == 3
        assert json.loads(done.out)["runs"] == []


def test_a_file_that_is_not_there_is_named(tokenroof: Tokenroof, tmp_path: Path) -> None:
    done = tokenroof("import", tmp_path / "none.txt")
    assert done.code == 3
    assert "none.txt" in done.err
    assert done.err.count("\n") == 1
    (tmp_path / "empty").mkdir()
    assert tokenroof("import", tmp_path / "empty").code == 3
    assert tokenroof("import").code == 2


def test_a_bandwidth_tells_what_is_above_its_ceiling(tokenroof: Tokenroof, typed: object) -> None:
    assert callable(typed)
    row = "| llama 70B Q4_K - Small | 37.57 GiB | CUDA | 58 | tg128 | 78.00 ± 0.20 |\n"
    typed("| model | size | backend | ngl | test | t/s |\n" + row)
    document = json.loads(tokenroof("import", "-", "--json", "--bandwidth", "1008").out)
    assert document["runs"][0]["flags"] == ["above_ceiling"]
    assert document["notices"][0]["id"] == "why_above_ceiling"


def test_it_speaks_japanese(tokenroof: Tokenroof, tmp_path: Path) -> None:
    paste = tmp_path / "paste.txt"
    paste.write_text("?? talk\n" + pastes.VERBOSE, encoding="utf-8")
    done = tokenroof("import", paste, "--lang", "ja")
    assert "新しい計測" in done.out
    document = json.loads(tokenroof("import", paste, "--json", "--lang", "ja").out)
    assert "形式" in document["refused"][0]["reason"]


def ids_in(text: str) -> list[str]:
    """The ids that a summary names after its colon."""
    return flat(text).split("campaigns: ")[1].split(". To compare")[0].split(", ")


def test_runs_that_were_known_before_are_said_to_stand_where_they_do(
    tokenroof: Tokenroof, tmp_path: Path
) -> None:
    one, other = tmp_path / "one.txt", tmp_path / "other.txt"
    one.write_text(pastes.VERBOSE, encoding="utf-8")
    other.write_text(pastes.VERBOSE_MICROSECONDS, encoding="utf-8")
    tokenroof("import", one)
    both = tokenroof("import", one, other)
    assert "2, of which new: 1" in flat(both.out)
    named = ids_in(both.out)
    assert sorted(named) == sorted({(run.campaign or "")[:8] for run in Journal().runs()})
    # What is named can be compared; the files can as well, all at once.
    assert tokenroof("compare", named[0], named[1]).code in {0, 3}
    assert "2 runs" in tokenroof("compare", tmp_path, one).out


def test_runs_of_a_campaign_of_ours_keep_its_id(tokenroof: Tokenroof, tmp_path: Path) -> None:
    own = "0193a5c1-0000-7000-8000-000000000001"
    file = tmp_path / "runs.jsonl"
    made = [structs.replace(run, campaign=own) for run in runs(1, count=1)]
    file.write_bytes(b"\n".join(msgspec.json.encode(run) for run in made))
    assert f"Kept as {own}" in flat(tokenroof("import", file).out)
    assert "tokenroof compare 0193a5c1 OTHER" in tokenroof("import", file).out
    assert "4 runs" in tokenroof("compare", own[:8], file).out
