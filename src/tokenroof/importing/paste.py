"""A file or a paste, line by line: each line goes to the first reader that knows it.

Nothing but the line, what a reader waits for, and the runs is kept, so that a paste of any length
needs the memory of its runs.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from tokenroof.importing import batched_bench, flags, ollama_tables, ollama_verbose, own, sniff
from tokenroof.importing.collector import Collector
from tokenroof.importing.delimited import Csv, Sql
from tokenroof.importing.documents import Documents
from tokenroof.importing.json_text import Objects
from tokenroof.importing.llama_bench_markdown import Tables
from tokenroof.importing.log_blocks import Blocks
from tokenroof.importing.other_tools import OtherTools
from tokenroof.importing.records import Imported
from tokenroof.importing.streams import Streams
from tokenroof.importing.text import lines_of
from tokenroof.notices import Notice

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_PEEK = 4096
_MOST_PAGE_BYTES = 512 * 2**20

Reader = Callable[[int, str], bool]


def import_file(path: Path, bandwidth_bytes_per_second: float | None = None) -> Imported:
    """The runs of a file.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as stream:
        return import_stream(stream, str(path), bandwidth_bytes_per_second)


def import_stream(
    stream: BinaryIO, file: str | None = None, bandwidth_bytes_per_second: float | None = None
) -> Imported:
    """The runs of a stream of bytes.

    Args:
        stream: where they come from.
        file: its name, for what is refused.
        bandwidth_bytes_per_second: of the device that ran it, to tell what is above its ceiling.
    """
    collector = Collector(file)
    buffered = io.BufferedReader(_Readable(stream), _PEEK)
    head = buffered.peek(_PEEK)[:_PEEK]
    if sniff.is_binary(head):
        collector.refuse(1, "importing.binary")
    elif sniff.is_page(head):
        _page(collector, buffered.read(_MOST_PAGE_BYTES))
    else:
        _lines(collector, buffered)
    return _judged(collector, bandwidth_bytes_per_second)


_ALIKE = 64
"""How far back a remark is looked for that was made of the same row."""


def _judged(collector: Collector, bandwidth: float | None) -> Imported:
    """What was collected, with its flags. Our own runs were judged when they were measured."""
    places = [at for at, run in enumerate(collector.runs) if run.id not in collector.own]
    judged, reasons = flags.judge([collector.runs[at] for at in places], bandwidth)
    runs = list(collector.runs)
    for at, run in zip(places, judged, strict=True):
        runs[at] = run
    notices: list[Notice] = []
    for place, reason in reasons:
        # One row may stand for several runs, which are all that it is.
        notice = replace(reason, where=_where(collector, places[place]))
        if notice not in notices[-_ALIKE:]:
            notices.append(notice)
    # Readers that wait for the end of a block refuse later lines first.
    refused = sorted(collector.refused, key=lambda each: each.line)
    return Imported(runs=tuple(runs), refused=tuple(refused), notices=tuple(notices))


def _where(collector: Collector, place: int) -> str:
    """The place of a run as compilers write it: file and line, or the line of a paste."""
    line = str(collector.lines[place])
    return line if collector.file is None else f"{collector.file}:{line}"


def _page(collector: Collector, data: bytes) -> None:
    try:
        runs = own.runs_in_page(data.decode("utf-8", "replace"))
    except ValueError:
        collector.refuse(1, "importing.no_report")
        return
    for run in runs:
        collector.add_own(1, run)


def _lines(collector: Collector, stream: io.BufferedReader[_Readable]) -> None:
    log, streams = Blocks(collector), Streams(collector)
    documents = Documents(collector, log, streams)
    objects = Objects(collector, documents.take)
    tables, verbose = Tables(collector), ollama_verbose.Blocks(collector)
    csv, other = Csv(collector), OtherTools(collector)
    listed, batched = ollama_tables.Tables(collector), batched_bench.Tables(collector)
    first: tuple[Reader, ...] = (objects.take, streams.take, csv.take)
    for_people: tuple[Reader, ...] = (
        *(batched.take, tables.take, verbose.take, log.take, Sql(collector).take),
        *(listed.take, other.take),
    )

    def known(number: int, text: str) -> bool:
        readable = sniff.is_text(text) and any(take(number, text) for take in for_people)
        quoted = sniff.unquoted(text)
        return readable or sniff.is_noise(text) or (quoted is not None and known(number, quoted))

    for number, text, is_whole in lines_of(stream):
        if not is_whole:
            collector.refuse(number, "importing.long_line")
        elif not text.strip():
            listed.take(number, text)
        elif not (any(take(number, text) for take in first) or known(number, text)):
            collector.unknown_text(number, text)
    for reader in (objects, streams, tables, verbose, log, other):
        reader.close()
    collector.end_of_text()


class _Readable(io.RawIOBase):
    """Any binary stream, so that its beginning can be looked at."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        data = self._stream.read(len(view))
        view[: len(data)] = data
        return len(data)
