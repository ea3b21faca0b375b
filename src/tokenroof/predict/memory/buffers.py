"""Compute buffers: what an engine sets aside for the numbers between two operations.

llama.cpp plans the graph of one micro-batch and gives each intermediate result a place that later
ones use again, so what counts is the widest moment, not the sum: the feed-forward layer (its gate,
its up projection and their product), the experts that are used (and what each of them gives back),
attention, a state's convolution, or the logits at the end. Beside that moment lie the hidden states
and the masks, of which a cell has 2 bytes for each token of the micro-batch and each kind of cache.
Without flash attention every head's scores of every cell are held as well.

The plan depends on the backend and its version, so this is a range. `low` has what cannot be left
out; `high` was held against llama.cpp's own plans of the architectures in the tests. Cards compute
prompts with weights that lie in the host's memory by copying them, one tensor at a time, which
`high` has room for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tokenroof.model.hyperparameters import Hyperparameters
from tokenroof.predict.memory.cache_copies import cache_copies, state_copies, uses_flash_attention
from tokenroof.predict.memory.placement import HOST
from tokenroof.units import MIB

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokenroof.model import Entry, Model
    from tokenroof.predict.memory.engine_setup import EngineSetup
    from tokenroof.predict.memory.placement import Hold, Placement

_FLOAT = 4
_SECOND_NORM = ("ffn_norm", "post_attention_norm", "attn_post_norm", "attn_output_norm")
_MASK = 2


@dataclass(frozen=True, slots=True)
class Buffers:
    """Bytes of a place's compute buffers: the least and the most."""

    low_bytes: int
    high_bytes: int


NONE = Buffers(0, 0)


@dataclass(frozen=True, slots=True)
class Widths:
    """Numbers per token of the widest moments of a model, over all its blocks.

    Attributes:
        hidden: of the hidden state, as often as it is held at once.
        feed_forward: gate, up projection and product of a dense layer.
        experts: the same of the experts that a token uses, or what they give back.
        attention: queries, keys, values and what is made of them.
        state: what a recurrent layer holds.
        beside: what is held while a layer is computed: the residual of a layer whose two halves run
            side by side, or what heads of more numbers than the hidden state leave.
        heads: query heads.
        vocabulary: logits.
        per_layer: embeddings of all layers that are looked up beside the token's.
        is_sparse: whether an index chooses what attention looks at.
    """

    hidden: int
    feed_forward: int
    experts: int
    attention: int
    state: int
    beside: int
    heads: int
    vocabulary: int
    per_layer: int
    is_sparse: bool


def widths(model: Model) -> Widths:
    """The widest moments, by the shapes of the tensors."""
    feed_forward = experts = attention = state = beside = 0
    blocks: dict[int, list[Entry]] = {}
    for entry in model.ledger:
        if entry.block is not None and entry.passes:
            blocks.setdefault(entry.block, []).append(entry)
    hidden = _hidden(model)
    for entries in blocks.values():
        dense = [each for each in entries if each.kind == "read" and len(each.tensor.shape) > 1]
        feed_forward = max(feed_forward, _through(dense, "ffn_"))
        experts = max(experts, _of_experts(entries, hidden))
        attention = max(attention, _outputs(dense, ("attn_q", "attn_k", "attn_v", "attn_gate")))
        beside = max(beside, _beside(entries, hidden))
        state = max(state, _outputs(dense, ("ssm_", "time_mix_", "shortconv.")))
    tables = {entry.name: entry.tensor.shape for entry in model.ledger if entry.block is None}
    absorbed = _absorbed(model)
    return Widths(
        hidden=hidden * _copies(model, tables),
        feed_forward=feed_forward,
        experts=experts,
        attention=2 * attention + 2 * absorbed,
        state=3 * state,
        beside=beside,
        heads=max(model.heads.query, default=0) if model.heads is not None else 0,
        vocabulary=model.vocabulary or 0,
        per_layer=(tables.get("per_layer_token_embd.weight") or (0,))[0],
        is_sparse=_is_sparse(model),
    )


def _hidden(model: Model) -> int:
    parameters = Hyperparameters(model.header, model.architecture or "")
    return parameters.count("embedding_length")


def _copies(model: Model, tables: dict[str, tuple[int, ...]]) -> int:
    """How many hidden states a model carries side by side."""
    parameters = Hyperparameters(model.header, model.architecture or "")
    streams = (tables.get("altup_proj.weight") or (0, 0, 0))[-1] + 1
    hyper = parameters.count("hyper_connection.count", 1)
    return max(streams, hyper) + parameters.count("n_deepstack_layers")


def _beside(entries: Iterable[Entry], hidden: int) -> int:
    shapes = {entry.part: entry.tensor.shape for entry in entries}
    wider = max(shapes.get("attn_output.weight", (0,))[0] - hidden, 0)
    runs_aside = {"attn_output.weight", "ffn_up.weight"} <= shapes.keys() and not any(
        part.startswith(_SECOND_NORM) for part in shapes
    )
    return wider + (hidden if runs_aside else 0)


def _through(entries: Iterable[Entry], prefix: str) -> int:
    """What comes out of the matrices of a layer but the last, and what goes into that one."""
    total = 0
    for entry in entries:
        if not entry.part.startswith(prefix) or not entry.part.endswith(".weight"):
            continue
        if entry.part.startswith((f"{prefix}up", f"{prefix}gate")):
            total += entry.tensor.shape[1]
        elif entry.part.startswith(f"{prefix}down"):
            total += entry.tensor.shape[0]
    return total


def _of_experts(entries: Iterable[Entry], hidden: int) -> int:
    """Gates, projections and products of all experts used; or the product and what they give."""
    made = product = used = 0
    for entry in entries:
        if entry.kind != "expert" or not entry.part.endswith(".weight"):
            continue
        shape = entry.tensor.shape
        used = round(entry.share * shape[-1]) if len(shape) > 2 else 1
        if "down" in entry.part:
            product += used * shape[0]
        else:
            made += used * shape[1]
    return max(made + product, product + 2 * used * hidden) + hidden


def _outputs(entries: Iterable[Entry], prefixes: tuple[str, ...]) -> int:
    return sum(
        entry.tensor.shape[1]
        for entry in entries
        if entry.part.startswith(prefixes) and entry.part.endswith(".weight")
    )


def _absorbed(model: Model) -> int:
    """Queries that are multiplied into the latent space, of all heads."""
    if model.heads is None or not any(cache.kind == "latent" for cache in model.caches or ()):
        return 0
    return max(model.heads.query, default=0) * model.heads.key_length


def compute_buffers(wide: Widths, placement: Placement, setup: EngineSetup, hold: Hold) -> Buffers:
    """The range of one place's compute buffers.

    Args:
        wide: the widths of the model.
        placement: where all of it lies.
        setup: how the engine sets up its context.
        hold: what lies in the place.
    """
    if not hold.pieces:
        return NONE
    on_host = hold.place == HOST
    tokens = _tokens(setup)
    number = _FLOAT * tokens
    hidden = wide.hidden * number
    inputs = 2 * hidden + 2 * wide.per_layer * number + _masks(placement.model, setup)
    if placement.is_pipeline:
        inputs *= _PIPELINE
    if hold.is_idle:
        return Buffers(hidden, inputs + _SLACK)
    logits = setup.output_rows * wide.vocabulary * _FLOAT
    attention = wide.attention * number
    if not uses_flash_attention(placement.model, setup) or (
        # Beside states with the host, attention may be sent there too, which switches it off.
        on_host and placement.wish.kv_on_host and placement.model.states
    ):
        attention += wide.heads * setup.allocation.cells * number
        attention += hidden if on_host else 0
    if wide.is_sparse:
        attention = 2 * attention
        inputs += 6 * setup.allocation.cells * number
    state = max(2 * wide.state * number, state_copies(placement, setup, hold))
    widest = max(wide.feed_forward * number, wide.experts * number, state)
    # What is held across a layer may keep the logits from using the same room.
    widest = max(widest, attention, logits + widest // 2) + wide.state * number
    hidden_states = 3 if on_host or placement.is_pipeline or setup.allocation.streams > 1 else 1
    high = widest + inputs + hidden_states * hidden + wide.beside * number
    copies = 0 if on_host else placement.largest_with_host
    copies += cache_copies(placement, setup, hold)
    if placement.wish.kv_on_host and not on_host:
        # The queries are held until the copies are there.
        copies += attention // 2 + MIB
    low = max(
        logits if hold.makes_logits else 0, wide.hidden * _FLOAT * setup.allocation.micro_batch
    )
    return Buffers(low_bytes=low, high_bytes=high + copies + _SLACK)


def _tokens(setup: EngineSetup) -> int:
    """The micro-batch that is planned for: every sequence has as many tokens of it."""
    sequences = setup.allocation.sequences
    return -(-setup.allocation.micro_batch // sequences) * sequences


_SLACK = 4 * MIB
_PIPELINE = 4
"""Micro-batches that go through several cards one behind the other."""


def _masks(model: Model, setup: EngineSetup) -> int:
    """Masks of a micro-batch over full caches and over windows."""
    allocation = setup.allocation
    tokens = allocation.micro_batch
    cells = 0
    windows = {cache.window for cache in model.caches or ()}
    if None in windows:
        cells += allocation.cells * (2 if _is_sparse(model) else 1)
    for window in windows - {None}:
        assert window is not None
        cells += allocation.window_cells(window, unified=allocation.unified)
    number = _MASK if uses_flash_attention(model, setup) else _FLOAT
    return cells * tokens * number


def _is_sparse(model: Model) -> bool:
    return any(cache.kind == "indexer" for cache in model.caches or ())
