"""The engine of a session: loaded, warmed up, and loaded again after it died.

What it takes until the first run that counts, and none of it is a run: the load, a quiet machine,
the number of threads where that is to be found, and the warm-up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from tokenroof import units
from tokenroof.engines.base import Loaded, ModelRef, Threaded
from tokenroof.errors import EngineDied, EngineRefused, TokenroofError
from tokenroof.hardware.machine import this_machine
from tokenroof.measure.bench import Bench
from tokenroof.measure.costs import Costs
from tokenroof.measure.knee import Knee, find_knee, knee_of, thread_counts
from tokenroof.measure.observer import Progress
from tokenroof.measure.plan import Plan, needed_context
from tokenroof.measure.prompts import PromptMaker
from tokenroof.measure.warmup import MIN_RUNS, warm_up
from tokenroof.notices import Notice
from tokenroof.records import Run, Settings

GIVE_UP_AFTER = 3
"""An engine that fails so often in a row will fail again."""


@dataclass(frozen=True, slots=True)
class Around:
    """What loading needs of the session that it is a part of.

    Attributes:
        runs: made so far, those of earlier sessions among them.
        progress: how far the session is, without the warm-up.
        wait_quiet: waits as before a run; `NotQuiet` where the plan is strict.
        notice: is told what should be known.
    """

    runs: Sequence[Run]
    progress: Callable[[], Progress]
    wait_quiet: Callable[[], object]
    notice: Callable[[Notice], None]


class LoadedEngine:
    """The engine, and what is known of it by now.

    Attributes:
        loaded: what the last load said.
        identity: what the engine says of itself; a load may tell more.
        load_seconds: of a load that no run has told yet.
        must_load: whether it has to be loaded before it runs anything.
    """

    def __init__(
        self, plan: Plan, bench: Bench, maker: PromptMaker, costs: Costs, around: Around
    ) -> None:
        self._plan = plan
        self._bench = bench
        self._maker = maker
        self._costs = costs
        self._around = around
        self._knee: Knee | None = None
        self._is_up = False
        self.identity = bench.engine.identify()
        self.loaded = Loaded(seconds=0.0, settings=Settings())
        self.load_seconds: float | None = None
        self.must_load = False

    def start(self) -> None:
        """Load for the first time. An engine that dies while it warms up was up, and is started
        again; one that does not even load would not load the next time either.

        Raises: as `load`.
        """
        for _ in range(GIVE_UP_AFTER - 1):
            try:
                return self.load()
            except EngineDied:
                if not self._is_up:
                    raise
        return self.load()

    def failed(self, problem: TokenroofError) -> None:
        """One that merely said no is still there; any other failure may have ended it."""
        self.must_load = self.must_load or not isinstance(problem, EngineRefused)

    def load(self) -> None:
        """Load and warm up; what the load took is told with the next run.

        Raises:
            EngineError: the engine would not, or its context is smaller than what was asked for.
            NotQuiet: the machine was not quiet, and the plan is strict.
        """
        bench, plan = self._bench, self._plan
        bench.observer.loading(plan.model, self._around.progress())
        self.must_load, self._is_up = True, False
        self.loaded = bench.engine.load(ModelRef.of(plan.model), plan.settings)
        self._is_up = True
        self.identity = bench.engine.identify()
        if plan.cached and not bench.engine.promises.can_reuse:
            raise EngineRefused("measure.cannot_reuse", engine=self.identity.name)
        needed = needed_context(plan.lengths, plan.output_tokens)
        context = self.loaded.settings.context
        if context is not None and context < needed:
            raise EngineRefused(
                "measure.engine_context_too_small",
                limit=units.count(context),
                needed=units.count(needed),
            )
        asked = plan.settings.context
        if context is not None and asked is not None and context < asked:
            raise EngineRefused(
                "measure.engine_context_other",
                limit=units.count(context),
                asked=units.count(asked),
            )
        # Runs beside other work would not come to rest, however warm the engine is.
        self._around.wait_quiet()
        if plan.threads_auto:
            self._set_threads()
        if bench.engine.promises.takes_text:
            self._warm_up()
        self.load_seconds = self.loaded.seconds
        self.must_load = False

    def _set_threads(self) -> None:
        """Find the numbers of threads once; a resumed campaign goes on with those that it has."""
        engine = self._bench.engine
        if not isinstance(engine, Threaded):
            raise EngineRefused("measure.no_threads", engine=self.identity.name)
        knee = self._knee or knee_of(self._around.runs)
        if knee is None:
            counts = thread_counts(this_machine())
            knee = find_knee(
                engine, self._maker, counts, self._tell_warming, max(self._plan.lengths)
            )
            values = {"decode": knee.decode, "prefill": knee.prefill, "most": counts[-1]}
            self._around.notice(Notice("measure.threads_chosen", values))
        self._knee = knee
        settings = engine.set_threads(knee.decode, knee.prefill)
        self.loaded = msgspec.structs.replace(self.loaded, settings=settings)

    def _warm_up(self) -> None:
        """Runs that are not measured. An engine that takes no text makes its own, every time."""
        bench = self._bench
        warm = warm_up(
            bench.engine,
            self._plan,
            self._maker,
            self._costs,
            clock=bench.clock,
            tell=self._tell_warming,
            watch=bench.observer.warming_step,
        )
        if not warm.stable and warm.difference is not None:
            values = {"percent": units.percent(warm.difference), "runs": str(warm.runs)}
            self._around.notice(Notice("measure.warm_up_unstable", values))

    def _tell_warming(self, run: int, at_most: int) -> None:
        """What is left of the warm-up, as far as it is certain, counts to the time that is left."""
        progress = self._around.progress()
        price = self._costs.of(self._plan.lengths[0])
        if progress.remaining_seconds is not None and price is not None:
            left = max(MIN_RUNS - run + 1, 1) * price
            progress = replace(progress, remaining_seconds=progress.remaining_seconds + left)
        self._bench.observer.warming(run, at_most, progress)
