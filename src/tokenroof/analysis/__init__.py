"""What measured runs show: figures with their intervals, fits, waits, and what limits the speed."""

from tokenroof.analysis.analyse import analyse
from tokenroof.analysis.costs import CacheCost, ModelCosts, StatedCosts
from tokenroof.analysis.results import (
    REPORT_SCHEMA,
    Analysis,
    Ask,
    CachedPoint,
    Conditions,
    Curve,
    DecodePoint,
    ExcludedRun,
    Line,
    Peak,
    PrefillPoint,
    Series,
    Timing,
    UsedPoint,
    Wait,
)
from tokenroof.analysis.timing import RUNS_FOR_AN_INTERVAL
from tokenroof.analysis.waiting import waits

__all__ = [
    "REPORT_SCHEMA",
    "RUNS_FOR_AN_INTERVAL",
    "Analysis",
    "Ask",
    "CacheCost",
    "CachedPoint",
    "Conditions",
    "Curve",
    "DecodePoint",
    "ExcludedRun",
    "Line",
    "ModelCosts",
    "Peak",
    "PrefillPoint",
    "Series",
    "StatedCosts",
    "Timing",
    "UsedPoint",
    "Wait",
    "analyse",
    "waits",
]
