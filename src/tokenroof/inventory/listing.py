"""All models of a machine: found, read once, one row for each file."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tokenroof.inventory.cache import RowCache
from tokenroof.inventory.describe import bare, companions_of, described
from tokenroof.inventory.records import Listing, ModelRow
from tokenroof.library.installed import installed

if TYPE_CHECKING:
    from tokenroof.hardware.device import Device
    from tokenroof.library import Installed
    from tokenroof.library.system import System

Progress = Callable[[int, int], None]
"""Told how many files were read, and how many there are to read."""


def list_models(
    folders: Iterable[Path] = (),
    *,
    device: Device | None = None,
    cache: RowCache | None = None,
    progress: Progress | None = None,
    system: System | None = None,
) -> Listing:
    """Every model that a program on this machine knows, and those below some folders.

    Args:
        folders: looked into as well.
        device: adds ceilings and verdicts, as far as its figures are known.
        cache: rows made before; this person's own by default.
        progress: told of every file that has to be read.
        system: the computer that is looked at; this one by default.
    """
    cache = cache or RowCache()
    files = _each_file_once(installed(folders, system))
    rows: dict[int, ModelRow] = {}
    to_read: list[int] = []
    for number, (found, _) in enumerate(files):
        known = cache.get(found.path) if found.path is not None else None
        if known is not None:
            rows[number] = known
        else:
            to_read.append(number)
    for done, number in enumerate(to_read):
        if progress is not None:
            progress(done, len(to_read))
        found = files[number].first
        rows[number], parts = described(found)
        if found.path is not None:
            cache.put(found.path, rows[number], parts)
    if progress is not None and to_read:
        progress(len(to_read), len(to_read))
    cache.save()
    named = [_named(rows[number], each) for number, each in enumerate(files)]
    if device is not None:
        named = held_against(device, named)
    return Listing(models=tuple(named))


class _File(NamedTuple):
    """A file, with all that was found to mean it."""

    first: Installed
    others: list[Installed]


def _each_file_once(found: Iterable[Installed]) -> list[_File]:
    """What was found, each file once."""
    files: dict[object, _File] = {}
    for each in found:
        known = files.setdefault(_identity(each), _File(each, []))
        names = {known.first.name, *(other.name for other in known.others)}
        if each.name not in names:
            known.others.append(each)
    return list(files.values())


def _identity(found: Installed) -> object:
    """What is the same for two names of one file: links, hard or soft, do not make two."""
    if found.path is None:
        return found.name
    try:
        status = found.path.stat()
    except OSError:
        return os.path.normcase(found.path)
    return (status.st_dev, status.st_ino) if status.st_ino else os.path.normcase(found.path)


def _named(row: ModelRow, file: _File) -> ModelRow:
    """The row under the names of today: a store may have renamed the file since."""
    fresh = bare(file.first)
    brought = (companions_of(each) for each in (file.first, *file.others))
    return msgspec.structs.replace(
        row,
        name=fresh.name,
        names=tuple(each.name for each in file.others),
        source=fresh.source,
        path=fresh.path,
        companions=tuple(itertools.chain.from_iterable(brought)),
    )


def _needed(device: Device, row: ModelRow) -> int | None:
    """What a device has to hold of a model: all of it, or a card's part."""
    from tokenroof.hardware.device import NamedDevice

    is_card = isinstance(device, NamedDevice) and device.has_own_memory
    return row.card_bytes if is_card else row.resident_bytes


def held_against(device: Device, rows: list[ModelRow]) -> list[ModelRow]:
    """The rows with what the device makes of them, all through the one estimator."""
    import numpy as np

    from tokenroof.predict.estimate import Questions, answer

    def column(values: Iterable[float | None]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.array([np.nan if each is None else each for each in values], dtype=np.float64)

    unknown = column(None for _ in rows)
    answers = answer(
        Questions(
            read_bytes=column(row.read_bytes for row in rows),
            bandwidth_bytes_per_second=column(device.bandwidth_bytes_per_second for _ in rows),
            resident_bytes=column(_needed(device, row) for row in rows),
            capacity_bytes=column(device.memory_bytes for _ in rows),
            prompt_tokens=unknown,
            prompt_flop=unknown,
            flop_per_second=unknown,
        )
    )
    ceilings = answers.decode_tokens_per_second.tolist()
    return [
        msgspec.structs.replace(
            row,
            ceiling_tokens_per_s=None if math.isnan(ceiling) else round(ceiling, 2),
            verdict=verdict,
        )
        for row, ceiling, verdict in zip(rows, ceilings, answers.verdicts, strict=True)
    ]
