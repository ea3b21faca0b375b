"""Hypothesis looks for new examples where a person runs the tests, and repeats itself in CI.

A submission is then judged for what it changed. What chance finds is found by those who develop.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("ci")
