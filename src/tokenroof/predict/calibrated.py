"""Predictions of this machine from what `calibrate` learnt of it.

They hold for the engine and the settings that were measured. A question that names others is not
answered by them; what stands in the way is said by name.
"""

from __future__ import annotations

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
    """Decode and prefill by the profile, and what to say of it.

    Args:
        profile: of this machine.
        model: the model that is asked about.
        case: the question.
        decode_ceiling: the most tokens per second; no prediction lies above.
        prefill_ceiling: the same of the prompt.
    """
    reason = unlike(profile, case)
    if reason is not None:
        return None, None, (Notice("profile.unlike", {"key": reason}),)
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
