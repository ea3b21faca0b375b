"""What holds for every test.

Hypothesis looks for new examples where a person runs the tests, and repeats itself in CI: a
submission is then judged for what it changed. What chance finds is found by those who develop.

A test's result does not depend on how busy the machine is that runs it.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from support.busy import be_patient, let_times_count

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    be_patient(monkeypatch)


@pytest.fixture
def times_count(_patient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what follows from times; they bring about times that no load can change."""
    let_times_count(monkeypatch)
