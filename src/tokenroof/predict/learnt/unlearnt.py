"""Why a profile says nothing of a model, as a person can act on it.

A rate may be missing because no model measured held the stored type, because the engine could not
run the models that would have told it, or because the profile was made by a tokenroof that did not
know the kind of work yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tokenroof.notices import Notice
from tokenroof.predict.learnt.attending import PIECES
from tokenroof.predict.learnt.profile import Profile
from tokenroof.predict.learnt.work import (
    BYTES_OF,
    EXPERT_BYTES,
    EXPERT_FLOP,
    EXPERT_LAYER,
    FLOP_OF,
)

TYPES_OF_FULL = frozenset(
    {
        *("F16", "BF16", "Q8_0", "Q6_K", "Q5_K", "Q4_K", "Q3_K", "Q2_K"),
        *("Q4_0", "Q4_1", "Q5_0", "Q5_1", "IQ4_NL", "IQ4_XS", "MXFP4"),
    }
)
"""The stored types that `calibrate --full` measures."""

_OF_SOME_MODELS = frozenset({EXPERT_BYTES, EXPERT_FLOP, EXPERT_LAYER, PIECES})
"""Kinds of work that only some models of a calibration have; each of the others is in all."""


def why_not(profile: Profile, kinds: Mapping[str, Sequence[str]]) -> tuple[Notice, ...]:
    """What to say of kinds of work, by phase, that a profile has no rate for."""
    said: dict[tuple[str, str], list[str]] = {}
    for phase, missing in kinds.items():
        said.setdefault(_reason(profile, missing), []).append(phase)
    return tuple(
        Notice(message, {"phases": ", ".join(phases), "kinds": named})
        for (message, named), phases in said.items()
    )


def _reason(profile: Profile, kinds: Sequence[str]) -> tuple[str, str]:
    """The sentence, and what it names."""
    types = [
        kind.removeprefix(prefix)
        for kind in kinds
        for prefix in (BYTES_OF, FLOP_OF)
        if kind.startswith(prefix)
    ]
    others = [kind for kind in kinds if not kind.startswith((BYTES_OF, FLOP_OF))]
    # What a type takes to unpack is learnt with its operations: alone it is not missing.
    others = [kind for kind in others if kind.partition(":")[2] not in types]
    if others and not (profile.skipped and _OF_SOME_MODELS.issuperset(others)):
        return "profile.older", ""
    if others:
        return "profile.skipped", ", ".join(profile.skipped)
    learnable = profile.mode == "quick" and TYPES_OF_FULL.issuperset(types)
    is_refused = any(f"type-{each}" in profile.skipped for each in types)
    message = "profile.not_learnt" if learnable and not is_refused else "profile.never_learnt"
    return message, ", ".join(dict.fromkeys(types))
