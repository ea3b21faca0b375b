"""Header -> Model: puts the rules of the other files together, and says what had to be assumed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Literal

from tokenroof.errors import ModelError
from tokenroof.gguf import Header, file_type_name
from tokenroof.model import remarks
from tokenroof.model.architectures import (
    COUNTS_BLOCKS_BY_TENSORS,
    KNOWN,
    NO_TEXT_MODEL,
    WITHOUT_HEAD,
)
from tokenroof.model.arithmetic import attentions
from tokenroof.model.attention import attention_heads
from tokenroof.model.blocks import Tensors, has_prefix
from tokenroof.model.experts import find_experts
from tokenroof.model.hyperparameters import Hyperparameters, block_count
from tokenroof.model.keeping import layers_with_kv, what_is_kept, writes_token_by_token
from tokenroof.model.ledger import EMBEDDING, Entry, is_tied, ledger
from tokenroof.model.loops import passes
from tokenroof.model.model import Model
from tokenroof.model.unread import Unread
from tokenroof.model.windows import Windows, sliding_layers

_FILES_OF_OTHER_KINDS = frozenset({"adapter", "mmproj", "imatrix", "lora"})


def build_model(header: Header) -> Model:
    """What a header says about its model.

    Raises:
        ModelError: its numbers contradict each other; the error names the keys.
        GGUFError: a key holds something that cannot be its value.
    """
    architecture = header.text("general.architecture") or None
    parameters = Hyperparameters(header, architecture or "")
    other_kind = (header.text("general.type") or "") in _FILES_OF_OTHER_KINDS
    if architecture is None or architecture in NO_TEXT_MODEL or other_kind:
        return _not_modelled(header, architecture)
    try:
        return _modelled(header, parameters)
    except ModelError:
        if architecture in KNOWN:
            raise
        # Its keys may mean something else in an architecture that nobody here has seen.
        return _not_modelled(header, architecture)


def _modelled(header: Header, parameters: Hyperparameters) -> Model:
    tensors = Tensors(header.tensors)
    layers = _layers(parameters, tensors)
    heads = attention_heads(parameters, layers)
    windows = sliding_layers(parameters, layers)
    runs = passes(parameters, layers)
    experts = find_experts(parameters, layers)
    writes = writes_token_by_token(parameters)
    blocks = len(runs.counts) if runs.looped else layers
    has_head = parameters.architecture not in WITHOUT_HEAD
    tied = is_tied(tensors, has_head)
    entries = ledger(
        parameters,
        tensors,
        experts,
        runs,
        Unread(
            parameters,
            tensors,
            layers=blocks,
            kv_layers=layers_with_kv(parameters, layers),
            experts=experts,
            has_head=has_head,
            long_context=_uses_long_factors(parameters),
        ),
        tied=tied,
    )
    kept = what_is_kept(parameters, tensors, heads, windows, runs)
    least = None
    if not windows.certain:
        all_slide = Windows(windows.window, (True,) * layers)
        least = what_is_kept(parameters, tensors, heads, all_slide, runs).caches
    understood = parameters.architecture in KNOWN and not kept.unknown_layers
    weights_known = not _has_uncounted_experts(entries)
    model = Model(
        header=header,
        name=_name(header, parameters.architecture),
        architecture=parameters.architecture,
        file_type=file_type_name(header.integer("general.file_type")),
        context_length=parameters.number("context_length") or None,
        vocabulary=_vocabulary(parameters, tensors),
        layers=len(runs.order),
        blocks=blocks,
        embedding=_embedding(tensors, tied),
        experts=experts,
        ledger=entries,
        heads=heads,
        caches=None if kept.unknown_layers else kept.caches,
        least_caches=least,
        states=kept.states,
        attentions=attentions(parameters, tensors, heads, windows, runs, causal=writes),
        writes_tokens=writes,
        is_understood=understood,
        weights_known=weights_known,
        warnings=(),
    )
    return replace(
        model, warnings=remarks.remarks(model, parameters, windows, kept.unknown_layers, runs)
    )


def _layers(parameters: Hyperparameters, tensors: Tensors) -> int:
    """Blocks that run for a token: those for multi-token prediction come last and do not."""
    blocks = block_count(parameters)
    predicting = parameters.count("nextn_predict_layers")
    if predicting >= blocks:
        raise ModelError(
            "model.only_predicting_blocks",
            key=parameters.key("nextn_predict_layers"),
            predicting=predicting,
            blocks=blocks,
        )
    first = blocks - predicting
    if parameters.architecture in COUNTS_BLOCKS_BY_TENSORS and not has_prefix(
        tensors.block(first), "nextn."
    ):
        return blocks
    return first


def _uses_long_factors(parameters: Hyperparameters) -> bool:
    """Whether rotary factors for long contexts are used, at the context that it was trained for.

    llama.cpp takes them where a sequence may be longer than the original context.
    """
    original = parameters.count("rope.scaling.original_context_length")
    return parameters.count("context_length") >= original


def _has_uncounted_experts(entries: tuple[Entry, ...]) -> bool:
    """Whether experts lie in the file of which it is not known how many a token uses."""
    return any(
        entry.kind == "read"
        and "_exps." in entry.name
        and len(entry.tensor.shape) == 3
        and entry.tensor.shape[-1] > 1
        for entry in entries
    )


def _name(header: Header, architecture: str | None) -> str:
    name = header.text("general.name") or header.text("general.basename")
    if name:
        return name
    return header.paths[0].stem if header.paths else architecture or "?"


def _vocabulary(parameters: Hyperparameters, tensors: Tensors) -> int | None:
    embedding = tensors.by_name.get(EMBEDDING)
    if embedding is not None and len(embedding.shape) > 1:
        return embedding.shape[1]
    return parameters.number("vocab_size") or None


def _embedding(tensors: Tensors, tied: bool) -> Literal["row", "tied"] | None:
    if EMBEDDING not in tensors.by_name:
        return None
    return "tied" if tied else "row"


def _not_modelled(header: Header, architecture: str | None) -> Model:
    """A model of which only the file itself is known."""
    entries = tuple(Entry(tensor, "unread", 0, 0, Fraction(0)) for tensor in header.tensors)
    return Model(
        header=header,
        name=_name(header, architecture),
        architecture=architecture,
        file_type=file_type_name(header.integer("general.file_type")),
        context_length=None,
        vocabulary=None,
        layers=0,
        blocks=0,
        embedding=None,
        experts=None,
        ledger=entries,
        heads=None,
        caches=None,
        least_caches=None,
        states=(),
        attentions=(),
        writes_tokens=False,
        is_understood=False,
        weights_known=False,
        warnings=(remarks.not_modelled(header, architecture),),
    )
