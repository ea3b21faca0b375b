"""Memory nodes of a Linux machine: which cores are near which memory."""

from __future__ import annotations

import re
from pathlib import Path

from tokenroof.hardware.sources.files import text
from tokenroof.records import Record

NODES = "sys/devices/system/node"


class Node(Record, frozen=True, kw_only=True):
    """One node. Unknown is None."""

    cores: int | None
    memory_bytes: int | None


def nodes(root: Path = Path("/")) -> tuple[Node, ...]:
    """All nodes, in their order; none where the system tells of none."""
    folders = sorted((root / NODES).glob("node[0-9]*"), key=lambda path: int(path.name[4:]))
    return tuple(
        Node(cores=_count(text(folder / "cpulist")), memory_bytes=_total(text(folder / "meminfo")))
        for folder in folders
    )


def _count(cores: str | None) -> int | None:
    """How many a list such as `0-7,16-23` names; an empty list is a node of memory alone."""
    if cores is None:
        return 0
    total = 0
    for piece in cores.split(","):
        span = re.fullmatch(r"(\d+)(?:-(\d+))?", piece.strip())
        if span is None:
            return None
        total += int(span[2] or span[1]) - int(span[1]) + 1
    return total


def _total(meminfo: str | None) -> int | None:
    found = re.search(r"MemTotal:\s+(\d+) kB", meminfo or "")
    return int(found[1]) * 1024 if found else None
