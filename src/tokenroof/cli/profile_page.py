"""A profile as a person reads it: how sure, the rates, and what dominates in each model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tokenroof import words
from tokenroof.calibrate.observer import Observer
from tokenroof.cli import streams, wide
from tokenroof.cli.screen import Screen
from tokenroof.errors import EngineError
from tokenroof.notices import Notice
from tokenroof.predict.learnt.profile import Measured, Profile
from tokenroof.predict.learnt.profile_types import told_types
from tokenroof.predict.learnt.work import BYTES_OF, FLOP_OF, by_part
from tokenroof.safetext import printable
from tokenroof.units import (
    bandwidth,
    count,
    duration,
    milliseconds,
    operations,
    percent,
    significant,
)

_WORKS = {
    "cache_bytes": ("calibrate.work_cache_bytes", 1e9),
    "pieces": ("calibrate.work_pieces", 1e6),
    "attention_flop": ("calibrate.work_attention_flop", 1e9),
    "scores": ("calibrate.work_scores", 1e6),
    "rows": ("calibrate.work_rows", 1e6),
    "logits": ("calibrate.work_logits", 1e5),
    "vectors": ("calibrate.work_vectors", 1),
    "layer": ("calibrate.work_layer", 1),
    "expert_layer": ("calibrate.work_expert_layer", 1),
    "expert_bytes": ("calibrate.work_expert_bytes", 1e9),
    "step": ("calibrate.work_step", 1),
}
"""The kinds of work of a token that are shown, and how many units each sentence is about."""

_KINDS = {
    "cache_bytes": "calibrate.kind_cache_bytes",
    "pieces": "calibrate.kind_pieces",
    "attention_flop": "calibrate.kind_attention_flop",
    "scores": "calibrate.kind_scores",
    "rows": "calibrate.kind_rows",
    "logits": "calibrate.kind_logits",
    "vectors": "calibrate.kind_vectors",
    "layer": "calibrate.kind_layer",
    "expert_layer": "calibrate.kind_expert_layer",
    "expert_bytes": "calibrate.kind_expert_bytes",
    "step": "calibrate.kind_step",
}
"""The same by name alone."""

_PARTS = {
    "weights": "calibrate.part_weights",
    "cache": "calibrate.part_cache",
    "overhead": "calibrate.part_overhead",
}


@contextmanager
def progress(language: str) -> Iterator[Observer]:
    """Tells a terminal what is measured now and how long it still takes; a log, a line each."""
    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    if not sys.stderr.isatty() or console.is_dumb_terminal:
        yield _Lines(language)
        return
    # No thread draws in between: that would take time from what is measured on the same cores.
    with Live(console=console, transient=True, auto_refresh=False) as live:
        yield _Live(language, live)


class _Lines(Observer):
    """One line for each thing that a log should keep."""

    def __init__(self, language: str) -> None:
        self.language = language

    def trial(self, number: int, count: int, name: str, seconds_left: float | None) -> None:
        """A model begins."""
        self._now(_trial(number, count, name, seconds_left, self.language))

    def notice(self, notice: Notice) -> None:
        """Something to know."""
        self._keep(notice.text(self.language))

    def again(self, name: str) -> None:
        """A model is measured again."""
        self._keep(words.text("calibrate.again", self.language, name=name))

    def anew(self, count: int, *, can_resume: bool) -> None:
        """What a stopped calibration had is not gone on with."""
        message = "calibrate.anew" if can_resume else "calibrate.anew_unlike"
        self._keep(words.text(message, self.language, count=count))

    def died(self, name: str, problem: EngineError) -> None:
        """The engine is started once more."""
        reason = problem.text(self.language)
        self._keep(words.text("calibrate.died", self.language, name=name, reason=reason))

    def kept(self, command: str) -> None:
        """What went wrong is said elsewhere; this is what is left of it."""
        self._keep(words.text("calibrate.kept", self.language, command=command))

    def skipped(self, name: str, problem: EngineError) -> None:
        """A model could not be run."""
        reason = problem.text(self.language)
        self._keep(words.text("calibrate.skipped", self.language, name=name, reason=reason))

    def _now(self, text: str) -> None:
        streams.say(text)

    def _keep(self, text: str) -> None:
        streams.say(text)


class _Live(_Lines):
    """One line that lives."""

    def __init__(self, language: str, live: Live) -> None:
        super().__init__(language)
        self.live = live
        self.begun: dict[str, object] = {}
        self.line = ""

    def beside(self, message: str) -> None:
        """What is done before and after the models."""
        self._now(words.text(message, self.language))

    def trial(self, number: int, count: int, name: str, seconds_left: float | None) -> None:
        """A model begins."""
        self.begun = {"number": number, "count": count, "name": name}
        self.line = _trial(number, count, name, seconds_left, self.language)
        self.measuring()

    def waiting(self, seconds_left: float, reasons: tuple[Notice, ...]) -> None:
        """Nothing runs until the machine is quiet."""
        values = self.begun | {"patience": duration(seconds_left)}
        message = "calibrate.trial_waiting"
        if reasons:
            message = "calibrate.trial_waiting_for"
            values["reason"] = reasons[0].text(self.language)
        self._now(words.text(message, self.language, **values))

    def measuring(self) -> None:
        """The waiting is over."""
        self._now(self.line)

    def _now(self, text: str) -> None:
        self.live.update(Text(text), refresh=True)

    def kept(self, command: str) -> None:
        """The command is not broken into lines, or it could not be copied."""
        text = words.text("calibrate.kept", self.language, command=command)
        self.live.console.print(text, soft_wrap=True)

    def _keep(self, text: str) -> None:
        for line in wide.wrap(text, self.live.console.width):
            self.live.console.print(line)


def _trial(number: int, count: int, name: str, seconds_left: float | None, language: str) -> str:
    """Which model is measured, and the time that is left."""
    values: dict[str, object] = {"number": number, "count": count, "name": name}
    if seconds_left is None:
        return words.text("calibrate.trial", language, **values)
    return words.text("calibrate.trial_left", language, **values, left=duration(seconds_left))


def show(profile: Profile, language: str) -> None:
    """Print the page."""
    page = _Page(profile, language)
    page.head()
    page.types()
    page.other_work()
    page.models()
    page.end()


class _Page:
    """The parts of the page, in their order."""

    def __init__(self, profile: Profile, language: str) -> None:
        self.profile = profile
        self.language = language
        self.screen = Screen()

    def text(self, message: str, **values: object) -> str:
        return words.text(message, self.language, **values)

    def head(self) -> None:
        """Which machine and engine, and how well models are predicted."""
        profile = self.profile
        cpu = printable(str(profile.machine.get("cpu_name") or "?"))
        engine = " ".join(str(profile.engine.get(key) or "") for key in ("name", "version"))
        self.screen.title(self.text("calibrate.title", cpu=cpu, engine=printable(engine.strip())))
        for learnt, message in (
            (profile.decode, "calibrate.learnt_decode"),
            (profile.prefill, "calibrate.learnt_prefill"),
        ):
            if learnt is not None:
                spread, worst = percent(learnt.spread), percent(learnt.worst - 1)
                self.screen.say(self.text(message, spread=spread, worst=worst))
        if profile.drift is not None and profile.drift > 0.05:
            self.screen.say(self.text("calibrate.drift", drift=percent(profile.drift)))
        contended = sum(each.contended for each in profile.measured)
        if contended:
            values = {"count": contended, "all": len(profile.measured)}
            self.screen.say(self.text("calibrate.contended", **values))

    def types(self) -> None:
        """Each stored type: bytes a second in decode, operations a second in prefill."""
        decode = self.profile.decode.seconds if self.profile.decode else {}
        prefill = self.profile.prefill.seconds if self.profile.prefill else {}
        read = self.profile.bandwidth_bytes_per_second
        rows = []
        for name in told_types(self.profile):
            rate = 1 / decode[BYTES_OF + name]
            flop = prefill.get(FLOP_OF + name)
            rows.append(
                (
                    name,
                    bandwidth(rate),
                    "-" if read is None else percent(rate / read),
                    "" if read is None else self.screen.bar(rate / read, 10),
                    operations(1 / flop) if flop else "-",
                )
            )
        titles = [
            self.text("calibrate.heading_type"),
            self.text("calibrate.heading_bytes"),
            self.text("calibrate.heading_share"),
            "",
            self.text("calibrate.heading_flop"),
        ]
        self.screen.gap()
        self.screen.table(titles, rows, left=(0, 3))

    def other_work(self) -> None:
        """What is not weights."""
        if self.profile.decode is None:
            return
        rows = []
        for kind, (message, units) in _WORKS.items():
            rate = self.profile.decode.seconds.get(kind)
            if rate:
                rows.append((self.text(message), _time(rate * units)))
        headings = ("calibrate.heading_other", "calibrate.heading_costs")
        self.screen.gap()
        self.screen.table([self.text(each) for each in headings], rows)

    def models(self) -> None:
        """Every model that was measured, at its longest, and what the fit makes of it."""
        longest = {each.shape: each for each in self.profile.measured}
        rows = [
            (
                each.shape,
                count(round(each.depth)),
                milliseconds(each.decode_seconds),
                f"{each.decode_fitted / each.decode_seconds:.2f}",
                self._most(each),
            )
            for each in longest.values()
            if each.decode_fitted
        ]
        headings = (
            "calibrate.heading_model",
            "calibrate.heading_depth",
            "calibrate.heading_measured",
            "calibrate.heading_fitted",
            "calibrate.heading_most",
        )
        self.screen.gap()
        self.screen.table([self.text(each) for each in headings], rows)

    def _most(self, measured: Measured) -> str:
        """What takes the most of a token's time, and how much of it."""
        parts = by_part(measured.decode_parts)
        most = max(parts, key=lambda each: parts[each])
        share = percent(parts[most] / (sum(parts.values()) or 1))
        return f"{self.text(_PARTS[most])} {share}"

    def _kind(self, kind: str) -> str:
        """A kind of work by name; as it stands in the file where it is not known here."""
        if kind.startswith(BYTES_OF):
            return self.text("calibrate.kind_type", type=kind.removeprefix(BYTES_OF))
        return self.text(_KINDS[kind]) if kind in _KINDS else kind

    def end(self) -> None:
        """What was not learnt, and where the profile lies."""
        unlearnt = () if self.profile.decode is None else self.profile.decode.not_learnt
        if unlearnt:
            kinds = ", ".join(map(self._kind, unlearnt))
            self.screen.say(self.text("calibrate.not_learnt", kinds=kinds))
        if self.profile.skipped:
            models = ", ".join(self.profile.skipped)
            self.screen.say(self.text("calibrate.not_run", models=models))
        from tokenroof.predict.learnt.profiles import profiles_folder

        path = printable(str(profiles_folder() / f"{self.profile.id}.json"))
        self.screen.say(self.text("calibrate.saved", path=path))


def _time(seconds: float) -> str:
    return milliseconds(seconds) if seconds >= 1e-4 else f"{significant(seconds * 1e6)} µs"
