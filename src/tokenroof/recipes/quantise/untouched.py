"""Tensors that the quantiser copies as they are, whatever the file type.

Vectors and norms are small and sensitive; routers decide which experts run; convolutions,
position tables and the low-rank parts of some architectures are too small to be worth it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

_NAMES = frozenset({"position_embd.weight", "token_types.weight"})

_PARTS = (
    "_norm.weight",
    # Routers of experts.
    "ffn_gate_inp.weight",
    "ffn_gate_tid2eid.weight",
    # Gemma 3n.
    "altup",
    "laurel",
    "per_layer_model_proj",
    # Short convolutions.
    "ssm_conv1d",
    "shortconv.conv.weight",
    # MiniMax's indexer.
    "indexer.k_proj.weight",
    "indexer.q_proj.weight",
    # RWKV.
    *(
        f"time_mix_{part}.weight"
        for part in (
            "first", "w0", "w1", "w2", "v0", "v1", "v2", "a0", "a1", "a2", "g1", "g2",
            "decay_w1", "decay_w2", "lerp_fused",
        )
    ),
    "attn_rel_b.weight",
    # Towers for pictures and sound.
    ".position_embd", "sam.pos_embd", "sam.neck.", "sam.net_", ".rel_pos", ".patch_embd",
    ".patch_merger", "a.rvq.codebook", "mm.a.code_embd",
)  # fmt: skip

_PARTS_OF = {
    "glm5-next": (
        "hc_", "indexer.attn_q_b", "indexer.attn_k", "indexer.proj", "indexer_compressor_gate",
        "indexer_compressor_ape", "ssm_f_a.weight", "ssm_f_b.weight", "ssm_g_a.weight",
        "ssm_g_b.weight", "ssm_beta.weight", "attn_kv_a_mqa.weight", "attn_k_b.weight",
        "attn_v_b.weight",
    ),
}  # fmt: skip
"""More of them in some architectures."""


def is_quantised(name: str, shape: Sequence[int], architecture: str) -> bool:
    """Whether the quantiser changes a tensor's type at all."""
    dimensions = len(shape)
    while dimensions > 1 and shape[dimensions - 1] == 1:
        dimensions -= 1
    if dimensions < 2 or not name.endswith("weight") or name in _NAMES:
        return False
    return _parts(architecture).search(name) is None


@cache
def _parts(architecture: str) -> re.Pattern[str]:
    """What finds any of the parts of an architecture."""
    parts = (*_PARTS, *_PARTS_OF.get(architecture, ()))
    return re.compile("|".join(map(re.escape, parts)))
