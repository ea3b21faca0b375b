"""Predictions of this machine from what `calibrate` learnt of it.

They hold for the engine and the settings that were measured. A question that names others is not
answered by them; what stands in the way is said by name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from tokenroof.notices import Notice
from tokenroof.predict.cases import Case
from tokenroof.predict.profile import (
    NotLearnt,
    Profile,
    Seconds,
    decode_seconds,
    prefill_seconds,
)
from tokenroof.predict.records import Rate
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.model import Model


_PACKAGES = {"embedded": "llama_cpp_python"}
"""Engines whose version can be told without starting them, and the package that has it."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The profiles that may answer, the newest first.

    Attributes:
        is_given: a person named the profile: it is used whatever it was measured on, as it may be
            an older one or of another machine, which is said.
    """

    profiles: Sequence[Profile] = ()
    is_given: bool = False

    def of(self, case: Case, cpu: str) -> tuple[Profile | None, Notice | None]:
        """The newest profile that was measured under a question's conditions.

        Args:
            case: the question.
            cpu: this machine's processor.

        Returns:
            A profile without a notice; else what stands in the way of the newest, if there is one.
        """
        problem = None
        for profile in self.profiles:
            found = self._problem(profile, case, cpu)
            if found is None:
                return profile, None
            problem = problem or found
        return None, problem

    def _problem(self, profile: Profile, case: Case, cpu: str) -> Notice | None:
        key = unlike(profile, case)
        if not self.is_given and not profile.is_of(cpu):
            key = "processor"
        if key is not None:
            return Notice("profile.unlike", {"key": key})
        return None if self.is_given else stale(profile)


def stale(profile: Profile) -> Notice | None:
    """That the engine is of another version now; None where it is not, or nobody can tell."""
    name, measured = str(profile.engine.get("name")), profile.engine.get("version")
    installed = _installed(name)
    if measured is None or installed is None or installed == measured:
        return None
    values = {"engine": printable(name), "measured": printable(str(measured))}
    return Notice("profile.stale", {**values, "installed": installed})


def _installed(engine: str) -> str | None:
    try:
        return version(_PACKAGES[engine])
    except (KeyError, PackageNotFoundError):
        return None


def unlike(profile: Profile, case: Case) -> str | None:
    """Which of a question's conditions the profile was not measured under; None where none is."""
    pairs = {
        "engine": (case.engine, profile.engine.get("name")),
        "engine_version": (case.engine_version, profile.engine.get("version")),
        "threads": (case.threads, profile.settings.threads),
        "ubatch": (case.ubatch, profile.settings.ubatch),
        "kv_type": (case.kv_type, profile.settings.kv_type_k or "f16"),
        "flash_attention": (case.flash_attention, profile.settings.flash_attention),
    }
    for name, (asked, measured) in pairs.items():
        if asked is not None and measured is not None and asked != measured:
            return name
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
    notices = [
        Notice("profile.not_learnt", {"kinds": ", ".join(each.kinds)})
        for each in (decode, prefill)
        if isinstance(each, NotLearnt)
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
