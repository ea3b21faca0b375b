"""How an engine sets up its context: what of its options decides how much memory it takes.

llama-server runs 4 slots that share one cache unless it is told how many; told, each slot has a
cache of its own. Ollama runs its bundled llama-server with `num_ctx` tokens for each of its slots,
one by default, and with a batch that grows with the context. llama-bench and the embedded engine
run one sequence. A server computes the logits of one token of each slot; the others make room for
those of a whole micro-batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tokenroof.model.cache_bytes import Allocation

if TYPE_CHECKING:
    from tokenroof.predict.cases import Case

Engine = Literal["llama.cpp", "llama-server", "llama-bench", "ollama", "lmstudio", "embedded"]

_NAMES: dict[str, Engine] = {
    "llama.cpp": "llama.cpp",
    "llamacpp": "llama.cpp",
    "llama-server": "llama-server",
    "llama-bench": "llama-bench",
    "ollama": "ollama",
    "lmstudio": "lmstudio",
    "lm-studio": "lmstudio",
    "embedded": "embedded",
    "llama-cpp-python": "embedded",
}

DEFAULT_SLOTS = 4
DEFAULT_UBATCH = 512
DEFAULT_BATCH = 2048

_WHOLE_MICRO_BATCH = ("llama-bench", "embedded")


@dataclass(frozen=True, slots=True)
class EngineSetup:
    """The context of an engine.

    Attributes:
        engine: which one.
        allocation: its context, batch, micro-batch and sequences.
        type_k: type of the keys' cache.
        type_v: type of the values' cache.
        flash_attention: whether attention is computed in pieces; None where the engine decides,
            which is for it wherever it can.
        output_rows: of how many tokens of a micro-batch the logits are computed.
    """

    engine: Engine
    allocation: Allocation
    type_k: str = "f16"
    type_v: str = "f16"
    flash_attention: bool | None = None
    output_rows: int = 1

    @property
    def tokens_of_sequence(self) -> int:
        """The longest that one sequence may be."""
        allocation = self.allocation
        return allocation.context // (1 if allocation.unified else allocation.sequences)


def engine_name(text: str | None) -> Engine:
    """The engine that a text means; llama.cpp for none, and for one whose memory is not known."""
    return _NAMES.get((text or "").strip().lower(), "llama.cpp")


def is_known_engine(text: str) -> bool:
    """Whether it is known how an engine sets memory aside."""
    return text.strip().lower() in _NAMES


def engine_setup(case: Case, context: int, types: tuple[str, str]) -> EngineSetup:
    """The context that an engine would set up for a case.

    Args:
        case: the question.
        context: tokens that memory is set aside for, as the engine counts them: of one slot for
            Ollama, of all slots for the others.
        types: of the keys' and the values' cache.
    """
    engine = engine_name(case.engine)
    sequences = case.parallel or (DEFAULT_SLOTS if engine == "llama-server" else 1)
    if engine == "ollama":
        context *= sequences
    batch, ubatch = _batches(case, engine, context // sequences)
    allocation = Allocation(
        context=context,
        ubatch=ubatch,
        sequences=sequences,
        unified=engine == "llama-server" and case.parallel is None,
        batch=batch,
    )
    rows = allocation.micro_batch if engine in _WHOLE_MICRO_BATCH else sequences
    return EngineSetup(
        engine=engine,
        allocation=allocation,
        type_k=types[0],
        type_v=types[1],
        flash_attention=case.flash_attention,
        output_rows=min(rows, allocation.micro_batch),
    )


def _batches(case: Case, engine: Engine, context: int) -> tuple[int, int]:
    if engine != "ollama":
        return case.batch or DEFAULT_BATCH, case.ubatch or DEFAULT_UBATCH
    own = 512 if context <= 4096 else 1024 if context <= 32_768 else 2048
    batch = case.batch or own
    return batch, case.ubatch or batch
