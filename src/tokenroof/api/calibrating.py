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
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tokenroof.api import setup
from tokenroof.api.calibration_journal import Begun, CalibrationJournal, design_digest
from tokenroof.calibrate.design import Mode, Trial, trials
from tokenroof.calibrate.learning import lessons
from tokenroof.calibrate.measuring import Calibrator, Taken
from tokenroof.calibrate.observer import Observer
from tokenroof.calibrate.writer import file_bytes
from tokenroof.clock import SystemClock
from tokenroof.engines import registry
from tokenroof.engines.base import Engine, Identity
from tokenroof.engines.ollama_files import Notes, OllamaOfFiles, remove_left
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineError, EngineRefused, InputError, Interrupted, UsageError
from tokenroof.hardware.bandwidth import ReadBandwidth, measure_read_bandwidth
from tokenroof.hardware.machine import this_machine
from tokenroof.notices import Notice
from tokenroof.predict.learnt.calibrated import NAMED
from tokenroof.predict.learnt.profile import Profile
from tokenroof.predict.learnt.profiles import own_profiles, profiles_folder, save_profile
from tokenroof.predict.memory.engine_setup import DEFAULT_UBATCH
from tokenroof.records import Settings
from tokenroof.safetext import printable
from tokenroof.store.files import check_writable, make_folder, output_error
from tokenroof.store.journal import data_folder
from tokenroof.store.lock import held
from tokenroof.units import binary_size

DEFAULT_ENGINE = "embedded"
ENGINES = ("embedded", "llama-server", "llama-bench", "ollama")
"""Those that read a model from a file that was written a moment ago, or make one of it."""


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
        UsageError: no such engine, one that does not compute on this machine's processor, nothing
            to go on with, or another calibration is running.
        EngineError: no engine, or it could run none of the models.
        OutputError: a model or the profile cannot be written.
        Interrupted: Ctrl-C; what was measured is kept.
    """
    _check_engine(engine)
    options, watching = engine_options or EngineOptions(), observer or Observer()
    machine, clock = this_machine(), SystemClock()
    settings = Settings(threads=threads or machine.usable_cores, ubatch=DEFAULT_UBATCH)
    design = trials(mode)
    journal: CalibrationJournal | None = None
    again = _command(mode, engine, options, threads)
    with _alone(), _workplace() as folder:
        removed = remove_left(_notes())
        if removed:
            watching.notice(Notice("calibrate.removed_left", {"count": removed}))
        watching.beside("calibrate.starting")
        started = _started(engine, options)
        try:
            identity = started.identify()
            begun = Begun(
                mode=mode,
                engine=_engine(identity, options),
                settings=settings,
                design=design_digest(design),
            )
            journal = CalibrationJournal(begun, design)
            before = _before(journal, mode, watching, resume=resume)
            _tell_of_uploads(started, design, before, watching)
            watching.beside("calibrate.reading_memory")
            bandwidth = measure_read_bandwidth()
            calibrator = Calibrator(
                started,
                settings,
                setup.surroundings(started, identity, None, clock),
                clock,
                folder,
                watching,
                data_folder(),
            )
            taken = calibrator.measure(design, before, journal.keep)
            watching.beside("calibrate.reading_memory")
            bandwidth = _better(bandwidth, measure_read_bandwidth())
            watching.beside("calibrate.fitting")
            profile = _profile(begun, design, taken, bandwidth)
            save_profile(profile)
        except KeyboardInterrupt as stop:
            if not _has_kept(journal):
                raise Interrupted("cli.interrupted") from stop
            raise Interrupted("calibrate.interrupted", command=again) from stop
        except (InputError, EngineError):
            if _has_kept(journal):
                watching.kept(again)
            raise
        finally:
            started.close()
            _tell_of_rest(started, watching)
        journal.remove()
    return profile


def _check_engine(engine: str) -> None:
    if engine not in ENGINES:
        name, choices = printable(engine, 60), ", ".join(ENGINES)
        raise UsageError("calibrate.engine", engine=name, choices=choices)


def _notes() -> Notes:
    """Where it is noted which models were made in an Ollama."""
    return Notes(profiles_folder() / "ollama-models.json")


def _started(engine: str, options: EngineOptions) -> Engine:
    """The engine.

    Raises:
        UsageError: it takes no such option, or is not on this machine.
        EngineMissing: it is not installed.
    """
    picked = registry.pick(engine, options)
    if engine != "ollama":
        return picked
    ollama = OllamaOfFiles(_notes(), options)
    if not ollama.is_local:
        raise UsageError("calibrate.elsewhere", url=ollama.url)
    return ollama


def _tell_of_uploads(
    engine: Engine, design: tuple[Trial, ...], before: tuple[Taken, ...], observer: Observer
) -> None:
    if not isinstance(engine, OllamaOfFiles):
        return
    done = {each.number for each in before}
    sizes = [file_bytes(each.shape) for number, each in enumerate(design) if number not in done]
    values = {"url": engine.url, "count": len(sizes), "size": binary_size(sum(sizes))}
    observer.notice(Notice("calibrate.uploads", values))


def _tell_of_rest(engine: Engine, observer: Observer) -> None:
    if isinstance(engine, OllamaOfFiles) and engine.left_bytes:
        values = {"url": engine.url, "size": binary_size(engine.left_bytes)}
        observer.notice(Notice("calibrate.rest", values))


def newest_profile(engine: str | None = None) -> Profile | None:
    """The newest profile that is kept here, of one engine or of any.

    Raises:
        UsageError: no such engine can be calibrated.
    """
    if engine is not None:
        _check_engine(engine)
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
        **({"program": NAMED} if options.program is not None else {}),
    }


def _before(
    journal: CalibrationJournal, mode: Mode, observer: Observer, *, resume: bool
) -> tuple[Taken, ...]:
    """What there is to go on with.

    Raises:
        UsageError: there is nothing, and it was asked for.
    """
    if not resume:
        left = journal.left()
        if left:
            observer.anew(left, can_resume=journal.can_resume)
        return ()
    if not journal.can_resume:
        raise UsageError("calibrate.nothing_to_resume", mode=mode)
    return journal.resume()


def _has_kept(journal: CalibrationJournal | None) -> bool:
    """Whether there is anything that could be gone on with."""
    return journal is not None and journal.can_resume and journal.left() > 0


def _command(mode: Mode, engine: str, options: EngineOptions, threads: int | None) -> str:
    """What goes on with this calibration, as it is typed."""
    words = ["tokenroof", "calibrate", f"--{mode}", "--resume"]
    if engine != DEFAULT_ENGINE:
        words += ["--engine", engine]
    if options.program is not None:
        words += ["--engine-program", options.program]
    if threads is not None:
        words += ["--threads", str(threads)]
    return printable(shlex.join(words))


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Keep a second calibration off this machine: each would be the other's disturbance.

    Raises:
        UsageError: there is one already.
        OutputError: the folder of the profiles cannot be made or written to.
    """
    make_folder(profiles_folder())
    check_writable(profiles_folder())
    with held(profiles_folder() / "calibrating.lock") as ours:
        if not ours:
            raise UsageError("calibrate.running")
        yield


@contextlib.contextmanager
def _workplace() -> Iterator[Path]:
    """A folder for the models, gone afterwards; what a kill left of an earlier one too."""
    parent = profiles_folder() / "models"
    make_folder(parent)
    for left in parent.glob("*/calibrate-*.gguf"):
        with contextlib.suppress(OSError):
            left.unlink()
    try:
        folder = tempfile.TemporaryDirectory(dir=parent, ignore_cleanup_errors=True)
    except OSError as problem:
        raise output_error(parent, problem) from problem
    try:
        with folder as path:
            yield Path(path)
    finally:
        for empty in (*parent.glob("*"), parent):
            with contextlib.suppress(OSError):
                empty.rmdir()


def _better(*measured: ReadBandwidth | None) -> ReadBandwidth | None:
    """Whatever disturbs a measurement makes it slower: the better one is nearer."""
    known = [each for each in measured if each is not None]
    return max(known, key=lambda each: each.best_bytes_per_second, default=None)


def _profile(
    begun: Begun,
    design: tuple[Trial, ...],
    taken: tuple[Taken, ...],
    bandwidth: ReadBandwidth | None,
) -> Profile:
    found = lessons(
        design,
        taken,
        threads=begun.settings.threads,  # of a processor: all else was refused
        ubatch=begun.settings.ubatch or DEFAULT_UBATCH,
    )
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
        # Some tell where they compute only once a model is loaded; others were refused then.
        engine=begun.engine | {"place": "cpu"},
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
