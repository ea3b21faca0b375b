"""Tiny models of every kind, with the metadata that a converter writes.

Dimensions and tensor names come from the engine oracle's models of the same architecture (two
layers of width 64 to 512, named in `base`; a few from `scratch`); here they get more layers,
quantised types, tied heads, and a converter's keys: what llama.cpp's own saver derives and adds is
taken away again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from support.gguf_files import Array
from support.oracle.recorded import ORACLE
from support.oracle.scratch import SCRATCH
from tokenroof.gguf import TENSOR_TYPES_BY_NAME

BASES: Mapping[str, Mapping[str, Any]] = {**ORACLE, **SCRATCH}
"""Models whose dimensions and tensors the kinds are made from."""

Tensor = tuple[str, tuple[int, ...], str]

# Constants that graphs need and that say nothing of what is read or kept.
_CONSTANTS: dict[str, float] = {
    "attention.layer_norm_rms_epsilon": 1e-5,
    "attention.layer_norm_epsilon": 1e-5,
    "attention.group_norm_epsilon": 1e-5,
    "logit_scale": 1.0,
    "residual_scale": 1.0,
    "rope.freq_base": 10000.0,
    "rope.freq_base_swa": 10000.0,
    "hyper_connection.epsilon": 1e-6,
    "hyper_connection.magnitude": 2.0,
    "expert_weights_scale": 1.0,
    "expert_group_scale": 0.05,
    "attention.compress_rope_freq_base": 160000.0,
    "attention.clamp_kqv": 1.0,
    "attention.max_alibi_bias": 8.0,
    "swiglu_clamp_exp": 7.0,
    "kda.gate_lower_bound": -5.0,
    "activation.situ_beta": 4.0,
    "activation.situ_linear_beta": 25.0,
    "adapters.router_gain": 1.0,
}

# Keys that llama.cpp's saver writes for what it worked out itself; a converter writes none.
DERIVED = (
    "attention.sliding_window_pattern",
    "attention.recurrent_layers",
    "attention.key_length_swa",
    "attention.value_length_swa",
    "rope.dimension_count_swa",
    "rope.scaling.original_context_length",
)

# Keys that the loader insists on, although a converter's value is 0 or the saver leaves them out.
_NEEDED: dict[str, dict[str, Any]] = {
    "deepseek4": {"hash_layer_count": 0},
    "glm5-next": {"rope.dimension_count": 0},
    "gptneox": {"use_parallel_residual": False},
    "plamo2": {"ssm.group_count": 0},
    "qwen4exp": {
        "ple.eos_token_id": 0,
        "ple.layer_multipliers": Array("u64", [1, 3, 5]),
        "ple.head_offsets": Array("u64", [0, 128, 256, 384]),
        "ple.head_vocab_sizes": Array("u64", [128] * 4),
    },
}
_NEEDED_BY_ALL: dict[str, dict[str, Any]] = {
    "apertus": {f"xielu.{part}": 0.5 for part in ("alpha_n", "alpha_p", "beta", "eps")},
    **{
        architecture: {"tokenizer.ggml.token_type_count": 2}
        for architecture in (
            "bert", "jina-bert-v2", "jina-bert-v3", "nomic-bert", "nomic-bert-moe",
        )
    },
}  # fmt: skip

_KEPT_WHOLE = re.compile(
    r"norm|gate_inp\.|conv1d|shortconv\.conv|ssm_(a|d|dt)\b|position_embd|token_types|time_mix_(w|lerp"
    r"|first|decay|ln|a\d|v\d|g\d|k_|r_k)|altup|laurel|rel_b|_ape|hc_|\.bias|exp_probs|sinks|scale"
    r"|router|lora_|ple_conv|attn_res|inp_gate|per_layer_(model_)?proj"
)
"""What llama.cpp's quantiser leaves in F32, and what its kernels take no other way."""


@dataclass(frozen=True)
class Kind:
    """One tiny model.

    Attributes:
        name: of the kind, for the test.
        base: the oracle's model whose dimensions it has.
        layers: for each layer, the block of the base that it is a copy of; empty for as it is.
        matrices: type of the matrices; experts and the rest alike.
        experts: type of the experts, if another.
        tied: True takes the output projection away.
        keys: keys to set, without the architecture's prefix; None takes one away.
        derived: derived keys that this architecture's converters do write.
        add: tensors to add.
        drop: pattern of the names of tensors that are left out.
        shapes: tensors that have another shape than in the base.
        context: settings of the engine's context: context, ubatch, type_k, and so on.
    """

    name: str
    base: str
    layers: Sequence[int] = ()
    matrices: str = "F32"
    experts: str | None = None
    tied: bool = False
    keys: Mapping[str, Any] = field(default_factory=dict)
    derived: Sequence[str] = ()
    add: Sequence[Tensor] = ()
    drop: str | None = None
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    context: Mapping[str, Any] = field(default_factory=dict)


def converted(kind: Kind) -> tuple[dict[str, Any], list[Tensor]]:
    """Metadata and tensors of a kind, as a converter and a quantiser would write them."""
    base = BASES[kind.base]
    architecture = base["metadata"]["general.architecture"]
    metadata: dict[str, Any] = {"general.architecture": architecture, "general.name": kind.name}
    for key, value in base["metadata"].items():
        short = key.removeprefix(f"{architecture}.")
        is_derived = short in DERIVED and short not in kind.derived
        # The saver writes 0, False or nothing for whatever does not apply.
        if key.startswith("general.") or is_derived or not value or value == 2**32 - 1:
            continue
        if isinstance(value, int) and value < 0:
            continue
        metadata[key] = value
    if kind.layers:
        metadata[f"{architecture}.block_count"] = len(kind.layers)
        for key, value in list(metadata.items()):
            if isinstance(value, list) and len(value) == _blocks(base):
                metadata[key] = [value[block] for block in kind.layers]
    for short, number in _CONSTANTS.items():
        metadata.setdefault(f"{architecture}.{short}", number)
    metadata |= _NEEDED_BY_ALL.get(architecture, {})
    for short, value in {**_NEEDED.get(architecture, {}), **kind.keys}.items():
        key = f"{architecture}.{short}"
        if value is None:
            metadata.pop(key, None)
        else:
            metadata[key] = value
    metadata["tokenizer.ggml.model"] = "no_vocab"
    return metadata, [*_tensors(kind, base), *kind.add]


def _blocks(base: Mapping[str, Any]) -> int:
    architecture = base["metadata"]["general.architecture"]
    count: int = base["metadata"][f"{architecture}.block_count"]
    return count


def _tensors(kind: Kind, base: Mapping[str, Any]) -> list[Tensor]:
    rows = [
        (name, kind.shapes.get(name, tuple(shape)))
        for name, shape, _ in base["tensors"]
        if not (kind.drop and re.search(kind.drop, name))
    ]
    if kind.tied:
        rows = [row for row in rows if not row[0].startswith("output.")]
    if kind.layers:
        whole = [row for row in rows if not row[0].startswith("blk.")]
        blocks = [
            (f"blk.{layer}.{name.split('.', 2)[2]}", shape)
            for layer, block in enumerate(kind.layers)
            for name, shape in rows
            if name.startswith(f"blk.{block}.")
        ]
        rows = whole + blocks
    return [(name, shape, _type(kind, name, shape)) for name, shape in rows]


def _type(kind: Kind, name: str, shape: tuple[int, ...]) -> str:
    if len(shape) < 2 or _KEPT_WHOLE.search(name):
        return "F32"
    wanted = kind.experts if kind.experts and "exps" in name else kind.matrices
    if len(shape) == 3 and name.startswith(("conv1d.", "posnet.", "convnext.")):
        return "F16"  # convolutions over time run in it alone
    fits = shape[0] % TENSOR_TYPES_BY_NAME[wanted].block_elements == 0
    return wanted if fits else "F32"


def repeat(pattern: Sequence[int], layers: int) -> tuple[int, ...]:
    """A pattern of blocks, as often as it takes."""
    return tuple(pattern[layer % len(pattern)] for layer in range(layers))


HYBRID = {"full_attention_interval": 4}
Q = "Q8_0"
CACHES: Callable[..., dict[str, Any]] = dict

KINDS = (
    Kind("dense", "llama-dense", matrices="Q4_K"),
    Kind("dense_tied", "llama-dense", matrices="Q6_K", tied=True),
    Kind("dense_8_bit_cache", "llama-dense", context=CACHES(type_k="q8_0", type_v="q8_0")),
    Kind("dense_4_bit_values", "llama-dense", context=CACHES(type_k="q8_0", type_v="q4_0")),
    Kind("dense_two_sequences", "llama-dense", context=CACHES(context=1100, sequences=2)),
    Kind("dense_unified", "llama-dense", context=CACHES(sequences=2, unified=True)),
    Kind("dense_short_context", "llama-dense", context=CACHES(context=300)),
    Kind("positions", "gpt2-dense", matrices=Q),
    Kind("positions_tied", "gpt2-dense", matrices=Q, tied=True),
    Kind("experts", "llama-moe", matrices="Q4_K", experts="Q6_K"),
    Kind("experts_biased", "gpt-oss-moe", repeat((0,), 4), matrices=Q, experts="MXFP4"),
    Kind("experts_shared", "qwen2moe-moe", matrices=Q),
    Kind("experts_dense_first", "deepseek-moe", (0, 1, 1), matrices=Q),
    Kind("experts_beside_dense", "arctic-moe", matrices=Q),
    Kind("experts_grouped", "grovemoe-moe", matrices=Q),
    Kind("experts_interleaved", "llama4-moe", matrices=Q),
    Kind("experts_fused", "qwen35moe-moe", (0, 0, 0, 1), matrices=Q, keys=HYBRID),
    Kind("windows_default_period_6", "gemma3-dense", repeat((0,), 7), matrices=Q, tied=True),
    Kind("windows_ubatch_512", "gemma3-dense", repeat((0,), 7),
         context=CACHES(context=2048, ubatch=512)),
    Kind("windows_full", "gemma3-dense", repeat((0,), 7), context=CACHES(swa_full=True)),
    Kind("windows_two_sequences", "gemma3-dense", repeat((0,), 7),
         context=CACHES(context=2048, sequences=2)),
    Kind("windows_unified", "gemma3-dense", repeat((0,), 7),
         context=CACHES(context=2048, sequences=4, unified=True, ubatch=512)),
    Kind("windows_8_bit_cache", "gemma3-dense", repeat((0,), 7),
         context=CACHES(type_k="q8_0", type_v="q8_0")),
    Kind("windows_default_period_2", "gemma2-dense", repeat((0,), 5), matrices=Q),
    Kind("windows_default_period_4", "cohere2-dense", repeat((0,), 5), matrices=Q, tied=True),
    Kind("windows_default_period_8", "plamo3-dense", repeat((0,), 9), matrices=Q),
    Kind("windows_default_olmo", "olmo2-dense", repeat((0,), 6), matrices=Q),
    Kind("windows_default_afmoe", "afmoe-moe", (0, 1, 1, 1, 1), matrices=Q),
    Kind("windows_default_exaone_moe", "exaone-moe-moe", (0, 1, 1, 1, 1), matrices=Q),
    Kind("windows_default_mellum", "mellum-moe", repeat((1,), 5), matrices=Q),
    Kind("windows_default_muse", "muse-glimmer-dense", repeat((1,), 5), matrices=Q),
    Kind("windows_dense_first_cohere", "cohere2moe-moe", (0, 1, 1, 1, 1), matrices=Q),
    Kind("windows_dense_first_laguna", "laguna-moe", (0, 1, 1, 1, 1), matrices=Q),
    Kind("windows_dense_first", "smallthinker-moe", repeat((0,), 5), matrices=Q),
    Kind("windows_in_64_layers", "exaone4-dense", repeat((0,), 64)),
    Kind("windows_not_in_30_layers", "exaone4-dense", repeat((0,), 30)),
    Kind("windows_by_array", "step35-moe", matrices=Q,
         derived=("attention.sliding_window_pattern",)),
    Kind("windows_by_int_array", "spark2_5-dense", (0, 0, 1, 1, 0), matrices=Q,
         derived=("attention.sliding_window_pattern",)),
    Kind("windows_ignored", "phi3-dense", matrices=Q, keys={"attention.sliding_window": 32}),
    Kind("windows_chunked", "llama4-moe", keys={"attention.sliding_window": None}),
    Kind("shared_kv_gemma3n", "gemma3n-dense", matrices=Q),
    Kind("shared_kv_gemma4", "gemma4-dense", matrices=Q,
         derived=("attention.sliding_window_pattern", "attention.key_length_swa",
                  "attention.value_length_swa")),
    Kind("shared_kv_gemma4_tied", "gemma4-dense", matrices=Q, tied=True,
         derived=("attention.sliding_window_pattern", "attention.key_length_swa",
                  "attention.value_length_swa")),
    Kind("heads_by_layer", "deci-dense", matrices=Q, keys={"attention.head_count_kv": [2, 1]},
         shapes={"blk.1.attn_k.weight": (256, 128), "blk.1.attn_v.weight": (256, 128),
                 "blk.1.attn_k.bias": (128,), "blk.1.attn_v.bias": (128,)}),
    Kind("experts_of_a_reader", "deepseek2-ocr", matrices=Q),
    Kind("mla", "deepseek2-moe", matrices=Q),
    Kind("mla_8_bit_cache", "deepseek2-moe", context=CACHES(type_k="q8_0", type_v="q8_0")),
    Kind("mla_two_sequences", "deepseek2-moe", context=CACHES(sequences=2)),
    Kind("mla_of_old_files", "deepseek2-moe", matrices=Q, drop=r"attn_[kv]_b\.",
         keys={"attention.key_length_mla": None, "attention.value_length_mla": None,
               "attention.key_length": 192, "attention.value_length": 128},
         add=(("blk.0.attn_kv_b.weight", (512, 256), Q),
              ("blk.1.attn_kv_b.weight", (512, 256), Q))),
    Kind("mla_not_absorbed", "minicpm3-dense", matrices=Q),
    Kind("mla_indexer", "deepseek32-moe", matrices=Q),
    Kind("mla_indexer_in_some_layers", "hy_v4-moe", matrices=Q),
    Kind("mla_indexer_and_windows", "dots3note-moe", matrices=Q,
         derived=DERIVED[:1] + DERIVED[2:4]),
    Kind("mla_hybrid_kda", "kimi-linear-moe", (0, 1, 1, 1), matrices=Q),
    Kind("mla_hybrid_pooled_indexer", "glm5-next-moe", matrices=Q),
    Kind("indexer_beside_heads", "minimax-m3-moe", matrices=Q),
    Kind("compressed", "deepseek4-moe", matrices=Q),
    Kind("mamba", "mamba-dense", matrices=Q),
    Kind("mamba_2", "mamba2-dense", matrices=Q),
    Kind("mamba_2_two_sequences", "mamba2-dense", context=CACHES(sequences=2)),
    Kind("rwkv_6", "rwkv6-dense", matrices=Q),
    Kind("rwkv_7", "rwkv7-dense", matrices=Q),
    Kind("rwkv_6_on_qwen2", "rwkv6qwen2", matrices=Q),
    Kind("rwkv_7_on_qwen2", "arwkv7", matrices=Q),
    Kind("delta_net_by_interval", "qwen35-dense", repeat((0, 0, 0, 1), 8), matrices=Q,
         keys=HYBRID, drop="^cls"),
    Kind("delta_net_default_interval", "qwen3next-moe", repeat((0, 0, 0, 1), 4), matrices=Q),
    Kind("delta_net_by_array", "qwen35-dense", (0, 1, 1, 0), matrices=Q, drop="^cls",
         derived=("attention.recurrent_layers",)),
    Kind("hybrid_by_zero_heads", "jamba-dense", (1, 0, 1, 1), matrices=Q,
         keys={"attention.head_count": 2}),
    Kind("hybrid_mamba_2", "granitehybrid-dense", (1, 1, 0), matrices=Q,
         keys={"attention.head_count": 2}),
    Kind("hybrid_with_plain_layers", "nemotron_h-dense", matrices=Q),
    Kind("hybrid_parallel", "falcon-h1-dense", matrices=Q),
    Kind("short_convolution", "lfm2-dense", (1, 0, 1), matrices=Q,
         keys={"attention.head_count": 2, "attention.sliding_window": None}),
    Kind("short_convolution_and_windows", "lfm2-dense", (1, 0, 1), matrices=Q,
         keys={"attention.head_count": 2}),
    Kind("lightning", "minimax-01-moe", (0, 0, 0, 1), matrices=Q, keys=HYBRID),
    Kind("lightning_default_interval", "minimax-01-moe", (0, 0, 0, 0, 0, 0, 0, 1), matrices=Q),
    Kind("looped", "nanbeige-dense", matrices=Q, keys={"num_loops": 3}),
    Kind("looped_stacks", "hrm_text-dense", matrices=Q),
    Kind("adapters", "graniteswitch-dense", matrices="F32"),
    Kind("encoder", "modern-bert-dense", matrices=Q),
    Kind("encoder_decoder", "t5-dense", matrices=Q),
    Kind("sound_decoder", "wavtokenizer-dec"),
    Kind("diffusion", "dream-dense", matrices=Q),
    Kind("vision_experts", "cogvlm-dense", matrices=Q),
    Kind("predicting_block", "glm4moe-moe", (0, 1, 1), matrices=Q,
         keys={"nextn_predict_layers": 1},
         add=(
             ("blk.2.nextn.eh_proj.weight", (512, 256), "F32"),
             ("blk.2.nextn.enorm.weight", (256,), "F32"),
             ("blk.2.nextn.hnorm.weight", (256,), "F32"),
             ("blk.2.nextn.shared_head_norm.weight", (256,), "F32"),
         )),
)  # fmt: skip
