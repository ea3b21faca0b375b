"""A question to the estimator, and files of them: one JSON object a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from tokenroof.errors import InputError, TokenroofError, UsageError
from tokenroof.records import Record
from tokenroof.safetext import printable
from tokenroof.units import binary_size

MAX_LINE_BYTES = 2**20


class Case(Record, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question. What is not given is None; the units are those of the command line.

    Attributes:
        depth: tokens already in the context (0).
        prompt, output, cached, thinking: tokens to read, to write, read before, thought.
        prompt_low, prompt_high: between how many the prompt has, where it was not counted.
        cold: whether the model has to be loaded first.
        turns: prompts with their answers, each on top of those before (1).
        agent: tokens that each prompt after the first adds; it sends all before them again.
        bandwidth: GB/s. memory: GB. tflops: 1e12 operations a second.
        weight_bytes: the weight bytes that one decoded token reads, instead of the file's own.
        gpu_layers: how many of the last layers go to the cards, the output layer counted.
        cpu_moe: of how many first blocks the experts stay with the host; true for all.
        override_tensor: further tensors that go elsewhere: `PATTERN=CPU` or `=` a card's number,
            with commas between.
        split_mode: how several cards share the layers: `layer`, `row`, `tensor` or `none`.
        tensor_split: in what proportion, with commas between.
        kv_offload: whether caches lie on cards with their layers.
        projector: a model file that turns pictures or sound into tokens.
        fit: look for the fastest placement that fits.
    """

    model: str | None = None
    device: str | None = None
    host: str | None = None
    depth: int | None = None
    prompt: int | None = None
    output: int | None = None
    cached: int | None = None
    thinking: int | None = None
    cold: bool | None = None
    turns: int | None = None
    agent: int | None = None
    prompt_low: int | None = None
    prompt_high: int | None = None
    backend: str | None = None
    engine: str | None = None
    engine_version: str | None = None
    date: str | None = None
    flash_attention: bool | None = None
    kv_type: str | None = None
    gpu_layers: int | None = None
    cpu_moe: int | bool | None = None
    batch: int | None = None
    ubatch: int | None = None
    threads: int | None = None
    context: int | None = None
    parallel: int | None = None
    bandwidth: float | None = None
    memory: float | None = None
    tflops: float | None = None
    weight_bytes: float | None = None
    override_tensor: str | None = None
    split_mode: Literal["layer", "row", "tensor", "none"] | None = None
    tensor_split: str | None = None
    kv_offload: bool | None = None
    projector: str | None = None
    fit: bool | None = None


def read_cases(path: Path) -> Iterator[Case | TokenroofError]:
    """The questions of a file in their order; for a line that is none, the error in its place.

    Empty lines are passed over.

    Raises:
        InputError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _read(number, line)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError("predict.no_cases", path=printable(str(path)), reason=reason) from error


def _read(number: int, line: bytes) -> Case | TokenroofError:
    if len(line) > MAX_LINE_BYTES:
        return UsageError("predict.long_case", line=number, limit=binary_size(MAX_LINE_BYTES))
    try:
        return msgspec.json.decode(line, type=Case)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        return UsageError("predict.bad_case", line=number, reason=printable(str(error)))
