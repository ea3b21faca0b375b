"""One GPU of this machine, as its driver tells."""

from __future__ import annotations

from tokenroof.records import Record


class Link(Record, frozen=True, kw_only=True):
    """The PCI Express link that a GPU hangs on, now and at most. Unknown is None."""

    generation: int | None = None
    lanes: int | None = None
    most_generation: int | None = None
    most_lanes: int | None = None


class Gpu(Record, frozen=True, kw_only=True):
    """One GPU. Unknown is None.

    Attributes:
        name: as its driver calls it.
        vendor: NVIDIA, AMD, Intel, Apple, or the number of another one.
        source: who told of it.
        device: the device of the table that it certainly is.
        is_unified: it has no memory of its own but a part of the system's.
        memory_total_bytes: what it has; of a unified one what is carved out for it alone.
        shared_total_bytes: of the system's memory, what it may use besides.
        bandwidth_gb_s: what its memory moves at most, and `bandwidth_source` who says so.
        busy: share of the last moments in which it worked, for whomever.
        other_processes: programs that compute on it.
        cores: GPU cores, where its variants differ in them.
        chip: the architecture by which its compiler knows it, such as gfx1151.
        api: what engines reach it through, by what was seen: CUDA, ROCm, Metal, Vulkan.
    """

    name: str
    vendor: str | None = None
    source: str
    device: str | None = None
    is_unified: bool | None = None
    memory_total_bytes: int | None = None
    memory_free_bytes: int | None = None
    shared_total_bytes: int | None = None
    shared_free_bytes: int | None = None
    bandwidth_gb_s: float | None = None
    bandwidth_source: str | None = None
    driver: str | None = None
    link: Link | None = None
    power_limit_watts: float | None = None
    default_power_limit_watts: float | None = None
    busy: float | None = None
    other_processes: int | None = None
    clocks_held_down: bool | None = None
    cores: int | None = None
    chip: str | None = None
    pci_id: str | None = None
    api: tuple[str, ...] = ()
