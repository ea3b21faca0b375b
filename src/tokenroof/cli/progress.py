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

    from tokenroof.cli.keeping import Kept
    from tokenroof.engines.base import Step
    from tokenroof.measure.plan import Plan, Unit
    from tokenroof.notices import Notice
    from tokenroof.records import Run


@contextmanager
def shown(language: str, kept: Kept) -> Iterator[CampaignObserver]:
    """An observer for as long as the block runs; what it drew is wiped off at the end.

    Args:
        language: to speak.
        kept: is told which runs are kept.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress as Bar, TextColumn

    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    # Not `is_terminal`: whoever forces colours on a log does not want a moving line in it.
    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield Lines(language, kept)
        return
    text = TextColumn("{task.description}", markup=False)
    with Bar(
        BarColumn(bar_width=16), text, console=console, transient=True, auto_refresh=False
    ) as bar:
        yield Live(language, kept, bar)


DRAW_SECONDS = 1.0
"""Within a run, no more often than this."""


class Lines(SilentObserver):
    """One line for each thing that a log should keep."""

    def __init__(self, language: str, kept: Kept) -> None:
        self.language = language
        self.kept = kept

    def planned(self, campaign: str, plan: Plan, runs_before: int) -> None:
        """How to go on, said now: whoever finds the campaign killed has nothing else."""
        way = self.kept.begun(campaign, runs_before)
        if way is not None:
            self._keep(words.text(way.beginning, self.language))
            self._keep_line("  " + way.command)

    def loading(self, model: str, progress: Progress) -> None:
        """The model is being loaded."""
        streams.say(words.text("cli.loading", self.language))

    def warming(self, run: int, at_most: int, progress: Progress) -> None:
        """A run that is not measured, and what comes after it."""
        follow = progress.runs_expected - progress.runs_done
        parts = [
            words.text("cli.warming", self.language, run=run, most=at_most),
            words.text("cli.runs_follow", self.language, runs=follow),
            *_left(progress, self.language),
        ]
        streams.say(" · ".join(parts))

    def run_finished(self, run: Run, progress: Progress) -> None:
        """A run with its two rates, or why it does not count."""
        self.kept.one_more()
        streams.say(_of_run(run, progress, self.language))

    def noticed(self, notice: Notice) -> None:
        """Something to know, in full."""
        self._keep(notice.text(self.language))

    def finished(self, campaign: str) -> None:
        """The campaign has all its runs."""
        self.kept.finished = True

    def _keep(self, text: str) -> None:
        """Something that stays to be read."""
        streams.say(text)

    def _keep_line(self, text: str) -> None:
        """The same for what must not be broken into lines."""
        streams.say(text)


class Live(Lines):
    """One line that says what happens now and how long it still takes."""

    def __init__(self, language: str, kept: Kept, bar: Bar) -> None:
        super().__init__(language, kept)
        self.bar = bar
        self.task = bar.add_task("", total=None)
        self.count = ""
        self.left = ""
        self.drawn = 0.0

    def loading(self, model: str, progress: Progress) -> None:
        """The model is being loaded."""
        self._count(progress)
        self._now("cli.loading")

    def warming(self, run: int, at_most: int, progress: Progress) -> None:
        """A run that is not measured."""
        self._count(progress)
        self._now("cli.warming", run=run, most=at_most)

    def warming_step(self, run: int, at_most: int, step: Step) -> None:
        """Within it, once in a while."""
        if self._drawn_just_now:
            return
        message = "cli.warming_reading" if step.phase == "prefill" else "cli.warming_writing"
        self._now(message, run=run, most=at_most, done=count(step.done), total=count(step.total))

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
        if self._drawn_just_now:
            return
        message = "cli.reading" if step.phase == "prefill" else "cli.writing"
        self._now(
            message, tokens=count(unit.length), done=count(step.done), total=count(step.total)
        )

    def run_finished(self, run: Run, progress: Progress) -> None:
        """The bar moves on; a run that does not count stays to be read."""
        self.kept.one_more()
        self._count(progress)
        if run.excluded is not None:
            self._keep(_of_run(run, progress, self.language))

    def _keep(self, text: str) -> None:
        """Something that stays to be read, above the bar."""
        for line in wide.wrap(text, self.bar.console.width):
            self.bar.console.print(line)

    def _keep_line(self, text: str) -> None:
        """The same for what must not be broken into lines."""
        self.bar.console.print(text, soft_wrap=True)

    @property
    def _drawn_just_now(self) -> bool:
        return self.bar.get_time() - self.drawn < DRAW_SECONDS

    def _count(self, progress: Progress) -> None:
        for left in _left(progress, self.language):
            self.left = " · " + left
        self.count = f"{progress.runs_done}/{progress.runs_expected} "
        self.bar.update(self.task, completed=progress.runs_done, total=progress.runs_expected)

    def _now(self, message: str, **values: object) -> None:
        text = words.text(message, self.language, **values)
        self.bar.update(self.task, description=self.count + text + self.left, refresh=True)
        self.drawn = self.bar.get_time()


def _left(progress: Progress, language: str) -> list[str]:
    """The time that is left; the time that was given, where nothing is known of the other yet."""
    if progress.remaining_seconds is None:
        budget = progress.budget_seconds
        if budget is None:
            return []
        return [words.text("cli.time_given", language, budget=duration(budget))]
    return [words.text("cli.time_left", language, left=duration(progress.remaining_seconds))]


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
