"""What is drawn while a campaign runs, and where nothing is."""

from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.progress import BarColumn, Progress as Bar, TextColumn

from tokenroof.cli import progress
from tokenroof.cli.keeping import of_campaign, of_file, of_two
from tokenroof.cli.progress import Lines, Live
from tokenroof.engines.base import Step
from tokenroof.measure.observer import Progress
from tokenroof.measure.plan import Unit, make_plan
from tokenroof.notices import Notice
from tokenroof.records import Output, Prompt, Run, RunEngine, RunModel, Settings

UNIT = Unit(
    model="m", engine="e", settings=Settings(), length=4096, output_tokens=128, round=1, seed=1
)

PLAN = make_plan("m.gguf", "e", lengths=[512])


def run(**others: object) -> Run:
    return Run(
        id="r",
        started=None,
        source="fake",
        model=RunModel(name="m"),
        engine=RunEngine(name="e"),
        prompt=Prompt(tokens=4096, seconds=4.096),
        output=Output(tokens=128, steps=128, seconds=2.0),
        **others,  # type: ignore[arg-type]
    )


class Terminal:
    """A terminal that keeps what was drawn, and a clock that is set by hand."""

    def __init__(self) -> None:
        self.file = io.StringIO()
        self.now = 100.0
        console = Console(file=self.file, force_terminal=True, width=80, color_system=None)
        text = TextColumn("{task.description}", markup=False)
        self.bar = Bar(
            BarColumn(), text, console=console, auto_refresh=False, get_time=lambda: self.now
        )

    def drawn(self) -> str:
        """What was drawn since this was last asked."""
        text = self.file.getvalue()
        self.file.seek(0)
        self.file.truncate()
        return text


def test_a_log_gets_one_plain_line_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines("en", of_campaign("bench"))
    lines.step(UNIT, Step(phase="decode", done=1, total=128))
    lines.run_finished(run(), Progress(3, 12, 60.0, 90.0))
    # 4,096 tokens in 4.096 s and 128 steps in 2 s
    assert capsys.readouterr().err == (
        "Run 3 of 12: 4,096 tokens, prefill 1000 tok/s, decode 64.0 tok/s\n"
    )


def test_a_run_that_does_not_count_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    Lines("en", of_campaign("bench")).run_finished(
        run(excluded="throttled"), Progress(3, 12, 60.0, None)
    )
    assert "not counted" in capsys.readouterr().err


def test_without_a_terminal_nothing_moves(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.shown("en", of_campaign("bench")) as observer:
        assert type(observer) is Lines
    assert capsys.readouterr().err == ""


def test_a_terminal_shows_what_happens_and_the_time_left() -> None:
    terminal = Terminal()
    with terminal.bar:
        live = Live("en", of_campaign("bench"), terminal.bar)
        live.loading("m", Progress(0, 12, 0.0, None))
        assert "0/12 Loading the model" in terminal.drawn()
        live.warming(1, 5, Progress(0, 12, 0.0, None, 300.0))
        assert "0/12 Warming up, run 1 of at most 5 · budget 5 min" in terminal.drawn()
        live.warming(2, 5, Progress(0, 12, 9.0, 80.0, 300.0))
        assert "0/12 Warming up, run 2 of at most 5 · 1 min 20 s left" in terminal.drawn()
        terminal.now += 1.5
        live.warming_step(2, 5, Step(phase="decode", done=9, total=128))
        assert "run 2 of at most 5: wrote 9 of 128 · 1 min 20 s left" in terminal.drawn()
        live.run_started(UNIT, Progress(3, 12, 60.0, 90.0))
        assert "3/12 4,096 tokens · 1 min 30 s left" in terminal.drawn()
        terminal.now += 1.5
        live.step(UNIT, Step(phase="decode", done=40, total=128))
        assert "wrote 40 of 128 · 1 min 30 s left" in terminal.drawn()


def test_within_a_run_it_draws_at_most_once_a_second() -> None:
    terminal = Terminal()
    with terminal.bar:
        live = Live("en", of_campaign("bench"), terminal.bar)
        live.run_started(UNIT, Progress(0, 12, 0.0, None))
        terminal.drawn()
        draws = 0
        for done in range(1, 101):
            terminal.now += 0.03  # 100 tokens in 3 seconds
            live.step(UNIT, Step(phase="decode", done=done, total=128))
            draws += bool(terminal.drawn())
        assert draws == 2


def test_what_should_be_read_stays_above_the_bar() -> None:
    terminal = Terminal()
    with terminal.bar:
        live = Live("en", of_campaign("bench"), terminal.bar)
        live.noticed(Notice("library.no_name"))
        live.run_finished(run(), Progress(1, 2, 1.0, 1.0))
        live.run_finished(run(excluded="throttled"), Progress(2, 2, 1.0, 0.0))
    text = terminal.drawn()
    assert "The model's name is empty" in text
    assert "Run 1 of 2" not in text
    assert "Run 2 of 2" in text


def test_each_way_to_measure_has_its_own_way_to_go_on() -> None:
    one, two, file = of_campaign("lab"), of_two(), of_file("my file.toml")
    for kept in (one, two, file):
        kept.begun("a", 0)
    assert one.now().command == "tokenroof lab --resume a"
    assert file.now().command == "tokenroof bench --campaign 'my file.toml'"
    assert two.now().command == "tokenroof report a"
    two.begun("b", 0)
    assert two.now().command == "tokenroof compare a b"
    one.finished = file.finished = True
    assert one.now().command == "tokenroof report a"
    assert file.now().command == "tokenroof bench --campaign 'my file.toml'"


def test_what_is_kept_is_counted_over_all_campaigns_and_a_command_said_once() -> None:
    kept = of_two()
    assert kept.begun("a", 0) is not None
    kept.one_more()
    assert kept.begun("b", 0) is not None
    kept.one_more()
    assert kept.begun("a", 1) is None  # the next block of the first one
    kept.one_more()
    assert kept.runs == {"a": 2, "b": 1}


def test_a_command_to_be_copied_is_never_broken_into_lines() -> None:
    terminal = Terminal()
    terminal.bar.console.width = 40
    with terminal.bar:
        Live("en", of_campaign("bench"), terminal.bar).planned("0" * 36, PLAN, 0)
    assert "  tokenroof bench --resume " + "0" * 36 in terminal.drawn()
