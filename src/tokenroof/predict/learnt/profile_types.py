"""Of which stored types a profile tells how fast they are read.

Every model holds some numbers that are no matrix, as the factors of its norms. They have a rate in
the fit like all others, but what takes a hundredth of a time tells nothing of that hundredth: the
rate holds whatever else the fit could not place. It serves predictions, and is no news of F32.
"""

from __future__ import annotations

from tokenroof.predict.learnt.profile import Profile
from tokenroof.predict.learnt.work import BYTES_OF

TOLD_SHARE = 0.05
"""Of the weights of some model that was measured: with less, the rate of a type is not told."""


def told_types(profile: Profile) -> tuple[str, ...]:
    """The stored types whose rate in decode says something of them, in the profile's order."""
    rates = {} if profile.decode is None else profile.decode.seconds
    kinds = [kind for kind, rate in rates.items() if kind.startswith(BYTES_OF) and rate > 0]
    most = dict.fromkeys(kinds, 0.0)
    for measured in profile.measured:
        read = {kind: measured.decode_parts.get(kind, 0.0) / rates[kind] for kind in kinds}
        whole = sum(read.values())
        for kind in kinds:
            most[kind] = max(most[kind], read[kind] / whole if whole else 0.0)
    # A profile without measurements is somebody's extract: nothing speaks against its rates.
    is_bare = not any(most.values())
    return tuple(
        kind.removeprefix(BYTES_OF) for kind in kinds if is_bare or most[kind] >= TOLD_SHARE
    )
