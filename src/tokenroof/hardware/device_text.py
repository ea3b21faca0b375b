"""DEVICE as people write it: `[N`x `]NAME[` + `HOST]`.

Layers that are split over cards run one card after the other, so the times add and one token
passes each byte once: at most the bandwidth of one card, however many there are; of unlike cards
at most that of the fastest. Their memories add. Processors are different: all sockets of a board
work on each layer together, so of N of them the bandwidths add.

HOST is a processor or its memory. Behind a card it is what holds what the card does not, and
bounds nothing that lies on the card. Behind a processor, or a GPU that uses the system's memory,
it is the very memory that is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tokenroof import units
from tokenroof.errors import AmbiguousName, TokenroofError, UsageError
from tokenroof.hardware.device import Device, NamedDevice, Part, Place
from tokenroof.hardware.device_assumptions import Term, assumptions, rate_of
from tokenroof.hardware.device_names import (
    find_device,
    meanings,
    memory_in_name,
    namesakes,
    unknown_device,
)
from tokenroof.hardware.device_table import KnownDevice
from tokenroof.hardware.hosts import known_memory, memory_device
from tokenroof.notices import Notice
from tokenroof.safetext import printable

HERE = "here"

MOST_OF_A_KIND = 1024
MOST_CHARACTERS = 300

_COUNTS = (
    re.compile(r"(?P<count>\d{1,5})\s*[x×]\s*(?P<name>\S.*)", re.IGNORECASE),
    re.compile(r"(?P<name>.*\S)\s+[x×]\s*(?P<count>\d{1,5})", re.IGNORECASE),
)
"""`2x NAME`, and `NAME x2` as memory is counted."""

_OWN_MEMORY = {"gpu", "accelerator"}
"""Kinds whose memory no program of the system uses."""

_SYSTEM_MEMORY = {"cpu", "apu"}
"""Kinds whose memory stands in sockets of the board, or could."""


def named_device(text: str, host: str | None = None, memory_gb: float | None = None) -> NamedDevice:
    """The device that a text means.

    Args:
        host: HOST, where it is given apart.
        memory_gb: of each device, in GB (1e9 bytes); chooses among variants as well.

    Raises:
        AmbiguousName: a name in it means several devices; the error names them.
        UsageError: a name in it is unknown, or HOST is given twice.
    """
    terms, written_host = _taken_apart(text, memory_gb)
    if host is not None and written_host is not None:
        raise UsageError("hardware.host_twice", host=printable(host))
    behind = None if host is None and written_host is None else _host(host or written_host or "")
    if not terms:
        assert behind is not None
        return _only_memory(behind, memory_gb)
    cards = [term for term in terms if term.known.kind in _OWN_MEMORY]
    processors = [term for term in terms if term.known.kind == "cpu"]
    if behind is None and cards and len(processors) == 1:
        behind, terms = _put_together(processors, None, None), cards
    return _put_together(terms, behind, memory_gb)


def known_devices(text: str) -> tuple[KnownDevice, ...]:
    """Every device, and memory, that a text names, each once.

    Raises:
        AmbiguousName: a name in it means several devices.
        UsageError: a name in it is unknown.
    """
    terms, host = _taken_apart(text, None)
    found = [term.known for term in terms]
    if host is not None and host.lower() != HERE:
        found.append(known_memory(host) or _term(host, None).known)
    return tuple(dict.fromkeys(found))


def named_host(text: str) -> Device:
    """A processor or memory by its name, as it stands behind a card.

    Raises:
        AmbiguousName: the name means several; the error names them.
        UsageError: it is unknown.
    """
    return _host(text)


def split_names(text: str) -> list[str]:
    """The devices of a list with commas; a comma within a name separates nothing.

    A text that is no list of names is given back whole, for the error to show.
    """
    if "," not in text or is_name(text):
        return [text.strip()]
    pieces, found = text.split(","), []
    while pieces:
        length = next(
            (n for n in range(len(pieces), 1, -1) if is_name(",".join(pieces[:n]))),
            1,
        )
        found.append(",".join(pieces[:length]).strip())
        pieces = pieces[length:]
    return [each for each in found if each]


def is_name(text: str) -> bool:
    """Whether a text as a whole means a device, or several."""
    if text.strip().lower() == HERE:
        return True
    try:
        named_device(text)
    except AmbiguousName:
        return True
    except TokenroofError:
        return False
    return True


def _taken_apart(text: str, memory_gb: float | None) -> tuple[list[Term], str | None]:
    """The devices that share the layers, and HOST. No device: the text is memory alone."""
    text = text.strip()
    if len(text) > MOST_CHARACTERS:
        raise unknown_device(text)
    alias = meanings(text)
    if len(alias) == 1 and alias[0] != text and (" + " in alias[0] or _counted(alias[0])):
        return _taken_apart(alias[0], memory_gb)
    if alias or _is_counted(text):
        return [_term(text, memory_gb)], None
    if memory_device(text) is not None:
        return [], text
    unknown = text
    for front, back in _at_each_plus(text):
        if not _begins_with_a_device(front):
            continue
        if not _is_whole(back):
            unknown = back.strip()
            continue
        terms, host = _taken_apart(front, memory_gb)
        if host is None and not _is_host(back):
            return [*terms, *_taken_apart(back, memory_gb)[0]], None
        if host is None:
            return terms, back.strip()
    raise unknown_device(unknown)


def _at_each_plus(text: str) -> Iterator[tuple[str, str]]:
    """Every way to cut a text at a plus sign, the last one first: names may end with one."""
    for at in range(len(text) - 1, 0, -1):
        if text[at] == "+" and text[:at].strip() and text[at + 1 :].strip():
            yield text[:at], text[at + 1 :]


def _begins_with_a_device(text: str) -> bool:
    fronts = [text, *(front for front, _ in _at_each_plus(text))]
    return any(meanings(each) or _is_counted(each.strip()) for each in fronts)


def _is_whole(text: str) -> bool:
    """Whether a text is one device, or memory, as it stands."""
    name = text.strip()
    if name.lower() == HERE or meanings(name) or _is_counted(name):
        return True
    return memory_device(name) is not None


def _counted(text: str) -> re.Match[str] | None:
    """A number of devices, taken apart; None where the text is none."""
    found = (form.fullmatch(text) for form in _COUNTS)
    return next((match for match in found if match is not None and meanings(match["name"])), None)


def _is_counted(text: str) -> bool:
    return _counted(text) is not None


def _is_host(text: str) -> bool:
    """Whether a text is a processor or memory, and not one more card."""
    name = text.strip()
    if name.lower() == HERE or memory_device(name) is not None:
        return True
    counted = _counted(name)
    plain = counted["name"] if counted is not None and not meanings(name) else name
    return find_device(plain).kind not in _OWN_MEMORY


def _term(text: str, memory_gb: float | None) -> Term:
    counted = None if meanings(text) else _counted(text)
    count, name = (int(counted["count"]), counted["name"]) if counted else (1, text)
    if not meanings(name) or not 0 < count <= MOST_OF_A_KIND:
        raise unknown_device(text)
    known = find_device(name, memory_gb)
    size = memory_in_name(name)
    told = size[1] if size is not None and size[1] in known.memory_gb else None
    return Term(
        count=count,
        known=known,
        memory_gb=told or max(known.memory_gb, default=None),
        is_chosen=told is not None or memory_gb is not None,
        namesakes=namesakes(name, known),
    )


def _host(text: str) -> Device:
    """A host with its bandwidth, where that is known without measuring."""
    text = text.strip()
    if text.lower() == HERE:
        return Device(name=HERE, source="hardware.source_here", place="cpu")
    memory = memory_device(text)
    if memory is not None:
        return memory
    term = _term(text, None)
    return _put_together([term], None, None)


def _only_memory(memory: Device, memory_gb: float | None) -> NamedDevice:
    size = memory.memory_bytes if memory_gb is None else round(memory_gb * units.GB)
    return NamedDevice(
        name=memory.name,
        source=memory.source,
        place="cpu",
        bandwidth_bytes_per_second=memory.bandwidth_bytes_per_second,
        bandwidth_basis="spec",
        memory_bytes=size,
        notices=(Notice("hardware.assumes_computed", rate_of(memory)),),
    )


def _put_together(terms: list[Term], host: Device | None, memory_gb: float | None) -> NamedDevice:
    together = all(term.known.kind == "cpu" for term in terms)
    bandwidths = [term.known.bandwidth_gb_s * units.GB for term in terms]
    if together:
        bandwidth = sum(each * term.count for each, term in zip(bandwidths, terms, strict=True))
    else:
        bandwidth = max(bandwidths)
    notices = list(assumptions(terms, together=together))
    is_host_read = all(term.known.kind in _SYSTEM_MEMORY for term in terms)
    if (
        host is not None
        and host.bandwidth_bytes_per_second is not None
        and host.source == "hardware.source_memory"
        and is_host_read
    ):
        bandwidth = host.bandwidth_bytes_per_second
        notices[:1] = [Notice("hardware.assumes_computed", rate_of(host))]
    parts = [
        Part(
            name=term.known.name,
            memory_bytes=_bytes(term, memory_gb),
            bandwidth_bytes_per_second=term.known.bandwidth_gb_s * units.GB,
        )
        for term in terms
        for _ in range(term.count)
    ]
    sizes = [part.memory_bytes for part in parts]
    if host is not None and host.memory_bytes is not None and memory_gb is None and is_host_read:
        sizes = [host.memory_bytes]
    names = " + ".join(map(_name, terms))
    return NamedDevice(
        name=names if host is None else f"{names} + {host.name}",
        source="hardware.source_table",
        place=_place(terms),
        bandwidth_bytes_per_second=bandwidth,
        bandwidth_basis="spec",
        memory_bytes=None if None in sizes else sum(filter(None, sizes)),
        parts=tuple(parts) if len(parts) > 1 else (),
        notices=tuple(notices),
        host=host,
        has_own_memory=all(term.known.kind in _OWN_MEMORY for term in terms),
    )


def _place(terms: list[Term]) -> Place | None:
    """Which processor reads the memory; None for a chip whose processor and GPU share it."""
    kinds = {term.known.kind for term in terms}
    if kinds == {"cpu"}:
        return "cpu"
    return "gpu" if kinds <= _OWN_MEMORY else None


def _bytes(term: Term, memory_gb: float | None) -> int | None:
    """A device's memory. The sizes of the table are GiB, which makers write as GB."""
    if memory_gb is not None:
        return round(memory_gb * units.GB)
    return None if term.memory_gb is None else round(term.memory_gb * units.GIB)


def _name(term: Term) -> str:
    return term.known.name if term.count == 1 else f"{term.count}x {term.known.name}"
