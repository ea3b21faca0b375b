"""Shapes of small models: what is in their files, without the numbers.

Three kinds, each one that llama.cpp runs: `llama` dense, `llama` with experts, and `gemma3`, five
of whose six layers look back over a window only. The vocabulary knows single characters, so a
prompt of n characters is n tokens and one more at its head, whatever the engine.

Keys and tensors come in the order in which llama.cpp's quantiser writes them, and none is missing
that it would add. Ollama copies with it what it is given: a copy that is the same to the last byte
is no second file, and nothing is left of it when the model is removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tokenroof.gguf.types import FILE_TYPES

Value = int | float | str | bool | list[str] | list[float] | list[int]
"""Of a metadata key. Lists are arrays of strings, 32-bit floats or 32-bit integers."""

CONTEXT = 16_384
"""Tokens that the models are said to be made for: more than is ever asked of them."""

_SPECIAL = ("<unk>", "<s>", "</s>")
_BYTES = tuple(f"<0x{byte:02X}>" for byte in range(256))
_LETTERS = ("\u2581", *(chr(code) for code in range(33, 127)))
LEAST_VOCABULARY = len(_SPECIAL) + len(_BYTES) + len(_LETTERS)
"""What it takes to write any text."""

END_OF_TEXT = 2
"""The token that would end an answer."""

EMBEDDING, HEAD = "token_embd.weight", "output.weight"

_QUANTIZATION_VERSION = 2
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6


class TensorOf(NamedTuple):
    """One tensor of a shape: its name, its dimensions (row length first) and its stored type."""

    name: str
    dimensions: tuple[int, ...]
    type_name: str


@dataclass(frozen=True, slots=True)
class Shape:
    """One model.

    Attributes:
        name: says what it is for; unique within a design.
        type_name: the stored type of its matrices.
        layers: how many.
        width: the embedding's length.
        feed_forward: the length inside a feed-forward block; of one expert, where there are some.
        heads: query heads; `kv_heads` key and value heads; `head_length` of both.
        experts: how many there are; 0 for a dense model.
        experts_used: how many a token uses.
        window: tokens that five of six layers look back over; 0 for all layers over all tokens.
        vocabulary: tokens; the head that reads it is stored in `type_name` too.
        tied: the head is the embedding.
    """

    name: str
    type_name: str
    layers: int
    width: int
    feed_forward: int
    heads: int
    kv_heads: int
    head_length: int = 64
    experts: int = 0
    experts_used: int = 0
    window: int = 0
    vocabulary: int = LEAST_VOCABULARY
    tied: bool = False

    @property
    def architecture(self) -> str:
        """As the file names it."""
        return "gemma3" if self.window else "llama"

    @property
    def weights_active(self) -> int:
        """Weights of the blocks that one token is multiplied with."""
        share = self.experts_used if self.experts else 1
        heads = (self.heads + self.kv_heads) * self.head_length
        return self.layers * self.width * (2 * heads + 3 * self.feed_forward * share)

    def metadata(self) -> dict[str, Value]:
        """The keys of the file, in their order."""
        of = self.architecture
        found: dict[str, Value] = {
            "general.architecture": of,
            "general.name": self.name,
            f"{of}.block_count": self.layers,
            f"{of}.context_length": CONTEXT,
            f"{of}.embedding_length": self.width,
            f"{of}.feed_forward_length": self.feed_forward,
            f"{of}.attention.head_count": self.heads,
            f"{of}.attention.head_count_kv": self.kv_heads,
            f"{of}.attention.key_length": self.head_length,
            f"{of}.attention.value_length": self.head_length,
            f"{of}.attention.layer_norm_rms_epsilon": 1e-6,
            f"{of}.rope.freq_base": 10_000.0,
            f"{of}.vocab_size": self.vocabulary,
        }
        if not self.window:
            found[f"{of}.rope.dimension_count"] = self.head_length
        else:
            found[f"{of}.attention.sliding_window"] = self.window
        if self.experts:
            found[f"{of}.expert_count"] = self.experts
            found[f"{of}.expert_used_count"] = self.experts_used
        return {
            **found,
            **self._vocabulary(),
            "general.quantization_version": _QUANTIZATION_VERSION,
            "general.file_type": _file_type(self.type_name),
        }

    def _vocabulary(self) -> dict[str, Value]:
        more = self.vocabulary - LEAST_VOCABULARY
        tokens = [*_SPECIAL, *_BYTES, *_LETTERS, *(f"\u2581w{number}" for number in range(more))]
        kinds = [_UNKNOWN, _CONTROL, _CONTROL] + [_BYTE] * len(_BYTES)
        kinds += [_NORMAL] * (self.vocabulary - len(kinds))
        return {
            "tokenizer.ggml.model": "llama",
            "tokenizer.ggml.tokens": tokens,
            # Longer words would be joined from letters by their score; none may be.
            "tokenizer.ggml.scores": [0.0] * LEAST_VOCABULARY + [-1e6] * more,
            "tokenizer.ggml.token_type": kinds,
            "tokenizer.ggml.bos_token_id": 1,
            "tokenizer.ggml.eos_token_id": END_OF_TEXT,
            "tokenizer.ggml.unknown_token_id": 0,
            "tokenizer.ggml.add_bos_token": True,
            "tokenizer.ggml.add_space_prefix": False,
        }

    def tensors(self) -> Iterator[TensorOf]:
        """All of the file, in its order."""
        of = self.type_name
        if not (self.tied or self.window):  # gemma3 is always tied
            yield TensorOf(HEAD, (self.width, self.vocabulary), of)
        yield TensorOf("output_norm.weight", (self.width,), "F32")
        yield TensorOf(EMBEDDING, (self.width, self.vocabulary), of)
        layer = sorted(self._layer())
        for number in range(self.layers):
            for tensor in layer:
                yield tensor._replace(name=f"blk.{number}.{tensor.name}.weight")

    def _layer(self) -> Iterator[TensorOf]:
        of, width, inner = self.type_name, self.width, self.feed_forward
        queries, keys = self.heads * self.head_length, self.kv_heads * self.head_length
        yield TensorOf("attn_norm", (width,), "F32")
        yield TensorOf("attn_q", (width, queries), of)
        yield TensorOf("attn_k", (width, keys), of)
        yield TensorOf("attn_v", (width, keys), of)
        yield TensorOf("attn_output", (queries, width), of)
        if self.window:
            yield TensorOf("attn_q_norm", (self.head_length,), "F32")
            yield TensorOf("attn_k_norm", (self.head_length,), "F32")
            yield TensorOf("post_attention_norm", (width,), "F32")
            yield TensorOf("post_ffw_norm", (width,), "F32")
        yield TensorOf("ffn_norm", (width,), "F32")
        if self.experts:
            yield TensorOf("ffn_gate_inp", (width, self.experts), "F32")
            yield TensorOf("ffn_gate_exps", (width, inner, self.experts), of)
            yield TensorOf("ffn_up_exps", (width, inner, self.experts), of)
            yield TensorOf("ffn_down_exps", (inner, width, self.experts), of)
        else:
            yield TensorOf("ffn_gate", (width, inner), of)
            yield TensorOf("ffn_up", (width, inner), of)
            yield TensorOf("ffn_down", (inner, width), of)


def _file_type(type_name: str) -> int:
    """The first of the labels of files that are stored in a type."""
    return next(
        number
        for number, label in FILE_TYPES.items()
        if label == type_name or label.startswith(f"{type_name}_")
    )
