"""What an estimate says: `tokenroof.estimate/1`. What is not known is None, never 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from tokenroof.notices import Notice
from tokenroof.records import Record

Basis = Literal["measured", "calibrated", "public", "spec"]
"""What a figure rests on, strongest first. `spec` knows only a ceiling."""

BASES: tuple[Basis, ...] = ("measured", "calibrated", "public", "spec")
"""Strongest first."""

Verdict = Literal["fits", "tight", "does_not_fit", "unknown"]


def weakest(bases: Iterable[Basis]) -> Basis:
    """The weakest of several bases."""
    return max(bases, key=BASES.index)


class Rate(Record, frozen=True, kw_only=True):
    """A speed and the interval that it lies in; on basis `spec` only `high` is known."""

    tokens_per_s: float | None
    low: float | None
    high: float | None
    basis: Basis


class WaitPart(Record, frozen=True, kw_only=True):
    """One phase of a wait.

    Attributes:
        name: `load`, `prefill`, `thinking` (its tokens after the first) or `answer`.
        tokens: that are read or written; None of a load.
        seconds: it takes, between `low` and `high`.
        basis: what that rests on.
    """

    name: Literal["load", "prefill", "thinking", "answer"]
    tokens: int | None
    seconds: float
    low: float
    high: float
    basis: Basis


class Turn(Record, frozen=True, kw_only=True):
    """One prompt of a conversation with its answer; times as of `Wait`.

    Attributes:
        number: from 1 on.
        cached_tokens: of the context, that are not read again.
        read_tokens: that are read.
        context_tokens: in the context when the answer is written.
    """

    number: int
    cached_tokens: int
    read_tokens: int
    context_tokens: int
    ttft_seconds: float
    ttft_low: float
    ttft_high: float
    total_seconds: float
    low: float
    high: float
    parts: tuple[WaitPart, ...]


class Japanese(Record, frozen=True, kw_only=True):
    """How fast an answer in Japanese comes, beside how fast people read it.

    Attributes:
        low, high: characters a second.
        people_low, people_high: that people read.
    """

    low: float
    high: float
    people_low: float
    people_high: float


class Wait(Record, frozen=True, kw_only=True):
    """How long a person waits; `low` and `high` bound `total_seconds`.

    Attributes:
        load_seconds: until the model is in memory; 0 where it is there already.
        ttft_seconds: until the first token: load and reading; in its interval.
        total_seconds: until the last token, of all turns together; the sum of `parts`.
        basis: the weakest of its parts.
        prompt_tokens, cached_tokens, thinking_tokens, output_tokens: as they were asked for.
        parts: what it is made of.
        turns: one by one, where there are several.
        unreused_seconds: the same if every prompt were read from its beginning; None where nothing
            is reused.
        japanese: for a prompt in Japanese, which is answered in it.
    """

    load_seconds: float | None
    ttft_seconds: float | None
    total_seconds: float | None
    low: float | None
    high: float | None
    basis: Basis
    ttft_low: float | None = None
    ttft_high: float | None = None
    prompt_tokens: int | None = None
    cached_tokens: int | None = None
    thinking_tokens: int | None = None
    output_tokens: int | None = None
    parts: tuple[WaitPart, ...] = ()
    turns: tuple[Turn, ...] = ()
    unreused_seconds: float | None = None
    japanese: Japanese | None = None


class Share(Record, frozen=True, kw_only=True):
    """What one device holds of the whole. All but the buffers is exact.

    Attributes:
        device: which one.
        place: `gpu` or `cpu`; None where nobody said.
        resident_bytes: all of the following, with the most that its buffers can take.
        capacity_bytes: what of its memory is free, else what it has.
        layers: how many of the model's layers it computes, the output layer counted.
        weights_bytes: tensors, each in full.
        cache_bytes: caches as they are allocated.
        state_bytes: states of all sequences.
        projector_bytes: what turns pictures or sound into tokens.
        buffers_low_bytes, buffers_high_bytes: the least and the most of the engine's own buffers.
    """

    device: str
    resident_bytes: int
    capacity_bytes: int | None
    place: str | None = None
    layers: int | None = None
    weights_bytes: int | None = None
    cache_bytes: int | None = None
    state_bytes: int | None = None
    projector_bytes: int | None = None
    buffers_low_bytes: int | None = None
    buffers_high_bytes: int | None = None


class Fits(Record, frozen=True, kw_only=True):
    """Whether the memory holds what has to lie in it.

    Attributes:
        resident_bytes: on the device that was asked about, all its parts together, without what
            lies with a host behind it.
        resident_low_bytes: the same with the least that the engine's buffers can take.
        capacity_bytes: what of its memory is free, else what it has.
        verdict: of the part with the least room left.
        devices: its parts; none where all is in one memory of unknown size.
        host: what lies with the host behind cards; None where there is but one memory.
        weights_bytes, cache_bytes, state_bytes, projector_bytes, buffers_low_bytes,
        buffers_high_bytes: what `resident_bytes` is made of (see `Share`).
    """

    resident_bytes: int
    capacity_bytes: int | None
    verdict: Verdict
    devices: tuple[Share, ...] = ()
    host: Share | None = None
    resident_low_bytes: int | None = None
    weights_bytes: int | None = None
    cache_bytes: int | None = None
    state_bytes: int | None = None
    projector_bytes: int | None = None
    buffers_low_bytes: int | None = None
    buffers_high_bytes: int | None = None


class Flags(Record, frozen=True, kw_only=True):
    """A placement to paste.

    Attributes:
        llama_server: a command.
        ollama: lines of a Modelfile.
        ollama_environment: variables of Ollama's server, which a Modelfile cannot set.
        ollama_cannot: what of the placement Ollama has no setting for, as llama-server's options.
        lm_studio: a command that loads the model.
        lm_studio_kv_types: of keys and of values, where its settings have to be told them.
        lm_studio_kv_on_host: whether its setting has to keep caches off the GPU.
        lm_studio_experts: of how many first blocks its setting keeps the experts in memory; None
            where it need not be set.
    """

    llama_server: str
    ollama: tuple[str, ...]
    lm_studio: str
    lm_studio_experts: int | None = None
    ollama_environment: tuple[str, ...] = ()
    ollama_cannot: tuple[str, ...] = ()
    lm_studio_kv_types: tuple[str, str] | None = None
    lm_studio_kv_on_host: bool = False


class PartTime(Record, frozen=True, kw_only=True):
    """What one device does for a token: bytes read there, and the least time that takes.

    Attributes:
        weights: of weights that every token uses, by stored type.
        experts: of experts, by stored type.
        cache_bytes: of its layers' caches, and states twice.
        bandwidth_bytes_per_s: of its memory.
        seconds: bytes / bandwidth.
    """

    device: str
    place: str | None
    weights: dict[str, float]
    experts: dict[str, float]
    cache_bytes: float
    bandwidth_bytes_per_s: float | None
    seconds: float | None


class Placed(Record, frozen=True, kw_only=True):
    """Where everything lies, in the words of llama.cpp's options.

    Attributes:
        gpu_layers: layers on cards, the output layer counted; of `layers` in all.
        cpu_moe: of how many first blocks the experts stay with the host.
        override_tensor: further tensors that lie elsewhere.
        split_mode, tensor_split: how cards share the layers.
        kv_offload: whether caches lie with their layers; else all with the host.
        context, parallel, unified: tokens and sequences that memory is set aside for, and whether
            these share one cache.
        batch, ubatch: as the engine cuts them.
        parts: what is done where.
        transfers: how often a token's hidden state goes from one memory to another.
        transfer_seconds: the least time of that over the link.
        flags: the same to paste.
        chosen: whether it was looked for, with `--fit`.
    """

    gpu_layers: int
    layers: int
    cpu_moe: int
    override_tensor: tuple[str, ...]
    split_mode: str
    tensor_split: tuple[float, ...] | None
    kv_offload: bool
    context: int
    parallel: int
    unified: bool
    batch: int
    ubatch: int
    parts: tuple[PartTime, ...]
    transfers: int
    transfer_seconds: float
    flags: Flags
    chosen: bool


class Measured(Record, frozen=True, kw_only=True):
    """A figure that somebody measured and gave, beside what is estimated.

    Attributes:
        phase: what it is the speed of.
        share: of the row's ceiling in that phase. Above 1 it is a finding about the ceiling.
        reads_tokens: a prompt whose reading is asked about.
        reads_seconds: what that takes at this speed. In a longer prompt the speed falls.
        estimated_seconds: what reading it takes by our own estimate.
        source: who says so.
    """

    phase: Literal["decode", "prefill"]
    tokens_per_s: float
    share: float | None
    reads_tokens: int | None = None
    reads_seconds: float | None = None
    estimated_seconds: float | None = None
    source: str | None = None


class BySize(Record, frozen=True, kw_only=True):
    """The ceiling as others work it out: bandwidth over the size of the model.

    Attributes:
        bytes: that size.
        tensor_bytes: all that the model's file stores.
        weight_bytes: what one decoded token reads of it.
        lookup_bytes: tables of it that are looked up by rows, such as the input embedding.
        experts_unread_bytes: what it does not read of experts.
        unread_bytes: what it does not pass at all.
        share: what was measured, of this ceiling.
    """

    bytes: int
    tensor_bytes: int
    weight_bytes: int
    lookup_bytes: int
    experts_unread_bytes: int
    unread_bytes: int
    ceiling_tokens_per_s: float | None
    share: float | None = None


class Row(Record, frozen=True, kw_only=True):
    """One answer. A question that cannot be answered has `error` and null elsewhere.

    Attributes:
        file_type: the model's label, such as `Q4_K_M`.
        depth: tokens already in the context.
        context: tokens that memory is set aside for.
        read_bytes: what the next token reads, weights and cache together.
        ceiling_tokens_per_s: bandwidth / `read_bytes`.
        prefill_ceiling_tokens_per_s: prompt tokens over the least time of their arithmetic.
        bandwidth_bytes_per_s: of what a token passes, parts that work in turn taken together.
        flop_per_s: the device's peak arithmetic: as given, else dense FP16 in matrix units.
        measured: a figure that somebody gave.
        by_size: the ceiling by the model's size, where it was asked for.
        placement: where everything lies, where more than one memory is concerned.
        assumes: what the figures rest on; sentences from the catalogue.
        verify: the command that would measure it.
    """

    model: str | None
    device: str | None
    depth: int | None
    context: int | None = None
    read_bytes: int | None = None
    ceiling_tokens_per_s: float | None = None
    decode: Rate | None = None
    prefill: Rate | None = None
    wait: Wait | None = None
    fits: Fits | None = None
    placement: Placed | None = None
    basis: Basis | None = None
    assumes: tuple[Notice, ...] = ()
    verify: str | None = None
    file_type: str | None = None
    prefill_ceiling_tokens_per_s: float | None = None
    bandwidth_bytes_per_s: float | None = None
    flop_per_s: float | None = None
    measured: Measured | None = None
    by_size: BySize | None = None
    error: Notice | None = None

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The row as the contract shows it; `error` only where there is one."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        plain["assumes"] = [each.text(language) for each in self.assumes]
        if self.error is None:
            del plain["error"]
        else:
            plain["error"] = self.error.text(language)
        return plain


class Estimate(Record, frozen=True, kw_only=True):
    """The answers, in the order of the questions."""

    rows: tuple[Row, ...]
    schema: Literal["tokenroof.estimate/1"] = "tokenroof.estimate/1"

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document of the contract, its sentences in one language."""
        return {"schema": self.schema, "rows": [row.to_dict(language) for row in self.rows]}
