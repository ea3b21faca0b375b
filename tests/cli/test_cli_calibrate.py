"""`tokenroof calibrate`: a machine is learnt, shown in both languages, and gone on with."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console
from rich.live import Live

from simulator.server import Simulator
from simulator.world import World
from support.commands import Tokenroof
from support.known_machine import DECODE, KnownMachine, write_header
from support.schemas import check
from tokenroof import words
from tokenroof.api import calibrating
from tokenroof.calibrate import measuring
from tokenroof.calibrate.design import BASE, trials
from tokenroof.calibrate.shapes import Shape
from tokenroof.cli import profile_page, wide
from tokenroof.clock import FakeClock
from tokenroof.engines.ollama_files import OllamaOfFiles
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineRefused, OutputError
from tokenroof.hardware.bandwidth import ReadBandwidth
from tokenroof.measure.surroundings import Surroundings
from tokenroof.notices import Notice
from tokenroof.predict.learnt.profile import Profile
from tokenroof.report.charts.profile import profile_figures
from tokenroof.store.lock import held


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> KnownMachine:
    """The engine that every calibration of a test finds; its times are known."""
    engine = KnownMachine()
    clock = FakeClock()

    def pick(name: str, options: EngineOptions) -> KnownMachine:
        return engine

    def bandwidth() -> ReadBandwidth:
        return ReadBandwidth(
            best_bytes_per_second=60e9, median_bytes_per_second=55e9,
            lowest_bytes_per_second=50e9, loop="sum", threads=2, buffer_bytes=2**30,
            cache_bytes=None, loops=(),
        )  # fmt: skip

    monkeypatch.setattr("tokenroof.engines.registry.pick", pick)
    monkeypatch.setattr(calibrating, "SystemClock", lambda: clock)
    monkeypatch.setattr(calibrating, "measure_read_bandwidth", bandwidth)
    monkeypatch.setattr(
        "tokenroof.api.setup.surroundings", lambda *_: Surroundings([], clock, None)
    )
    monkeypatch.setattr(measuring, "write_model", write_header)
    # The quick design cannot tell rows from bytes, whose rates would take theirs in.
    monkeypatch.setitem(DECODE, "rows", 0.0)
    return engine


def stop_at(engine: Any, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """Ctrl-C at the run of this number, of an engine or of a class of engines."""
    run, count = engine.run, 0

    def stopping(*given: Any) -> Any:
        nonlocal count
        count += 1
        if count == number:
            raise KeyboardInterrupt
        return run(*given)

    monkeypatch.setattr(engine, "run", stopping)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_machine_is_learnt_and_its_page_fits_80_columns(
    tokenroof: Tokenroof, machine: KnownMachine, language: str
) -> None:
    outcome = tokenroof("--lang", language, "calibrate", "--threads", "2")
    assert outcome.code == 0
    assert all(wide.width(line) <= 80 for line in outcome.out.splitlines() if "/" not in line)
    # The known machine reads Q8_0 at 1 / 2.8e-11 B/s, of 60 GB/s measured: 60 %.
    row = next(line.split() for line in outcome.out.splitlines() if line.split()[:1] == ["Q8_0"])
    assert row[1:5] == ["35.7", "GB/s", "60", "%"]
    assert len(outcome.err.splitlines()) == len(trials("quick"))
    assert tokenroof("--lang", language, "calibrate", "--show").out == outcome.out


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_model_is_named_in_one_line_of_80_columns(
    tokenroof: Tokenroof, machine: KnownMachine, tmp_path: Path, language: str
) -> None:
    assert tokenroof("calibrate").code == 0
    path = next((tmp_path / "data" / "profiles").glob("*.json"))
    profile = json.loads(path.read_bytes())
    # The longest names that there are, the longest part and a time of five cells.
    names = sorted({each.shape.name for each in trials("full")}, key=len)[-4:]
    rows = [{**profile["measured"][0], "shape": name, "depth": 8205.5} for name in names]
    for row in rows:
        row |= {"decode_seconds": 0.0245, "decode_parts": {"cache_bytes": 0.76, "layer": 0.24}}
    path.write_text(json.dumps(profile | {"measured": rows}))
    shown = tokenroof("--lang", language, "calibrate", "--show").out.splitlines()
    for name in names:
        line = next(line for line in shown if name in line)
        assert "attention 76 %" in line
        assert "24.5 ms" in line
        assert "8,206" in line
    assert not any("…" in line for line in shown)


def test_the_document_is_the_profile(tokenroof: Tokenroof, machine: KnownMachine) -> None:
    document = json.loads(tokenroof("calibrate", "--json").out)
    check(document, "profile")
    assert document["engine"]["name"] == "embedded"
    assert document["bandwidth_bytes_per_second"] == 60e9
    assert document["decode"]["seconds"]["bytes:F16"] == pytest.approx(2.4e-11, rel=0.01)
    assert document == json.loads(tokenroof("calibrate", "--show", "--json").out)


def test_a_stopped_calibration_says_how_to_go_on_and_does(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stop_at(machine, monkeypatch, 8)
    outcome = tokenroof("calibrate")
    assert outcome.code == 130
    assert "tokenroof calibrate --quick --resume" in outcome.err
    folder = tmp_path / "data" / "profiles"
    assert [each.name for each in folder.iterdir()] == ["embedded-quick.jsonl"]
    # A kill in the middle of a line leaves a torn one; what it was about is measured again.
    with (folder / "embedded-quick.jsonl").open("ab") as file:
        file.write(b'{"number": 9, "shape": "anch')
    loaded = len(machine.loaded)
    assert tokenroof("calibrate", "--resume").code == 0
    # Three runs a model: the third one was stopped, so two were kept.
    assert len(machine.loaded) - loaded == len(trials("quick")) - 2
    assert [each.suffix for each in folder.iterdir()] == [".json"]


def test_nothing_to_go_on_with_other_threads(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tokenroof("calibrate", "--resume").code == 2

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(machine, "run", stop)
    assert tokenroof("calibrate", "--threads", "2").code == 130
    outcome = tokenroof("calibrate", "--threads", "3", "--resume")
    assert outcome.code == 2
    assert "start one without --resume" in outcome.err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("--quick", "--full"), 2, "give one of them"),
        (("--engine", "openai"), 2, "Choose one of embedded, llama-server, llama-bench, ollama"),
        (("--show", "--engine", "openai"), 2, "Choose one of"),
        (
            ("--show", "--engine", "llama-bench"),
            3,
            "run 'tokenroof calibrate --engine llama-bench'",
        ),
        (("--show", "--resume"), 2, "--resume has no meaning beside it"),
        (("--show", "--threads", "2"), 2, "--threads has no meaning beside it"),
        (("--show", "--full"), 2, "--full has no meaning beside it"),
        (("--show", "--quick"), 2, "--quick has no meaning beside it"),
        (("--show", "--engine-program", "x"), 2, "--engine-program has no meaning beside it"),
        (("--show",), 3, "run 'tokenroof calibrate'"),
        (("--threads", "0"), 2, "not a whole number from 1 on"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(
    tokenroof: Tokenroof, arguments: tuple[str, ...], code: int, said: str
) -> None:
    outcome = tokenroof("calibrate", *arguments)
    assert outcome.code == code
    assert said in outcome.err
    assert outcome.err.count("\n") == 1


def test_what_goes_on_names_the_engine_and_threads_that_were_asked_for(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(machine, monkeypatch, 8)
    outcome = tokenroof("calibrate", "--full", "--threads", "2", "--engine", "llama-bench",
                        "--engine-program", "a b/llama-bench")  # fmt: skip
    assert outcome.code == 130
    assert (
        "tokenroof calibrate --full --resume --engine llama-bench --engine-program "
        "'a b/llama-bench' --threads 2 goes on" in outcome.err
    )


def test_stopped_before_the_first_model_nothing_is_said_to_be_kept(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stop_at(machine, monkeypatch, 2)
    outcome = tokenroof("calibrate")
    assert outcome.code == 130
    assert "kept" not in outcome.err
    assert list((tmp_path / "data" / "profiles").iterdir()) == []


def test_what_was_kept_is_not_thrown_away_in_silence_nor_at_once(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(machine, monkeypatch, 8)
    assert tokenroof("calibrate", "--threads", "2").code == 130
    stop_at(machine, monkeypatch, 1)
    outcome = tokenroof("calibrate", "--threads", "2")  # three runs a model: two are kept
    assert "2 models of a calibration that was stopped will be measured again" in outcome.err
    assert "tokenroof calibrate --quick --resume --threads 2 goes on" in outcome.err
    stop_at(machine, monkeypatch, 1)
    outcome = tokenroof("calibrate", "--threads", "3")
    assert "2 models of a calibration that was stopped had other conditions" in outcome.err
    assert "goes on" not in outcome.err
    monkeypatch.setattr(machine, "run", KnownMachine.run.__get__(machine))
    loaded = len(machine.loaded)
    assert tokenroof("calibrate", "--threads", "2", "--resume").code == 0
    assert len(machine.loaded) - loaded == len(trials("quick")) - 2


@pytest.mark.parametrize(
    ("line", "with_"),
    [
        (1, b"\xff\xfe{"),
        (1, b'{"number": 99, "shape": "anchor"}'),
        (1, b'{"number": -1, "shape": "anchor"}'),
        (1, b"[" * 100_000),
        (1, b""),
    ],
)
def test_a_broken_line_of_the_journal_is_measured_again(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path, line: int, with_: bytes,
) -> None:  # fmt: skip
    stop_at(machine, monkeypatch, 8)
    tokenroof("calibrate")
    journal = tmp_path / "data" / "profiles" / "embedded-quick.jsonl"
    lines = journal.read_bytes().splitlines()
    lines[line] = with_
    journal.write_bytes(b"\n".join(lines) + b"\n")
    loaded = len(machine.loaded)
    monkeypatch.setattr(machine, "run", KnownMachine.run.__get__(machine))
    assert tokenroof("calibrate", "--resume").code == 0
    assert len(machine.loaded) - loaded == len(trials("quick")) - 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"decode_seconds":', b'"decode_seconds":-'),
        (b'"shape":"anchor"', b'"shape":"another"'),
        (b'"design":"', b'"design":"x'),
        (b'"shape":"anchor","prompt_tokens":', b'"shape":"nonesuch","prompt_tokens":'),
        (b'"decode_seconds":', b'"decode_seconds":1e300,"x":'),
        (b'"load_seconds":', b'"load_seconds":-'),
        (b'"load_seconds":', b'"load_seconds":1e-320,"x":'),
        (b'"loaded_bytes":', b'"loaded_bytes":-'),
    ],
)
def test_a_journal_of_something_else_is_not_believed(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path, old: bytes, new: bytes,
) -> None:  # fmt: skip
    stop_at(machine, monkeypatch, 8)
    tokenroof("calibrate")
    journal = tmp_path / "data" / "profiles" / "embedded-quick.jsonl"
    journal.write_bytes(journal.read_bytes().replace(old, new))
    loaded = len(machine.loaded)
    monkeypatch.setattr(machine, "run", KnownMachine.run.__get__(machine))
    outcome = tokenroof("calibrate", "--resume")
    measured = len(machine.loaded) - loaded
    assert (outcome.code, measured) == (2, 0) or measured >= len(trials("quick")) - 1


def test_two_calibrations_at_once_are_refused(
    tokenroof: Tokenroof, machine: KnownMachine, tmp_path: Path
) -> None:
    folder = tmp_path / "data" / "profiles"
    folder.mkdir(parents=True)
    with held(folder / "calibrating.lock") as ours:
        assert ours
        outcome = tokenroof("calibrate")
    assert outcome.code == 2
    assert "wait until it is done" in outcome.err
    assert machine.loaded == []
    assert tokenroof("calibrate").code == 0


def test_a_disk_that_fills_says_what_is_kept_and_leaves_no_model(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(shape: Shape, path: Path) -> int:
        if shape.name == "type-Q8_0":
            raise OutputError("calibrate.not_written", path=str(path), reason="No space left")
        return write_header(shape, path)

    monkeypatch.setattr(measuring, "write_model", full)
    outcome = tokenroof("calibrate")
    assert outcome.code == 3
    assert "tokenroof calibrate --quick --resume goes on" in outcome.err
    assert "Make room" in outcome.err
    names = [each.name for each in (tmp_path / "data" / "profiles").iterdir()]
    assert names == ["embedded-quick.jsonl"]


def test_a_place_that_cannot_be_written_to_is_told_before_an_engine_is_started(
    tokenroof: Tokenroof, machine: KnownMachine, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir(exist_ok=True)
    (tmp_path / "data" / "profiles").write_text("in the way", encoding="utf-8")
    outcome = tokenroof("calibrate")
    assert outcome.code == 3
    assert outcome.err.count("\n") == 1
    assert machine.loaded == []


def test_a_profile_of_another_machine_answers_by_name(
    tokenroof: Tokenroof, machine: KnownMachine, tmp_path: Path
) -> None:
    model = tmp_path / "m.gguf"
    write_header(trials("quick")[0].shape, model)
    document = json.loads(tokenroof("calibrate", "--json").out)
    document["machine"]["cpu_name"] = "Other 9"
    profile = tmp_path / "other.json"
    profile.write_text(json.dumps(document), encoding="utf-8")
    outcome = tokenroof("estimate", model, "--on", "here", "--profile", profile, "--json")
    (row,) = json.loads(outcome.out)["rows"]
    # The known machine is said to read 60 GB/s; nothing is measured here for another one.
    assert (row["device"], row["bandwidth_bytes_per_s"]) == ("Other 9", 60e9)
    assert row["basis"] == "calibrated"
    document["decode"]["seconds"]["bytes:F16"] = -1
    profile.write_text(json.dumps(document), encoding="utf-8")
    outcome = tokenroof("estimate", model, "--on", "here", "--profile", profile)
    assert outcome.code == 3
    assert "is no profile" in outcome.err


def test_show_takes_the_newest_profile_of_the_engine_that_is_named(
    tokenroof: Tokenroof, machine: KnownMachine, tmp_path: Path
) -> None:
    document = json.loads(tokenroof("calibrate", "--json").out)
    other = document | {
        "id": "other",
        "created": "2025-01-01T00:00:00+00:00",
        "engine": {"name": "llama-server"},
    }
    (tmp_path / "data" / "profiles" / "other.json").write_text(json.dumps(other), encoding="utf-8")
    found = [
        json.loads(tokenroof("calibrate", "--show", "--engine", name, "--json").out)["id"]
        for name in ("embedded", "llama-server")
    ]
    assert found == [document["id"], "other"]


def test_a_type_that_no_model_holds_much_of_is_not_told(
    tokenroof: Tokenroof, machine: KnownMachine
) -> None:
    page = tokenroof("calibrate").out
    # Norms and the choice of experts, about 1 part in 50 at most; in the document all the same.
    assert not any(line.split()[:1] == ["F32"] for line in page.splitlines())
    document = tokenroof("calibrate", "--show", "--json").out
    profile = msgspec.json.decode(document, type=Profile)
    assert profile.decode is not None
    assert profile.decode.seconds["bytes:F32"] > 0
    rates = profile_figures(profile, "en")[0]
    shown = [row.get("type") for each in rates.spec["datasets"].values() for row in each]
    assert "F16" in shown
    assert "F32" not in shown


def test_a_program_that_a_person_names_is_not_looked_for_on_the_path_later(
    tokenroof: Tokenroof, machine: KnownMachine
) -> None:
    found = [
        json.loads(tokenroof("calibrate", *given, "--json").out)["engine"].get("program")
        for given in ((), ("--engine-program", "./llama-server"))
    ]
    assert found == [None, "named"]


@pytest.fixture
def ollama(monkeypatch: pytest.MonkeyPatch, machine: KnownMachine) -> Iterator[Simulator]:
    """A running Ollama, and a calibration of three small models."""
    small = replace(BASE, layers=2, width=256, feed_forward=512, heads=4, kv_heads=2)
    design = tuple(
        replace(trial, shape=replace(small, name=trial.shape.name, type_name=type_name))
        for trial, type_name in zip(trials("quick"), ("Q4_K", "F16", "Q8_0"), strict=False)
    )
    monkeypatch.setattr(calibrating, "trials", lambda _: design)
    world = World(characters_per_token=1.0, template_tokens=1)
    with Simulator(world) as running:
        monkeypatch.setenv("TOKENROOF_OLLAMA_URL", running.url)
        yield running


def test_an_ollama_is_learnt_by_models_that_it_is_given_and_keeps_none(
    tokenroof: Tokenroof, ollama: Simulator, tmp_path: Path
) -> None:
    outcome = tokenroof("calibrate", "--engine", "ollama", "--json")
    assert outcome.code == 0
    first, *rest = outcome.err.splitlines()
    assert f"Ollama at {ollama.url} is given 3 models one after the other, " in first
    assert len(rest) == 3
    document = json.loads(outcome.out)
    check(document, "profile")
    assert (document["engine"]["name"], document["engine"]["place"]) == ("ollama", "cpu")
    assert document["skipped"] == []
    assert [each.name for each in ollama.world.models] == ["sim:latest"]
    assert not ollama.world.blobs
    assert not ollama.world.loaded
    names = [each.suffix for each in (tmp_path / "data" / "profiles").iterdir()]
    assert names == [".json"]  # the profile; no note of models is left


def test_an_ollama_that_is_stopped_by_ctrl_c_keeps_none_and_is_gone_on_with(
    tokenroof: Tokenroof, ollama: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_at(OllamaOfFiles, monkeypatch, 5)
    outcome = tokenroof("calibrate", "--engine", "ollama")
    assert outcome.code == 130
    assert "tokenroof calibrate --quick --resume --engine ollama goes on" in outcome.err
    assert [each.name for each in ollama.world.models] == ["sim:latest"]
    assert ollama.world.blobs == {}
    outcome = tokenroof("calibrate", "--engine", "ollama", "--resume")
    assert outcome.code == 0
    assert "is given 2 models" in outcome.err


def test_what_a_killed_calibration_left_in_an_ollama_is_removed_by_the_next_one(
    tokenroof: Tokenroof, ollama: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Killed: whatever would be done at the end is not.
    with monkeypatch.context() as dying:
        dying.setattr(OllamaOfFiles, "_remove", lambda _: None)
        dying.setattr(OllamaOfFiles, "run", _stop)
        assert tokenroof("calibrate", "--engine", "ollama").code == 130
    assert len(ollama.world.models) == 2
    # Of another engine, as a person may never ask Ollama again.
    outcome = tokenroof("calibrate", "--engine", "embedded")
    assert "1 temporary model of a calibration that was killed was removed" in outcome.err
    assert [each.name for each in ollama.world.models] == ["sim:latest"]


def _stop(*_: object) -> None:
    raise KeyboardInterrupt


def test_what_an_ollama_keeps_all_the_same_is_said(tokenroof: Tokenroof, ollama: Simulator) -> None:
    ollama.world.copies_changed = True
    outcome = tokenroof("calibrate", "--engine", "ollama")
    assert outcome.code == 0
    assert "of what it was given, though the models are gone" in outcome.err.splitlines()[-1]


def test_an_ollama_on_a_gpu_or_elsewhere_tells_nothing_of_this_processor(
    tokenroof: Tokenroof, ollama: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    ollama.world.has_gpu = True
    outcome = tokenroof("calibrate", "--engine", "ollama")
    assert outcome.code == 2
    assert "ollama does not compute on this machine's processor alone" in outcome.err
    assert [each.name for each in ollama.world.models] == ["sim:latest"]
    monkeypatch.setenv("TOKENROOF_OLLAMA_URL", "http://10.1.2.3:11434")
    outcome = tokenroof("calibrate", "--engine", "ollama")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "http://10.1.2.3:11434 is on another machine" in outcome.err


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("ending", ["png", "svg", "html"])
def test_what_was_learnt_is_drawn_in_every_format(
    tokenroof: Tokenroof, machine: KnownMachine, tmp_path: Path, language: str, ending: str
) -> None:
    path = tmp_path / f"profile.{ending}"
    tokenroof("calibrate", "--json")
    outcome = tokenroof("--lang", language, "calibrate", "--show", "--chart", path)
    assert (outcome.code, outcome.err.count("\n")) == (0, 1)
    drawn = path.read_bytes()
    if ending == "png":
        assert drawn.startswith(b"\x89PNG")
        return
    text = drawn.decode()
    # Q8_0 is read at 35.7 GB/s of 60: 60 %; the fit explains the known machine without a rest.
    assert "35.7 GB/s · 60 %" in text
    assert {"en": "overhead", "ja": "オーバーヘッド"}[language] in text


def test_a_picture_of_another_ending_is_refused_before_anything_is_measured(
    tokenroof: Tokenroof, machine: KnownMachine
) -> None:
    outcome = tokenroof("calibrate", "--chart", "profile.pdf")
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert machine.loaded == []


def test_the_charts_hold_what_was_learnt(tokenroof: Tokenroof, machine: KnownMachine) -> None:
    document = tokenroof("calibrate", "--json").out
    profile = msgspec.json.decode(document, type=Profile)
    rates, residuals, parts = profile_figures(profile, "en")
    rows = [row for each in rates.spec["datasets"].values() for row in each]
    # By hand: 1 / 2.4e-11 B/s is 41.7 GB/s, the fastest of the stored types but F32's.
    assert next(row for row in rows if row.get("type") == "F16")["rate"] == pytest.approx(
        41.7, 0.01
    )
    assert {"rate": 60.0} in rows
    ratios = [row["ratio"] for each in residuals.spec["datasets"].values() for row in each]
    assert len(ratios) == 1 + 2 * len(profile.measured)  # a line at one, and both phases
    assert max(abs(ratio - 1) for ratio in ratios) < 0.05
    shares = [row for each in parts.spec["datasets"].values() for row in each]
    for model in {row["model"] for row in shares}:
        whole = sum(row["share"] for row in shares if row["model"] == model)
        assert whole == pytest.approx(100)


def test_why_a_model_was_skipped_is_said_in_the_persons_language(
    tokenroof: Tokenroof, machine: KnownMachine
) -> None:
    machine.refuses = "MXFP4"
    said = EngineRefused("engines.prompt_empty").text("ja")
    assert said in tokenroof("--lang", "ja", "calibrate").err


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_terminal_is_told_what_is_waited_for_and_then_the_time_that_is_left(
    language: str,
) -> None:
    def drawn() -> str:
        text = out.getvalue()
        out.seek(0)
        out.truncate()
        return " ".join(text.split())

    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=200, _environ={})
    with Live(console=console, auto_refresh=False) as live:
        seen = profile_page._Live(language, live)
        seen.beside("calibrate.reading_memory")
        assert words.text("calibrate.reading_memory", language) in drawn()
        seen.trial(2, 44, "anchor", 90.0)
        assert "1 min 30 s" in drawn()
        seen.waiting(12.0, (Notice("quiet.busy", {"source": "CPU", "share": "40 %"}),))
        waiting = drawn()
        assert "40 %" in waiting
        assert "12 s" in waiting
        assert "1 min 30 s" not in waiting
        seen.measuring()
        assert "1 min 30 s" in drawn()


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_was_not_told_apart_and_what_was_skipped_are_said_apart_and_in_words(
    tokenroof: Tokenroof, machine: KnownMachine, tmp_path: Path, language: str
) -> None:
    assert tokenroof("calibrate").code == 0
    path = next((tmp_path / "data" / "profiles").glob("*.json"))
    profile = json.loads(path.read_bytes())
    profile["decode"]["not_learnt"] = ["rows", "bytes:Q5_1", "of_tomorrow"]
    profile["skipped"] = ["type-MXFP4"]
    path.write_text(json.dumps(profile))
    said = " ".join(tokenroof("--lang", language, "calibrate", "--show").out.split())
    kinds = {
        "en": "rows of matrices, weights in Q5_1, of_tomorrow.",
        "ja": "行列の行, Q5_1 の重み, of_tomorrow。",
    }
    assert kinds[language].replace(" ", "") in said.replace(" ", "")
    models = words.text("calibrate.not_run", language, models="type-MXFP4")
    assert models.replace(" ", "") in said.replace(" ", "")
