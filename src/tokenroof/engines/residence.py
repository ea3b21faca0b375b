"""Whether a model that seems to lie on several devices really does: a second source.

What a program says of where its bytes are is one source, and has been wrong: a file of experts that
is mapped into memory was counted twice, which looks like a model of which half is on the CPU. The
other source is the model's own header. The weights that every token may need, all but the table
that the input embedding is looked up in, are a number of bytes. A GPU that holds fewer of them has
not the whole model; one that holds these and the cache too has all of it, whatever else is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tokenroof.engines.base import ModelRef, Place
from tokenroof.errors import TokenroofError

if TYPE_CHECKING:
    from tokenroof.model import Model

_ROUNDING = 0.99
"""Programs print sizes in MiB with two digits, and Ollama adds up sizes of its own estimate."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Where the layers are by both sources.

    Attributes:
        place: what holds; None where the sources contradict each other.
        raw: what each said, for the record; None for a source that says nothing.
    """

    place: Place | None
    raw: dict[str, Any] = field(default_factory=dict)


class Residence:
    """The second source for one model.

    Args:
        reference: the model; its header is read when it is first needed.
        context: tokens that its cache is made for; None where unknown.
    """

    def __init__(self, reference: ModelRef, context: int | None) -> None:
        self._reference = reference
        self._context = context

    def judge(self, said: Place | None, gpu_bytes: int | None) -> Judged:
        """Hold what a program says against the header.

        Args:
            said: what the program says.
            gpu_bytes: what it says to have on GPUs, weights and cache together.
        """
        if said != "mixed" or gpu_bytes is None:
            return Judged(said)
        header = self._by_header(gpu_bytes)
        sources = {"program": said, "header": header, "weights_on_gpu_at_least": self._weights}
        return Judged(None if header == "gpu" else said, sources)

    def of_buffers(self, weights: Mapping[str, int]) -> Judged:
        """Where the layers are by a loader's buffers of weights, held against the header.

        The CPU always has the table of the input embedding, and maps as much of the file around it
        as it likes, so that only the bytes on other devices tell.
        """
        others = sum(size for device, size in weights.items() if device != "CPU")
        if not weights:
            return Judged(None)
        if not others:
            return Judged("cpu")
        holds = self._holds_weights(others)
        place: Place | None = None if holds is None else "gpu" if holds else "mixed"
        return Judged(place, {"buffers": dict(weights), "weights_on_gpu_at_least": self._weights})

    def _holds_weights(self, gpu_bytes: int) -> bool | None:
        """Whether so many bytes of weights are all that a token may need; None where unknown."""
        weights = self._weights
        return None if weights is None else gpu_bytes >= _ROUNDING * weights

    def _by_header(self, gpu_bytes: int) -> Place | None:
        holds = self._holds_weights(gpu_bytes)
        if not holds:
            return None if holds is None else "mixed"
        cache = self._cache
        return "gpu" if cache is not None and gpu_bytes >= self._sum(cache) else None

    def _sum(self, cache: int) -> int:
        return (self._weights or 0) + cache

    @cached_property
    def _model(self) -> Model | None:
        try:
            return _built(self._reference)
        except TokenroofError:
            return None

    @cached_property
    def _weights(self) -> int | None:
        model = self._model
        if model is None or not model.weights_known:
            return None
        return sum(each.tensor.bytes for each in model.ledger if each.kind in {"read", "expert"})

    @cached_property
    def _cache(self) -> int | None:
        return _or_none(
            lambda: (
                self._model.kv_allocated(self._context)
                if self._model is not None and self._context is not None
                else None
            )
        )


def _built(reference: ModelRef) -> Model | None:
    from tokenroof.library import locate
    from tokenroof.model import build_model

    name = str(reference.path) if reference.path is not None else reference.name
    return None if name is None else build_model(locate(name).header())


def _or_none(ask: Callable[[], int | None]) -> int | None:
    try:
        return ask()
    except TokenroofError:
        return None
