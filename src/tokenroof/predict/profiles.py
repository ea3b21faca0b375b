"""Where profiles are kept: one small file each, which may be copied to others.

<data folder>/profiles/<id>.json
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from tokenroof.errors import NotFound, RecordError
from tokenroof.predict.profile import Profile
from tokenroof.safetext import printable
from tokenroof.store.files import make_folder, write_whole_file
from tokenroof.store.journal import data_folder

MOST_BYTES = 4 * 2**20
"""Of a profile; a larger file is something else."""

_ID = re.compile(r"[0-9a-zA-Z][0-9a-zA-Z.-]{0,80}")


def profiles_folder() -> Path:
    """Where the profiles of this machine lie."""
    return data_folder() / "profiles"


def save_profile(profile: Profile) -> Path:
    """Keep a profile and return its file.

    Raises:
        OutputError: it cannot be written.
    """
    folder = profiles_folder()
    make_folder(folder)
    path = folder / f"{profile.id}.json"
    write_whole_file(path, msgspec.json.format(msgspec.json.encode(profile), indent=2) + b"\n")
    return path


def read_profile(path: Path) -> Profile:
    """A profile from its file, somebody else's too.

    Raises:
        NotFound: there is no such file.
        RecordError: it is no profile.
    """
    shown = printable(str(path))
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except FileNotFoundError as problem:
        raise NotFound("profile.no_file", path=shown) from problem
    except OSError as problem:
        reason = problem.strerror or type(problem).__name__
        raise RecordError("profile.bad_file", path=shown, reason=reason) from problem
    try:
        profile = msgspec.json.decode(data, type=Profile)
    except (msgspec.MsgspecError, ValueError, RecursionError) as problem:
        reason = printable(str(problem), 120)
        raise RecordError("profile.bad_file", path=shown, reason=reason) from problem
    _check(profile, shown)
    return profile


def own_profiles() -> tuple[Profile, ...]:
    """All profiles that are kept here, the newest first. One that cannot be read is passed over."""
    found = []
    try:
        paths = sorted(profiles_folder().glob("*.json"))
    except OSError:
        return ()
    for path in paths:
        try:
            found.append(read_profile(path))
        except (NotFound, RecordError):
            continue
    return tuple(sorted(found, key=lambda each: each.created, reverse=True))


def _check(profile: Profile, shown: str) -> None:
    """Refuse figures that no calibration could have written: a file may come from anywhere."""
    rates = [
        rate
        for learnt in (profile.decode, profile.prefill)
        if learnt is not None
        for rate in (*learnt.seconds.values(), learnt.spread, learnt.worst)
    ]
    if not _ID.fullmatch(profile.id) or any(not 0 <= rate < float("inf") for rate in rates):
        raise RecordError("profile.bad_file", path=shown, reason=printable(profile.id, 40))
