"""The journal of a calibration: what was measured of it, so that it goes on where it was stopped.

One file for each engine and mode beside the profiles: a line that says what it is measured with,
then a line for each model, on the disk before the next model begins. A journal that was left by a
calibration that was stopped stays until the first model of a new one is measured.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from tokenroof.calibrate.design import Mode, Trial
from tokenroof.calibrate.measuring import Taken
from tokenroof.predict.learnt.profile import Measured
from tokenroof.predict.learnt.profiles import MOST, MOST_BYTES_PER_SECOND, profiles_folder
from tokenroof.records import Record, Settings
from tokenroof.store.files import append_line, write_whole_file

T = TypeVar("T")


class Begun(Record, frozen=True, kw_only=True):
    """The head of a journal: what its lines were measured with.

    Attributes:
        design: names the models and lengths; what belongs to another design is not gone on with.
    """

    mode: Mode
    engine: dict[str, Any]
    settings: Settings
    design: str = ""


def design_digest(trials: Sequence[Trial]) -> str:
    """Names a design by what is in it."""
    return hashlib.sha256(repr(tuple(trials)).encode()).hexdigest()[:12]


class CalibrationJournal:
    """What is kept of one calibration while it is made.

    Args:
        begun: what it is measured with.
        trials: its design.
    """

    def __init__(self, begun: Begun, trials: Sequence[Trial]) -> None:
        self._begun, self._trials = begun, trials
        name = re.sub(r"[^a-z0-9-]", "-", str(begun.engine["name"]).lower())
        self.path = profiles_folder() / f"{name}-{begun.mode}.jsonl"
        self._continues = False

    def left(self) -> int:
        """How many models of a calibration that was stopped are kept here, of any conditions."""
        return len(self._taken(self._lines()[1:]))

    @property
    def can_resume(self) -> bool:
        """Whether what is kept here was measured under the same conditions."""
        lines = self._lines()
        head = _read(lines[0], Begun) if lines else None
        return head is not None and msgspec.to_builtins(head) == msgspec.to_builtins(self._begun)

    def resume(self) -> tuple[Taken, ...]:
        """What was measured, to go on with; from now on `keep` adds to it.

        What could not be run is tried again. A line that was torn or changed is measured again.
        """
        self._continues = True
        return self._taken(self._lines()[1:])

    def keep(self, taken: Taken) -> None:
        """Put a model away, safely.

        Raises:
            OutputError: it cannot be written; what was there before is untouched.
        """
        line = msgspec.json.encode(taken)
        if self._continues:
            append_line(self.path, line)
            return
        write_whole_file(self.path, msgspec.json.encode(self._begun) + b"\n" + line + b"\n")
        self._continues = True

    def remove(self) -> None:
        """It is done: the profile holds all of it."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _lines(self) -> list[bytes]:
        try:
            return self.path.read_bytes().splitlines()
        except OSError:
            return []

    def _taken(self, lines: Sequence[bytes]) -> tuple[Taken, ...]:
        found = {each.number: each for each in _each(lines, Taken, self._is_sound)}
        return tuple(found.values())

    def _is_sound(self, taken: Taken) -> bool:
        """Whether a line could have been written here."""
        if not 0 <= taken.number < len(self._trials) or not taken.measured:
            return False
        trial = self._trials[taken.number]
        return (
            taken.shape == trial.shape.name
            and len(taken.measured) == len(trial.lengths)
            and all(each.shape == taken.shape for each in taken.measured)
            and all(map(_is_possible, taken.measured))
            and _could_be_loaded(taken)
        )


def _is_possible(measured: Measured) -> bool:
    times = (measured.decode_seconds, measured.prefill_seconds, measured.prompt_tokens)
    return all(0 < each <= MOST for each in (*times, measured.depth))


def _could_be_loaded(taken: Taken) -> bool:
    size, seconds = taken.loaded_bytes or 0, taken.load_seconds or 0.0
    return (
        0 <= size <= MOST
        and 0 <= seconds <= MOST
        and (not seconds or size / seconds <= MOST_BYTES_PER_SECOND)
        and 0 <= (taken.passes_per_second or 0.0) <= MOST
    )


def _each(lines: Sequence[bytes], kind: type[T], sound: Callable[[T], bool]) -> Iterator[T]:
    for line in lines:
        each = _read(line, kind)
        if each is not None and sound(each):
            yield each


def _read(line: bytes, kind: type[T]) -> T | None:
    try:
        return msgspec.json.decode(line, type=kind)
    except (ValueError, RecursionError):
        return None
