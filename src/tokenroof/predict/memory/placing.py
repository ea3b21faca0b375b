"""From a question to a placement: the one that it names, the one that is fastest, or all in one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.errors import UsageError
from tokenroof.predict.memory.fit import Fitted, Search, fastest
from tokenroof.predict.memory.parts import prefill_seconds
from tokenroof.predict.memory.wishes import says_places, wish

if TYPE_CHECKING:
    from tokenroof.model import Model
    from tokenroof.predict.cases import Case
    from tokenroof.predict.memory.engine_setup import EngineSetup
    from tokenroof.predict.memory.processors import Processors


@dataclass(frozen=True)
class Placing:
    """Where a question's model lies, and what follows from it.

    Attributes:
        fitted: the placement, its needs and a token's way through it.
        processors: its places.
        setup: the engine's context.
        chosen: whether the placement was looked for.
        found: whether the one that was looked for fits; a named one may not.
        named: whether the question says where anything lies.
    """

    fitted: Fitted
    processors: Processors
    setup: EngineSetup
    chosen: bool
    found: bool
    named: bool

    @property
    def is_split(self) -> bool:
        """Whether more than one memory has a part in a token."""
        active = sum(part.read_bytes > 0 for part in self.fitted.path.parts)
        return active > 1

    @property
    def bandwidth_bytes_per_second(self) -> float | None:
        """Bytes of a token over the least time that all its parts take; None where unknown.

        Of parts that work in turn this lies between their bandwidths, and is no average of them.
        """
        active = [part for part in self.fitted.path.parts if part.read_bytes]
        if len(active) == 1:
            return active[0].processor.bandwidth_bytes_per_second
        seconds = self.fitted.path.ceiling_seconds
        return sum(part.read_bytes for part in active) / seconds if seconds else None

    def prompt_seconds(self, tokens: int, flop: int, flop_per_second: float | None) -> float | None:
        """The least time of a prompt: its arithmetic, or what has to be read from the host too."""
        made = self.fitted.path
        if not self.processors.has_cards or not made.parts[-1].read_bytes:
            return None if flop_per_second is None else flop / flop_per_second
        return prefill_seconds(made, tokens, self.setup.allocation.micro_batch, flop_per_second)


def placing(
    case: Case,
    model: Model,
    setup: EngineSetup,
    places: Processors,
    *,
    projector_bytes: int,
) -> Placing:
    """The placement of a question.

    Raises:
        UsageError: it says where things lie on a device with one memory, or lets look for it there,
            or on cards whose memory is not known.
    """
    named, wanted, depth = says_places(case), bool(case.fit), case.depth or 0
    if named and wanted:
        raise UsageError("predict.fit_and_places")
    if wanted and places.has_cards and any(p.memory_bytes is None for p in places.all[:-1]):
        raise UsageError("predict.fit_needs_memory")
    search = Search(
        model=model,
        setup=setup,
        processors=places.all,
        depth=_ranked_at(case, depth, setup) if wanted else depth,
        projector_bytes=projector_bytes,
        may_override=setup.engine != "ollama",
        weights_factor=_factor(case, model),
    )
    if wanted and places.has_cards:
        best = fastest(search)
        if best is not None:
            return Placing(search.at(depth, best.wish), places, setup, True, True, named)
    fitted = search.at(depth, wish(case))
    return Placing(fitted, places, setup, wanted, search.holds(fitted), named)


def _ranked_at(case: Case, depth: int, setup: EngineSetup) -> int:
    """The depth whose token is to be fast: the one asked about, else half the context."""
    return depth if case.depth is not None else setup.tokens_of_sequence // 2


def _factor(case: Case, model: Model) -> float:
    """What the file's own bytes are multiplied with where the question knows better."""
    own = model.decode_weight_bytes
    return case.weight_bytes / float(own) if case.weight_bytes is not None and own else 1.0
