"""The numbers that describe an architecture, read from the metadata keys `<architecture>.*`.

Converters leave out what does not apply, and llama.cpp's own saver writes it as 0 instead; both
mean the same, so 0 is "not there" wherever a 0 would be absurd. Some keys hold one number for all
layers or an array with one for each. A value that cannot be meant is a contradiction of the file
with itself, and its error names the key.
"""

from __future__ import annotations

from tokenroof.errors import ModelError
from tokenroof.gguf import Header

MOST_LAYERS = 4096
"""More layers than this are a mistake of the file (llama.cpp itself stops at 512)."""


class Hyperparameters:
    """Typed, forgiving access to the keys of one architecture.

    Args:
        header: whose keys they are.
        architecture: the prefix of the keys.
    """

    def __init__(self, header: Header, architecture: str) -> None:
        self._header = header
        self._read: dict[str, int | tuple[int, ...] | None] = {}
        self.architecture = architecture

    def key(self, name: str) -> str:
        """The full name of a key."""
        return f"{self.architecture}.{name}"

    def __contains__(self, name: str) -> bool:
        return self.key(name) in self._header.metadata

    def number(self, name: str) -> int | None:
        """One whole number; None where the key is missing or holds an array.

        Raises:
            GGUFError: the key holds no number.
            ModelError: the number is negative.
        """
        value = self._value(name)
        return None if isinstance(value, tuple) else value

    def array(self, name: str) -> tuple[int, ...] | None:
        """The array of a key, booleans as 0 and 1; None where it is missing or a single number."""
        value = self._value(name)
        return value if isinstance(value, tuple) else None

    def count(self, name: str, default: int = 0) -> int:
        """One whole number, of an array the largest; `default` where the key is missing."""
        value = self._value(name)
        if isinstance(value, tuple):
            return max(value, default=default)
        return default if value is None else value

    def flag(self, name: str) -> bool | None:
        """A yes or no; None where the key is missing."""
        value = self.number(name)
        return None if value is None else bool(value)

    def per_layer(self, name: str, layers: int, default: int = 0) -> tuple[int, ...]:
        """One number for each layer, from an array or from the one number for all of them.

        Raises:
            ModelError: the array is shorter than there are layers.
        """
        value = self._value(name)
        if not isinstance(value, tuple):
            return (default if value is None else value,) * layers
        if len(value) < layers:
            raise ModelError(
                "model.short_array", key=self.key(name), length=len(value), layers=layers
            )
        return value[:layers]

    def _value(self, name: str) -> int | tuple[int, ...] | None:
        if name not in self._read:
            self._read[name] = self._checked(self.key(name))
        return self._read[name]

    def _checked(self, key: str) -> int | tuple[int, ...] | None:
        value = self._header.metadata.get(key)
        if isinstance(value, bool):
            return int(value)
        if value is None:
            return None
        numbers = self._header.integers(key)
        lowest = min(numbers, default=0) if isinstance(numbers, tuple) else numbers
        if lowest is not None and lowest < 0:
            raise ModelError("model.negative", key=key, value=lowest)
        return numbers


def block_count(parameters: Hyperparameters) -> int:
    """How many blocks the file says it has.

    Raises:
        ModelError: it does not say, none at all, or more than any model has.
    """
    blocks = parameters.count("block_count")
    if blocks == 0:
        raise ModelError("model.no_blocks", key=parameters.key("block_count"))
    if blocks > MOST_LAYERS:
        raise ModelError(
            "model.too_many_blocks",
            key=parameters.key("block_count"),
            blocks=blocks,
            most=MOST_LAYERS,
        )
    return blocks
