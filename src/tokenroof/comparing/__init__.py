"""May these figures be compared, and what does the comparison show?

runs of A, runs of B -> samples by conditions -> pairs of like conditions -> what differs
-> per length and phase: ratio of medians, interval, verdict -> one answer
"""

from tokenroof.comparing.compare import compare_runs
from tokenroof.comparing.history import history_of
from tokenroof.comparing.records import (
    COMPARE_SCHEMA,
    HISTORY_SCHEMA,
    Cell,
    Comparison,
    Difference,
    Figure,
    Gate,
    History,
    Session,
    Source,
)

__all__ = [
    "COMPARE_SCHEMA",
    "HISTORY_SCHEMA",
    "Cell",
    "Comparison",
    "Difference",
    "Figure",
    "Gate",
    "History",
    "Session",
    "Source",
    "compare_runs",
    "history_of",
]
