"""From what came of one unit to the run that is stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec

from tokenroof.clock import stamp
from tokenroof.engines.base import Identity, Loaded, Reply
from tokenroof.errors import TokenroofError
from tokenroof.measure.contention import SAME_SHARE, Probed
from tokenroof.measure.ids import new_id
from tokenroof.measure.judge import judge
from tokenroof.measure.plan import Unit
from tokenroof.measure.prompts import Prompt
from tokenroof.measure.quiet import QuietResult
from tokenroof.measure.sensors.energy import Energy
from tokenroof.measure.watching import Watched, exclusion, flags
from tokenroof.records import (
    Exclusion,
    Flag,
    Output,
    Prompt as PromptFigures,
    Quiet,
    Run,
    RunEngine,
    RunModel,
    Used,
    Workload,
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One unit on its way through the engine, and what is true of it however it ends.

    `before` is None where it came to no gate; `load_seconds` where no load went before it.
    `undisturbed` says that the length has enough runs without other work beside them; `cached`
    that the prompt is the one of the run before.
    """

    campaign: str
    unit: Unit
    model: RunModel
    identity: Identity
    loaded: Loaded
    load_seconds: float | None
    started: datetime
    before: QuietResult | None
    undisturbed: bool = False
    cached: bool = False

    def repeated(self, *, cached: bool = False) -> Attempt:
        """The same for another run of the unit, which nobody waited for again."""
        before = self.before
        if before is not None:
            before = msgspec.structs.replace(before, waited_seconds=0.0)
        return replace(self, before=before, load_seconds=None, cached=cached)

    def failed(self, problem: TokenroofError, wall_seconds: float) -> Run:
        """The run that did not come about: a row like the others, and the reason in it."""
        return self._run(
            wall_seconds=wall_seconds,
            quiet=self._quiet(None),
            flags=(),
            excluded="failed",
            raw={"error": {"kind": type(problem).__name__, "text": str(problem)}},
        )

    def finished(
        self,
        prompt: Prompt,
        reply: Reply,
        watched: Watched,
        probes: Sequence[Probed],
        energy: Energy | None = None,
    ) -> Run:
        """The run as the engine reported it, judged by its reply and by what was beside it."""
        verdict = judge(self.unit, prompt, reply, cached=self.cached)
        found: set[Flag] = {*verdict.flags, *flags(self.before, watched)}
        if any(probed.contended for probed in probes):
            found.add("contended")
        return self._run(
            prompt=PromptFigures(
                tokens=reply.prompt_tokens,
                cached=reply.prompt_cached,
                seconds=reply.prompt_seconds,
            ),
            output=Output(
                tokens=reply.output_tokens,
                steps=reply.output_steps,
                seconds=reply.output_seconds,
            ),
            wall_seconds=reply.wall_seconds,
            ttft_seconds=reply.ttft_seconds,
            quiet=self._quiet(watched),
            used=_used(watched, energy, reply),
            flags=tuple(sorted(found)),
            excluded=verdict.excluded or self._beside(watched),
            raw=reply.raw | {"beside": _beside(self.before, watched, probes)},
        )

    def _beside(self, watched: Watched) -> Exclusion | None:
        """Why the run does not count, by what was beside it.

        Where waiting did not make the machine quiet, the campaign went on knowingly. Other work
        is then the condition of the run and flagged, as long as nothing better is to be had:
        leaving out every single run would leave nothing. Beside enough undisturbed ones it is out.
        """
        in_vain = self.before is not None and not self.before.quiet
        if in_vain and not self.undisturbed:
            watched = msgspec.structs.replace(watched, busy_samples=0, queue_during=None)
        return exclusion(watched)

    def _quiet(self, watched: Watched | None) -> Quiet:
        return Quiet(
            waited_seconds=self.before.waited_seconds if self.before else None,
            busy_before=self.before.busy_before if self.before else None,
            busy_during=watched.busy_during if watched else None,
            queue_during=watched.queue_during if watched else None,
        )

    def _run(self, **found: Any) -> Run:
        return Run(
            id=new_id(self.started),
            campaign=self.campaign,
            started=stamp(self.started),
            source=self.identity.name,
            model=self.model,
            engine=RunEngine(
                name=self.identity.name,
                version=self.identity.version,
                backend=self.identity.backend,
                place=self.identity.place,
                flags=self.identity.flags,
            ),
            device=self.identity.device,
            settings=self.loaded.settings,
            workload=Workload(
                prompt_target=self.unit.length,
                output_target=self.unit.output_tokens,
                round=self.unit.round,
                seed=self.unit.seed,
                cached=self.cached,
            ),
            load_seconds=self.load_seconds,
            **found,
        )


def probed_beside(run: Run) -> Probed | None:
    """The worse probe beside a stored run, as it was judged then; None where there is none."""
    beside = run.raw.get("beside")
    ratio = beside.get("probe_ratio") if isinstance(beside, dict) else None
    if not isinstance(ratio, int | float):
        return None
    return Probed(passes_per_second=None, ratio=ratio, contended=ratio < SAME_SHARE)


def _used(watched: Watched, energy: Energy | None, reply: Reply) -> Used:
    """What the run took. An answer that was never told to have begun has no phase of its own."""
    used = Used(
        memory_peak_bytes=watched.memory_peak_bytes,
        vram_peak_bytes=watched.vram_peak_bytes,
        temperature_celsius_high=watched.temperature_celsius_high,
        clock_mhz_low=watched.clock_mhz_low,
    )
    if energy is None or energy.joules is None:
        return used
    before = energy.steps_before_mark
    steps = None if before is None or reply.output_tokens is None else reply.output_tokens - before
    return msgspec.structs.replace(
        used,
        joules=energy.joules,
        prefill_joules=energy.prefill_joules,
        decode_joules=energy.decode_joules if steps else None,
        decode_energy_steps=steps if steps and energy.decode_joules is not None else None,
        energy_sources=energy.sources,
    )


def _beside(
    before: QuietResult | None, watched: Watched, probes: Sequence[Probed]
) -> dict[str, Any]:
    """The evidence for the judgement, as far as the record has no field of its own for it."""
    evidence: dict[str, Any] = {"samples": watched.samples, "busy_samples": watched.busy_samples}
    if before is not None and before.reasons:
        evidence["not_quiet"] = [
            {"message": reason.message, "values": reason.values} for reason in before.reasons
        ]
    if watched.throttle_reasons:
        evidence["throttle_reasons"] = list(watched.throttle_reasons)
    if watched.trace:
        evidence["trace"] = watched.trace
    if watched.clock_step:
        evidence["suspended_seconds"] = watched.suspended_seconds
    ratios = [probed.ratio for probed in probes if probed.ratio is not None]
    if ratios:
        evidence["probe_ratio"] = round(min(ratios), 3)
    return evidence
