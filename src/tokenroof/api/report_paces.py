"""What predicts the model of a report on its device, for waits that its runs do not reach."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tokenroof.analysis import Peak
from tokenroof.analysis.costs import kv_types
from tokenroof.api.estimating import learned_here
from tokenroof.errors import TokenroofError
from tokenroof.hardware.device import Device
from tokenroof.model import Model
from tokenroof.predict.ask import HERE, Asker
from tokenroof.predict.cases import Case
from tokenroof.records import Run

if TYPE_CHECKING:
    from tokenroof.predict.pace.pace import Pace


def predicting(model: Model, peaks: Sequence[Peak]) -> Callable[[Run], Sequence[Pace]]:
    """The paces that `tokenroof wait` would use of a run's model on its device.

    Args:
        model: that was measured here.
        peaks: what bounded the runs; a processor's bandwidth is not measured once more.
    """

    def of(run: Run) -> Sequence[Pace]:
        from tokenroof.predict.pacing import predicting_paces

        peak = next((each for each in peaks if each.device in (None, run.device)), Peak())
        here = Device(
            name=run.device or "",
            source="hardware.source_measured",
            place="cpu",
            bandwidth_bytes_per_second=peak.bandwidth_bytes_per_second,
            bandwidth_basis="measured",
        )
        case = Case(
            model=model.name,
            device=HERE if run.engine.place == "cpu" else run.device,
            kv_type=",".join(dict.fromkeys(kv_types(run))),
        )
        answers = Asker(lambda _: model, lambda: here, learned_here)
        try:
            return predicting_paces(answers.question(case))
        except TokenroofError:
            return ()  # a device that nobody knows, say

    return of
