"""config + type -> the header that llama.cpp's converter and quantiser would write."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tokenroof.errors import InputError
from tokenroof.gguf import Header
from tokenroof.notices import Notice
from tokenroof.recipes.config import EXPERT_KEYS, Config
from tokenroof.recipes.converter import converted
from tokenroof.recipes.families import sketcher
from tokenroof.recipes.quantise import FileType, Quantised, quantise
from tokenroof.recipes.quantise.situation import Traits
from tokenroof.recipes.sketch import Sketch
from tokenroof.safetext import printable
from tokenroof.units import count

_QUANTISATION_VERSION = 2
"""ggml's GGML_QNT_VERSION."""

_SEVENTY_BILLION = {"llama": 80, "qwen2": 80, "deci": 80, "olmo": 80, "jais2": 68}
"""Architectures of which llama.cpp calls the model with so many layers "70B"."""


_NAMED_FOR_EXPERTS = re.compile(r"Mo[eE](?!Hybrid)|Olmoe|Mixtral|GptOss|Dbrx")
"""Classes of transformers whose models all have experts."""


def sketch_of(values: Mapping[str, Any], where: str) -> tuple[Sketch, Config]:
    """What the converter would write for a config, before types.

    Raises:
        InputError: the config lacks something, contradicts itself, or is of an architecture that
            there is no recipe for.
    """
    config = Config(values, where)
    for name in config.architectures:
        sketch_model = sketcher(name)
        if sketch_model is not None:
            sketch = sketch_model(config)
            _check(sketch, config, name)
            return sketch, config
    if not config.architectures:
        raise InputError("recipes.config_lacks", key="architectures", where=where)
    name = printable(config.architectures[-1], 80)
    raise InputError("recipes.no_family", architecture=name, where=where)


def _check(sketch: Sketch, config: Config, class_name: str) -> None:
    """Refuse what the converter would not see and llama.cpp would not load."""
    if _NAMED_FOR_EXPERTS.search(class_name) and not sketch.metadata.get(
        f"{sketch.architecture}.expert_count"
    ):
        raise InputError("recipes.config_lacks", key=" / ".join(EXPERT_KEYS), where=config.where)
    kinds = config.raw("layer_types")
    if isinstance(kinds, list) and len(kinds) < config.layers:
        config.contradicts("layer_types", f"{len(kinds)} < {config.layers}")


def build(
    sketch: Sketch, config: Config, name: str, file_type: FileType, *, matrix: bool = False
) -> Header:
    """The header of a sketched model in a file type.

    Raises:
        InputError: the quantiser cannot make it.
    """
    traits = _traits(sketch)
    tensors = quantise(converted(sketch, config), traits, file_type, matrix=matrix)
    metadata = {
        "general.architecture": sketch.architecture,
        "general.type": "model",
        "general.name": name,
        **sketch.metadata,
        "general.quantization_version": _QUANTISATION_VERSION,
        "general.file_type": file_type.number,
    }
    header = Header.build(metadata, [(each.name, each.shape, each.type) for each in tensors])
    return replace(header, problems=(*sketch.notices, *_fallbacks(tensors)))


def _traits(sketch: Sketch) -> Traits:
    def number(key: str) -> int:
        value = sketch.metadata.get(f"{sketch.architecture}.{key}", 0)
        if isinstance(value, list | tuple):
            value = value[0]
        assert isinstance(value, int), key
        return value

    heads, kv_heads = number("attention.head_count"), number("attention.head_count_kv")
    blocks = number("block_count")
    layers = blocks - number("nextn_predict_layers")
    groups_of_one = sketch.architecture == "llama" and heads == kv_heads
    return Traits(
        architecture=sketch.architecture,
        blocks=blocks,
        experts=number("expert_count"),
        query_groups=heads // kv_heads if kv_heads else 0,
        is_70b=layers == _SEVENTY_BILLION.get(sketch.architecture) and not groups_of_one,
    )


def _fallbacks(tensors: tuple[Quantised, ...]) -> tuple[Notice, ...]:
    """One notice for all tensors whose rows are no whole blocks of the type wanted."""
    swapped = [each for each in tensors if each.instead_of]
    if not swapped:
        return ()
    pairs = sorted({(each.instead_of or "", each.type) for each in swapped})
    values = {
        "tensors": count(len(swapped)),
        "swaps": ", ".join(f"{wanted} → {got}" for wanted, got in pairs),
        "rows": ", ".join(count(row) for row in sorted({each.shape[0] for each in swapped})),
    }
    return (Notice("recipes.fallback", values),)
