"""One file a family: from a config to the tensors and metadata that the converter writes.

Which tensors an architecture has, with which shapes, was read in llama.cpp's converter
(conversion/*.py) and loaders (src/models/*.cpp), build 11434, and every recipe of the catalogue is
loaded by llama.cpp itself in the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch

FAMILIES = {
    "llama": (
        "llama.llama",
        "LlamaForCausalLM LLaMAForCausalLM MistralForCausalLM MixtralForCausalLM "
        "IQuestCoderForCausalLM VoxtralForConditionalGeneration LlavaForConditionalGeneration",
    ),
    "mistral3": ("llama.mistral3", "Mistral3ForConditionalGeneration Ministral3ForCausalLM"),
    "smollm3": ("llama.smollm3", "SmolLM3ForCausalLM"),
    "arcee": ("llama.arcee", "ArceeForCausalLM"),
    "apertus": ("llama.apertus", "ApertusForCausalLM"),
    "llama4": ("llama.llama4", "Llama4ForConditionalGeneration Llama4ForCausalLM"),
    "qwen2": ("qwen.qwen2", "Qwen2ForCausalLM"),
    "qwen2vl": (
        "qwen.qwen2vl",
        "Qwen2VLForConditionalGeneration Qwen2_5_VLForConditionalGeneration",
    ),
    "qwen2moe": ("qwen.qwen2moe", "Qwen2MoeForCausalLM"),
    "qwen3": ("qwen.qwen3", "Qwen3ForCausalLM"),
    "qwen3moe": ("qwen.qwen3moe", "Qwen3MoeForCausalLM"),
    "qwen3vl": ("qwen.qwen3vl", "Qwen3VLForConditionalGeneration"),
    "qwen3vlmoe": ("qwen.qwen3vlmoe", "Qwen3VLMoeForConditionalGeneration"),
    "qwen3next": ("qwen_next.qwen3next", "Qwen3NextForCausalLM"),
    "qwen35": ("qwen_next.qwen35", "Qwen3_5ForConditionalGeneration Qwen3_5ForCausalLM"),
    "qwen35moe": (
        "qwen_next.qwen35moe",
        "Qwen3_5MoeForConditionalGeneration Qwen3_5MoeForCausalLM",
    ),
    "gpt-oss": ("gpt_oss.gpt_oss", "GptOssForCausalLM"),
    "deepseek": ("deepseek.deepseek", "DeepseekForCausalLM"),
    "deepseek2": (
        "deepseek.deepseek2",
        "DeepseekV2ForCausalLM DeepseekV3ForCausalLM KimiVLForConditionalGeneration "
        "KimiK25ForConditionalGeneration YoutuForCausalLM",
    ),
    "glm4-lite": ("deepseek.glm4_lite", "Glm4MoeLiteForCausalLM"),
    "deepseek32": ("deepseek.deepseek32", "DeepseekV32ForCausalLM"),
    "glm-dsa": ("deepseek.glm_dsa", "GlmMoeDsaForCausalLM"),
    "glm4": ("glm.glm4", "Glm4ForCausalLM Glm4vForConditionalGeneration"),
    "glm4moe": ("glm.glm4moe", "Glm4MoeForCausalLM Glm4vMoeForConditionalGeneration"),
    "chatglm": (
        "glm.chatglm",
        "ChatGLMModel ChatGLMForConditionalGeneration GlmForCausalLM",
    ),
    "nemotron": ("nemotron.nemotron", "NemotronForCausalLM"),
    "nemotron_h": ("nemotron.nemotron_h", "NemotronHForCausalLM"),
    "step35": ("step.step35", "Step3p5ForCausalLM Step3p7ForConditionalGeneration"),
    "gemma": ("gemma.gemma", "GemmaForCausalLM"),
    "gemma2": ("gemma.gemma2", "Gemma2ForCausalLM"),
    "gemma3": ("gemma.gemma3", "Gemma3ForCausalLM Gemma3ForConditionalGeneration"),
    "gemma3n": ("gemma_n.gemma3n", "Gemma3nForConditionalGeneration Gemma3nForCausalLM"),
    "gemma4": ("gemma_n.gemma4", "Gemma4ForConditionalGeneration Gemma4ForCausalLM"),
    "minimax-m2": ("minimax.minimax_m2", "MiniMaxM2ForCausalLM"),
    "minimax-m3": (
        "minimax.minimax_m3",
        "MiniMaxM3SparseForCausalLM MiniMaxM3SparseForConditionalGeneration MiniMaxM3ForCausalLM",
    ),
    "mimo2": ("mimo.mimo2", "MiMoV2FlashForCausalLM MiMoV2ForCausalLM"),
    "deci": ("deci.deci", "DeciLMForCausalLM"),
    "kimi-linear": ("kimi_linear.kimi_linear", "KimiLinearForCausalLM"),
    "lfm2": ("lfm.lfm2", "Lfm2ForCausalLM LFM2ForCausalLM"),
    "lfm2moe": ("lfm.lfm2moe", "Lfm2MoeForCausalLM"),
    "olmo2": ("dense.olmo2", "Olmo2ForCausalLM Olmo3ForCausalLM"),
    "exaone": ("dense.exaone", "ExaoneForCausalLM"),
    "exaone4": ("dense.exaone4", "Exaone4ForCausalLM"),
    "command-r": ("dense.command_r", "CohereForCausalLM"),
    "cohere2": ("dense.cohere2", "Cohere2ForCausalLM"),
    "seed_oss": ("dense.seed_oss", "SeedOssForCausalLM"),
    "hunyuan-dense": ("dense.hunyuan_dense", "HunYuanDenseV1ForCausalLM"),
    "ernie4_5": ("dense.ernie", "Ernie4_5_ForCausalLM Ernie4_5ForCausalLM"),
    "starcoder2": ("dense.starcoder2", "Starcoder2ForCausalLM"),
    "internlm2": ("dense.internlm2", "InternLM2ForCausalLM"),
    "stablelm": ("dense.stablelm", "StableLmForCausalLM StableLMEpochForCausalLM"),
    "phi2": ("phi.phi2", "PhiForCausalLM"),
    "phi3": ("phi.phi3", "Phi3ForCausalLM Phi4ForCausalLMV"),
    "phimoe": ("phi.phimoe", "PhiMoEForCausalLM"),
    "granite": ("granite.granite", "GraniteForCausalLM"),
    "granitemoe": ("granite.granitemoe", "GraniteMoeForCausalLM GraniteMoeSharedForCausalLM"),
    "granitehybrid": ("granite.granitehybrid", "GraniteMoeHybridForCausalLM"),
    "falcon": ("falcon.falcon", "FalconForCausalLM RWForCausalLM"),
    "falcon-h1": ("falcon_h1.falcon_h1", "FalconH1ForCausalLM"),
    "hunyuan-moe": ("sparse.hunyuan_moe", "HunYuanMoEV1ForCausalLM"),
    "ernie4_5-moe": ("sparse.ernie_moe", "Ernie4_5_MoeForCausalLM"),
    "bailingmoe2": ("sparse.bailingmoe2", "BailingMoeV2ForCausalLM"),
    "dots1": ("sparse.dots1", "Dots1ForCausalLM"),
    "dbrx": ("sparse.dbrx", "DbrxForCausalLM"),
    "grok": ("sparse.grok", "GrokForCausalLM"),
    "minicpm": ("minicpm.minicpm", "MiniCPMForCausalLM"),
    "minicpm3": ("minicpm.minicpm3", "MiniCPM3ForCausalLM"),
    "mamba": (
        "state_space.mamba",
        "MambaForCausalLM MambaLMHeadModel FalconMambaForCausalLM",
    ),
    "mamba2": ("state_space.mamba2", "Mamba2ForCausalLM"),
    "olmoe": ("sparse.olmoe", "OlmoeForCausalLM"),
}
"""llama.cpp's architecture: where its sketch is made, and transformers' class names for it."""

_BY_CLASS = {name: place for place, names in FAMILIES.values() for name in names.split()}


def sketcher(class_name: str) -> Callable[[Config], Sketch] | None:
    """What sketches a model of transformers' class; None where nothing does."""
    place = _BY_CLASS.get(class_name)
    if place is None:
        return None
    module, _, function = place.partition(".")
    found = getattr(import_module(f"{__name__}.{module}"), function)
    return cast("Callable[[Config], Sketch]", found)
