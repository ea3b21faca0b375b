"""What a person sees on standard error while a campaign runs.

On a terminal one line that lives, with the time that is left; elsewhere (a log, a pipe, a dumb
terminal) one plain line a run. Drawing takes time from an engine that computes on the same
processor, so within a run it is done once a second, and no thread draws in between.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokenroof import words
from tokenroof.cli import streams, wide
from tokenroof.measure.observer import CampaignObserver, Progress, SilentObserver
from tokenroof.units import count, duration, rate

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from tokenroof.engines.base import Step
    from tokenroof.measure.plan import Unit
    from tokenroof.notices import Notice
    from tokenroof.records import Run


@contextmanager
def shown(language: str) -> Iterator[CampaignObserver]:
    """An observer for as long as the block runs; what it drew is wiped off at the end."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress as Bar, TextColumn

    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    # Not `is_terminal`: whoever forces colours on a log does not want a moving line in it.
    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield Lines(language)
        return
    text = TextColumn("{task.description}", markup=False)
    with Bar(
        BarColumn(bar_width=16), text, console=console, transient=True, auto_refresh=False
    ) as bar:
        yield Live(language, bar)


DRAW_SECONDS = 1.0
"""Within a run, no more often than this."""


class Lines(SilentObserver):
    """One line for each thing that a log should keep."""

    def __init__(self, language: str) -> None:
        self.language = language

    def loading(self, model: str) -> None:
        """The model is being loaded."""
        streams.say(words.text("cli.loading", self.language))

    def run_finished(self, run: Run, progress: Progress) -> None:
        """A run with its two rates, or why it does not count."""
        streams.say(_of_run(run, progress, self.language))

    def noticed(self, notice: Notice) -> None:
        """Something to know, in full."""
        streams.say(notice.text(self.language))


class Live(Lines):
    """One line that says what happens now and how long it still takes."""

    def __init__(self, language: str, bar: Bar) -> None:
        super().__init__(language)
        self.bar = bar
        self.task = bar.add_task("", total=None)
        self.count = ""
        self.left = ""
        self.drawn = 0.0

    def loading(self, model: str) -> None:
        """The model is being loaded."""
        self._now("cli.loading")

    def warming(self, run: int) -> None:
        """A run that is not measured."""
        self._now("cli.warming")

    def waiting_quiet(
        self, waited_seconds: float, patience_seconds: float, reasons: tuple[Notice, ...]
    ) -> None:
        """Nothing runs until the machine is quiet."""
        left = duration(max(patience_seconds - waited_seconds, 0.0))
        if reasons:
            self._now("cli.waiting_for", reason=reasons[0].text(self.language), patience=left)
        else:
            self._now("cli.waiting_quiet", patience=left)

    def run_started(self, unit: Unit, progress: Progress) -> None:
        """A run begins; the bar says how many there were."""
        self._count(progress)
        self._now("cli.running", tokens=count(unit.length))

    def step(self, unit: Unit, step: Step) -> None:
        """Within the run, once in a while."""
        if self.bar.get_time() - self.drawn < DRAW_SECONDS:
            return
        message = "cli.reading" if step.phase == "prefill" else "cli.writing"
        self._now(
            message, tokens=count(unit.length), done=count(step.done), total=count(step.total)
        )

    def run_finished(self, run: Run, progress: Progress) -> None:
        """The bar moves on; a run that does not count stays to be read."""
        self._count(progress)
        if run.excluded is not None:
            self._keep(_of_run(run, progress, self.language))

    def noticed(self, notice: Notice) -> None:
        """Something to know, above the bar."""
        self._keep(notice.text(self.language))

    def _keep(self, text: str) -> None:
        """Something that stays to be read, above the bar."""
        for line in wide.wrap(text, self.bar.console.width):
            self.bar.console.print(line)

    def _count(self, progress: Progress) -> None:
        if progress.remaining_seconds is not None:
            left = duration(progress.remaining_seconds)
            self.left = " · " + words.text("cli.time_left", self.language, left=left)
        self.count = f"{progress.runs_done}/{progress.runs_expected} "
        self.bar.update(self.task, completed=progress.runs_done, total=progress.runs_expected)

    def _now(self, message: str, **values: object) -> None:
        text = words.text(message, self.language, **values)
        self.bar.update(self.task, description=self.count + text + self.left, refresh=True)
        self.drawn = self.bar.get_time()


def _of_run(run: Run, progress: Progress, language: str) -> str:
    prefill, decode = run.prefill_tokens_per_second, run.decode_tokens_per_second
    values = {
        "done": progress.runs_done,
        "expected": progress.runs_expected,
        "tokens": count(run.prompt.tokens or run.workload.prompt_target or 0),
        "prefill": "–" if prefill is None else rate(prefill),
        "decode": "–" if decode is None else rate(decode),
    }
    if run.excluded is not None:
        return words.text("cli.run_excluded", language, **values, reason=run.excluded)
    return words.text("cli.run_done", language, **values)
