"""An inspection as a person reads it, in 80 columns."""

from __future__ import annotations

from tokenroof import words
from tokenroof.cli.screen import Screen
from tokenroof.model import Inspection
from tokenroof.safetext import printable
from tokenroof.units import binary_size, count, percent, significant, size

_CLASSES = {
    "read": "cli.class_read",
    "lookup": "cli.class_lookup",
    "expert": "cli.class_expert",
    "unread": "cli.class_unread",
}

_KINDS = {
    "full": "cli.kind_full",
    "window": "cli.kind_window",
    "latent": "cli.kind_latent",
    "indexer": "cli.kind_indexer",
    "compressed": "cli.kind_compressed",
    "state": "cli.kind_state",
}
"""What a layer keeps between tokens."""


def show(found: Inspection, language: str) -> None:
    """Print an inspection."""
    page = _Page(found, language)
    page.model()
    page.types()
    page.token()
    page.cache()
    page.tensors()
    page.warnings()


class _Page:
    """The parts of the page, in their order."""

    def __init__(self, found: Inspection, language: str) -> None:
        self.found = found
        self.language = language
        self.screen = Screen()

    def text(self, message: str, **values: object) -> str:
        return words.text(message, self.language, **values)

    def model(self) -> None:
        """What the file says it is."""
        model = self.found.model
        self.screen.title(printable(model.name))
        unknown = self.text("cli.unknown")
        rows = [
            (self.text("cli.architecture"), printable(model.architecture or unknown)),
            (self.text("cli.label"), printable(model.file_type or unknown)),
            (self.text("cli.parameters"), _parameters(model.parameters)),
        ]
        if model.bits_per_weight is not None:
            rows.append((self.text("cli.bits"), f"{model.bits_per_weight:.2f}"))
        rows.append((self.text("cli.layers"), count(model.layers)))
        if model.context_length is not None:
            rows.append((self.text("cli.trained_for"), self._tokens(model.context_length)))
        if model.file_bytes is not None:
            rows.append((self.text("cli.file"), self._file(model.file_bytes, model.parts)))
        self.screen.facts(rows)

    def types(self) -> None:
        """The types that are really stored, beside the label."""
        types, total = self.found.types, self.found.model.tensor_bytes
        self.screen.heading(self.text("cli.heading_types"))
        rows = [
            [
                printable(each.type),
                self.screen.bar(each.bytes / total if total else 0.0),
                self._share(each.bytes, total),
                size(each.bytes),
                count(each.tensors),
            ]
            for each in types
        ]
        columns = ("cli.column_share", "cli.column_size", "cli.column_tensors")
        titles = [self.text("cli.column_type"), "", *map(self.text, columns)]
        self.screen.table(titles, rows, left=(0, 1))

    def token(self) -> None:
        """What one decoded token reads of the weights, and why."""
        decode, groups = self.found.decode, self.found.groups
        self.screen.heading(self.text("cli.heading_token"))
        rows = [(self.text("cli.weights_read"), self._weights_read())]
        embedding = {"row": "cli.embedding_row", "tied": "cli.embedding_tied"}
        if decode.embedding in embedding:
            why = self.text(embedding[decode.embedding], all=size(groups.embedding.bytes))
            rows.append((self.text("cli.embedding"), why))
        experts = self.found.experts
        if experts is not None:
            values = {"used": experts.used, "total": experts.total}
            why = self.text("cli.experts_used", **values, all=size(groups.experts.bytes))
            rows.append((self.text("cli.experts"), why))
        if groups.unread.bytes:
            rows.append((self.text("cli.unread"), size(groups.unread.bytes)))
        self.screen.facts(rows)

    def cache(self) -> None:
        """What the context costs: read by each token, and set aside."""
        kv = self.found.kv
        self.screen.heading(self.text("cli.heading_cache"))
        types = kv.type_k if kv.type_k == kv.type_v else f"{kv.type_k}, {kv.type_v}"
        rows = [(self.text("cli.cache_type"), types)]
        rows.append((self.text("cli.bytes_per_token"), self._exact(kv.bytes_per_token)))
        if kv.state_bytes:
            rows.append((self.text("cli.states"), self._exact(kv.state_bytes)))
        if kv.layers:
            kinds = self.text("cli.comma").join(
                self.text(_KINDS[kind], layers=number) for kind, number in kv.layers.items()
            )
            rows.append((self.text("cli.cache_layers"), kinds))
        if kv.outweighs_weights_at is not None:
            depth = self._tokens(kv.outweighs_weights_at)
            rows.append((self.text("cli.outweighs"), self.text("cli.beyond", depth=depth)))
        self.screen.facts(rows)
        weights = self.found.decode.weight_bytes
        if kv.read:
            self.screen.gap()
            titles = ("cli.column_depth", "cli.column_cache", "cli.column_all")
            lines = [
                [count(each.depth), self._size(each.bytes), self._sum(each.bytes, weights)]
                for each in kv.read
            ]
            self.screen.table([self.text(each) for each in titles], lines, left=())
        if kv.allocated:
            self.screen.gap()
            titles = ("cli.column_context", "cli.column_allocated", "cli.column_resident")
            tensor_bytes = self.found.model.tensor_bytes
            lines = [
                [
                    count(each.context),
                    self._binary(each.bytes),
                    self._binary(None if each.bytes is None else each.bytes + tensor_bytes),
                ]
                for each in kv.allocated
            ]
            self.screen.table([self.text(each) for each in titles], lines, left=())

    def tensors(self) -> None:
        """Every tensor, where they were asked for."""
        if self.found.tensors is None:
            return
        self.screen.heading(self.text("cli.heading_tensors"))
        titles = ["cli.column_tensor", "cli.column_type", "cli.column_shape"]
        titles += ["cli.column_size", "cli.column_class", "cli.column_per_token"]
        rows = [
            [
                printable(each.name),
                printable(each.type),
                "×".join(map(str, each.shape)),
                size(each.bytes),
                self.text(_CLASSES[each.kind]),
                size(each.decode_bytes),
            ]
            for each in self.found.tensors
        ]
        self.screen.table([self.text(each) for each in titles], rows, left=(0, 1, 2, 4))

    def warnings(self) -> None:
        """What else to know."""
        if self.found.warnings:
            self.screen.heading(self.text("cli.heading_warnings"))
            self.screen.notices(self.found.warnings, self.language)

    def _weights_read(self) -> str:
        weights, total = self.found.decode.weight_bytes, self.found.model.tensor_bytes
        if weights is None:
            low, high = self.found.decode.weight_bytes_low, self.found.decode.weight_bytes_high
            if low is None or high is None:
                return self.text("cli.unknown")
            return self.text("cli.between", low=size(low), high=size(high))
        share = self._share(weights, total)
        return self.text("cli.of_tensors", read=size(weights), share=share, all=size(total))

    def _share(self, part: float, whole: float) -> str:
        if not whole:
            return self.text("cli.unknown")
        return "< 1 %" if 0 < part / whole < 0.005 else percent(part / whole)

    def _file(self, file_bytes: int, parts: int) -> str:
        written = f"{size(file_bytes)} ({binary_size(file_bytes)})"
        return written if parts == 1 else self.text("cli.in_parts", size=written, parts=parts)

    def _tokens(self, number: int) -> str:
        return self.text("cli.tokens", tokens=count(number))

    def _exact(self, number: int | None) -> str:
        return self.text("cli.unknown") if number is None else f"{count(number)} B"

    def _size(self, number: int | None) -> str:
        return self.text("cli.unknown") if number is None else size(number)

    def _binary(self, number: int | None) -> str:
        return self.text("cli.unknown") if number is None else binary_size(number)

    def _sum(self, cache: int | None, weights: float | None) -> str:
        if cache is None or weights is None:
            return self.text("cli.unknown")
        return size(cache + weights)


def _parameters(number: int) -> str:
    for factor, unit in ((10**12, "T"), (10**9, "B"), (10**6, "M")):
        if number >= factor:
            return f"{significant(number / factor)} {unit}"
    return count(number)
