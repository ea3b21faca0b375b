"""`bench --against`: two conditions in turns, on an engine that computes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import fake_world
from support.commands import Tokenroof
from support.fake_engine import FakeEngine
from support.schemas import check
from tokenroof.store.journal import Journal

SHORT = ("--lengths", "600,1200", "--output", "16", "--rounds", "6")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeEngine:
    monkeypatch.chdir(tmp_path)
    return fake_world.enter(monkeypatch, tmp_path / "data")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return fake_world.model_file(tmp_path)


def test_two_conditions_are_measured_in_turns_and_compared(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    done = tokenroof("bench", model, *SHORT, "--against", "threads=3", "--json")
    assert done.code == 0
    document = json.loads(done.out)
    check(document, "compare")
    assert (document["a"]["runs"], document["b"]["runs"]) == (12, 12)
    stated = [each["condition"] for each in document["differences"] + document["not_stated"]]
    assert "threads" in stated
    assert len(document["cells"]) == 4
    # A A A, then twice B B B, then A A A again: an even drift falls on both alike.
    threads = [run.settings.threads for run in Journal().runs()]
    blocks = [threads[at : at + 6] for at in range(0, 24, 6)]
    assert [set(block) for block in blocks[1:3]] == [{3}, {3}]
    assert 3 not in {*blocks[0], *blocks[3]}
    # Each side is one campaign, and a side of `compare`.
    assert len({run.campaign for run in Journal().runs()}) == 2
    ids = [side["name"].split("(")[1].rstrip(")") for side in (document["a"], document["b"])]
    assert tokenroof("compare", *ids, "--allow").code == 0


def test_it_is_shown_as_a_comparison(tokenroof: Tokenroof, engine: FakeEngine, model: Path) -> None:
    done = tokenroof("bench", model, *SHORT, "--against", "threads=3")
    assert done.code == 0
    assert "change of time" in done.out
    assert "threads" in done.out


@pytest.mark.parametrize(
    "arguments",
    [
        ("--against", "warp=9"),
        ("--against", "threads=none"),
        ("--against", "flash-attention=perhaps"),
        ("--against", "threads=3", "--plan"),
    ],
)
def test_what_cannot_differ_is_a_usage_error(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, arguments: tuple[str, ...]
) -> None:
    done = tokenroof("bench", model, *SHORT, *arguments)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert Journal().runs() == []
