"""Whose processes answer at an address of this machine.

What they use of the processor is the engine's own, not another job's.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit


def is_local(url: str) -> bool:
    """Whether a URL means this machine: a name or an address of loopback."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def serving_processes(url: str, names: Collection[str] = ()) -> tuple[int, ...]:
    """The processes that listen at a URL's port, if it is of this machine.

    Args:
        url: where the server is.
        names: what its program is called, for systems that do not tell a stranger who listens;
            all processes of these names count then.
    """
    if not is_local(url):
        return ()
    import psutil

    parts = urlsplit(url)
    port = parts.port or {"https": 443}.get(parts.scheme, 80)
    try:
        listening = {
            each.pid
            for each in psutil.net_connections(kind="tcp")
            if each.status == psutil.CONN_LISTEN and each.laddr and each.laddr.port == port
        }
    except (psutil.Error, OSError):
        listening = set()
    found = {pid for pid in listening if pid}
    if found or not names:
        return tuple(sorted(found))
    wanted = {name.lower() for name in names}
    return tuple(
        sorted(
            process.pid
            for process in psutil.process_iter(["name"])
            if (process.info["name"] or "").lower().removesuffix(".exe") in wanted
        )
    )
