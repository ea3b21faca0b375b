"""Measure the models of a design, one after the other, each in a file that lives as long as that.

Each model is loaded, warmed up, and asked for all its lengths. Before a model the machine has to
be quiet; while it runs others are watched, and the cores are probed before and after. A model that
was disturbed is measured again, and one that is disturbed every time is kept and flagged. What is
measured is on the disk before the next model begins, so a calibration that is killed goes on where
it was.
"""

from __future__ import annotations

import contextlib
import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from tokenroof import units
from tokenroof.calibrate.design import Trial
from tokenroof.calibrate.observer import Observer
from tokenroof.calibrate.shapes import Shape
from tokenroof.calibrate.writer import file_bytes, write_model
from tokenroof.clock import Clock
from tokenroof.engines.base import Condition, Engine, Reply, Request, Sampler
from tokenroof.errors import (
    EngineDied,
    EngineError,
    EngineMissing,
    EngineRefused,
    OutputError,
    UsageError,
)
from tokenroof.measure.contention import SAME_SHARE
from tokenroof.measure.surroundings import Surroundings
from tokenroof.measure.watching import exclusion
from tokenroof.notices import Notice
from tokenroof.predict.learnt.profile import Measured
from tokenroof.records import Flag, Record, Settings
from tokenroof.safetext import printable

OUTPUT_TOKENS = 28
"""Ollama breaks an answer off whose tokens are the same 30 times, as random weights' may be."""

TRIES = 3
QUIET_SECONDS = 20.0
HOPELESS = 4
"""An engine that could run none of so many models, of several stored types, runs none at all."""

ROOM_BYTES = 64 * 2**20
"""Left free on the disk beside the largest model."""

UNREAD: frozenset[Flag] = frozenset({"prefill_implausible", "prefill_may_be_cached", "truncated"})
"""Flags of a reply before which not all of the prompt was read."""

_LETTERS = "abcdefghijklmnop"


class Taken(Record, frozen=True, kw_only=True):
    """What became of one trial: its figures, or the reason why there are none.

    Attributes:
        number: the trial's place in the design.
        shape: its name.
        measured: one a length.
        problem: what the engine said, where it could not run the model.
        loaded_bytes: size of the file, and `load_seconds` until it was ready.
        passes_per_second: the slowest that the cores were beside it.
    """

    number: int
    shape: str
    measured: tuple[Measured, ...] = ()
    problem: str | None = None
    loaded_bytes: int | None = None
    load_seconds: float | None = None
    passes_per_second: float | None = None


@dataclass
class Calibrator:
    """Measures trials.

    Attributes:
        engine: it is not closed here.
        settings: the context is set for each model.
        folder: where the models are written, one at a time, and removed.
        known_as: the folder that a person knows it by; None for its own name.
    """

    engine: Engine
    settings: Settings
    surroundings: Surroundings
    clock: Clock
    folder: Path
    observer: Observer
    known_as: Path | None = None
    _is_quiet: bool = field(default=False, init=False)
    _is_on_cpu: bool = field(default=False, init=False)

    def measure(
        self, trials: Sequence[Trial], before: Sequence[Taken], keep: Callable[[Taken], None]
    ) -> tuple[Taken, ...]:
        """Measure all trials that are not among those `before`.

        Args:
            keep: puts one away, safely, before the next begins.

        Raises:
            OutputError: a model cannot be written.
            UsageError: the engine does not compute on the processor.
            EngineError: no model could be run.
        """
        self._check_room([each.shape for each in trials])
        done = {each.number: each for each in before}
        self._pass(trials, [n for n in range(len(trials)) if n not in done], done, keep)
        # A disturbance from the first probe on shows once the cores have been faster.
        slow = self._slow(done.values())
        if slow:
            self.observer.notice(Notice("calibrate.faster_since", {"count": len(slow)}))
        self._pass(trials, slow, done, keep)
        return tuple(done[number] for number in sorted(done))

    def _pass(
        self,
        trials: Sequence[Trial],
        numbers: Sequence[int],
        done: dict[int, Taken],
        keep: Callable[[Taken], None],
    ) -> None:
        begun, spent = self.clock.monotonic(), 0.0
        last: EngineError | None = None
        refused: set[str] = set()
        for at, number in enumerate(numbers):
            trial = trials[number]
            if trial.shape.name in refused:
                continue
            rest = sum(trials[each].cost for each in numbers[at:])
            left = rest * (self.clock.monotonic() - begun) / spent if spent else None
            self.observer.trial(at + 1, len(numbers), trial.shape.name, left)
            try:
                done[number] = self._trial_or_again(number, trial)
            except EngineMissing:
                raise
            except EngineError as problem:
                self.observer.skipped(trial.shape.name, problem)
                failed = Taken(number=number, shape=trial.shape.name, problem=problem.text())
                # What was measured the first time is better than nothing.
                done.setdefault(number, failed)
                refused.add(trial.shape.name)
                last = problem
                if len(done) >= HOPELESS and not any(each.measured for each in done.values()):
                    break
            else:
                keep(done[number])
            spent += trial.cost
        if last is not None and not any(each.measured for each in done.values()):
            raise last

    def _trial_or_again(self, number: int, trial: Trial) -> Taken:
        """The figures of a trial; an engine that died, as any process may, is started once more."""
        try:
            return self._trial(number, trial)
        except EngineDied as problem:
            self.observer.died(trial.shape.name, problem)
            return self._trial(number, trial)

    def _slow(self, taken: Iterable[Taken]) -> list[int]:
        """The trials beside which the cores were slower than they have been since."""
        known = [each for each in taken if each.measured and each.passes_per_second]
        best = max((each.passes_per_second or 0.0 for each in known), default=0.0)
        return [
            each.number for each in known if (each.passes_per_second or 0.0) < SAME_SHARE * best
        ]

    def _check_room(self, shapes: Sequence[Shape]) -> None:
        needed = max(map(file_bytes, shapes)) + ROOM_BYTES
        free = shutil.disk_usage(self.folder).free
        if free < needed:
            raise OutputError(
                "calibrate.no_room",
                path=self._place,
                needed=units.binary_size(needed),
                free=units.binary_size(free),
            )

    def _trial(self, number: int, trial: Trial) -> Taken:
        with self._file(trial.shape) as (path, size):
            context = max(trial.lengths) + OUTPUT_TOKENS + 8
            loaded = self.engine.load(path, msgspec.structs.replace(self.settings, context=context))
            self._check_place()
            self._warm_up(trial)
            for attempt in range(TRIES):
                if attempt:
                    self.observer.again(trial.shape.name)
                found, passes = self._measured(trial, attempt)
                if not any(each.contended for each in found):
                    break
            return Taken(
                number=number,
                shape=trial.shape.name,
                measured=found,
                loaded_bytes=size,
                load_seconds=loaded.seconds,
                passes_per_second=passes,
            )

    @contextlib.contextmanager
    def _file(self, shape: Shape) -> Iterator[tuple[Path, int]]:
        path = self.folder / f"calibrate-{shape.name}.gguf"
        try:
            yield path, self._written(shape, path)
        finally:
            path.unlink(missing_ok=True)

    def _written(self, shape: Shape, path: Path) -> int:
        try:
            return write_model(shape, path)
        except OutputError as problem:
            raise OutputError(
                problem.message, **problem.values | {"path": self._place}
            ) from problem

    @property
    def _place(self) -> str:
        return printable(str(self.known_as or self.folder))

    def _check_place(self) -> None:
        """What predictions by a calibration are of is the processor; a GPU tells nothing of it."""
        if self._is_on_cpu:
            return
        told = self.engine.identify()
        if told.place != "cpu":
            raise UsageError("calibrate.not_on_cpu", engine=told.name)
        self._is_on_cpu = True

    def _warm_up(self, trial: Trial) -> None:
        self._ask(min(trial.lengths), 8, "warm-up")

    def _measured(self, trial: Trial, attempt: int) -> tuple[tuple[Measured, ...], float | None]:
        """The figures of a trial, and the slowest that the cores were beside it."""
        # What was watched until a moment ago need not be waited for again.
        quiet = self._is_quiet or self._waited()
        before = self.surroundings.probe()
        replies: dict[int, Reply] = {}
        # One watch over all lengths: each of them may be over before a disturbance is seen twice.
        with self.surroundings.watch() as watch:
            for length in trial.lengths:
                # An engine that keeps what it read must not have read any of them before.
                seed = f"{trial.shape.name}:{attempt}:{length}"
                replies[length] = self._ask(length, OUTPUT_TOKENS, seed)
        disturbed = not quiet or exclusion(watch.result()) is not None
        probes = [each for each in (before, self.surroundings.probe()) if each is not None]
        disturbed = disturbed or any(self.surroundings.judge(each).contended for each in probes)
        flags = {flag for reply in replies.values() for flag in reply.flags}
        disturbed = disturbed or "contended" in flags
        self._is_quiet = not disturbed
        rates = [each.passes_per_second for each in probes if each.passes_per_second is not None]
        return (
            tuple(
                measured(trial.shape.name, length, reply, contended=disturbed)
                for length, reply in replies.items()
            ),
            min(rates, default=None),
        )

    def _waited(self) -> bool:
        """Whether the machine became quiet."""
        patience = self.surroundings.patience_seconds(QUIET_SECONDS)

        def tell(waited_seconds: float, reasons: tuple[Notice, ...]) -> None:
            self.observer.waiting(max(patience - waited_seconds, 0.0), reasons)

        result = self.surroundings.wait(QUIET_SECONDS, strict=False, tell=tell)
        self.observer.measuring()
        return result.quiet

    def _ask(self, length: int, output_tokens: int, seed: str) -> Reply:
        if not self.engine.promises.takes_text:
            assert isinstance(self.engine, Sampler)
            condition = Condition(prompt_tokens=length, output_tokens=output_tokens)
            samples = self.engine.sample(condition)
            if not samples.replies:
                raise samples.problem or EngineRefused("calibrate.no_figures")
            return samples.replies[-1]
        # One letter is one token, and one more stands at the head of every prompt.
        letters = random.Random(seed).choices(_LETTERS, k=length - 1)  # noqa: S311
        return self.engine.run(Request(prompt="".join(letters), output_tokens=output_tokens))


def measured(shape: str, length: int, reply: Reply, *, contended: bool) -> Measured:
    """What an engine said of one run.

    Raises:
        EngineRefused: it did not say how long it took, or did not read all of the prompt.
    """
    if UNREAD & {*reply.flags}:
        raise EngineRefused("calibrate.not_read")
    if not (reply.prompt_seconds and reply.output_seconds and reply.output_steps):
        raise EngineRefused("calibrate.no_figures")
    tokens = reply.prompt_tokens or length
    return Measured(
        shape=shape,
        prompt_tokens=tokens,
        depth=tokens + (reply.output_steps - 1) / 2,
        decode_seconds=reply.output_seconds / reply.output_steps,
        prefill_seconds=reply.prompt_seconds,
        contended=contended,
    )
