"""A placement as each engine is told of it: commands and settings to paste.

llama-server takes all of it, and `--fit off` so that it changes nothing; of several cards it is
told each one's layers, since what is free of them at that moment would move some. Ollama takes the
number of layers and the context in a Modelfile, the cache's type and the slots from its server's
environment, both types alike, and nothing of how cards share; single experts it places by itself
when it is told no number. LM Studio takes the layers as a share; the blocks whose experts stay
behind and the cache's types are in its load settings.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from tokenroof.predict.memory.placement import HOST
from tokenroof.predict.records import Flags

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokenroof.predict.memory.engine_setup import EngineSetup
    from tokenroof.predict.memory.placement import Placement

_PATH = "MODEL.gguf"
_HUB = re.compile(r"hf:(?P<name>[^/\s]+/[^/:@\s]+(?::[^/:@\s]+)?)")
_OLLAMA_KV_TYPES = ("f16", "q8_0", "q4_0")


def flags(placement: Placement, setup: EngineSetup, model: str) -> Flags:
    """The placement for each engine.

    Args:
        placement: what to paste.
        setup: the context that it was made for.
        model: what the person called the model: a path goes into the commands as it is.
    """
    types = (setup.type_k, setup.type_v)
    return Flags(
        llama_server=_llama_server(placement, setup, _llama_model(model)),
        ollama=tuple(_ollama(placement, setup, _from(model))),
        ollama_environment=tuple(_environment(setup)),
        ollama_cannot=tuple(_beyond_ollama(placement, setup)),
        lm_studio=_lm_studio(placement, setup),
        lm_studio_experts=placement.wish.cpu_moe or None,
        lm_studio_kv_types=types if types != ("f16", "f16") else None,
        lm_studio_kv_on_host=placement.wish.kv_on_host,
    )


def _path(model: str) -> str:
    return model if model.lower().endswith(".gguf") and not _is_name(model) else _PATH


def _is_name(model: str) -> bool:
    return "://" in model or model.startswith(("hf:", "ollama:", "lmstudio:"))


def _llama_model(model: str) -> list[str]:
    hub = _HUB.fullmatch(model)
    return ["-hf", hub["name"]] if hub is not None else ["-m", _path(model)]


def _from(model: str) -> str:
    """What a Modelfile is made from: a model that Ollama has, of the Hub, or a file."""
    hub = _HUB.fullmatch(model)
    if hub is not None:
        return f"hf.co/{hub['name']}"
    if model.startswith("ollama:") and "://" not in model:
        return model.removeprefix("ollama:")
    path = _path(model)
    return path if path.startswith(("/", ".", "~")) else f"./{path}"


def options(placement: Placement) -> list[str]:
    """The placement in the options of llama.cpp's programs."""
    wish = placement.wish
    words = ["-ngl", str(placement.gpu_layers)]
    if wish.cpu_moe:
        words += ["--n-cpu-moe", str(min(wish.cpu_moe, placement.layer_count - 1))]
    if wish.overrides:
        words += [
            "-ot",
            ",".join(f"{each.pattern}={buffer_name(each.place)}" for each in wish.overrides),
        ]
    if wish.split != "layer":
        words += ["--split-mode", wish.split]
    split = _tensor_split(placement)
    if split is not None:
        words += ["--tensor-split", split]
    if wish.kv_on_host:
        words.append("--no-kv-offload")
    return words


def _tensor_split(placement: Placement) -> str | None:
    """What was asked for, or else how many layers each of several cards has."""
    wish = placement.wish
    if wish.tensor_split is not None:
        return ",".join(f"{each:g}" for each in wish.tensor_split)
    if wish.split != "layer" or len(placement.cards) < 2 or not placement.gpu_layers:
        return None
    return ",".join(str(len(card.layers) + card.has_output) for card in placement.cards)


def buffer_name(place: int) -> str:
    """What llama.cpp calls the memory of a place; cards by the name that CUDA gives them."""
    return "CPU" if place == HOST else f"CUDA{place}"


def _llama_server(placement: Placement, setup: EngineSetup, model: list[str]) -> str:
    allocation = setup.allocation
    words = ["llama-server", *model, "-c", str(allocation.context)]
    if not allocation.unified:
        words += ["-np", str(allocation.sequences)]
    words += options(placement)
    if (allocation.batch, allocation.ubatch) != (2048, 512):
        words += ["-b", str(allocation.batch), "-ub", str(allocation.ubatch)]
    words += _kv_types(setup)
    if setup.flash_attention is not None:
        words += ["-fa", "on" if setup.flash_attention else "off"]
    return shlex.join([*words, "--fit", "off"])


def _kv_types(setup: EngineSetup) -> list[str]:
    words = ["-ctk", setup.type_k] if setup.type_k != "f16" else []
    return words + (["-ctv", setup.type_v] if setup.type_v != "f16" else [])


def _environment(setup: EngineSetup) -> Iterator[str]:
    allocation = setup.allocation
    if allocation.sequences > 1 and not allocation.unified:
        yield f"OLLAMA_NUM_PARALLEL={allocation.sequences}"
    kind = setup.type_k
    if kind == setup.type_v and kind in _OLLAMA_KV_TYPES[1:]:
        yield "OLLAMA_FLASH_ATTENTION=1"
        yield f"OLLAMA_KV_CACHE_TYPE={kind}"


def _beyond_ollama(placement: Placement, setup: EngineSetup) -> Iterator[str]:
    if setup.type_k != setup.type_v or setup.type_k not in _OLLAMA_KV_TYPES:
        yield " ".join(_kv_types(setup))
    if placement.wish.kv_on_host:
        yield "--no-kv-offload"
    if placement.wish.split != "layer":
        yield f"--split-mode {placement.wish.split}"
    split = _tensor_split(placement)
    if split is not None:
        yield f"--tensor-split {split}"


def _ollama(placement: Placement, setup: EngineSetup, model: str) -> list[str]:
    lines = [f"FROM {model}", f"PARAMETER num_ctx {setup.tokens_of_sequence}"]
    wish = placement.wish
    if not (wish.cpu_moe or wish.overrides):
        lines.append(f"PARAMETER num_gpu {placement.gpu_layers}")
    if setup.allocation.ubatch != 512:
        lines.append(f"PARAMETER num_batch {setup.allocation.ubatch}")
    return lines


def _lm_studio(placement: Placement, setup: EngineSetup) -> str:
    blocks = placement.layer_count - 1
    on_cards = min(placement.gpu_layers, blocks)
    share = "max" if placement.gpu_layers > blocks else f"{on_cards / blocks:.3f}"
    if not on_cards:
        share = "off"
    context = setup.allocation.context
    return f"lms load MODEL --gpu {share} --context-length {context}"
