"""A placement as each engine is told of it: commands and settings to paste.

llama-server takes all of it, and `--fit off` so that it changes nothing. Ollama takes the number
of layers and the context; single experts it places by itself when it is told no number. LM Studio
takes the layers as a share, and the blocks whose experts stay behind, in its load settings.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from tokenroof.predict.placement import HOST
from tokenroof.predict.records import Flags

if TYPE_CHECKING:
    from tokenroof.predict.engine_setup import EngineSetup
    from tokenroof.predict.placement import Placement

_PATH = "MODEL.gguf"


def flags(placement: Placement, setup: EngineSetup, model: str) -> Flags:
    """The placement for each engine.

    Args:
        placement: what to paste.
        setup: the context that it was made for.
        model: what the person called the model: a path goes into the commands as it is.
    """
    path = model if model.lower().endswith(".gguf") and "://" not in model else _PATH
    return Flags(
        llama_server=_llama_server(placement, setup, path),
        ollama=tuple(_ollama(placement, setup, path)),
        lm_studio=_lm_studio(placement, setup),
        lm_studio_experts=placement.wish.cpu_moe or None,
    )


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
    if wish.tensor_split is not None:
        words += ["--tensor-split", ",".join(f"{each:g}" for each in wish.tensor_split)]
    if wish.kv_on_host:
        words.append("--no-kv-offload")
    return words


def buffer_name(place: int) -> str:
    """What llama.cpp calls the memory of a place; cards by the name that CUDA gives them."""
    return "CPU" if place == HOST else f"CUDA{place}"


def _llama_server(placement: Placement, setup: EngineSetup, path: str) -> str:
    allocation = setup.allocation
    words = ["llama-server", "-m", path, "-c", str(allocation.context)]
    if not allocation.unified:
        words += ["-np", str(allocation.sequences)]
    words += options(placement)
    if (allocation.batch, allocation.ubatch) != (2048, 512):
        words += ["-b", str(allocation.batch), "-ub", str(allocation.ubatch)]
    if setup.type_k != "f16":
        words += ["-ctk", setup.type_k]
    if setup.type_v != "f16":
        words += ["-ctv", setup.type_v]
    return shlex.join([*words, "--fit", "off"])


def _ollama(placement: Placement, setup: EngineSetup, path: str) -> list[str]:
    lines = [
        f"FROM {path if path.startswith(('/', '.', '~')) else './' + path}",
        f"PARAMETER num_ctx {setup.tokens_of_sequence}",
    ]
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
