"""How many threads are enough: the knee of the curve, for decode and for prefill apart.

Decoding waits for memory, which a few cores use up; reading a prompt computes, and uses all of
them. Threads beyond the knee only wait for each other at every layer, and slow down whatever else
the machine does. So the fewest threads count that come within a few percent of the best.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tokenroof.engines.base import Reply, Request, Threaded
from tokenroof.hardware.machine import Machine
from tokenroof.measure.prompts import PromptMaker
from tokenroof.measure.stopping import PHASES, Phase
from tokenroof.records import Run

PROMPT_TOKENS = 256
OUTPUT_TOKENS = 16
REPEATS = 2
"""The faster of them counts: a disturbance only ever makes a run slower."""

WITHIN = 0.03
"""So much slower than the best is as good as the best."""


@dataclass(frozen=True, slots=True)
class Knee:
    """Threads that are enough to decode, and to read prompts."""

    decode: int
    prefill: int


def thread_counts(machine: Machine) -> tuple[int, ...]:
    """The numbers worth trying: 1, 2, 4, ... and all cores, without and with second threads."""
    most = machine.usable_cores or machine.logical_cores or 1
    counts = {1 << power for power in range(most.bit_length()) if 1 << power <= most}
    physical = machine.physical_cores
    return tuple(sorted({*counts, most, *([physical] if physical and physical <= most else [])}))


def find_knee(
    engine: Threaded,
    maker: PromptMaker,
    counts: Sequence[int],
    tell: Callable[[int, int], None],
    longest: int = PROMPT_TOKENS,
) -> Knee:
    """Try each number of threads on a short prompt and a short answer.

    Args:
        engine: with a model loaded; its threads are those of the last trial afterwards.
        maker: makes the prompts.
        counts: the numbers to try.
        tell: told the number of the run that begins, and how many there are.
        longest: tokens of the longest prompt that the context is made for.

    Raises:
        EngineError: the engine failed.
    """
    seconds: dict[Phase, dict[int, float]] = {phase: {} for phase in PHASES}
    for number, threads in enumerate(counts):
        engine.set_threads(threads, threads)
        for repeat in range(REPEATS):
            tell(number * REPEATS + repeat + 1, len(counts) * REPEATS)
            prompt = maker.make(min(PROMPT_TOKENS, longest), f"threads:{threads}:{repeat}")
            reply = engine.run(Request(prompt=prompt.text, output_tokens=OUTPUT_TOKENS))
            for phase in PHASES:
                spent = _seconds_per_token(reply, phase)
                if spent is not None:
                    known = seconds[phase].get(threads, spent)
                    seconds[phase][threads] = min(known, spent)
    return Knee(knee(seconds["decode"], counts[-1]), knee(seconds["prefill"], counts[-1]))


def knee_of(runs: Sequence[Run]) -> Knee | None:
    """The threads of earlier runs; None where none of them tells."""
    for run in reversed(runs):
        threads = run.settings.threads
        if run.excluded != "failed" and threads is not None:
            return Knee(threads, run.settings.threads_batch or threads)
    return None


def knee(seconds: Mapping[int, float], otherwise: int) -> int:
    """The fewest threads whose time is within a few percent of the best.

    Args:
        seconds: the time of each number of threads.
        otherwise: what to take where no time is known.
    """
    if not seconds:
        return otherwise
    enough = min(seconds.values()) * (1 + WITHIN)
    return min(threads for threads, time in seconds.items() if time <= enough)


def _seconds_per_token(reply: Reply, phase: Phase) -> float | None:
    if phase == "prefill":
        seconds, tokens = reply.prompt_seconds, reply.prompt_tokens
    else:
        seconds, tokens = reply.output_seconds, reply.output_steps
    return seconds / tokens if seconds is not None and tokens else None
