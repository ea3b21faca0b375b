"""tokenroof: measure, explain and predict the speed of local language models.

Importing this package is cheap: each name below loads its room when it is first used.
"""

from __future__ import annotations

# Not from `typing`, whose import takes longer than everything else here: whoever presses Ctrl-C
# at the very beginning would see the inside of it. Type checkers know the name.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from tokenroof.api import (
        bench,
        compare,
        estimate,
        import_figures,
        inspect,
        load_runs,
        score,
        wait,
    )

__version__ = "0.1.0"

__all__ = [
    "__version__",
    "bench",
    "compare",
    "estimate",
    "import_figures",
    "inspect",
    "load_runs",
    "score",
    "wait",
]


def __getattr__(name: str) -> object:
    if name in __all__:
        from importlib import import_module

        return getattr(import_module("tokenroof.api"), name)
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted(__all__)
