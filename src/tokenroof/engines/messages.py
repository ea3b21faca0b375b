"""What the child of the embedded engine says, one JSON object a line, told apart by ``say``.

The parent takes nothing else: a line that is none of these, or lacks a part, is a broken engine.
The child writes them as plain dictionaries, so that it need not import this module.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from tokenroof.engines.base import Place
from tokenroof.records import Settings


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="say"):
    """The root of all messages."""


class Hello(Message, frozen=True, tag="hello"):
    """The library is loaded; what it says of itself."""

    version: str
    llama_cpp: str | None
    backend: str | None
    cpu: str | None
    gpus: list[str]
    system_info: str


class Missing(Message, frozen=True, tag="missing"):
    """The library is not there, or cannot be loaded."""

    why: str


class Ready(Message, frozen=True, tag="loaded"):
    """The model is loaded, and the settings are those in force."""

    seconds: float
    settings: Settings
    place: Place


class Counted(Message, frozen=True, tag="counted"):
    """How many tokens a text has."""

    tokens: int


class Progress(Message, frozen=True, tag="step"):
    """How far a run is."""

    phase: Literal["prefill", "decode"]
    done: int
    total: int


class Ran(Message, frozen=True, tag="ran"):
    """A run is complete."""

    prompt_tokens: int
    prompt_cached: int
    prompt_seconds: float
    prompt_batches: int
    step_seconds: list[float]
    output_ids: list[int]
    ttft_seconds: float
    wall_seconds: float


class Refused(Message, frozen=True, tag="refused"):
    """The engine says no: a message id and its values."""

    message: str
    values: dict[str, Any]


Answer = Hello | Missing | Ready | Counted | Progress | Ran | Refused

DECODER = msgspec.json.Decoder(Answer)
