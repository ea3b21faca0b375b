"""What a run takes, learned from the runs so far, and how long the rest will take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tokenroof.medians import median
from tokenroof.records import Run


class Costs:
    """Seconds that one run of a length takes: the wait for a quiet machine and the run itself.

    Args:
        output_tokens: of each run.
        runs: to learn from.
        earlier: runs of another time under the same conditions, which count until there are others.
    """

    def __init__(
        self, output_tokens: int, runs: Iterable[Run] = (), earlier: Sequence[Run] = ()
    ) -> None:
        self._output_tokens = output_tokens
        self._seconds: dict[int, list[float]] = {}
        self._before = Costs(output_tokens, earlier) if earlier else None
        for run in runs:
            self.learn_run(run)

    def learn_run(self, run: Run) -> None:
        """Learn from a run; one that failed, or that a cache made short, teaches nothing."""
        length = None if run.workload.cached else run.workload.prompt_target
        if length is not None and run.wall_seconds is not None and run.excluded != "failed":
            self.learn(length, run.wall_seconds + (run.quiet.waited_seconds or 0.0))

    def learn(self, length: int, seconds: float) -> None:
        """Learn that a run of this length took so long."""
        self._seconds.setdefault(length, []).append(seconds)

    def of(self, length: int) -> float | None:
        """Seconds for one run; None before anything is known.

        For a length that has not run yet: the nearest one that has, by its share of tokens. This
        takes a read token for as dear as a written one, so from a shorter prompt it promises too
        long rather than too short a wait.
        """
        if not self._seconds:
            return None if self._before is None else self._before.of(length)
        near = min(self._seconds, key=lambda known: abs(known - length))
        share = (length + self._output_tokens) / (near + self._output_tokens)
        return median(self._seconds[near]) * share
