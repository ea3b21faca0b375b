"""Tests give the same result on a machine that has no time for them.

That a simulated server answers late there, or that its pieces arrive together, is the scheduler's
doing. What engines conclude from such times alone is put off for all tests, and brought back
(`times_count`) for those that are about it. The second that a header may take to read is one of
this thread's own processor time.
"""

from __future__ import annotations

import time
from types import ModuleType
from typing import Any

import pytest

from tokenroof.clock import SystemClock
from tokenroof.engines import llama_server, llama_server_reply, ollama, ollama_reply, openai_reply
from tokenroof.engines.http_connection import Limits
from tokenroof.gguf import reader


class _OwnTime(SystemClock):
    """Time passes while this thread works, not while it waits for its turn."""

    def monotonic(self) -> float:
        return time.thread_time()


_FOREVER = float("inf")
_LONG_SECONDS = 120.0

_CONCLUSIONS: tuple[tuple[ModuleType, str, Any], ...] = (
    (ollama_reply, "_DRAFTING", _FOREVER),
    (openai_reply, "_QUEUE_SECONDS", _FOREVER),
    (llama_server_reply, "_QUEUE_SECONDS", _FOREVER),
)
_PATIENCE: tuple[tuple[ModuleType, str, Any], ...] = (
    # An Ollama of a test either runs or certainly does not.
    (ollama, "_GLANCE", Limits()),
    (ollama, "_GLANCE_SECONDS", _LONG_SECONDS),
    (llama_server, "_GLANCE_SECONDS", _LONG_SECONDS),
    (reader, "SystemClock", _OwnTime),
)
_AS_THEY_ARE = [(module, name, getattr(module, name)) for module, name, _ in _CONCLUSIONS]


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for local servers as long as it takes, and conclude nothing from how long it took."""
    for module, name, value in (*_CONCLUSIONS, *_PATIENCE):
        monkeypatch.setattr(module, name, value)


def let_times_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Conclude from times again what a person's measurements are judged by."""
    for module, name, value in _AS_THEY_ARE:
        monkeypatch.setattr(module, name, value)
