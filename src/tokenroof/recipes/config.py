"""A `config.json` of Hugging Face, read with care: what it lacks and contradicts is named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

from tokenroof.errors import InputError
from tokenroof.safetext import printable

Found = TypeVar("Found")

MOST_LAYERS = 512
MOST_EXPERTS = 1024
"""llama.cpp stops at these."""

EXPERT_KEYS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
"""Where configs say how many experts a layer has."""

_LARGEST = 2**31 - 1

_TEXT_PARTS = ("text_config", "llm_config", "lm_config", "language_config")
"""Where models that also see or hear keep the figures of their language part."""


class Config:
    """Typed access to the keys of a config.

    Args:
        values: the JSON object.
        where: how the config is called in errors.
    """

    def __init__(self, values: Mapping[str, Any], where: str) -> None:
        self.where = where
        text: Mapping[str, Any] = next(
            (values[k] for k in _TEXT_PARTS if isinstance(values.get(k), Mapping)), {}
        )
        self._outer = values
        self._text = text
        self._values = {**values, **text}

    def defaulting(self, **defaults: Any) -> Config:
        """The same with what transformers' own class takes where the file is silent."""
        there = {key: value for key, value in self._values.items() if value is not None}
        filled = Config({**defaults, **there}, self.where)
        filled._outer, filled._text = self._outer, self._text
        return filled

    # --- what it is -------------------------------------------------------------------------

    @property
    def architectures(self) -> tuple[str, ...]:
        """The class names that it lists: those of the language part first."""
        return tuple(
            name
            for part in (self._text, self._outer)
            if isinstance(names := part.get("architectures"), list)
            for name in names
            if isinstance(name, str)
        )

    # --- values -----------------------------------------------------------------------------

    def __contains__(self, key: str) -> bool:
        return self._values.get(key) is not None

    def count(self, *keys: str, default: int | None = None, least: int = 1) -> int:
        """A whole number, under the first of the keys that is there.

        Raises:
            InputError: none is there and there is no default, or the number cannot be.
        """
        key, value = self._first(keys)
        if value is None:
            if default is None:
                raise InputError("recipes.config_lacks", key=" / ".join(keys), where=self.where)
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int or not least <= value <= _LARGEST:
            self._wrong(key, value)
        return value

    def maybe(self, *keys: str) -> int | None:
        """A whole number that may be missing; 0 where it is there and 0."""
        return None if self._first(keys)[1] is None else self.count(*keys, least=0)

    def number(self, *keys: str, default: float | None = None) -> float | None:
        """A finite number that may be missing."""
        key, value = self._first(keys)
        if value is None:
            return default
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
        ):
            self._wrong(key, value)
        return float(value)

    def flag(self, *keys: str, default: bool = False) -> bool:
        """A yes or no that may be missing."""
        key, value = self._first(keys)
        if value is None:
            return default
        if not isinstance(value, bool):
            self._wrong(key, value)
        return value

    def text(self, *keys: str) -> str | None:
        """A text that may be missing."""
        key, value = self._first(keys)
        if value is not None and not isinstance(value, str):
            self._wrong(key, value)
        return value

    def counts(self, key: str, length: int) -> tuple[int, ...]:
        """A whole number for each layer, from a list or from the one number for all."""
        value = self._values.get(key)
        if not isinstance(value, list):
            return (self.count(key, least=0),) * length
        if any(type(each) is not int or not 0 <= each <= _LARGEST for each in value):
            self._wrong(key, value)
        return self._as_long(key, value, length)

    def uniform(self, key: str) -> int:
        """A whole number, or a list of nothing but that number."""
        value = self._values.get(key)
        if isinstance(value, list) and value and all(each == value[0] for each in value):
            return Config({key: value[0]}, self.where).count(key)
        return self.count(key)

    def texts(self, key: str, length: int) -> tuple[str, ...] | None:
        """A text for each layer; None where the key is missing."""
        value = self._values.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self._wrong(key, value)
        return self._as_long(key, value, length)

    def numbers(self, key: str) -> tuple[int, ...]:
        """A list of whole numbers; empty where the key is missing."""
        value = self._values.get(key)
        if value is None:
            return ()
        if not isinstance(value, list) or any(type(each) is not int for each in value):
            self._wrong(key, value)
        return tuple(value)

    def part(self, *keys: str) -> Config:
        """An object within; an empty one where it is missing."""
        key, value = self._first(keys)
        if value is None:
            value = {}
        if not isinstance(value, Mapping):
            self._wrong(key, value)
        return Config(value, self.where)

    def parts(self, key: str, length: int, read: Callable[[Config], Found]) -> tuple[Found, ...]:
        """Something read from an object for each layer."""
        value = self._values.get(key)
        if value is None:
            raise InputError("recipes.config_lacks", key=key, where=self.where)
        if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
            self._wrong(key, value)
        return tuple(read(Config(each, self.where)) for each in self._as_long(key, value, length))

    def raw(self, key: str) -> Any:
        """A value as it is; None where it is missing."""
        return self._values.get(key)

    # --- figures that all families share ----------------------------------------------------

    @property
    def layers(self) -> int:
        """Layers of the main model, blocks for multi-token prediction apart."""
        keys = ("num_hidden_layers", "n_layers", "n_layer", "num_layers")
        layers = self.count(*keys)
        if layers > MOST_LAYERS:
            self.contradicts(self._first(keys)[0], f"{layers} > {MOST_LAYERS}")
        return layers

    @property
    def width(self) -> int:
        """The embedding's length."""
        return self.count("hidden_size", "n_embd", "dim")

    @property
    def vocabulary(self) -> int:
        """Rows of the embedding."""
        return self.count("vocab_size", "padded_vocab_size")

    @property
    def heads(self) -> int:
        """Query heads."""
        return self.count("num_attention_heads", "n_head", "n_heads")

    @property
    def kv_heads(self) -> int:
        """Key heads, as many as query heads where the config does not say."""
        heads = self.heads
        keys = ("num_key_value_heads", "n_kv_heads", "multi_query_group_num")
        kv_heads = self.count(*keys, default=heads)
        if heads % kv_heads:
            self.contradicts(self._first(keys)[0], f"{heads} / {kv_heads}")
        return kv_heads

    @property
    def head(self) -> int:
        """Length of a head."""
        keys = ("head_dim", "attention_head_dim", "kv_channels")
        if self._first(keys)[1] is not None:
            return self.count(*keys)
        width, heads = self.width, self.heads
        if width % heads:
            self.contradicts("num_attention_heads", f"{width} / {heads}")
        return width // heads

    @property
    def feed_forward(self) -> int:
        """Width of the dense feed-forward part."""
        return self.count("intermediate_size", "n_inner", "ffn_hidden_size", "hidden_dim")

    @property
    def experts(self) -> int:
        """Experts of a layer; 0 for a dense model."""
        experts = self.maybe(*EXPERT_KEYS) or 0
        if experts > MOST_EXPERTS:
            self.contradicts(self._first(EXPERT_KEYS)[0], f"{experts} > {MOST_EXPERTS}")
        return experts

    @property
    def experts_used(self) -> int:
        """Experts that a token uses."""
        keys = (
            "num_experts_per_tok", "num_experts_per_token", "moe_topk", "top_k_experts", "moe_k",
            "moe_top_k",
        )  # fmt: skip
        used = self.count(*keys)
        if used > self.experts:
            self.contradicts(self._first(keys)[0], f"{used} > {self.experts}")
        return used

    @property
    def rope(self) -> Config:
        """How positions are turned, for the layers that see the whole context."""
        rope = self.part("rope_parameters", "rope_scaling")
        return rope.part("full_attention") if "full_attention" in rope else rope

    def tied(self, default: bool) -> bool:
        """Whether the embedding is the output projection too.

        Args:
            default: what the architecture's own class in transformers takes.
        """
        return self.flag("tie_word_embeddings", default=default)

    # --- errors -----------------------------------------------------------------------------

    def contradicts(self, key: str, why: str) -> NoReturn:
        """Refuse the config because of a key.

        Raises:
            InputError: always.
        """
        raise InputError("recipes.config_contradicts", key=key, why=why, where=self.where)

    def _wrong(self, key: str, value: object) -> NoReturn:
        raise InputError(
            "recipes.config_wrong", key=key, value=printable(repr(value), 60), where=self.where
        )

    def _as_long(self, key: str, value: Sequence[Found], length: int) -> tuple[Found, ...]:
        if len(value) != length:
            self.contradicts(key, f"{len(value)} ≠ {length}")
        return tuple(value)

    def _first(self, keys: Sequence[str]) -> tuple[str, Any]:
        """The first of the keys that is there with its value; the first key where none is."""
        for key in keys:
            value = self._values.get(key)
            if value is not None:
                return key, value
        return keys[0], None
