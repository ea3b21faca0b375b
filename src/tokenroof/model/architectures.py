"""What llama.cpp does for an architecture beyond what the file's keys and tensors say.

Almost everything about a model is in its header: which layers attend and which carry a state is
told by their tensors, widths by keys and shapes. What remains are defaults that llama.cpp fills in
by the architecture's name: how often a sliding layer comes when the file is silent, which models
do not write token by token, which tensors a file may hold that no graph touches. They are listed
here, one line each, as read in llama.cpp (src/models/*.cpp, src/llama-model.cpp, builds 11000 to
11434) and checked with its evaluation callback. An architecture that is not listed in `KNOWN` is
modelled by its tensors and keys all the same, and said to be.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WindowRule:
    """How llama.cpp decides which layers slide when the metadata leaves it open.

    Attributes:
        period: every period-th layer is full; 0 where an array per layer is required, as no
            default exists.
        dense_first: the full layer is the first of each period, not the last.
        window: tokens of the window where the key is missing.
        fixed_window: tokens of the window whatever the key says.
        always: windows are used even where the key `attention.sliding_window` is missing.
        layers: used only in the model with this many layers.
        all_attention: every attention layer slides.
    """

    period: int = 0
    dense_first: bool = False
    window: int | None = None
    fixed_window: int | None = None
    always: bool = False
    layers: int | None = None
    all_attention: bool = False


WINDOWS: dict[str, WindowRule] = {
    "afmoe": WindowRule(4),
    "cohere2": WindowRule(4),
    "cohere2moe": WindowRule(4, dense_first=True),
    "deepseek4": WindowRule(all_attention=True),
    "dflash": WindowRule(),
    "dots3note": WindowRule(),
    "exaone-moe": WindowRule(4, window=128, always=True),
    "exaone4": WindowRule(4, window=4096, always=True, layers=64),
    "gemma-embedding": WindowRule(6),
    "gemma2": WindowRule(2, window=4096, always=True),
    "gemma3": WindowRule(6),
    "gemma3n": WindowRule(5),
    "gemma4": WindowRule(),
    "gemma4-assistant": WindowRule(),
    "gpt-oss": WindowRule(2),
    "gptoss": WindowRule(2),
    "granite_swa": WindowRule(),
    "laguna": WindowRule(4, dense_first=True),
    "lfm2": WindowRule(all_attention=True),
    "llama4": WindowRule(4, fixed_window=8192, always=True),
    "maple": WindowRule(),
    "mellum": WindowRule(4),
    "mimo2": WindowRule(),
    "modern-bert": WindowRule(3, dense_first=True),
    "muse-glimmer": WindowRule(4),
    "olmo2": WindowRule(4),
    "plamo3": WindowRule(8),
    "smallthinker": WindowRule(4, dense_first=True, fixed_window=4096),
    "spark2_5": WindowRule(),
    "step35": WindowRule(),
}
"""A known architecture that is not here has no sliding layers, whatever window its file names:
llama.cpp keeps the whole context for phi3 and for Mistral-style models."""

KV_LAYERS_FROM_START = {"gemma3n": 20}
"""Only so many first layers keep a cache where `attention.shared_kv_layers` is silent."""

ENCODERS = frozenset(
    {
        "bert", "eurobert", "gemma-embedding", "jina-bert-v2", "jina-bert-v3", "llama-embed",
        "modern-bert", "neo-bert", "nomic-bert", "nomic-bert-moe", "t5encoder",
        "wavtokenizer-dec",
    }
)  # fmt: skip
"""They turn a text into vectors or sounds: no token follows another."""

WITHOUT_HEAD = ENCODERS - {"wavtokenizer-dec"}
"""They have no use for an output projection, should the file hold one."""

DIFFUSION = frozenset({"dream", "llada", "llada-moe", "rnd1"})
"""They write all positions at once, over and over: no token by token decode, no cache."""

NO_TEXT_MODEL = frozenset({"clip", "gptj", "unknown"})
"""llama.cpp has a name for them and no graph: projectors, and what was never finished."""

DRAFTS = frozenset({"dflash", "eagle3", "gemma4-assistant"})
"""They run only beside another model, whose caches and embeddings they may use."""

RECURRENT_INTERVALS = {
    "minimax-01": 8, "qwen3next": 4, "qwen35": 4, "qwen35moe": 4, "qwen4exp": 4,
}  # fmt: skip
"""Every n-th layer attends, the others carry a state, where `full_attention_interval` and
`attention.recurrent_layers` are silent."""

COUNTS_BLOCKS_BY_TENSORS = frozenset({"deepseek4"})
"""Files without the tensors for multi-token prediction do not count its blocks either, whatever
`nextn_predict_layers` says."""

FLASH_ATTENTION_OFF = frozenset({"grok"})
"""llama.cpp switches flash attention off, which a quantised V cache needs."""

EXPERTS_REPLACE_DENSE = frozenset({"hy_v3", "mimo2", "step35"})
"""In a layer with experts the plain feed-forward tensors are not used, should there be any."""

UNTOUCHED: dict[str, tuple[str, ...]] = {
    "apertus": ("attn_q_norm.bias", "attn_k_norm.bias"),
    "cogvlm": ("rope_freqs",),
    "dream": ("output.bias",),
    "ernie4_5": ("attn_output.bias",),
    "ernie4_5-moe": ("attn_output.bias",),
    "falcon-h1": ("attn_output.bias", "rope_freqs"),
    "llada": ("attn_output.bias", "ffn_down.bias", "ffn_gate.bias", "ffn_up.bias", "rope_freqs"),
    "mimo2": ("attn_q.bias", "attn_k.bias", "attn_v.bias"),
    "nomic-bert": ("ffn_up.bias", "ffn_down.bias"),
    "pangu-embedded": ("rope_freqs",),
    "qwen2vl": ("output.bias",),
    "qwen4exp": ("attn_q.bias", "attn_k.bias", "attn_v.bias"),
    "refact": (
        "attn_output.bias", "ffn_down.bias", "ffn_gate.bias", "ffn_up.bias", "rope_freqs",
        "ffn_down_exps", "ffn_gate_exps", "ffn_up_exps", "ffn_gate_inp",
    ),
}  # fmt: skip
"""Tensors that llama.cpp loads and no graph of the architecture touches."""

_KNOWN = """
afmoe apertus arcee arctic arwkv7 baichuan bailingmoe bailingmoe2 bailingmoe3 bert bitnet bloom
chameleon chatglm codeshell cogvlm cohere2 cohere2moe command-r dbrx deci deepseek deepseek2
deepseek2-ocr deepseek32 deepseek4 dots1 dots3note dream ernie4_5 ernie4_5-moe eurobert exaone
exaone-moe exaone4 falcon falcon-h1 gemma gemma-embedding gemma2 gemma3 gemma3n gemma4 glm-dsa
glm4 glm4moe glm5-next gpt-oss gptoss gpt2 gptneox granite granite_swa granitehybrid granitemoe
graniteswitch grok grovemoe hrm_text hunyuan-dense hunyuan-moe hunyuan_vl hy_v3 hy_v4 internlm2
jais jais2 jamba jina-bert-v2 jina-bert-v3 kimi-k3 kimi-linear laguna lfm2 lfm2moe llada
llada-moe llama llama-embed llama4 maincoder mamba mamba2 maple mellum mimo2 minicpm minicpm3
minimax-01 minimax-m2 minimax-m3 mistral3 mistral4 modern-bert mpt muse-glimmer nanbeige
nemotron nemotron_h nemotron_h_moe neo-bert nomic-bert nomic-bert-moe olmo olmo2 olmoe openelm
orion paddleocr pangu-embedded phi2 phi3 phimoe plamo plamo2 plamo3 plm pockettts qwen qwen2
qwen2moe qwen2vl qwen3 qwen35 qwen35moe qwen3moe qwen3next qwen3tts qwen3vl qwen3vlmoe qwen4exp
refact rnd1 rwkv6 rwkv6qwen2 rwkv7 seed_oss smallthinker smollm3 spark2_5 stablelm starcoder
starcoder2 step35 t5 t5encoder talkie wavtokenizer-dec xverse
"""
KNOWN = frozenset(_KNOWN.split())
"""Architectures whose graphs were read; `DRAFTS` are not among them. Ollama's own files call
gpt-oss gptoss."""
