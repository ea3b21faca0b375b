"""Where profiles are kept: one small file each, which may be copied to others.

<data folder>/profiles/<id>.json
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from tokenroof.errors import NotFound, RecordError
from tokenroof.predict.learnt.profile import Learnt, Measured, Profile
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

MOST = 1e12
"""Of everything else that is counted or timed: a page can show it, and no sum of it overflows."""

MOST_DEPTH = 20
"""Of lists within lists; an engine's flags are two deep."""

MOST_THREADS, MOST_UBATCH = 2**16, 2**24

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
    decode, prefill, settings = profile.decode, profile.prefill, profile.settings
    sound = {
        f"id: {profile.id}": _ID.fullmatch(profile.id),
        f"created: {profile.created}": _DATE.match(profile.created),
        "decode": decode is None or _is_possible(decode),
        "prefill": prefill is None or _is_possible(prefill),
        "bandwidth_bytes_per_second": _is_rate(profile.bandwidth_bytes_per_second),
        "load_bytes_per_second": _is_rate(profile.load_bytes_per_second),
        "drift": profile.drift is None or 0 <= profile.drift <= MOST,
        "threads": settings.threads is None or 1 <= settings.threads <= MOST_THREADS,
        "ubatch": settings.ubatch is None or 1 <= settings.ubatch <= MOST_UBATCH,
    }
    wrong = [name for name, is_sound in sound.items() if not is_sound]
    wrong += [
        f"measured: {each.shape}" for each in profile.measured if not _could_be_measured(each)
    ]
    return wrong[0] if wrong else _acting(msgspec.to_builtins(profile))


def _is_rate(rate: float | None) -> bool:
    return rate is None or 0 < rate <= MOST_BYTES_PER_SECOND


def _could_be_measured(measured: Measured) -> bool:
    fitted = (measured.decode_fitted, measured.prefill_fitted, *measured.decode_parts.values())
    return (
        all(0 < each <= MOST for each in (measured.decode_seconds, measured.prefill_seconds))
        and 0 <= measured.depth <= MOST
        and 1 <= measured.prompt_tokens <= MOST
        and all(0 <= each <= MOST for each in fitted if each is not None)
    )


def _is_possible(learnt: Learnt) -> bool:
    rates = learnt.seconds.values()
    return (
        any(rates)
        and all(0 <= rate <= MOST_SECONDS for rate in rates)
        and 0 <= learnt.spread <= MOST_SPREAD
        and 1 <= learnt.worst <= MOST
        and 0 <= learnt.longest <= MOST
    )


def _acting(value: object, depth: int = 0) -> str | None:
    """The first text that would act on a screen instead of being read, or that lies too deep."""
    if isinstance(value, str):
        return value if printable(value) != value else None
    inner: list[object] = []
    if isinstance(value, dict):
        inner = [*value, *value.values()]
    elif isinstance(value, list | tuple):
        inner = list(value)
    if inner and depth == MOST_DEPTH:
        return "[[["
    found = (_acting(each, depth + 1) for each in inner)
    return next((each for each in found if each is not None), None)
