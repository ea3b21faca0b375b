"""`tokenroof calibrate`: a machine is learnt, shown in both languages, and gone on with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import Tokenroof
from support.known_machine import KnownMachine, write_header
from support.schemas import check
from tokenroof.api import calibrating
from tokenroof.calibrate import measuring
from tokenroof.calibrate.design import trials
from tokenroof.cli import wide
from tokenroof.clock import FakeClock
from tokenroof.engines.options import EngineOptions
from tokenroof.hardware.bandwidth import ReadBandwidth
from tokenroof.measure.surroundings import Surroundings


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
    return engine


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


def test_the_document_is_the_profile(tokenroof: Tokenroof, machine: KnownMachine) -> None:
    document = json.loads(tokenroof("calibrate", "--json").out)
    check(document, "calibrate")
    assert document["engine"]["name"] == "embedded"
    assert document["bandwidth_bytes_per_second"] == 60e9
    assert document["decode"]["seconds"]["bytes:F16"] == pytest.approx(2.4e-11, rel=0.01)
    assert document == json.loads(tokenroof("calibrate", "--show", "--json").out)


def test_a_stopped_calibration_says_how_to_go_on_and_does(
    tokenroof: Tokenroof, machine: KnownMachine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run, count = machine.run, 0

    def stopping(*given: object) -> object:
        nonlocal count
        count += 1
        if count == 12:
            raise KeyboardInterrupt
        return run(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(machine, "run", stopping)
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
    # Five runs a model: the third one was stopped, so two were kept.
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
        (("--engine", "ollama"), 2, "Choose one of embedded, llama-server, llama-bench"),
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
