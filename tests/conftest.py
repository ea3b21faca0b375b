"""What holds for every test.

Hypothesis looks for new examples where a person runs the tests, and repeats itself in CI: a
submission is then judged for what it changed. What chance finds is found by those who develop.

A test's result depends neither on how busy the machine is that runs it, nor on the environment of
the person whose machine it is.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import settings

from support.busy import be_patient, let_times_count

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


_THEIRS = re.compile(
    r"(TOKENROOF|OLLAMA|HF|HUGGING_FACE|OPENAI|LLAMA|LC)_.*|LANG|LANGUAGE|COLUMNS|LINES"
    r"|(NO|FORCE)_COLOR|(HTTP|HTTPS|ALL|NO)_PROXY|KUBERNETES_SERVICE_HOST|CONTAINER",
    re.ASCII | re.IGNORECASE,
)


@pytest.fixture(autouse=True)
def _nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment that says nothing; whoever reads or writes data has to say where."""
    for name in os.environ:
        if _THEIRS.fullmatch(name):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("TOKENROOF_DATA", str(Path(os.devnull, "data")))


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)


@pytest.fixture
def times_count(_patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what follows from times; they bring about times that no load can change."""
    let_times_count(monkeypatch)
