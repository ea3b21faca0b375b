"""What should be known about a campaign once it is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from tokenroof.measure.contention import Probed
from tokenroof.measure.drift import drift_notices
from tokenroof.measure.plan import Plan
from tokenroof.measure.schedule import StopReason, counted, of_length
from tokenroof.medians import median
from tokenroof.notices import Notice
from tokenroof.records import Run
from tokenroof.units import binary_size, count, duration, percent, significant

SHORT_OUTPUT_TOKENS = 32
"""Below this, a single slow step shows in the whole answer's figure."""


def error_text(run: Run) -> str:
    """What a failed run's engine said."""
    return run.error or "?"


def findings(
    plan: Plan, runs: Sequence[Run], stopped: Mapping[int, StopReason], elapsed_seconds: float
) -> list[Notice]:
    """The notices that follow from the runs and from why each length ended."""
    notices = [*_contended(runs), *drift_notices(runs), *cached_notices(plan.lengths, runs)]
    notices += used_notices(plan.lengths, runs)
    notices += missed_notices(plan.lengths, runs)
    for length, reason in stopped.items():
        last = of_length(runs, length)[-1:]
        if reason == "failed" and last and last[0].excluded == "failed":
            values = {"length": count(length), "reason": error_text(last[0])}
            notices.append(Notice("measure.length_failed", values))
        elif reason == "excluded":
            why = Counter(str(run.excluded) for run in of_length(runs, length) if run.excluded)
            values = {"length": count(length), "reason": ", ".join(sorted(why))}
            notices.append(Notice("measure.length_excluded", values))
    budget = plan.budget_seconds
    promised_only = all(
        counted(runs, length) <= plan.rounds or reason == "failed"
        for length, reason in stopped.items()
    )
    if budget is not None and elapsed_seconds > budget and promised_only:
        values = {
            "rounds": str(plan.rounds),
            "elapsed": duration(elapsed_seconds),
            "budget": duration(budget),
        }
        notices.append(Notice("measure.over_budget", values))
    if plan.output_tokens < SHORT_OUTPUT_TOKENS:
        notices.append(Notice("measure.short_output", {"tokens": str(plan.output_tokens)}))
    return notices


def missed_notices(lengths: Sequence[int], runs: Sequence[Run]) -> list[Notice]:
    """For each length whose prompts missed it, how many tokens they were."""
    notices = []
    for length in lengths:
        missed = [run for run in of_length(runs, length) if "length_missed" in run.flags]
        read = sorted({run.prompt.tokens for run in missed if run.prompt.tokens is not None})
        if read:
            shown = dict.fromkeys((count(read[0]), count(read[-1])))
            values = {"length": count(length), "read": "–".join(shown), "runs": str(len(missed))}
            notices.append(Notice("measure.length_missed", values))
    return notices


def cached_notices(lengths: Sequence[int], runs: Sequence[Run]) -> list[Notice]:
    """For each length, what the first token waits for a prompt that is read, and for one that is
    not; only pairs of which both halves count."""
    notices = []
    for length in lengths:
        pairs = [
            (cold, cached)
            for cold, cached in pairwise(runs)
            if cached.workload.cached
            and cold.workload.prompt_target == length
            and cold.excluded is None
            and cached.excluded is None
        ]
        waits = [(waited(cold), waited(cached)) for cold, cached in pairs]
        known = [
            (cold, cached) for cold, cached in waits if cold is not None and cached is not None
        ]
        if not known:
            continue
        shares = [
            cached.prompt.cached / cached.prompt.tokens
            for _, cached in pairs
            if cached.prompt.cached is not None and cached.prompt.tokens
        ]
        values = {
            "length": count(length),
            "cold": duration(median([cold for cold, _ in known])),
            "cached": duration(median([cached for _, cached in known])),
            "share": percent(median(shares)) if shares else "?",
            "pairs": str(len(known)),
        }
        notices.append(Notice("measure.cached_pair", values))
    return notices


def used_notices(lengths: Sequence[int], runs: Sequence[Run]) -> list[Notice]:
    """The most memory that the engine held, and the energy of a token, where they are known."""
    notices = []
    memory = max((run.used.memory_peak_bytes or 0 for run in runs), default=0)
    vram = max((run.used.vram_peak_bytes or 0 for run in runs), default=0)
    if memory and vram:
        values = {"memory": binary_size(memory), "vram": binary_size(vram)}
        notices.append(Notice("measure.memory_and_vram", values))
    elif memory:
        notices.append(Notice("measure.memory", {"memory": binary_size(memory)}))
    for length in dict.fromkeys((lengths[0], lengths[-1])):
        counted = [run for run in of_length(runs, length) if run.excluded is None]
        written = [run.decode_joules_per_token for run in counted]
        read = [run.prefill_joules_per_token for run in counted]
        known = [each for each in written if each is not None]
        known_read = [each for each in read if each is not None]
        if known and known_read:
            values = {
                "length": count(length),
                "written": significant(median(known)),
                "read": significant(median(known_read)),
                "sources": ", ".join(counted[0].used.energy_sources),
            }
            notices.append(Notice("measure.energy", values))
    return notices


def waited(run: Run) -> float | None:
    """Seconds until the first token: by our own clock if that is there, else for the prompt."""
    return run.prompt.seconds if run.ttft_seconds is None else run.ttft_seconds


def _contended(runs: Sequence[Run]) -> list[Notice]:
    """Runs that began though the machine had not become quiet, and what kept it from that."""
    reasons: dict[tuple[str, str], Notice] = {}
    loud = 0
    for run in runs:
        beside = run.raw.get("beside")
        said = beside.get("not_quiet") if isinstance(beside, dict) else None
        if said is None:
            continue
        loud += 1
        for reason in said:
            notice = Notice(reason["message"], reason["values"])
            # The same source is busy by another share each time: one of them says enough.
            reasons.setdefault((notice.message, str(notice.values.get("source"))), notice)
    if not loud:
        return []
    values = {"runs": str(loud), "total": str(len(runs))}
    return [Notice("measure.contended", values), *reasons.values()]


def probe_notices(probes: Sequence[Sequence[Probed]]) -> list[Notice]:
    """Runs beside which the probe was slow, judged by the best that is known at the end.

    Args:
        probes: for each run, the probes before and after it.
    """
    slow = []
    for beside in probes:
        ratios = [probed.ratio or 1.0 for probed in beside if probed.contended]
        if ratios:
            slow.append(min(ratios))
    if not slow:
        return []
    values = {"percent": percent(1 - min(slow)), "runs": str(len(slow))}
    return [Notice("measure.probe_slower", values)]
