"""Where profiles are kept: one small file each, which may be copied to others.

<data folder>/profiles/<id>.json
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from tokenroof.errors import NotFound, RecordError
from tokenroof.predict.learnt.profile import Learnt, Profile
from tokenroof.safetext import printable
from tokenroof.store.files import make_folder, write_whole_file
from tokenroof.store.journal import data_folder

MOST_BYTES = 4 * 2**20
"""Of a profile; a larger file is something else."""

MOST_SECONDS = 1e4
"""Of one unit of work; what takes hours a unit was not measured in a calibration."""

MOST_SPREAD = 100.0
"""In logarithms: no machine is that unlike itself."""

MOST_BYTES_PER_SECOND = 1e15

_DATE = re.compile(r"\d{4}-\d\d-\d\d")
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
    """Refuse what no calibration could have written: a file may come from anywhere."""
    problem = _problem(profile)
    if problem is not None:
        raise RecordError("profile.bad_file", path=shown, reason=printable(problem, 80))


def _problem(profile: Profile) -> str | None:
    """The first that is wrong with a profile: its name, and no words."""
    if not _ID.fullmatch(profile.id):
        return f"id: {profile.id}"
    if not _DATE.match(profile.created):
        return f"created: {profile.created}"
    for name, learnt in (("decode", profile.decode), ("prefill", profile.prefill)):
        if learnt is not None and not _is_possible(learnt):
            return name
    for each in profile.measured:
        if min(each.decode_seconds, each.prefill_seconds) <= 0 or each.depth < 0:
            return f"measured: {each.shape}"
    for name, rate in (
        ("bandwidth_bytes_per_second", profile.bandwidth_bytes_per_second),
        ("load_bytes_per_second", profile.load_bytes_per_second),
    ):
        if rate is not None and not 0 < rate <= MOST_BYTES_PER_SECOND:
            return name
    return _acting(msgspec.to_builtins(profile))


def _is_possible(learnt: Learnt) -> bool:
    rates = learnt.seconds.values()
    return (
        any(rates)
        and all(0 <= rate <= MOST_SECONDS for rate in rates)
        and 0 <= learnt.spread <= MOST_SPREAD
        and learnt.worst >= 0
        and learnt.longest >= 0
    )


def _acting(value: object) -> str | None:
    """The first text that would act on a screen instead of being read."""
    if isinstance(value, str):
        return value if printable(value) != value else None
    inner: list[object] = []
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    elif isinstance(value, list | tuple):
        inner = list(value)
    return next((found for found in map(_acting, inner) if found is not None), None)
