"""One session of a campaign: from load to the end, to Ctrl-C, or to the first thing that stops it.

What was measured is in the journal before the next run begins, so a session has nothing to lose.
"""

from __future__ import annotations

import contextlib
from typing import Literal

import msgspec

from tokenroof.clock import stamp
from tokenroof.engines.base import Step
from tokenroof.errors import (
    EngineError,
    GGUFError,
    Interrupted,
    NotFound,
    NotQuiet,
    OutputError,
)
from tokenroof.measure.asking import ask, prompt_for
from tokenroof.measure.bench import Bench, CampaignResult
from tokenroof.measure.contention import Probed
from tokenroof.measure.costs import Costs
from tokenroof.measure.eta import forecast
from tokenroof.measure.findings import error_text, findings, probe_notices
from tokenroof.measure.loading import GIVE_UP_AFTER, Around, LoadedEngine
from tokenroof.measure.observer import Progress
from tokenroof.measure.plan import Plan, Unit
from tokenroof.measure.prompts import Prompt, PromptMaker
from tokenroof.measure.quiet import QuietResult
from tokenroof.measure.recording import Attempt, probed_beside
from tokenroof.measure.schedule import (
    StopReason,
    failures_in_a_row,
    next_round,
    of_length,
    stop_reason,
)
from tokenroof.measure.stopping import counts
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.store.journal import CampaignRecord

ON_THE_WAY = {"measure.threads_chosen", "measure.warm_up_unstable"}
"""Notices of a session that nothing in its runs could bring back."""


class Session:
    """Carries out what is left of a plan.

    Args:
        plan: what to do.
        bench: what to do it with.
        record: the campaign's conditions, kept up to date in the journal.
        before: runs of earlier sessions.
    """

    def __init__(self, plan: Plan, bench: Bench, record: CampaignRecord, before: list[Run]) -> None:
        self._plan = plan
        self._bench = bench
        self._record = record
        self._runs = list(before)
        self._new: list[Run] = []
        # What was found on the way there; what follows from the runs is found again at the end.
        self._notices = [each for each in record.notices if each.message in ON_THE_WAY]
        self._stopped: dict[int, StopReason] = {}
        self._costs = Costs(plan.output_tokens, before, bench.earlier)
        self._maker = PromptMaker(bench.engine.count_tokens, bench.tag)
        around = Around(self._runs, lambda: self._progress, self._wait_quiet, self._notice)
        self._engine = LoadedEngine(plan, bench, self._maker, self._costs, around)
        self._probes: list[list[Probed]] = []
        self._probed_before = [[probed] for run in before if (probed := probed_beside(run))]
        self._last_probe: Probed | None = None
        self._begun = bench.clock.monotonic()
        self._spent_before = sum(
            (run.wall_seconds or 0.0) + (run.quiet.waited_seconds or 0.0) for run in before
        )

    def carry_out(self) -> CampaignResult:
        """Measure, and leave a record of how it ended. Errors are those of `run_campaign`."""
        try:
            # Whoever is told the id can rely on finding it, even if we are killed at once.
            self._save("running")
            self._bench.observer.planned(self._record.id, self._plan, len(self._runs))
            self._engine.start()
            self._last_probe = self._bench.surroundings.probe()
            self._measure()
            self._conclude()
            self._save("finished")
        except KeyboardInterrupt:
            self._leave("interrupted")
            runs = len(self._runs)
            raise Interrupted("measure.interrupted", runs=runs, campaign=self._record.id) from None
        except BaseException:
            self._leave("failed")
            raise
        self._bench.observer.finished(self._record.id)
        return CampaignResult(
            self._record.id, tuple(self._runs), dict(self._stopped), tuple(self._notices)
        )

    def _measure(self) -> None:
        while round_ := self._next_round():
            for unit in round_:
                for run in self._one(unit):
                    self._keep(run)
                if self._gave_up:
                    return
            self._tell_stopped()

    def _next_round(self) -> tuple[Unit, ...]:
        left = self._plan.budget_seconds
        if left is not None:
            left -= self._elapsed_seconds
        return next_round(self._plan, self._runs, self._new, self._costs, left)

    def _one(self, unit: Unit) -> tuple[Run, ...]:
        """One unit, whatever comes of it: a run, or several where the engine takes samples."""
        bench = self._bench
        begun = bench.clock.monotonic()
        attempt = self._attempt(unit, None)
        try:
            if self._engine.must_load:
                self._engine.load()
            # Before the gate: counting tokens is work of ours, and not a part of the run.
            prompt = prompt_for(bench.engine, self._maker, unit)
            quiet = self._wait_quiet()
            bench.observer.run_started(unit, self._progress)
            begun = bench.clock.monotonic()
            attempt = self._attempt(unit, quiet)
            return self._runs_of(attempt, prompt)
        except NotQuiet:
            raise
        except (EngineError, GGUFError, NotFound) as problem:
            # A model file may have vanished when an engine that died is to load it again.
            self._engine.failed(problem)
            return (attempt.failed(problem, bench.clock.monotonic() - begun),)

    def _attempt(self, unit: Unit, quiet: QuietResult | None) -> Attempt:
        return Attempt(
            campaign=self._record.id,
            unit=unit,
            model=self._bench.model,
            identity=self._engine.identity,
            loaded=self._engine.loaded,
            load_seconds=self._engine.load_seconds,
            started=self._bench.clock.now(),
            before=quiet,
            undisturbed=self._undisturbed(unit.length) >= self._plan.rounds,
        )

    def _undisturbed(self, length: int) -> int:
        runs = of_length(self._runs, length)
        return sum(counts(run) and "contended" not in run.flags for run in runs)

    def _runs_of(self, attempt: Attempt, prompt: Prompt) -> tuple[Run, ...]:
        runs = self._asked(attempt, prompt)
        if self._plan.cached and all(run.excluded != "failed" for run in runs):
            runs += self._asked(attempt.repeated(cached=True), prompt)
        return runs

    def _asked(self, attempt: Attempt, prompt: Prompt) -> tuple[Run, ...]:
        """What came of asking the engine once, watched and probed."""
        bench, unit = self._bench, attempt.unit
        begun = bench.clock.monotonic()
        with bench.surroundings.watch() as watch:

            def tell(step: Step) -> None:
                watch.told(step)
                bench.observer.step(unit, step)

            samples = ask(bench.engine, unit, prompt, tell, reuse=attempt.cached)
        seconds = bench.clock.monotonic() - begun
        probe = bench.surroundings.probe()
        probes = [each for each in (self._last_probe, probe) if each is not None]
        self._last_probe = probe
        runs = []
        for reply in samples.replies:
            self._probes.append(probes)
            if reply.prompt_tokens is not None and "truncated" not in reply.flags:
                self._maker.learn(prompt, reply.prompt_tokens)
            # A process that loads and warms up in between draws for more than what it measures.
            energy = watch.energy if bench.engine.promises.takes_text else None
            runs.append(attempt.finished(prompt, reply, watch.result(), probes, energy))
            attempt = attempt.repeated()
        if samples.problem is not None:
            self._engine.failed(samples.problem)
            rest = seconds - sum(reply.wall_seconds for reply in samples.replies)
            runs.append(attempt.failed(samples.problem, max(rest, 0.0)))
        return tuple(runs)

    def _wait_quiet(self) -> QuietResult:
        bench, limit = self._bench, self._plan.wait_quiet_seconds
        patience = bench.surroundings.patience_seconds(limit)

        def tell(waited_seconds: float, reasons: tuple[Notice, ...]) -> None:
            bench.observer.waiting_quiet(waited_seconds, patience, reasons)

        return bench.surroundings.wait(limit, strict=self._plan.strict, tell=tell)

    def _keep(self, run: Run) -> None:
        """On the disk first, and only then anything else."""
        run = self._bench.completed(run)
        self._bench.journal.append(run)
        self._runs.append(run)
        self._new.append(run)
        for sink in self._bench.sinks:
            sink.append(run)
        if run.excluded != "failed":
            self._engine.load_seconds = None
        self._costs.learn_run(run)
        self._bench.observer.run_finished(run, self._progress)

    def _tell_stopped(self) -> None:
        for length in self._plan.lengths:
            reason = stop_reason(self._plan, self._runs, length, self._new)
            if reason is not None and length not in self._stopped:
                self._stopped[length] = reason
                self._bench.observer.stopped_length(length, reason)

    def _conclude(self) -> None:
        """Why the other lengths ended, whether anything came of it, what should be known."""
        self._tell_stopped()
        for length in self._plan.lengths:
            if length not in self._stopped:
                self._stopped[length] = "failed" if self._gave_up else "budget"
                self._bench.observer.stopped_length(length, self._stopped[length])
        last = self._runs[-1]
        if all(run.excluded == "failed" for run in self._runs):
            raise EngineError("measure.all_failed", reason=error_text(last))
        if self._gave_up:
            values = {"failures": str(GIVE_UP_AFTER), "reason": error_text(last)}
            self._notice(Notice("measure.gave_up", values))
        for notice in findings(self._plan, self._runs, self._stopped, self._elapsed_seconds):
            self._notice(notice)
        judge = self._bench.surroundings.judge
        probes = [[judge(each) for each in beside] for beside in self._probes]
        for notice in probe_notices(self._probed_before + probes):
            self._notice(notice)

    @property
    def _gave_up(self) -> bool:
        return failures_in_a_row(self._new) >= GIVE_UP_AFTER

    @property
    def _elapsed_seconds(self) -> float:
        return self._spent_before + self._bench.clock.monotonic() - self._begun

    @property
    def _progress(self) -> Progress:
        elapsed = self._elapsed_seconds
        expected, seconds = forecast(self._plan, self._runs, self._new, self._costs, elapsed)
        done = len(self._runs)
        return Progress(done, done + expected, elapsed, seconds, self._plan.budget_seconds)

    def _notice(self, notice: Notice) -> None:
        if notice not in self._notices:
            self._notices.append(notice)
            self._bench.observer.noticed(notice)

    def _save(self, state: Literal["running", "finished", "interrupted", "failed"]) -> None:
        ended = None if state == "running" else stamp(self._bench.clock.now())
        self._record = msgspec.structs.replace(
            self._record,
            state=state,
            finished=ended,
            stopped={str(length): reason for length, reason in self._stopped.items()},
            notices=tuple(self._notices),
        )
        self._bench.journal.save_campaign(self._record)

    def _leave(self, state: Literal["interrupted", "failed"]) -> None:
        """Say how it ended, unless that cannot be written: the reason to end matters more."""
        with contextlib.suppress(OutputError):
            self._save(state)
