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
from collections.abc import Callable, Mapping
from math import ceil

from tokenroof.model import Model
from tokenroof.model.ledger import EMBEDDING, HEAD, Entry

Work = Mapping[str, float]

STEP, LAYER, EXPERT_LAYER = "step", "layer", "expert_layer"
ROWS, EXPERT_BYTES, CACHE, ATTENTION = "rows", "expert_bytes", "cache_bytes", "attention_flop"
SCORES, TOKEN_LAYER, VECTORS = "scores", "token_layer", "vectors"
BATCH, BATCH_LAYER, BATCH_BYTES = "batch", "batch_layer", "batch_bytes"
ACTIVATIONS, EXPERT_FLOP = "activations", "expert_flop"
BYTES_OF, FLOP_OF = "bytes:", "flop:"


def decode_work(
    model: Model, depth: float, type_k: str = "f16", type_v: str = "f16"
) -> Work | None:
    """What decoding one token takes with `depth` tokens in the context; None where not known."""
    cache = _between(depth, lambda whole: model.kv_read(whole, type_k, type_v))
    if not model.is_understood or not model.weights_known or cache is None:
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
    work[CACHE] = cache
    work[ATTENTION] = _between(depth, lambda whole: model.attention_flop(1, whole)) or 0.0
    work[SCORES] = work[ATTENTION] / _flop_of_a_score(model)
    return dict(work)


def prefill_work(model: Model, tokens: int, depth: int = 0, ubatch: int = 512) -> Work | None:
    """What reading `tokens` tokens on top of `depth` takes; None where that is not known."""
    if not model.is_understood or not model.weights_known or tokens < 1:
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
        work[BATCH_BYTES] += entry.tensor.bytes * entry.passes * (1 if head else batches)
    work[STEP] = 1
    work[BATCH] = batches
    work[BATCH_LAYER] = batches * model.layers
    work[ACTIVATIONS] = float(tokens) * model.layers * width
    work[TOKEN_LAYER] = float(tokens) * model.layers
    work[ATTENTION] = float(model.attention_flop(tokens, depth))
    work[SCORES] = work[ATTENTION] / _flop_of_a_score(model)
    return dict(work)


def _flop_of_a_score(model: Model) -> float:
    """Operations of one head on one position: a product with its key, and one with its value."""
    heads = model.heads
    return 1.0 if heads is None else 2.0 * (heads.key_length + heads.value_length)


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


def _between(depth: float, of: Callable[[int], int | None]) -> float | None:
    """A count at a mean depth, which lies between two whole ones."""
    below = int(depth)
    low, high = of(below), of(below + 1)
    if low is None or high is None:
        return None
    return low + (high - low) * (depth - below)


_PART_OF = {
    ROWS: "weights",
    EXPERT_BYTES: "weights",
    CACHE: "cache",
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
