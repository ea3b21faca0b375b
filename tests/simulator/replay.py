"""Recorded answers of the real llama-server, sent again with their gaps."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from simulator.wire import Wire

FOLDER = Path(__file__).parent / "recordings"


def events(name: str) -> list[bytes]:
    """The events of a recorded stream, as they were sent."""
    whole = (FOLDER / f"{name}.sse").read_bytes()
    return [event + b"\n\n" for event in whole.split(b"\n\n") if event.strip()]


def documents(name: str) -> list[Any]:
    """What the events of a recorded stream say; the mark of the end left out."""
    bodies = [event.removeprefix(b"data: ").strip() for event in events(name)]
    return [json.loads(body) for body in bodies if body != b"[DONE]"]


def document(name: str) -> Any:
    """A recorded document."""
    return json.loads((FOLDER / f"{name}.json").read_bytes())


def arrival_seconds(name: str) -> list[float]:
    """When each event of a recorded stream came, counted from its request."""
    return [ms / 1e3 for ms in document(f"{name}.request")["arrival_ms"]]


def send(wire: Wire, name: str, speed: float) -> None:
    """Send a recorded stream, so many times as fast as it came."""
    wire.begin("text/event-stream")
    before = 0.0
    for event, at in zip(events(name), arrival_seconds(name), strict=True):
        wire.send(event, (at - before) / speed)
        before = at
    wire.end()
