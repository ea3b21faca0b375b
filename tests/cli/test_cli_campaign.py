"""`bench --plan` and `bench --campaign`, on an engine that computes nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from support import fake_world
from support.article_models import qwen3_8b
from support.commands import Tokenroof
from support.fake_engine import FakeEngine, died, refused
from support.schemas import check
from tokenroof.api.campaign_file import read_campaign_file
from tokenroof.cli import wide
from tokenroof.store.batches import Batches
from tokenroof.store.journal import Journal


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeEngine:
    monkeypatch.chdir(tmp_path)
    return fake_world.enter(monkeypatch, tmp_path / "data")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return fake_world.model_file(tmp_path)


def test_the_campaign_file_of_the_manual_means_what_it_says(tmp_path: Path) -> None:
    manual = Path(__file__).parents[2] / "docs" / "method.md"
    example = re.search(r"```toml\n(.*?)```", manual.read_text("utf-8"), re.DOTALL)
    assert example is not None
    (tmp_path / "campaign.toml").write_text(example[1], "utf-8")
    found = read_campaign_file(tmp_path / "campaign.toml").combinations
    # 2 models, 2 cache types, 2 numbers of threads, 2 sets of flags.
    assert len({str(each.varied) for each in found}) == 2 * 2 * 2 * 2
    assert {each.options["lengths"] for each in found} == {(512, 1024, 2048, 4096, 8192)}
    assert {each.options["engine"] for each in found} == {"llama-server"}


LENGTHS = ("--lengths", "600-1200*2", "--output", "16", "--budget", "1s")


# The plan.


def test_a_plan_runs_nothing_and_writes_nothing(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    outcome = tokenroof("bench", model, *LENGTHS, "--plan", "--json")
    assert outcome.code == 0
    assert (engine.loads, engine.requests) == (0, [])
    assert Journal().campaigns() == []
    document = json.loads(outcome.out)
    assert document["schema"] == "tokenroof.plan/1"
    assert document["plan"]["lengths"] == [600, 1200]
    assert document["plan"]["engine"] == "fake"
    assert document["why"]["id"] == "chosen_installed"
    # Three rounds of both lengths, one shuffle turned on by one place a round.
    assert len(document["order"]) == 3
    assert document["order"][0] == document["order"][2] == document["order"][1][::-1]
    assert (document["promised_seconds"], document["basis"]) == (None, None)


def test_with_a_bandwidth_a_plan_knows_the_least_time(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    outcome = tokenroof("bench", model, *LENGTHS, "--plan", "--bandwidth", "256", "--json")
    document = json.loads(outcome.out)
    assert document["basis"] == "at_least"
    # qwen3:8b reads 4,869,359,872 bytes of weights and 147,456 a token of the cache for a token;
    # 3 s of quiet and 16 tokens at 256 GB/s: 3.31 s at 600 tokens, three times.
    first = 3 + 16 * (4_869_359_872 + 147_456 * 600) / 256e9
    second = 3 + 16 * (4_869_359_872 + 147_456 * 1200) / 256e9
    assert [each["seconds_per_run"] for each in document["lengths"]] == pytest.approx(
        [first, second]
    )
    assert document["promised_seconds"] == pytest.approx(3 * (first + second))


def test_what_was_measured_before_is_the_time_of_a_plan(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    assert tokenroof("bench", model, *LENGTHS).code == 0
    document = json.loads(tokenroof("bench", model, *LENGTHS, "--plan", "--json").out)
    assert document["basis"] == "earlier_runs"
    # 1,000 tokens/s to read and 15 steps at 50 a second, after 3 s of quiet.
    assert document["lengths"][0]["seconds_per_run"] == pytest.approx(3 + 0.6 + 0.3, rel=0.03)
    other = tokenroof("bench", model, *LENGTHS, "--threads", "9", "--plan", "--json")
    assert json.loads(other.out)["basis"] is None
    # It was measured here, with another number of threads.
    said = " ".join(tokenroof("bench", model, *LENGTHS, "--threads", "9", "--plan").out.split())
    assert "not measured here before with fake and these settings" in said


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_plan_is_shown_on_80_columns(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, language: str
) -> None:
    outcome = tokenroof("bench", model, *LENGTHS, "--plan", "--cached", "--lang", language)
    assert outcome.code == 0
    assert max(map(wide.width, outcome.out.splitlines())) <= 80
    assert re.search(r"600 +3 +–", outcome.out)
    assert "fake" in outcome.out


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_plan_says_what_does_not_fit(
    tokenroof: Tokenroof,
    engine: FakeEngine,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    language: str,
) -> None:
    # At 2,048 tokens of 147,456 bytes the cache takes 288 MiB.
    needed = qwen3_8b().tensor_bytes + 147_456 * 2_048
    asked = ("bench", model, *LENGTHS, "--context", "2k", "--plan", "--lang", language)
    fake_world.with_free_memory(monkeypatch, needed)
    assert json.loads(tokenroof(*asked, "--json").out)["does_not_fit"] is None
    assert "288 MiB" not in tokenroof(*asked).out
    fake_world.with_free_memory(monkeypatch, needed - 1)
    outcome = tokenroof(*asked, "--json")
    assert outcome.code == 0
    document = json.loads(outcome.out)
    check(document, "plan")
    assert document["does_not_fit"]["id"] == "does_not_fit"
    assert "288 MiB" in tokenroof(*asked).out
    assert engine.closed


def test_a_plan_refuses_what_the_campaign_would_refuse(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    assert tokenroof("bench", model, "--plan", "--context", "10").code == 2
    assert tokenroof("bench", model, "--plan", "--engine", "nosuch").code == 2


# The campaign file.


def campaign(folder: Path, text: str) -> Path:
    path = folder / "campaign.toml"
    path.write_text(text, encoding="utf-8")
    return path


CROSSED = """
model = "m.gguf"
kv_type = ["f16", "q8_0,f16"]
threads = [2, 3]
lengths = "600-1200*2"
output = 16
budget = "1s"
"""


def settings_of(record: dict[str, Any]) -> list[tuple[str, str, int]]:
    """Types and threads of each row's campaign."""
    found = []
    for row in record["rows"]:
        settings = Journal().campaign(row["campaign"]).plan["settings"]
        found.append((settings["kv_type_k"], settings["kv_type_v"], settings["threads"]))
    return found


def test_every_value_is_combined_with_every_other(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    outcome = tokenroof("bench", "--campaign", campaign(tmp_path, CROSSED), "--json")
    assert outcome.code == 0
    record = json.loads(outcome.out)
    check(record, "batch")
    assert {row["state"] for row in record["rows"]} == {"finished"}
    assert settings_of(record) == [
        ("f16", "f16", 2),
        ("f16", "f16", 3),
        ("q8_0", "f16", 2),
        ("q8_0", "f16", 3),
    ]
    assert record["rows"][3]["combination"] == {
        "model": "m.gguf",
        "kv_type": "q8_0,f16",
        "threads": 3,
    }
    assert len(Journal().runs()) == 4 * 2 * 3
    assert "Combination 4 of 4: m.gguf, kv_type q8_0,f16, threads 3" in outcome.err


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_came_of_it_is_one_table(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path, language: str
) -> None:
    file = campaign(tmp_path, CROSSED)
    outcome = tokenroof("bench", "--campaign", file, "--lang", language)
    # The fake engine reads at 1,000 and writes at 50 tokens/s, whatever it is told.
    assert len(re.findall(r"m\.gguf, .* \d[\d,]+ +1000 +50\.0 +3", outcome.out)) == 8


def test_a_combination_that_fails_is_a_row_and_the_next_begins(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    engine.load_script = {2: refused()}
    text = CROSSED + 'engine = ["fake", "nosuch"]\n'
    outcome = tokenroof("bench", "--campaign", campaign(tmp_path, text), "--json")
    assert outcome.code == 0
    rows = json.loads(outcome.out)["rows"]
    assert [row["state"] for row in rows].count("failed") == 1 + 4
    assert {row["error"] for row in rows if row["combination"]["engine"] == "nosuch"} != {None}
    assert "the fake engine refused" in {row["error"] for row in rows}


def test_a_combination_that_cannot_be_in_memory_is_a_row_with_its_reason(
    tokenroof: Tokenroof,
    engine: FakeEngine,
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # At 32k tokens of 147,456 bytes a cache of f16 takes 4.5 GiB, and one of f32 twice that.
    free = qwen3_8b().tensor_bytes + 147_456 * 32_768
    fake_world.with_free_memory(monkeypatch, free)
    text = CROSSED.replace('"f16", "q8_0,f16"', '"f32", "f16"') + 'context = "32k"\n'
    outcome = tokenroof("bench", "--campaign", campaign(tmp_path, text), "--json")
    assert outcome.code == 0
    rows = json.loads(outcome.out)["rows"]
    assert [row["state"] for row in rows] == ["failed", "failed", "finished", "finished"]
    assert all("9.00 GiB of KV cache" in row["error"] for row in rows[:2])
    assert (engine.loads, len(Journal().runs())) == (2, 2 * 6)


def test_where_every_combination_fails_it_is_exit_4(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    engine.load_script = {n: refused() for n in range(1, 9)}
    outcome = tokenroof("bench", "--campaign", campaign(tmp_path, CROSSED))
    assert outcome.code == 4
    assert "the fake engine refused" in outcome.err


def test_after_ctrl_c_the_same_file_goes_on_where_it_stopped(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    file = campaign(tmp_path, CROSSED)
    # Two warm-ups and six runs a combination: within the second one, after two of its runs.
    engine.script = {8 + 2 + 3: KeyboardInterrupt()}
    stopped = tokenroof("bench", "--campaign", file)
    assert stopped.code == 130
    # Said when it began, once, and when it was stopped.
    assert stopped.err.count(f"tokenroof bench --campaign {file}\n") == 2
    done = Journal().runs()
    assert len(done) == 6 + 2
    outcome = tokenroof("bench", "--campaign", file, "--json")
    record = json.loads(outcome.out)
    assert [row["state"] for row in record["rows"]] == ["finished"] * 4
    assert Journal().runs()[:8] == done
    assert len(Journal().runs()) == 4 * 6
    assert "Combination 1 of 4" not in outcome.err
    # All is done: the same file, once more, is a new measurement.
    again = json.loads(tokenroof("bench", "--campaign", file, "--json").out)
    assert len(Journal().runs()) == 8 * 6
    assert not {row["campaign"] for row in again["rows"]} & {
        row["campaign"] for row in record["rows"]
    }


def test_a_file_that_another_process_carries_out_is_refused(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    file = campaign(tmp_path, CROSSED)
    batches = Batches(tmp_path / "data")
    with batches.carrying_out(read_campaign_file(file).id, "c.toml"):
        outcome = tokenroof("bench", "--campaign", file)
    assert outcome.code == 2
    assert str(file) in outcome.err
    assert Journal().runs() == []


def test_a_file_that_asks_for_something_else_begins_anew(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    engine.script = {8 + 2 + 3: KeyboardInterrupt()}
    tokenroof("bench", "--campaign", campaign(tmp_path, CROSSED))
    changed = campaign(tmp_path, CROSSED.replace("output = 16", "output = 17"))
    record = json.loads(tokenroof("bench", "--campaign", changed, "--json").out)
    assert [row["state"] for row in record["rows"]] == ["finished"] * 4
    assert len(Journal().runs()) == 8 + 4 * 6


def test_a_death_within_a_combination_is_no_failed_combination(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    engine.script = {4: died()}
    outcome = tokenroof("bench", "--campaign", campaign(tmp_path, CROSSED), "--json")
    assert [row["state"] for row in json.loads(outcome.out)["rows"]] == ["finished"] * 4


def test_the_plan_of_a_file_names_each_combination_and_what_stands_in_its_way(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    text = CROSSED + 'engine = ["fake", "nosuch"]\n'
    file = campaign(tmp_path, text)
    outcome = tokenroof("bench", "--campaign", file, "--plan", "--bandwidth", "256", "--json")
    document = json.loads(outcome.out)
    check(document, "batch-plan")
    rows = document["rows"]
    assert len(rows) == 8
    assert all((row["plan"] is None) == (row["error"] is not None) for row in rows)
    assert engine.loads == 0
    shown = tokenroof("bench", "--campaign", file, "--plan")
    assert shown.code == 0
    assert shown.out.count("kv_type q8_0,f16") == 4


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model = [", "no TOML"),
        ("lengths = 512", "no model"),
        ('model = "m.gguf"\ndepth = 5', "depth"),
        ('model = "m.gguf"\nlengths = "9-1"', "lengths"),
        ('model = "m.gguf"\nthreads = [2, 0]', "threads"),
        ('model = "m.gguf"\nthreads = true', "threads"),
        ('model = "m.gguf"\nflash_attention = "on"', "flash_attention"),
        ('model = "m.gguf"\nflags = "\'"', "flags"),
        ("model = []", "model"),
        ("model = 5", "model"),
        ('model = "m.gguf"\nbudget = "soon"', "budget"),
        ('model = "m.gguf"\nprecision = 0', "precision"),
        ('model = "m.gguf"\nprogram = "x"', "program"),
        (f'model = "m.gguf"\nthreads = {list(range(1, 502))}', "500"),
    ],
)
def test_a_file_that_means_nothing_is_a_usage_error_that_names_the_place(
    tokenroof: Tokenroof, engine: FakeEngine, tmp_path: Path, text: str, said: str
) -> None:
    outcome = tokenroof("bench", "--campaign", campaign(tmp_path, text))
    assert outcome.code == 2
    assert said in outcome.err
    assert "campaign.toml" in outcome.err
    assert engine.loads == 0


def test_a_file_says_itself_what_is_measured(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    file = campaign(tmp_path, CROSSED)
    assert tokenroof("bench", model, "--campaign", file).code == 2
    assert tokenroof("bench", "--campaign", file, "--rounds", "5").code == 2
    assert tokenroof("bench", "--campaign", tmp_path / "gone.toml").code == 3


def test_a_record_that_cannot_be_read_is_no_reason_to_stop(tmp_path: Path) -> None:
    batches = Batches(tmp_path)
    assert batches.find("x") is None
    (tmp_path / "batches").mkdir()
    (tmp_path / "batches" / "x.json").write_text("{")
    assert batches.find("x") is None
