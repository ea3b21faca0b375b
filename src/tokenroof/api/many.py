"""`estimate` over lists: several models, types, devices and depths; figures that a person gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tokenroof.api.estimating import asker
from tokenroof.errors import UsageError
from tokenroof.predict.ask import Asker
from tokenroof.predict.by_size import with_size
from tokenroof.predict.cases import Case
from tokenroof.predict.measured import beside, read_measured
from tokenroof.predict.records import Estimate, Row
from tokenroof.safetext import printable
from tokenroof.units import GB

if TYPE_CHECKING:
    from tokenroof.predict.grid import Grid

FILE = "file"
"""The size of each model's own tensors."""


def in_types(models: Sequence[str], types: Sequence[str]) -> list[str]:
    """Every model in every type, by their names; as they are without types.

    Raises:
        UsageError: there is no such type, or a model's name says one already.
    """
    if not types:
        return list(models)
    from tokenroof.library.recipe import split
    from tokenroof.recipes import file_type

    known = [file_type(each).name for each in types]
    for model in models:
        if split(model).kind is not None:
            raise UsageError("lists.type_twice", model=printable(model))
    return [f"{model}@{kind}" for model in models for kind in known]


def estimate_lists(
    cases: Iterable[Case],
    *,
    measured: str | Path | None = None,
    size: float | str | None = None,
    runs: str | Path | None = None,
    profile: str | Path | None = None,
) -> Estimate:
    """A row for each question; or one for each figure of a file, with the figure beside it.

    Args:
        cases: the questions; with `measured` one, which says what its lines do not.
        measured: a CSV file (see `predict.measured`).
        size: adds the ceiling by a size in GB (1e9 bytes), or by each model's own (``"file"``).
        runs: as for `estimate`.
        profile: as for `estimate`.

    Raises:
        TokenroofError: the first question that cannot be answered, or a file that cannot be read.
    """
    asked = list(cases)
    answers = asker(runs=runs, profile=profile)
    if measured is None:
        rows = answers.estimate(asked).rows
    elif len(asked) > 1:
        raise UsageError("lists.measured_and_lists")
    else:
        asked, rows = _measured(answers, Path(measured), asked[0])
    if size is None:
        return Estimate(rows=rows)
    sized = []
    for case, row in zip(asked, rows, strict=True):
        model = answers.model(case)
        own = model.tensor_bytes if isinstance(size, str) else round(size * GB)
        sized.append(with_size(row, model, own))
    return Estimate(rows=tuple(sized))


def estimate_grid(
    models: Sequence[str],
    devices: Sequence[str],
    depths: Sequence[int],
    like: Case | None = None,
) -> Grid:
    """Every model on every device at every depth, as arrays: a million cells take about a second.

    Args:
        models, devices: by their names.
        depths: tokens in the context.
        like: what else is asked, of all cells alike.

    Raises:
        TokenroofError: a name means nothing, or what a token of a model reads is not known.

    Example:
        >>> made = estimate_grid(["qwen3-8b"], ["RTX 3090", "RTX 5090"], range(0, 32768, 512))
        >>> made.ceiling_tokens_per_second.shape
        (1, 2, 64)
    """
    from tokenroof.predict.grid import grid

    return grid(asker(), models, devices, depths, like)


def cases_of(cases: Sequence[Case], measured: str | Path | None) -> list[Case]:
    """The questions behind the rows of `estimate_lists`, in their order."""
    if measured is None:
        return list(cases)
    return [line.case for line in read_measured(Path(measured), cases[0])]


def _measured(answers: Asker, path: Path, like: Case) -> tuple[list[Case], tuple[Row, ...]]:
    lines = read_measured(path, like)
    asked = [line.case for line in lines]
    rows = answers.estimate(asked).rows
    reading = None
    if like.prompt is not None:
        longer = [msgspec.structs.replace(case, prompt=like.prompt) for case in asked]
        reading = answers.estimate(longer).rows
    return asked, beside(rows, lines, like.prompt, reading)
