"""How much memory the engine takes: what its processes and their children hold resident.

A model that is mapped from its file counts as far as its pages are in memory, as it does for
whoever asks whether there is room for it. Pages that two of the processes share count twice, which
engines of one process do not have.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenroof.measure.sensors.base import Reading


class MemorySensor:
    """Watches the engine's own memory.

    Args:
        own_pids: its process ids at this moment.
        resident: the resident bytes of one process and its children, None where it is gone; the
            system's own by default.
    """

    name = "memory"

    def __init__(
        self,
        own_pids: Callable[[], Sequence[int]],
        resident: Callable[[int], int | None] | None = None,
    ) -> None:
        self._own_pids = own_pids
        self._resident = resident or resident_bytes

    def read(self, *, ours_running: bool) -> Reading:
        """What it holds now; None where there is no process of its own."""
        del ours_running
        sizes = [size for pid in self._own_pids() if (size := self._resident(pid)) is not None]
        return Reading(own_memory_bytes=sum(sizes) if sizes else None)


def resident_bytes(pid: int) -> int | None:
    """Resident memory of a process and its children; None where it is gone."""
    import psutil

    try:
        root = psutil.Process(pid)
        family = [root, *root.children(recursive=True)]
    except (psutil.Error, OSError):
        return None
    total = None
    for member in family:
        try:
            total = (total or 0) + int(member.memory_info().rss)
        except (psutil.Error, OSError):
            continue
    return total
