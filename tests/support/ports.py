"""Addresses on this machine at which certainly nobody answers."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator


@contextlib.contextmanager
def nobody_listens() -> Iterator[int]:
    """A port that is ours and that nothing listens at, so that no other program can take it."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        yield port
