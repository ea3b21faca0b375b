"""What the verbs do, importable: typed, and without a screen."""

from __future__ import annotations

from tokenroof.api.estimating import estimate, estimate_cases, estimate_file
from tokenroof.api.models import inspect, open_model
from tokenroof.store.runs import load_runs

__all__ = [
    "estimate",
    "estimate_cases",
    "estimate_file",
    "inspect",
    "load_runs",
    "open_model",
]
