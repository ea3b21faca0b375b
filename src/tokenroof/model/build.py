"""Header -> Model: puts the rules of the other files together, and says what had to be assumed."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from tokenroof.errors import GGUFError, ModelError
from tokenroof.gguf import Header
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
from tokenroof.model.description import Description, describe, not_modelled
from tokenroof.model.experts import find_experts
from tokenroof.model.hyperparameters import Hyperparameters, block_count
from tokenroof.model.keeping import layers_with_kv, what_is_kept, writes_token_by_token
from tokenroof.model.ledger import EMBEDDING, Entry, is_tied, ledger
from tokenroof.model.loops import passes
from tokenroof.model.model import Model
from tokenroof.model.unread import Unread
from tokenroof.model.windows import Windows, sliding_layers
from tokenroof.notices import Notice

_FILES_OF_OTHER_KINDS = frozenset({"adapter", "mmproj", "imatrix", "lora"})


def build_model(header: Header, *, lenient: bool = False) -> Model:
    """What a header says about its model.

    Args:
        header: of its file or files.
        lenient: make a warning of what contradicts itself, and describe the file alone.

    Raises:
        ModelError: its numbers contradict each other; the error names the keys.
        GGUFError: a key holds something that cannot be its value.
    """
    said = describe(header)
    architecture = said.architecture
    other_kind = said.kind in _FILES_OF_OTHER_KINDS
    no_model = architecture in NO_TEXT_MODEL or other_kind or (lenient and not header.tensors)
    if architecture is None or no_model:
        return not_modelled(said, remarks.not_modelled(said))
    try:
        return _modelled(said, Hyperparameters(header, architecture))
    except (GGUFError, ModelError) as error:
        # Its keys may mean something else in an architecture that nobody here has seen.
        if architecture not in KNOWN and isinstance(error, ModelError):
            return not_modelled(said, remarks.not_modelled(said))
        if not lenient:
            raise
        contradiction = Notice(error.message, error.values)
        return not_modelled(said, contradiction, remarks.not_modelled(said))


def _modelled(said: Description, parameters: Hyperparameters) -> Model:
    header = said.header
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
            long_context=_uses_long_factors(parameters, said.context_length or 0),
        ),
        tied=tied,
    )
    kept = what_is_kept(parameters, tensors, heads, windows, runs)
    least = most = None
    if not windows.certain:
        all_slide = Windows(windows.window, (True,) * layers)
        least = what_is_kept(parameters, tensors, heads, all_slide, runs).caches
    if parameters.architecture not in KNOWN and any(windows.slides):
        none_slides = Windows(0, (False,) * layers)
        most = what_is_kept(parameters, tensors, heads, none_slides, runs).caches
    understood = parameters.architecture in KNOWN and not kept.unknown_layers
    weights_known = not _has_uncounted_experts(entries)
    model = Model(
        header=header,
        name=said.name,
        architecture=said.architecture,
        file_type=said.file_type,
        context_length=said.context_length,
        vocabulary=_vocabulary(said, tensors),
        layers=len(runs.order),
        blocks=blocks,
        embedding=_embedding(tensors, tied),
        experts=experts,
        ledger=entries,
        heads=heads,
        caches=None if kept.unknown_layers else kept.caches,
        least_caches=least,
        most_caches=most,
        states=kept.states,
        shared=kept.shared,
        attentions=attentions(parameters, tensors, heads, windows, runs, causal=writes),
        writes_tokens=writes,
        is_understood=understood,
        weights_known=weights_known,
        warnings=(),
    )
    return replace(
        model,
        warnings=(
            *said.problems,
            *remarks.remarks(model, parameters, windows, kept.unknown_layers, runs),
        ),
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


def _uses_long_factors(parameters: Hyperparameters, context: int) -> bool:
    """Whether rotary factors for long contexts are used, at the context that it was trained for.

    llama.cpp takes them where a sequence may be longer than the original context.
    """
    return context >= parameters.count("rope.scaling.original_context_length")


def _has_uncounted_experts(entries: tuple[Entry, ...]) -> bool:
    """Whether experts lie in the file of which it is not known how many a token uses."""
    return any(
        entry.kind == "read"
        and "_exps." in entry.name
        and len(entry.tensor.shape) == 3
        and entry.tensor.shape[-1] > 1
        for entry in entries
    )


def _vocabulary(said: Description, tensors: Tensors) -> int | None:
    embedding = tensors.by_name.get(EMBEDDING)
    if embedding is not None and len(embedding.shape) > 1:
        return embedding.shape[1]
    return said.vocabulary


def _embedding(tensors: Tensors, tied: bool) -> Literal["row", "tied"] | None:
    if EMBEDDING not in tensors.by_name:
        return None
    return "tied" if tied else "row"
