"""What the figures of a named device assume, to be said beside every result.

A bandwidth is as published, or bus width x data rate, or that of the memory that a processor is
rated for; of several sizes of memory one is taken; and a name may be used for other devices too.
"""

from __future__ import annotations

from collections.abc import Iterator

from tokenroof.hardware.device import Device
from tokenroof.hardware.device_table import KnownDevice
from tokenroof.notices import Notice
from tokenroof.records import Record
from tokenroof.units import GB


class Term(Record, frozen=True, kw_only=True):
    """`[N`x `]NAME`, looked up.

    `memory_gb` is the size that was chosen, or its largest; `namesakes` are other devices that
    the name could mean.
    """

    count: int
    known: KnownDevice
    memory_gb: float | None
    is_chosen: bool
    namesakes: tuple[str, ...] = ()


def assumptions(terms: list[Term], *, together: bool) -> Iterator[Notice]:
    """What the figures assume; the first one is about the bandwidth.

    Args:
        together: processors that work on each layer at the same time.
    """
    first = terms[0].known
    if together and first.memory_type:
        values = {"memory": f"{first.memory_type}-{first.data_rate_mtps:g}"}
        yield Notice("hardware.assumes_rated_memory", values)
    elif first.published_gb_s == first.bandwidth_gb_s:
        yield Notice("hardware.assumes_published", {"bandwidth": _gb_s(first.bandwidth_gb_s)})
    else:
        yield Notice("hardware.assumes_computed", {"bandwidth": _gb_s(first.bandwidth_gb_s)})
    for term in terms:
        known = term.known
        if "bandwidth_gb_s" in known.unverified or (
            "data_rate_mtps" in known.unverified and known.kind != "cpu"
        ):
            yield Notice("hardware.assumes_unverified", {"device": known.name})
        if term.memory_gb is not None and not term.is_chosen and len(known.memory_gb) > 1:
            sizes = ", ".join(f"{each:g}" for each in known.memory_gb)
            values = {"size": f"{term.memory_gb:g}", "sizes": sizes}
            yield Notice("hardware.assumes_memory_size", values)
        if term.namesakes and not term.is_chosen:
            values = {"device": known.name, "others": "; ".join(term.namesakes)}
            yield Notice("hardware.assumes_namesake", values)
        if known.kind in {"soc", "apu"}:
            yield Notice("hardware.assumes_shared_memory")
    if not together and len({term.known.bandwidth_gb_s for term in terms}) > 1:
        yield Notice("hardware.assumes_fastest")


def rate_of(memory: Device) -> dict[str, str]:
    """The bandwidth of described memory, as a sentence needs it."""
    assert memory.bandwidth_bytes_per_second is not None
    return {"bandwidth": _gb_s(memory.bandwidth_bytes_per_second / GB)}


def _gb_s(value: float) -> str:
    # All the digits that are published: three would make 1010 of 1008.4.
    return f"{value:g} GB/s"
