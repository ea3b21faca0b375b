"""What a step is made of, in the units that a machine's rates are for.

The time of a step is a sum of works, each with its own rate: bytes of weights by the type that
they are stored in, rows of matrices (each is a sum that has to be begun and ended), bytes of the
cache, arithmetic of attention, and whatever is paid once for a layer or a token. Decoding one
token and reading a prompt are made of the same kinds of work in other amounts: a prompt's tokens
share each weight that is read, so there the operations count and not the bytes.

A work is a dictionary: what kind, and how much of it. A kind that depends on the stored type has
the type after a colon, as `bytes:Q4_K`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from math import ceil

from tokenroof.gguf.types import TENSOR_TYPES_BY_NAME
from tokenroof.model import Model
from tokenroof.model.ledger import EMBEDDING, HEAD, Entry
from tokenroof.predict.learnt.attending import ATTENTION, CACHE, PIECES, SCORES, Attending

Work = Mapping[str, float]

STEP, LAYER, EXPERT_LAYER = "step", "layer", "expert_layer"
ROWS, EXPERT_BYTES, LOGITS = "rows", "expert_bytes", "logits"
TOKEN_LAYER, VECTORS = "token_layer", "vectors"
BATCH, BATCH_LAYER = "batch", "batch_layer"
ACTIVATIONS, EXPERT_FLOP = "activations", "expert_flop"
BYTES_OF, FLOP_OF, UNPACK_OF = "bytes:", "flop:", "unpack:"


def decode_work(
    model: Model, depth: float, *, threads: int | None = None, ubatch: int = 512
) -> Work | None:
    """What decoding one token takes with `depth` tokens in the context; None where not known.

    Args:
        depth: a mean depth, which may lie between two whole ones.
        threads: of a processor's cores; None for anything else.
        ubatch: tokens of a micro-batch, which the rings of windows have room for.
    """
    attending = Attending.of(model, threads, ubatch)
    if not model.is_understood or not model.weights_known or attending is None:
        return None
    work: dict[str, float] = defaultdict(float)
    work[STEP] = 1
    for entry in model.ledger:
        if not entry.decode_bytes:
            continue
        share = float(entry.share) * entry.passes
        work[BYTES_OF + entry.tensor.type] += float(entry.decode_bytes)
        if entry.kind == "expert":
            work[EXPERT_BYTES] += float(entry.decode_bytes)
        if entry.kind != "lookup":
            work[ROWS] += _rows(entry) * share
            work[VECTORS] += len(entry.tensor.shape) == 1
    work[LAYER] = model.layers
    work[EXPERT_LAYER] = _expert_layers(model)
    work[LOGITS] = _logits(model)
    below = int(depth)
    low, high = attending.decode(below), attending.decode(below + 1)
    work.update({kind: low[kind] + (high[kind] - low[kind]) * (depth - below) for kind in low})
    return dict(work)


def prefill_work(
    model: Model, tokens: int, depth: int = 0, *, threads: int | None = None, ubatch: int = 512
) -> Work | None:
    """What reading `tokens` tokens on top of `depth` takes; None where that is not known."""
    attending = Attending.of(model, threads, ubatch)
    if not model.is_understood or not model.weights_known or attending is None or tokens < 1:
        return None
    batches = ceil(tokens / ubatch)
    work: dict[str, float] = defaultdict(float)
    width = 0
    for entry in model.ledger:
        if entry.kind not in {"read", "expert"}:
            continue
        if len(entry.tensor.shape) < 2:
            work[VECTORS] += float(tokens) * entry.tensor.elements * entry.passes
            continue
        head = entry.name in {HEAD, EMBEDDING}
        width = max(width, entry.tensor.shape[0] if head else 0)
        share = float(entry.share) * entry.passes
        times = 1 if head else tokens
        flop = 2.0 * entry.tensor.elements * share * times
        work[FLOP_OF + entry.tensor.type] += flop
        if entry.kind == "expert":
            work[EXPERT_FLOP] += flop
        if TENSOR_TYPES_BY_NAME[entry.tensor.type].block_elements > 1:
            weights = float(entry.tensor.elements * entry.passes)
            work[UNPACK_OF + entry.tensor.type] += weights * (1 if head else batches)
    work[STEP] = 1
    work[BATCH] = batches
    work[BATCH_LAYER] = batches * model.layers
    work[ACTIVATIONS] = float(tokens) * model.layers * width
    work[TOKEN_LAYER] = float(tokens) * model.layers
    work[LOGITS] = _logits(model)
    work.update(attending.prefill(tokens, depth))
    return dict(work)


def _logits(model: Model) -> float:
    """Tokens that the next one is chosen from."""
    rows = [_rows(each) for each in model.ledger if each.name == HEAD and each.kind == "read"]
    tied = [_rows(each) for each in model.ledger if each.name == EMBEDDING and each.kind == "read"]
    return max(rows or tied, default=0.0)


def _rows(entry: Entry) -> float:
    shape = entry.tensor.shape
    if len(shape) < 2:
        return 0.0
    rows = 1
    for extent in shape[1:]:
        rows *= extent
    return float(rows)


def _expert_layers(model: Model) -> int:
    return len({entry.block for entry in model.ledger if entry.kind == "expert"})


_PART_OF = {
    ROWS: "weights",
    LOGITS: "weights",
    EXPERT_BYTES: "weights",
    CACHE: "cache",
    PIECES: "cache",
    ATTENTION: "cache",
    SCORES: "cache",
}


def by_part(seconds: Mapping[str, float]) -> dict[str, float]:
    """Seconds of a token by what takes them: weights; cache and attention; all that is paid once
    for a token, a layer or a norm."""
    parts = {"weights": 0.0, "cache": 0.0, "overhead": 0.0}
    for kind, taken in seconds.items():
        parts["weights" if kind.startswith(BYTES_OF) else _PART_OF.get(kind, "overhead")] += taken
    return parts
