"""The list of models as a record: `tokenroof.models/1`."""

from __future__ import annotations

from typing import Any, Literal

from tokenroof.notices import Notice
from tokenroof.predict.records import Verdict
from tokenroof.records import Record

MODELS_SCHEMA: Literal["tokenroof.models/1"] = "tokenroof.models/1"

Role = Literal["model", "projector", "adapter", "other"]


class TypeShare(Record, frozen=True, kw_only=True):
    """How much of a model is stored in one type."""

    type: str
    bytes: int


class CompanionBytes(Record, frozen=True, kw_only=True):
    """A file that belongs to a model and is not counted as part of it.

    Attributes:
        kind: what it is.
        bytes: its size.
        name: the name that brings it along; further names of the model's file may not.
    """

    kind: Literal["projector", "adapter", "draft"]
    bytes: int | None
    name: str


class ModelRow(Record, frozen=True, kw_only=True):
    """One model file. What is not known is None; `reason` says why where it should be.

    Attributes:
        name: the name that means it, here and in every other command.
        names: further names of the same file.
        source: whose store it is in: ollama, lmstudio, huggingface, llama.cpp, or a path; catalogue
            for a model that is nowhere yet.
        role: whether it is a model, or a file that only goes with one.
        path: where it lies; its first part. None for a model of the catalogue.
        config: where the config is published that such a model's figures follow from.
        parts: files that it consists of.
        title: what it calls itself.
        types: the types that its tensors are really stored in, the largest share first.
        file_type: what its label says.
        missing_bytes: what is not there yet of a download; 0 where all is there.
        weight_bytes: weights that one decoded token reads.
        read_bytes: all that the first token reads: weights, and states twice.
        kv_bytes_per_token: what each token adds to the cache, in f16.
        resident_bytes: what lies in memory with a context of 4,096 tokens, or what it was
            trained for if that is less, the engine's own buffers at their most.
        card_bytes: the same on a card with a host behind it, which keeps the input embedding.
        companions: files that go with it.
        ceiling_tokens_per_s: bandwidth / `read_bytes`, where a bandwidth was given.
        verdict: whether it fits, where a memory was given.
        reason: why it cannot be read, or why a figure is missing.
    """

    name: str
    names: tuple[str, ...] = ()
    source: str
    role: Role = "model"
    path: str | None
    config: str | None = None
    parts: int | None = None
    title: str | None = None
    architecture: str | None = None
    types: tuple[TypeShare, ...] = ()
    file_type: str | None = None
    parameters: int | None = None
    bits_per_weight: float | None = None
    file_bytes: int | None = None
    tensor_bytes: int | None = None
    missing_bytes: int | None = None
    weight_bytes: int | float | None = None
    read_bytes: int | float | None = None
    kv_bytes_per_token: int | None = None
    resident_bytes: int | None = None
    card_bytes: int | None = None
    context_length: int | None = None
    companions: tuple[CompanionBytes, ...] = ()
    ceiling_tokens_per_s: float | None = None
    verdict: Verdict = "unknown"
    reason: Notice | None = None


class Listing(Record, frozen=True, kw_only=True):
    """Every model that was found."""

    schema: Literal["tokenroof.models/1"] = MODELS_SCHEMA
    models: tuple[ModelRow, ...]

    def to_dict(self, language: str = "en") -> dict[str, Any]:
        """The document, reasons in the language asked for."""
        plain = super().to_dict()
        for row, written in zip(self.models, plain["models"], strict=True):
            written["reason"] = row.reason and row.reason.to_dict(language)
        return plain
