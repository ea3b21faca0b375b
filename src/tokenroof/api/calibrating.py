"""`calibrate`: learn this machine with one engine, and keep what was learnt.

1. the engine is started and says what it is; the machine's read bandwidth is measured
2. the models of the design are written, measured and removed, one after the other; each is in
   a journal before the next begins, so that a calibration goes on where it was stopped
3. the rates are fitted, and the profile is kept where `estimate` finds it
"""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tokenroof.api import setup
from tokenroof.calibrate.design import Mode, Trial, trials
from tokenroof.calibrate.learning import lessons
from tokenroof.calibrate.measuring import Calibrator, Observer, SilentObserver, Taken
from tokenroof.clock import SystemClock
from tokenroof.engines import registry
from tokenroof.engines.base import Identity
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineRefused, Interrupted, UsageError
from tokenroof.hardware.bandwidth import ReadBandwidth, measure_read_bandwidth
from tokenroof.hardware.machine import this_machine
from tokenroof.predict.profile import Profile
from tokenroof.predict.profiles import own_profiles, profiles_folder, save_profile
from tokenroof.records import Record, Settings
from tokenroof.store.files import append_line, make_folder, write_whole_file

DEFAULT_UBATCH = 512
DEFAULT_ENGINE = "embedded"
ENGINES = ("embedded", "llama-server", "llama-bench")
"""Those that read a model from a file that was written a moment ago."""


class Begun(Record, frozen=True, kw_only=True):
    """The head of a journal: what its lines were measured with."""

    mode: Mode
    engine: dict[str, Any]
    settings: Settings


def calibrate(
    mode: Mode = "quick",
    *,
    engine: str = DEFAULT_ENGINE,
    engine_options: EngineOptions | None = None,
    threads: int | None = None,
    resume: bool = False,
    observer: Observer | None = None,
) -> Profile:
    """Learn this machine with an engine.

    Args:
        mode: "quick" takes about two minutes, "full" about fifteen.
        engine: one of `ENGINES`.
        engine_options: how it is reached or started.
        threads: of the engine; None for the cores that this process may use.
        resume: go on with a calibration of the same kind that was stopped.
        observer: is told what happens.

    Raises:
        UsageError: no such engine, or nothing to go on with.
        EngineError: no engine, or it could run none of the models.
        OutputError: a model or the profile cannot be written.
        Interrupted: Ctrl-C; what was measured is kept.
    """
    if engine not in ENGINES:
        raise UsageError("calibrate.engine", engine=engine, choices=", ".join(ENGINES))
    options = engine_options or EngineOptions()
    machine, clock = this_machine(), SystemClock()
    settings = Settings(threads=threads or machine.usable_cores, ubatch=DEFAULT_UBATCH)
    started = registry.pick(engine, options)
    try:
        identity = started.identify()
        begun = Begun(mode=mode, engine=_engine(identity, options), settings=settings)
        journal = _journal(begun)
        before = _before(journal, begun) if resume else ()
        if not before:
            make_folder(journal.parent)
            write_whole_file(journal, msgspec.json.encode(begun) + b"\n")
        design = trials(mode)
        bandwidth = measure_read_bandwidth() if identity.place == "cpu" else None
        with _workplace() as folder:
            calibrator = Calibrator(
                started,
                settings,
                setup.surroundings(started, identity, None, clock),
                clock,
                folder,
                observer or SilentObserver(),
            )
            taken = calibrator.measure(
                design, before, lambda each: append_line(journal, msgspec.json.encode(each))
            )
    except KeyboardInterrupt as stop:
        raise Interrupted("calibrate.interrupted", mode=mode) from stop
    finally:
        started.close()
    profile = _profile(begun, design, taken, bandwidth)
    save_profile(profile)
    journal.unlink(missing_ok=True)
    return profile


def newest_profile(engine: str | None = None) -> Profile | None:
    """The newest profile that is kept here, of one engine or of any."""
    found = own_profiles()
    return next((each for each in found if engine in (None, each.engine.get("name"))), None)


def _engine(identity: Identity, options: EngineOptions) -> dict[str, Any]:
    flags = {**identity.flags, **({"given": " ".join(options.flags)} if options.flags else {})}
    return {
        "name": identity.name,
        "version": identity.version,
        "backend": identity.backend,
        "place": identity.place,
        "flags": flags,
    }


def _journal(begun: Begun) -> Path:
    name = re.sub(r"[^a-z0-9-]", "-", str(begun.engine["name"]).lower())
    return profiles_folder() / f"{name}-{begun.mode}.jsonl"


def _before(journal: Path, begun: Begun) -> tuple[Taken, ...]:
    """What was measured of a calibration under the same conditions.

    Raises:
        UsageError: there is none.
    """
    try:
        lines = journal.read_bytes().splitlines()
        head = msgspec.json.decode(lines[0], type=Begun) if lines else None
    except (OSError, msgspec.MsgspecError):
        head = None
    if head != msgspec.json.decode(msgspec.json.encode(begun), type=Begun):
        raise UsageError("calibrate.nothing_to_resume", mode=begun.mode)
    taken: dict[int, Taken] = {}
    for line in lines[1:]:
        # A line that was cut off by a kill is measured again.
        with contextlib.suppress(msgspec.MsgspecError):
            each = msgspec.json.decode(line, type=Taken)
            taken[each.number] = each
    return tuple(taken.values())


@contextlib.contextmanager
def _workplace() -> Iterator[Path]:
    """A folder for the models, gone afterwards; what a kill left of an earlier one too."""
    parent = profiles_folder() / "models"
    make_folder(parent)
    for left in parent.glob("*/calibrate-*.gguf"):
        with contextlib.suppress(OSError):
            left.unlink()
    try:
        with tempfile.TemporaryDirectory(dir=parent, ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    finally:
        for empty in (*parent.glob("*"), parent):
            with contextlib.suppress(OSError):
                empty.rmdir()


def _profile(
    begun: Begun,
    design: tuple[Trial, ...],
    taken: tuple[Taken, ...],
    bandwidth: ReadBandwidth | None = None,
) -> Profile:
    found = lessons(design, taken, begun.settings.ubatch or DEFAULT_UBATCH)
    if found.decode is None and found.prefill is None:
        raise EngineRefused("calibrate.no_figures")
    now = datetime.datetime.now(datetime.UTC)
    machine = this_machine().to_dict()
    digest = hashlib.sha256(repr((begun.engine, now.isoformat())).encode()).hexdigest()[:6]
    name = re.sub(r"[^a-z0-9-]", "-", str(begun.engine["name"]).lower())
    return Profile(
        id=f"{now:%Y%m%d-%H%M%S}-{name}-{digest}",
        created=now.isoformat(timespec="seconds"),
        mode=begun.mode,
        engine=begun.engine,
        settings=begun.settings,
        machine={key: machine[key] for key in ("os", "cpu_name", "usable_cores", "cache_bytes")},
        bandwidth_bytes_per_second=None if bandwidth is None else bandwidth.best_bytes_per_second,
        decode=found.decode,
        prefill=found.prefill,
        load_bytes_per_second=found.load_bytes_per_second,
        measured=found.measured,
        drift=found.drift,
        skipped=found.skipped,
    )
