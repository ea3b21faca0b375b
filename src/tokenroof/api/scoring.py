"""`score`: predictions are kept, and held against what is measured later."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import tokenroof
from tokenroof.predict.ask import is_here
from tokenroof.predict.cases import Case
from tokenroof.predict.predictions import Prediction, keep, kept_predictions
from tokenroof.predict.records import Row
from tokenroof.predict.scoring import Score, score as score_of

if TYPE_CHECKING:
    from tokenroof.model import Model


def keep_predictions(cases: Sequence[Case], rows: Sequence[Row], models: Sequence[Model]) -> int:
    """Keep what rows predict; how many of them are new. A measured figure is no prediction.

    Raises:
        OutputError: the data folder cannot be written to.
    """
    from tokenroof.api.setup import run_model
    from tokenroof.measure.ids import new_id

    now = datetime.now(UTC)
    made = []
    for case, row, model in zip(cases, rows, models, strict=True):
        figures = (row.decode, row.prefill, row.wait)
        if not any(each is not None and each.basis not in ("measured", "spec") for each in figures):
            continue
        made.append(
            Prediction(
                id=new_id(now),
                made=now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                tokenroof=tokenroof.__version__,
                model=run_model(model),
                device=row.device or "",
                here=is_here(case),
                case={k: v for k, v in case.to_dict().items() if v is not None},
                depth=row.depth or 0,
                decode=row.decode,
                prefill=row.prefill,
                wait=row.wait,
                verify=row.verify,
            )
        )
    return keep(made)


def score(runs: str | Path | None = None) -> Score:
    """How good the predictions were that were kept here.

    Args:
        runs: a file or folder of runs; by default the journal of this machine.

    Raises:
        NotFound: nothing is at the path.
        RecordError: the runs or the predictions cannot be read.
    """
    from tokenroof.api.estimating import runs_known

    return score_of(kept_predictions(), runs_known(runs))
