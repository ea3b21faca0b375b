"""`bench --against`: two conditions in turns, on an engine that computes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support import fake_world
from support.article_models import qwen3_8b
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


def test_a_condition_that_cannot_be_in_memory_is_refused_before_the_other_one_is_measured(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # At 64k tokens of 147,456 bytes f16 keys and values take 9.0 GiB, and twice that as f32.
    free = qwen3_8b().tensor_bytes + 147_456 * 65_536
    fake_world.with_free_memory(monkeypatch, free)
    options = (*SHORT, "--context", "64k", "--against", "kv-type=f32")
    outcome = tokenroof("bench", model, *options)
    assert (outcome.code, outcome.out, engine.loads) == (4, "", 0)
    assert "18.0 GiB" in outcome.err
    assert Journal().runs() == []


@pytest.mark.parametrize(
    ("change", "label"),
    [
        ("flash-attention=off", "flash_attention=off"),
        ("kv-type=q8_0,f16", "kv_type=q8_0,f16"),
        ("kv-type=f32", "kv_type=f32"),
    ],
)
def test_a_condition_is_called_as_it_was_typed(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, change: str, label: str
) -> None:
    done = tokenroof("bench", model, *SHORT, "--against", change, "--json")
    assert json.loads(done.out)["b"]["name"].startswith(label + " (")


def test_ctrl_c_says_how_to_compare_what_there_is(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    # Two warm-up runs and six of A, two and one of B.
    engine.script = {2 + 6 + 2 + 2: KeyboardInterrupt()}
    outcome = tokenroof("bench", model, *SHORT, "--against", "threads=3")
    assert outcome.code == 130
    a, b = sorted(each.id for each in Journal().campaigns())
    last = outcome.err.splitlines()[-1]
    assert "7 runs are kept" in last
    assert last.endswith(f"tokenroof compare {a} {b}")


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
