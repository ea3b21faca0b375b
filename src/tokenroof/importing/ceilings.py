"""What a rate of decode takes of the memory at least, and what the memory can give at most.

    bytes per second = tokens per second x bytes that each token reads

A dense model reads all that it has but its table of embeddings, which is less than half of the
smallest and less than a fifth of a model of six billion weights and more. Where a log says what
lies on a device, that is read whole: the table stays with the processor.

Memory is known by the device's name. One that may mean several is the fastest of them, and several
devices give together what each gives: nothing is called impossible that some of them could do.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tokenroof.hardware.device_names import meanings
from tokenroof.hardware.device_table import devices_by_name
from tokenroof.importing import llama_bench_rows
from tokenroof.importing.figures import finite
from tokenroof.records import Run
from tokenroof.units import GB

FASTEST_MEMORY_BYTES_PER_SECOND = 25e12
"""More than any device of today reads."""

FASTEST_DECODE = 1e5
"""Tokens a second of one stream: a step of any model takes more than 10 microseconds."""

_DENSE = {
    *("llama", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "phi3", "mistral3", "falcon"),
    *("olmo2", "granite", "glm4", "internlm2", "starcoder2", "stablelm", "gpt2"),
}
_SPARSE_NAME = re.compile(r"\d+x\d|[ .-]a\d+(?:\.\d+)?b|moe|mixtral", re.IGNORECASE)

_LEAST_READ, _LEAST_READ_OF_LARGE = 0.5, 0.8
_LARGE = 6e9

_KINDS = {"gpu", "accelerator", "soc"}
"""Devices that come with their memory; a processor's is its owner's choice."""


def bytes_per_second_needed(run: Run) -> float | None:
    """What the rate of decode of a dense model of known size means at least; else None."""
    rate, size = run.decode_tokens_per_second, _bytes_read(run)
    is_read_whole = run.model.architecture in _DENSE and "speculative" not in run.flags
    if rate is None or size is None or not is_read_whole:
        return None
    is_sparse = "experts" in run.raw or _SPARSE_NAME.search(run.model.name or "")
    return None if is_sparse else rate * size


def bytes_per_second_given(device: str | None) -> float | None:
    """What the memory of a device gives at most, by its name; None where that tells nothing."""
    return None if device is None else _given(device)


@lru_cache(maxsize=256)
def _given(device: str) -> float | None:
    each = [_fastest(name) for name in device.split(", ")]
    known = [bandwidth for bandwidth in each if bandwidth is not None]
    return sum(known) * GB if known and len(known) == len(each) else None


def _fastest(name: str) -> float | None:
    table = devices_by_name()
    found = [table.get(meant) for meant in meanings(name)]
    known = [each for each in found if each is not None and each.kind in _KINDS]
    if not known or len(known) != len(found):
        return None
    return max(each.bandwidth_gb_s for each in known)


def _bytes_read(run: Run) -> float | None:
    row = run.raw.get(llama_bench_rows.NAME)
    if isinstance(row, dict):
        size, weights = finite(row.get("model_size")), finite(row.get("model_n_params"))
        share = _LEAST_READ_OF_LARGE if (weights or 0) >= _LARGE else _LEAST_READ
        return None if size is None else size * share
    held = run.raw.get("model_buffer_bytes")
    if not isinstance(held, dict):
        return None
    return max((float(size) for device, size in held.items() if device != "CPU"), default=None)
