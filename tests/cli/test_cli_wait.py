"""`tokenroof wait`, `estimate` with prompts and answers, and `score`, through their arguments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import tokenroof as package
from support.article_models import qwen3_8b
from support.commands import Outcome, Tokenroof
from support.fake_world import model_file
from support.schemas import check
from tokenroof.analysis import Ask, Peak, analyse
from tokenroof.api import estimate_file, estimating, open_model
from tokenroof.api.report_paces import predicting
from tokenroof.cli import wide
from tokenroof.hardware.device import Device
from tokenroof.predict.learnt.calibrated import Learned
from tokenroof.predict.predictions import kept_predictions
from tokenroof.records import Output, Prompt, Run, RunEngine, Workload
from tokenroof.store.journal import Journal
from tokenroof.store.runs import load_runs

ARTICLE = Path(__file__).parents[2] / "docs" / "example" / "runs.jsonl"
ON = ("--on", "RTX 3090")


@pytest.fixture(autouse=True)
def own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "data"
    monkeypatch.setenv("TOKENROOF_DATA", str(folder))
    return folder


@pytest.fixture(autouse=True)
def this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Device(
        name="AMD EPYC 9654",
        source="hardware.source_measured",
        place="cpu",
        bandwidth_bytes_per_second=300e9,
        bandwidth_basis="measured",
        memory_bytes=128 * 2**30,
    )
    monkeypatch.setattr(estimating, "measured_here", lambda *_: device)


@pytest.fixture(scope="module")
def qwen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return model_file(tmp_path_factory.mktemp("models"), qwen3_8b, "qwen3-8b.gguf")


def waited(outcome: Outcome) -> dict[str, Any]:
    assert outcome.code == 0, outcome.err
    document = json.loads(outcome.out)
    check(document, "estimate")
    found = document["rows"][0]["wait"]
    assert isinstance(found, dict)
    return found


def test_the_verbs_the_file_and_the_api_agree_to_the_last_digit(
    tokenroof: Tokenroof, qwen: Path, tmp_path: Path
) -> None:
    asked = ("--prompt", "5000", "--output", "300", "--cached", "1000", "--thinking", "200")
    short = waited(tokenroof("wait", qwen, *ON, *asked, "--cold", "--json"))
    long = waited(tokenroof("estimate", qwen, *ON, *asked, "--cold", "--json"))
    case: dict[str, Any] = {
        "model": str(qwen), "device": "RTX 3090", "prompt": 5000, "output": 300, "cached": 1000,
        "thinking": 200, "cold": True,
    }  # fmt: skip
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(case) + "\n", encoding="utf-8")
    told = waited(tokenroof("estimate", "--cases", path, "--json"))
    named = {key: value for key, value in case.items() if key not in ("model", "device")}
    called = package.wait(qwen, "RTX 3090", **named).rows[0].wait
    estimated = package.estimate(qwen, "RTX 3090", **named).rows[0].wait
    read = estimate_file(path).rows[0].wait
    assert called is not None
    assert short == long == told == called.to_dict()
    assert called == estimated == read


def test_the_contract_has_its_keys_and_the_total_is_the_sum(
    tokenroof: Tokenroof, qwen: Path
) -> None:
    wait = waited(tokenroof("wait", qwen, *ON, "--prompt", "5000", "--output", "300", "--json"))
    keys = {"load_seconds", "ttft_seconds", "total_seconds", "low", "high", "basis"}
    assert keys <= set(wait)
    assert wait["total_seconds"] == sum(part["seconds"] for part in wait["parts"])
    assert wait["low"] <= wait["total_seconds"] <= wait["high"]
    assert (wait["load_seconds"], wait["turns"]) == (0.0, [])


def test_without_a_device_it_is_about_this_machine(tokenroof: Tokenroof, qwen: Path) -> None:
    outcome = tokenroof("wait", qwen, "--prompt", "100", "--output", "10")
    assert outcome.code == 0
    assert outcome.out.startswith("Qwen3 8B on AMD EPYC 9654: an answer of 10 tokens to a prompt")


def test_without_an_answer_it_is_the_first_token_that_is_waited_for(
    tokenroof: Tokenroof, qwen: Path
) -> None:
    outcome = tokenroof("wait", qwen, *ON, "--prompt", "100")
    sentence = " ".join(outcome.out.split())
    assert "the first token after a prompt of 100 tokens is there in" in sentence


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_page_fits_its_width_in_both_languages(
    tokenroof: Tokenroof, qwen: Path, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    outcome = tokenroof(
        "wait", qwen, *ON, "--prompt", "2000", "--output", "300", "--thinking", "900", "--cold",
        "--turns", "12", "--lang", language,
    )  # fmt: skip
    assert outcome.code == 0
    body = outcome.out.partition("tokenroof bench")[0].splitlines()
    assert [line for line in body if wide.width(line) > 80] == []
    assert "█" in outcome.out


def test_several_devices_stand_in_one_table(tokenroof: Tokenroof, qwen: Path) -> None:
    outcome = tokenroof(
        "wait", qwen, *ON, "--on", "GeForce RTX 4090", "--prompt", "9000", "--output", "100"
    )
    lines = [line for line in outcome.out.splitlines() if line.startswith("  GeForce RTX")]
    assert len(lines) == 4, "two of figures and two of bars"


def test_measured_runs_of_a_file_answer(tokenroof: Tokenroof, qwen: Path) -> None:
    outcome = tokenroof(
        "wait", qwen, "--on", "Ryzen AI Max+ 395", "--prompt", "22600", "--output", "500",
        "--runs", ARTICLE, "--json",
    )  # fmt: skip
    wait = waited(outcome)
    assert wait["basis"] == "measured"
    assert 40 <= wait["ttft_seconds"] <= 50


def test_measured_runs_of_the_journal_answer(
    tokenroof: Tokenroof, qwen: Path, own_data: Path
) -> None:
    Journal(own_data).append(run_of_this_machine(qwen))
    wait = waited(tokenroof("wait", qwen, "--prompt", "1000", "--output", "50", "--json"))
    assert wait["basis"] == "measured"
    # 2 s for 1,000 tokens.
    assert wait["ttft_seconds"] == pytest.approx(2.0)


def test_a_journal_that_cannot_be_read_is_no_reason_not_to_answer(
    tokenroof: Tokenroof, qwen: Path, own_data: Path
) -> None:
    own_data.mkdir()
    (own_data / "runs.jsonl").write_text("no run\n", encoding="utf-8")
    wait = waited(tokenroof("wait", qwen, "--prompt", "1000", "--output", "50", "--json"))
    assert wait["basis"] == "public"
    asked = ("--prompt", "1000", "--runs", own_data / "runs.jsonl")
    assert tokenroof("wait", qwen, *asked).code == 3


def test_the_page_of_a_report_waits_as_long_as_wait_says(tokenroof: Tokenroof) -> None:
    """The same question to the same runs, of models of the published article."""
    runs = load_runs(ARTICLE)
    for name in ("qwen3:8b", "gpt-oss-20b"):
        own = [run for run in runs if run.model.name == name]
        longest = max(run.prompt.tokens or 0 for run in own)
        for prompt, output in ((22600, 500), (longest, 2), (3000, 1)):
            outcome = tokenroof(
                "wait", name.replace("qwen3", "ollama:qwen3"), "--on", "Ryzen AI Max+ 395",
                "--prompt", str(prompt), "--output", str(output), "--runs", ARTICLE, "--json",
            )  # fmt: skip
            said = waited(outcome)
            ask = Ask(prompt_tokens=prompt, output_tokens=output)
            (page,) = analyse(own, asks=[ask]).series[0].waits
            assert said["basis"] == page.basis == "measured"
            assert page.outside == ()
            ends = (page.ttft_seconds, page.total_seconds)
            assert ends == pytest.approx((said["ttft_seconds"], said["total_seconds"]), rel=1e-9)


def test_what_the_runs_of_a_page_do_not_reach_is_predicted_as_wait_does(
    tokenroof: Tokenroof, qwen: Path, own_data: Path
) -> None:
    run = run_of_this_machine(qwen)
    run = msgspec.structs.replace(run, engine=RunEngine(name="embedded", version="1", place="cpu"))
    Journal(own_data).append(run)
    # 1,000 tokens were read; 9,000 are beyond, and so is the cache behind them.
    said = waited(tokenroof("wait", qwen, "--prompt", "9000", "--output", "50", "--json"))
    model = open_model(str(qwen))
    peak = Peak(bandwidth_bytes_per_second=300e9)
    ask = Ask(prompt_tokens=9000, output_tokens=50)
    costs = {run.model.digest or "": model}
    shown = analyse([run], costs, asks=[ask], predicting=predicting(model, [peak]))
    (page,) = shown.series[0].waits
    assert (page.basis, page.outside) == (said["basis"], ("prefill", "decode"))
    assert page.basis == "public"
    assert page.total_seconds == pytest.approx(said["total_seconds"], rel=1e-12)
    ends = (page.low_seconds, page.high_seconds)
    assert ends == pytest.approx((said["low"], said["high"]), rel=1e-12)


def test_loads_of_this_very_model_tell_how_long_a_cold_start_takes(
    tokenroof: Tokenroof, qwen: Path, own_data: Path
) -> None:
    run = run_of_this_machine(qwen)
    # A run that does not count for its speed tells of its load all the same.
    loaded = msgspec.structs.replace(run, id="2", load_seconds=7.5, excluded="reloaded")
    Journal(own_data).append_all([run, loaded])
    asked = ("--prompt", "1000", "--output", "50", "--cold", "--json")
    wait = waited(tokenroof("wait", qwen, *asked))
    assert (wait["load_seconds"], wait["basis"]) == (7.5, "measured")


def test_the_journal_is_read_once_and_only_where_a_run_may_answer(
    tokenroof: Tokenroof, qwen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    def none_known(*paths: object) -> list[Run]:
        read.append(paths)
        return []

    monkeypatch.setattr(estimating, "runs_known", none_known)
    tokenroof("estimate", qwen, "--bandwidth", "256", "--depth", "0,8k")
    assert read == []
    tokenroof("estimate", qwen, *ON, "--on", "GeForce RTX 4090", "--depth", "0,8k")
    assert read == [()]


def test_profiles_are_read_once(
    tokenroof: Tokenroof, qwen: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    def nothing_learned() -> Learned:
        read.append(1)
        return Learned()

    monkeypatch.setattr(estimating, "learned_here", nothing_learned)
    assert tokenroof("estimate", qwen, "--on", "here").code == 0
    assert read == [1]


def test_runs_that_a_person_names_have_to_be_there_in_any_case(
    tokenroof: Tokenroof, qwen: Path
) -> None:
    outcome = tokenroof("estimate", qwen, "--bandwidth", "256", "--runs", "nowhere.jsonl")
    assert outcome.code == 3
    assert "nowhere.jsonl" in outcome.err


def run_of_this_machine(model: Path) -> Run:
    from tokenroof.api import open_model
    from tokenroof.api.setup import run_model

    return Run(
        id="1",
        started="2999-01-01T00:00:00.000Z",
        source="embedded",
        model=run_model(open_model(str(model))),
        engine=RunEngine(name="embedded", version="1"),
        device="AMD EPYC 9654",
        workload=Workload(prompt_target=1000, output_target=50),
        prompt=Prompt(tokens=1000, cached=0, seconds=2.0),
        output=Output(tokens=50, steps=50, seconds=5.0),
    )


def test_a_prompt_is_counted_or_guessed_and_the_page_says_which(
    tokenroof: Tokenroof, qwen: Path, tmp_path: Path
) -> None:
    text = tmp_path / "letter.txt"
    text.write_text("日本語の手紙です。" * 100, encoding="utf-8")
    # This file has no vocabulary, so llama.cpp cannot count with it; nor is it always installed.
    outcome = tokenroof("wait", qwen, *ON, "--prompt-file", text, "--output", "200", "--json")
    row = json.loads(outcome.out)["rows"][0]
    # 900 letters: 514 to 1,125 tokens, usually 600.
    assert row["wait"]["prompt_tokens"] == 600
    assert any("between 514 and 1,125 tokens" in each for each in row["assumes"])
    japanese = row["wait"]["japanese"]
    assert (japanese["people_low"], japanese["people_high"]) == (8.0, 10.0)
    assert 0 < japanese["low"] < japanese["high"]
    page = tokenroof("wait", qwen, *ON, "--prompt-file", text, "--output", "200").out
    assert "people read 8 to 10" in page


def test_a_real_vocabulary_counts_the_file(tokenroof: Tokenroof, tmp_path: Path) -> None:
    pytest.importorskip("llama_cpp")
    from support.small_model import small_model

    text = tmp_path / "p.txt"
    text.write_text("Hello, world!", encoding="utf-8")
    outcome = tokenroof("wait", small_model(), *ON, "--prompt-file", text, "--json")
    wait = waited(outcome)
    assert wait["prompt_tokens"] == 5
    assert wait["japanese"] is None


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        ((), 2, "--prompt"),
        (("--prompt", "10", "--cached", "11"), 2, "--depth"),
        (("--prompt", "10", "--agent", "5"), 2, "--turns"),
        (("--prompt", "10", "--prompt-file", "x"), 2, "--prompt-file"),
        (("--prompt-file", "nowhere.txt"), 3, "nowhere.txt"),
        (("--prompt", "10", "--runs", "nowhere.jsonl"), 3, "nowhere.jsonl"),
        (("--prompt", "10", "--chart", "a.gif"), 2, ".png"),
    ],
)
def test_what_cannot_be_answered_says_what_to_do(
    tokenroof: Tokenroof, qwen: Path, arguments: tuple[str, ...], code: int, word: str
) -> None:
    outcome = tokenroof("wait", qwen, *ON, *arguments)
    assert outcome.code == code
    assert word in outcome.err
    assert outcome.out == ""


def test_figures_alone_do_not_tell_how_long_it_takes(tokenroof: Tokenroof, qwen: Path) -> None:
    outcome = tokenroof("wait", qwen, "--bandwidth", "256", "--prompt", "10", "--output", "5")
    assert outcome.code == 0
    assert "is not known" in outcome.out


def test_the_picture_is_drawn_where_it_was_asked_for(
    tokenroof: Tokenroof, qwen: Path, tmp_path: Path
) -> None:
    path = tmp_path / "wait.svg"
    asked = ("--prompt", "900", "--output", "20", "--turns", "3", "--chart", path)
    outcome = tokenroof("wait", qwen, *ON, *asked)
    assert outcome.code == 0
    drawn = path.read_text(encoding="utf-8")
    assert "3 turns in" in drawn
    assert "turn 3" in drawn


def test_predictions_of_this_machine_are_kept_and_others_only_when_asked(
    tokenroof: Tokenroof, qwen: Path
) -> None:
    asked = ("--prompt", "1000", "--output", "50")
    tokenroof("wait", qwen, *ON, *asked)
    assert kept_predictions() == []
    tokenroof("wait", qwen, *asked)
    tokenroof("wait", qwen, *asked)
    tokenroof("estimate", qwen, *ON, "--keep")
    kept = kept_predictions()
    assert [each.here for each in kept] == [True, False]
    assert kept[0].case["prompt"] == 1000


def test_score_says_how_good_they_were(tokenroof: Tokenroof, qwen: Path, own_data: Path) -> None:
    assert "No prediction has been kept yet" in tokenroof("score").out
    tokenroof("wait", qwen, "--prompt", "1000", "--output", "50")
    assert "none has been measured since" in tokenroof("score").out
    Journal(own_data).append(run_of_this_machine(qwen))
    outcome = tokenroof("score", "--json")
    document = json.loads(outcome.out)
    check(document, "score")
    (kept,) = kept_predictions()
    assert kept.wait is not None
    assert kept.wait.total_seconds is not None
    assert (document["kept"], document["scored"]) == (1, 1)
    whole = next(each for each in document["rows"] if each["what"] == "wait")
    # 2 s of reading and 49 steps of 0.1 s.
    assert whole["measured_seconds"] == pytest.approx(2.0 + 4.9)
    assert whole["ratio"] == pytest.approx(6.9 / kept.wait.total_seconds)
    page = tokenroof("score").out
    assert page.startswith("1 of 1 prediction measured since:")
    assert "prompt 1,000" in page


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_answer(
    tokenroof: Tokenroof, qwen: Path, own_data: Path
) -> None:
    own_data.write_text("in the way", encoding="utf-8")
    assert tokenroof("wait", qwen, "--prompt", "100", "--output", "5").code == 0
    assert tokenroof("wait", qwen, "--prompt", "100", "--output", "5", "--keep").code == 3


def test_schemas_hold_every_row_with_a_wait(tokenroof: Tokenroof, qwen: Path) -> None:
    asked = ("--prompt", "900", "--output", "20", "--turns", "3", "--thinking", "5", "--cold")
    document = json.loads(tokenroof("wait", qwen, *ON, *asked, "--json").out)
    check(document, "estimate")
    turns = document["rows"][0]["wait"]["turns"]
    assert [turn["number"] for turn in turns] == [1, 2, 3]
    assert msgspec.json.decode(json.dumps(document))["schema"] == "tokenroof.estimate/1"
