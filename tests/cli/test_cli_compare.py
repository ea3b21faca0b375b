"""`tokenroof compare`: what may be compared, what differs, and the exit code that says so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import structs

import tokenroof as package
from support import pastes
from support.commands import Tokenroof
from support.compared_runs import runs
from support.schemas import check
from tokenroof.records import Run, RunEngine
from tokenroof.store.journal import Journal


def file(folder: Path, name: str, found: Sequence[Run]) -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(run.to_dict()) + "\n" for run in found), encoding="utf-8")
    return path


NEW = RunEngine(name="llama-server", version="b5200")


@pytest.fixture
def a(tmp_path: Path) -> Path:
    return file(tmp_path, "a.jsonl", runs(1))


def test_like_sets_are_compared_length_by_length(
    tokenroof: Tokenroof, tmp_path: Path, a: Path
) -> None:
    done = tokenroof("compare", a, file(tmp_path, "b.jsonl", runs(2, factor=1.1)))
    assert (done.code, done.err) == (0, "")
    assert done.out.count("slower") >= 8
    assert "more time per token" in done.out
    # A path is never broken; everything else fits.
    assert max(len(line) for line in done.out.splitlines() if "/" not in line) <= 80


def test_a_document_follows_its_schema(tokenroof: Tokenroof, tmp_path: Path, a: Path) -> None:
    b = file(tmp_path, "b.jsonl", runs(2))
    done = tokenroof("compare", a, b, "--json", "--fail-slower", "5%")
    document = json.loads(done.out)
    check(document, "compare")
    assert document["gate"] == {"limit": 0.05, "strict": False, "result": "pass"}
    assert {cell["verdict"] for cell in document["cells"]} == {"no_difference"}
    assert all(cell["smallest_difference"] > 0 for cell in document["cells"])


def test_unlike_sets_are_refused_and_what_differs_is_shown(
    tokenroof: Tokenroof, tmp_path: Path, a: Path
) -> None:
    b = file(tmp_path, "b.jsonl", runs(2, engine=NEW))
    done = tokenroof("compare", a, b)
    assert done.code == 3
    assert "version: b5100 → b5200" in done.out
    assert "version: b5100 → b5200" in done.err
    assert "--allow" in done.err
    assert "per token" not in done.out
    document = json.loads(tokenroof("compare", a, b, "--json").out)
    check(document, "compare")
    assert (document["alike"], document["headline"], document["cells"]) == (False, [], [])
    assert document["differences"] == [{"condition": "version", "a": "b5100", "b": "b5200"}]
    for order in (("--allow", a, b), (a, b, "--allow")):
        assert tokenroof("compare", *order).code == 0


def test_a_slow_down_is_a_no(tokenroof: Tokenroof, tmp_path: Path, a: Path) -> None:
    slow = file(tmp_path, "slow.jsonl", runs(2, factor=1.1))
    alike = file(tmp_path, "alike.jsonl", runs(3))
    few = file(tmp_path, "few.jsonl", runs(4, count=2))
    assert tokenroof("compare", a, slow, "--fail-slower", "5%").code == 1
    assert tokenroof("compare", a, slow, "--fail-slower", "20").code == 0
    assert tokenroof("compare", a, alike, "--fail-slower", "5%", "--strict").code == 0
    unsure = tokenroof("compare", a, few, "--fail-slower", "5%")
    assert unsure.code == 0
    assert "Cannot tell" in unsure.out
    assert tokenroof("compare", a, few, "--fail-slower", "5%", "--strict").code == 1
    assert tokenroof("compare", a, slow, "--fail-slower", "5%", "--json").code == 1


def test_nothing_in_common_is_refused_even_if_allowed(
    tokenroof: Tokenroof, tmp_path: Path, a: Path
) -> None:
    b = file(tmp_path, "b.jsonl", runs(2, lengths=(7,)))
    done = tokenroof("compare", a, b, "--allow")
    assert done.code == 3
    assert "decode 7 + 128" in done.err


def test_anything_that_can_be_imported_can_be_compared(
    tokenroof: Tokenroof, tmp_path: Path
) -> None:
    one = pastes.DATA / "llama_bench_default.json"
    other = pastes.DATA / "llama_bench_default.jsonl"
    done = tokenroof("compare", one, other)
    assert done.code == 0
    # Three samples a side: too few, and it is said how many are missing.
    assert "cannot tell" in done.out
    table = tmp_path / "table.md"
    table.write_text(pastes.LLAMA_BENCH_2023, encoding="utf-8")
    stated = tokenroof("compare", table, table)
    assert stated.code == 0
    assert "llama-bench -o jsonl" in stated.out


def test_folders_campaigns_and_imports_are_sides(tokenroof: Tokenroof, tmp_path: Path) -> None:
    journal = Journal()
    journal.append_all([structs.replace(run, campaign="0192aa-1") for run in runs(1)])
    journal.append_all([structs.replace(run, campaign="0192bb-1") for run in runs(2)])
    folder = tmp_path / "lab"
    folder.mkdir()
    file(folder, "runs.jsonl", runs(3))
    assert tokenroof("compare", "0192aa", "0192bb").code == 0
    assert tokenroof("compare", folder, "0192bb").code == 0
    ambiguous = tokenroof("compare", "0192", folder)
    assert ambiguous.code == 2
    assert "0192aa-1" in ambiguous.err
    for name in ("0199", "no-such-thing", ""):
        assert tokenroof("compare", name, folder).code == 3


def test_a_side_without_runs_that_count_is_no_side(
    tokenroof: Tokenroof, tmp_path: Path, a: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a long path would be cut
    gone = [structs.replace(run, excluded="failed") for run in runs(2)]
    done = tokenroof("compare", a, file(tmp_path, "b.jsonl", gone).name)
    assert done.code == 3
    assert "b.jsonl" in done.err


def test_a_torn_line_is_told_and_the_rest_compared(
    tokenroof: Tokenroof, tmp_path: Path, a: Path
) -> None:
    b = file(tmp_path, "b.jsonl", runs(2))
    with b.open("a") as stream:
        stream.write('{"schema":"tokenroof.run/1","id":"x')
    done = tokenroof("compare", a, b)
    assert done.code == 0
    assert "b.jsonl" in done.out


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pictures_and_markdown_are_written(
    tokenroof: Tokenroof, tmp_path: Path, a: Path, language: str
) -> None:
    b = file(tmp_path, "b.jsonl", runs(2))
    out = tmp_path / "out"
    done = tokenroof("compare", a, b, "--out", out, "--lang", language)
    assert done.code == 0
    assert sorted(each.name for each in out.iterdir()) == [
        *("comparison.md", "comparison.png", "comparison.svg"),
    ]
    pasted = tokenroof("compare", a, b, "--markdown", "--lang", language)
    assert pasted.out == (out / "comparison.md").read_text(encoding="utf-8")


def test_a_history_has_its_steps_marked(tokenroof: Tokenroof, tmp_path: Path) -> None:
    dated = [
        structs.replace(run, started=f"2026-10-0{day}T10:00:00.000Z")
        for day, version, factor in ((1, "b1", 1.0), (2, "b2", 1.2))
        for run in runs(day, factor=factor, engine=RunEngine(name="llama-server", version=version))
    ]
    path = file(tmp_path, "all.jsonl", dated)
    done = tokenroof("compare", "--history", path, "--out", tmp_path / "out")
    assert done.code == 0
    assert "+20." in done.out or "+19." in done.out
    assert (tmp_path / "out" / "history.png").exists()
    document = json.loads(
        tokenroof("compare", "--history", path, "--json", "--phase", "prefill").out
    )
    check(document, "history")
    assert [each["version"] for each in document["sessions"]] == ["b1", "b2"]
    Journal().append_all(dated)
    assert tokenroof("compare", "--history", "--length", "2k", "--markdown").code == 0
    assert tokenroof("compare", "--history", "--model", "none").code == 3


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("a",),
        ("a", "b", "c"),
        ("--history", "a", "b"),
        ("--history", "--allow"),
        ("a", "b", "--model", "x"),
        ("a", "b", "--fail-slower", "-1"),
        ("a", "b", "--fail-slower", "nan"),
    ],
)
def test_what_cannot_be_meant_is_a_usage_error(
    tokenroof: Tokenroof, arguments: tuple[str, ...]
) -> None:
    done = tokenroof("compare", *arguments)
    assert done.code == 2
    assert done.err.count("\n") == 1


def test_the_same_is_importable(a: Path) -> None:
    found = package.compare(a, runs(2, factor=1.1))
    assert {cell.verdict for cell in found.cells} == {"slower"}
    assert (found.a.name, found.b.name) == (str(a), "B")
    check(found.to_dict(), "compare")
    assert package.import_figures([pastes.DATA / "rpc.md"]).runs[0].engine.backend == "RPC"
