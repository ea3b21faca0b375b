"""How the figures of an inspection are written, alone and side by side."""

from __future__ import annotations

from msgspec import UNSET

from tokenroof import words
from tokenroof.model import Inspection
from tokenroof.safetext import printable
from tokenroof.units import binary_size, count, percent, significant, size

PARTS = {
    "embedding": "inspect.part_embedding",
    "output": "inspect.part_output",
    "attention": "inspect.part_attention",
    "state": "inspect.part_state",
    "feed_forward": "inspect.part_feed_forward",
    "experts": "inspect.part_experts",
    "other": "inspect.part_other",
    "modality": "inspect.part_modality",
    "prediction": "inspect.part_prediction",
    "encoder": "inspect.part_encoder",
    "shared": "inspect.part_shared",
    "idle": "inspect.part_idle",
}
"""What tensors are for."""

UNREAD = ("modality", "prediction", "encoder", "shared", "idle")

_KINDS = {
    "full": "inspect.kind_full",
    "window": "inspect.kind_window",
    "latent": "inspect.kind_latent",
    "indexer": "inspect.kind_indexer",
    "compressed": "inspect.kind_compressed",
    "state": "inspect.kind_state",
    "shared": "inspect.kind_shared",
    "none": "inspect.kind_none",
}
"""What a layer keeps between tokens."""


class Text:
    """The figures of one inspection in one language."""

    def __init__(self, found: Inspection, language: str) -> None:
        self.found = found
        self.language = language

    def __call__(self, message: str, **values: object) -> str:
        """The sentence of a message."""
        return words.text(message, self.language, **values)

    @property
    def writes_tokens(self) -> bool:
        """Whether it writes token by token."""
        return all(notice.id != "no_autoregressive_decode" for notice in self.found.warnings)

    @property
    def name(self) -> str:
        """What the file calls itself."""
        return printable(self.found.model.name)

    def architecture(self) -> str:
        """llama.cpp's name of it."""
        return printable(self.found.model.architecture or self("inspect.unknown"))

    def label(self) -> str:
        """The label of the file."""
        return printable(self.found.model.file_type or self("inspect.none"))

    def parameters(self) -> str:
        """How many weights."""
        number = self.found.model.parameters
        for factor, unit in ((10**12, "T"), (10**9, "B"), (10**6, "M")):
            if number >= factor:
                return f"{significant(number / factor)} {unit}"
        return count(number)

    def bits(self) -> str:
        """Bits that a weight takes."""
        bits = self.found.model.bits_per_weight
        return self("inspect.unknown") if bits is None else f"{bits:.2f}"

    def layers(self) -> str:
        """How many layers run."""
        layers = self.found.model.layers
        return self("inspect.unknown") if layers is None else count(layers)

    def trained_for(self) -> str:
        """The longest context of its training."""
        length = self.found.model.context_length
        return self("inspect.unknown") if length is None else self.tokens(length)

    def recipe(self) -> str:
        """What the tensors were worked out for; none where they were read from a file."""
        recipe = self.found.model.recipe
        return self("inspect.none") if recipe is None else printable(recipe)

    def file(self) -> str:
        """What lies on the disk."""
        model = self.found.model
        if model.file_bytes is None:
            return self("inspect.unknown")
        written = f"{size(model.file_bytes)} ({binary_size(model.file_bytes)})"
        if model.missing_bytes:
            written = self("inspect.missing", size=written, missing=size(model.missing_bytes))
        if model.parts > 1:
            written = self("inspect.in_parts", size=written, parts=model.parts)
        return written

    def resident(self) -> str:
        """What lies in memory without a cache."""
        model = self.found.model
        if model.resident_bytes == model.tensor_bytes:
            return size(model.tensor_bytes)
        return self(
            "inspect.resident_some",
            resident=size(model.resident_bytes),
            all=size(model.tensor_bytes),
        )

    def weights(self) -> str:
        """What a token reads of the weights, of how much, or between what."""
        decode, total = self.found.decode, self.found.model.tensor_bytes
        low, high = decode.weight_bytes_low, decode.weight_bytes_high
        read = decode.weight_bytes
        if not total:
            return self("inspect.nothing")
        if low is not None and high is not None and low != high:
            ends = {"low": size(low), "high": size(high)}
            if read is None:
                return self("inspect.between", **ends)
            return self("inspect.if_as_named", read=size(read), **ends)
        if read is None:
            return self("inspect.unknown")
        if read > total:
            return self("inspect.several_times", read=size(read), all=size(total))
        share = self.share(read, total)
        return self("inspect.of_tensors", read=size(read), share=share, all=size(total))

    def embedding(self) -> str:
        """Whether the embedding is looked up or read, and why."""
        table = size(self.found.groups.embedding.bytes)
        match self.found.decode.embedding:
            case "row":
                return self("inspect.embedding_row", all=table)
            case "tied":
                return self("inspect.embedding_tied", all=table)
            case _:
                return self("inspect.none")

    def experts(self) -> str:
        """Experts used of total, and the bytes of both."""
        experts = self.found.experts
        if experts is None:
            return self("inspect.none")
        rows = [each for each in self.found.components if each.component == "experts"]
        read = sum(each.decode_bytes or 0 for each in rows)
        return self(
            "inspect.experts_used",
            used=experts.used,
            total=experts.total,
            read=size(read),
            all=size(sum(each.bytes for each in rows)),
        )

    def unread(self) -> str:
        """What no token reads, and why."""
        rows = [each for each in self.found.components if each.component in UNREAD]
        if not rows:
            return self("inspect.nothing")
        why = self("inspect.comma").join(self(PARTS[each.component]) for each in rows)
        return self("inspect.unread_why", size=size(sum(each.bytes for each in rows)), why=why)

    def cache_type(self) -> str:
        """Whose cache, and of which type."""
        kv = self.found.kv
        types = kv.type_k if kv.type_k == kv.type_v else f"{kv.type_k}, {kv.type_v}"
        return self("inspect.engine_and_type", engine=self.found.engine, type=types)

    def bytes_per_token(self) -> str:
        """What one more token adds to the cache."""
        low, high = self.found.kv.bytes_per_token_low, self.found.kv.bytes_per_token_high
        if high is None:
            return self("inspect.unknown")
        if low is not None and low != high:
            return self("inspect.range", low=f"{count(low)} B", high=f"{count(high)} B")
        return f"{count(high)} B" if high else self("inspect.nothing")

    def states(self) -> str:
        """Bytes of all states."""
        states = self.found.kv.state_bytes
        if states is None:
            return self("inspect.unknown")
        return f"{count(states)} B" if states else self("inspect.nothing")

    def kinds(self) -> str:
        """How many layers keep what."""
        kv = self.found.kv
        if not kv.layers:
            return self("inspect.unknown" if kv.by_layer is None else "inspect.nothing")
        windows = sorted({layer.window for layer in kv.by_layer or () if layer.window is not None})
        window = self("inspect.comma").join(map(count, windows))
        order = sorted(kv.layers.items(), key=lambda kind: list(_KINDS).index(kind[0]))
        return self("inspect.comma").join(
            self(_KINDS[kind], layers=number, window=window) for kind, number in order
        )

    def outweighs(self) -> str:
        """The depth beyond which the cache is more than the weights."""
        kv = self.found.kv
        if kv.outweighs_weights_at is not None:
            return self("inspect.beyond", depth=self.tokens(kv.outweighs_weights_at))
        known = kv.bytes_per_token is not None and self.found.decode.weight_bytes is not None
        certain = kv.bytes_per_token_high == kv.bytes_per_token_low
        return self("inspect.never" if known and certain else "inspect.unknown")

    def read(self, number: int) -> tuple[float | None, float | None]:
        """The most and the least that a token reads of weights and cache, at one depth."""
        (high, low), decode = self.cache_read(number), self.found.decode
        if high is None or low is None or decode.weight_bytes is None:
            return None, None
        return high + (decode.weight_bytes_high or 0), low + (decode.weight_bytes_low or 0)

    def cache_read(self, number: int) -> tuple[int | None, int | None]:
        """The most and the least that a token reads of the cache, at one depth."""
        read = self.found.kv.read[number]
        return (read.bytes if read.high is UNSET else read.high), read.low

    def allocated(self, number: int) -> tuple[int | None, int | None]:
        """The most and the least that is allocated, for one context."""
        row = self.found.kv.allocated[number]
        high = row.bytes if row.high is UNSET else row.high
        return high, row.bytes if row.low is UNSET else row.low

    def share(self, part: float, whole: float) -> str:
        """A part of a whole, in percent."""
        if not whole:
            return self("inspect.unknown")
        return "< 1 %" if 0 < part / whole < 0.005 else percent(part / whole)

    def tokens(self, number: int) -> str:
        """A number of tokens."""
        return self("inspect.tokens", tokens=count(number))

    def size(self, number: float | None, low: float | None = None) -> str:
        """Bytes in decimal units, or the range that they are in."""
        if number is None:
            return self("inspect.unknown")
        if low is None or low == number:
            return size(number)
        return self("inspect.range", low=size(low), high=size(number))

    def binary(self, number: float | None, low: float | None = None) -> str:
        """Bytes in binary units, or the range that they are in."""
        if number is None:
            return self("inspect.unknown")
        if low is None or low == number:
            return binary_size(number)
        return self("inspect.range", low=binary_size(low), high=binary_size(number))
