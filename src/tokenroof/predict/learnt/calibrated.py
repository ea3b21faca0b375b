"""Predictions of this machine from what `calibrate` learnt of it.

They hold for the engine and the settings that were measured. A question that names others is not
answered by them; what stands in the way is said by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from tokenroof.notices import Notice
from tokenroof.predict.cases import Case
from tokenroof.predict.learnt.profile import (
    NotLearnt,
    Profile,
    Seconds,
    decode_seconds,
    prefill_seconds,
)
from tokenroof.predict.learnt.unlearnt import why_not
from tokenroof.predict.records import Rate
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.model import Model


NAMED = "named"
"""What a profile says of its engine's `program` that a person named: it may not be the one that is
found now."""


NEVER_CALIBRATED = frozenset({"ubatch", "kv_type", "flash_attention", "backend"})
"""Conditions that `calibrate` has no option for: to advise another calibration would be no help."""


def installed_version(engine: str) -> str | None:
    """The version of an engine that is a package; None for all others."""
    try:
        return version({"embedded": "llama_cpp_python"}[engine])
    except (KeyError, PackageNotFoundError):
        return None


@dataclass(frozen=True, slots=True)
class Learned:
    """The profiles that may answer, the newest first.

    Attributes:
        is_given: a person named the profile: it is used whatever it was measured on, as it may be
            an older one or of another machine, which is said.
        installed: which version of an engine there is now; None where that cannot be told soon.
    """

    profiles: Sequence[Profile] = ()
    is_given: bool = False
    installed: Callable[[str], str | None] = installed_version

    def of(self, case: Case, cpu: str) -> tuple[Profile | None, Notice | None]:
        """The newest profile that was measured under a question's conditions.

        Args:
            case: the question.
            cpu: this machine's processor.

        Returns:
            A profile, and what is to be said of it; else no profile, and what stands in the way of
            the newest, if there is one.
        """
        problem = None
        for profile in self.profiles:
            found = self._problem(profile, case, cpu)
            if found is None or found.message == "profile.unchecked":
                return profile.with_ubatch(case.ubatch or profile.ubatch), found
            problem = problem or found
        return None, problem

    def _problem(self, profile: Profile, case: Case, cpu: str) -> Notice | None:
        key = unlike(profile, case)
        if not self.is_given and not profile.is_of(cpu):
            key = "processor"
        if key is not None:
            message = "profile.beyond" if key in NEVER_CALIBRATED else "profile.unlike"
            return Notice(message, {"key": key})
        return None if self.is_given else version_problem(profile, self.installed)


def version_problem(profile: Profile, installed: Callable[[str], str | None]) -> Notice | None:
    """That the engine is of another version now, or that nobody can tell; None where it is not."""
    name, measured = str(profile.engine.get("name")), profile.engine.get("version")
    if measured is None:
        return None
    values = {"engine": printable(name), "measured": printable(str(measured))}
    is_named = profile.engine.get("program") == NAMED
    found = None if is_named else installed(name)
    if found is None:
        return Notice("profile.unchecked", values)
    return None if found == measured else Notice("profile.stale", {**values, "installed": found})


def unlike(profile: Profile, case: Case) -> str | None:
    """Which of a question's conditions the profile was not measured under; None where none is."""
    pairs = {
        "engine": (case.engine, profile.engine.get("name")),
        "engine_version": (case.engine_version, profile.engine.get("version")),
        "threads": (case.threads, profile.settings.threads),
        "kv_type": (case.kv_type, profile.settings.kv_type_k or "f16"),
        "flash_attention": (case.flash_attention, profile.settings.flash_attention),
    }
    for name, (asked, measured) in pairs.items():
        if asked is not None and measured is not None and asked != measured:
            return name
    if case.ubatch is not None and not profile.least_ubatch <= case.ubatch <= profile.ubatch:
        return "ubatch"
    if case.backend is not None and case.backend.lower() != "cpu":
        return "backend"
    return None


def calibrated(
    profile: Profile,
    model: Model,
    case: Case,
    decode_ceiling: float | None,
    prefill_ceiling: float | None,
) -> tuple[Rate | None, Rate | None, tuple[Notice, ...]]:
    """Decode and prefill by the profile of a question's conditions, and what to say of it.

    Args:
        profile: see `Learned.of`.
        model: the model that is asked about.
        case: the question.
        decode_ceiling: the most tokens per second; no prediction lies above.
        prefill_ceiling: the same of the prompt.
    """
    depth = case.depth or 0
    decode = decode_seconds(profile, model, depth)
    prefill = prefill_seconds(profile, model, case.prompt, depth) if case.prompt else None
    missing = {"decode": decode, "prefill": prefill}
    notices = [
        *why_not(
            profile,
            {phase: each.kinds for phase, each in missing.items() if isinstance(each, NotLearnt)},
        )
    ]
    if isinstance(decode, Seconds):
        engine = f"{profile.engine.get('name')} {profile.engine.get('version') or ''}".strip()
        values = {"engine": printable(engine), "date": profile.created[:10]}
        notices.insert(0, Notice("profile.used", values))
    return (
        _rate(decode, 1, decode_ceiling),
        _rate(prefill, case.prompt or 1, prefill_ceiling),
        tuple(notices[:2]),
    )


def _rate(taken: Seconds | NotLearnt | None, tokens: int, ceiling: float | None) -> Rate | None:
    if not isinstance(taken, Seconds):
        return None
    top = float("inf") if ceiling is None else ceiling
    return Rate(
        tokens_per_s=min(tokens / taken.seconds, top),
        low=min(tokens / taken.high, top),
        high=min(tokens / taken.low, top),
        basis="calibrated",
    )
