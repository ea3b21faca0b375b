"""gpt-oss: experts that are published in MXFP4, biases everywhere, and a sink for each head."""

from __future__ import annotations

from tokenroof.recipes import parts
from tokenroof.recipes.config import Config
from tokenroof.recipes.sketch import Sketch


def gpt_oss(config: Config) -> Sketch:
    """gpt-oss."""
    width, experts, inner = config.width, config.experts, config.feed_forward
    sketch = parts.start("gpt-oss", config)
    parts.ends(sketch, config, tied=config.tied(default=False))
    sketch.set("feed_forward_length", inner)
    sketch.set("expert_feed_forward_length", inner)
    sketch.set("attention.sliding_window", config.count("sliding_window"))
    packed = config.part("quantization_config").text("quant_method") == "mxfp4"
    for block in sketch.blocks(config.layers):
        parts.norms(block, width, "attn_norm", "post_attention_norm")
        parts.own_attention(block, config, bias=True, output_bias=True)
        block.put("attn_sinks", config.heads)
        parts.experts(block, width, inner, experts)
        block.put("ffn_gate_inp.bias", experts)
        block.put("ffn_gate_exps.bias", inner, experts)
        block.put("ffn_up_exps.bias", inner, experts)
        block.put("ffn_down_exps.bias", width, experts)
        if packed:
            for name in ("ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"):
                sketch.stored[f"blk.{block.index}.{name}.weight"] = "MXFP4"
    return sketch
