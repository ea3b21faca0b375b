"""Two models side by side, in 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tokenroof.cli.inspection_tensors import differing_table
from tokenroof.cli.inspection_text import PARTS, Text
from tokenroof.cli.screen import Screen
from tokenroof.model import Inspection, InspectionPair
from tokenroof.safetext import printable
from tokenroof.units import count, significant, work

Figures = Sequence[float | None]
"""Of both models."""


def show_pair(pair: InspectionPair, language: str) -> None:
    """Print two inspections side by side."""
    page = _Pair(pair, language)
    page.file()
    page.parts()
    page.token()
    page.cache()
    page.prefill()
    page.tensors()
    page.warnings()


class _Pair:
    """The parts of the page, each a table of A, B and how many times A B is."""

    def __init__(self, pair: InspectionPair, language: str) -> None:
        self.pair = pair
        self.texts = tuple(Text(each, language) for each in pair.models)
        self.text = self.texts[0]
        self.screen = Screen()
        self.rows: list[list[str]] = []

    def file(self) -> None:
        """What the files say they are."""
        facts = [one.model for one in self.pair.models]
        self._words("inspect.architecture", Text.architecture)
        self._words("inspect.label", Text.label)
        self._words("inspect.parameters", Text.parameters, [each.parameters for each in facts])
        self._words("inspect.bits", Text.bits, [each.bits_per_weight for each in facts])
        self._words("inspect.layers", Text.layers, [each.layers for each in facts])
        self._words("inspect.trained_for", Text.trained_for)
        if any(each.recipe is not None for each in facts):
            self._words("inspect.recipe", Text.recipe)
            self._sizes(self.text("inspect.tensors_of"), [each.tensor_bytes for each in facts])
        if any(each.file_bytes is not None for each in facts):
            self._sizes(self.text("inspect.file"), [each.file_bytes for each in facts])
        self._table(None, [text.name for text in self.texts])

    def parts(self) -> None:
        """Types, and where the bytes are."""
        types = [{each.type: each.bytes for each in one.types} for one in self.pair.models]
        for name in dict.fromkeys([*types[0], *types[1]]):
            self._sizes(printable(name), [each.get(name, 0) for each in types])
        self._table("inspect.heading_types")
        parts = [{each.component: each.bytes for each in one.components}
                 for one in self.pair.models]  # fmt: skip
        for part in dict.fromkeys([*parts[0], *parts[1]]):
            self._sizes(self.text(PARTS[part]), [each.get(part, 0) for each in parts])
        self._table("inspect.heading_parts")

    def token(self) -> None:
        """What a token reads of the weights."""
        models = self.pair.models
        self._sizes(self.text("inspect.weights"), [one.decode.weight_bytes for one in models])
        self._words("inspect.embedding", Text.embedding)
        if any(one.experts for one in models):
            self._words("inspect.experts", Text.experts)
        self._words("inspect.unread", Text.unread)
        self._sizes(self.text("inspect.resident"), [one.model.resident_bytes for one in models])
        self._table("inspect.heading_token")

    def cache(self) -> None:
        """What the context costs."""
        both = [one.kv for one in self.pair.models]
        self._words("inspect.cache_of", Text.cache_type)
        grown = [each.bytes_per_token for each in both]
        self._words("inspect.bytes_per_token", Text.bytes_per_token, grown)
        self._words("inspect.states", Text.states, [each.state_bytes for each in both])
        self._words("inspect.cache_layers", Text.kinds)
        self._words("inspect.outweighs", Text.outweighs)
        for number, read in enumerate(both[0].read):
            name = self.text("inspect.at_depth", depth=count(read.depth))
            self._sizes(name, [_read(one, number) for one in self.pair.models])
        for number, row in enumerate(both[0].allocated):
            name = self.text("inspect.at_context", context=self.text.tokens(row.context))
            self._sizes(name, [each.allocated[number].bytes for each in both])
        self._table("inspect.heading_cache")

    def prefill(self) -> None:
        """What reading a prompt takes."""
        both = [one.prefill for one in self.pair.models]
        self._work(self.text("inspect.per_token"), [each.flop_per_token for each in both])
        name = self.text("inspect.micro_batch", tokens=count(both[0].ubatch))
        self._sizes(name, [each.micro_batch_bytes for each in both])
        for number, row in enumerate(both[0].prompts):
            name = self.text("inspect.at_prompt", prompt=self.text.tokens(row.prompt))
            self._work(name, [_prompt_flop(one, number) for one in self.pair.models])
        self._table("inspect.heading_prefill")

    def tensors(self) -> None:
        """The tensors that are not alike, where they were asked for."""
        if self.pair.models[0].tensors is not None:
            self.screen.heading(self.text("inspect.heading_differing"))
            differing_table(self.screen, self.text, *self.pair.models)

    def warnings(self) -> None:
        """What else to know of each."""
        for letter, text in zip("AB", self.texts, strict=True):
            if text.found.warnings:
                named = f"{letter} ({text.name})"
                self.screen.heading(text("inspect.heading_warnings_of", model=named))
                self.screen.notices(text.found.warnings, text.language)

    def _words(self, name: str, write: Callable[[Text], str], figures: Figures = ()) -> None:
        self.rows.append([self.text(name), *map(write, self.texts), _ratio(figures)])

    def _sizes(self, name: str, figures: Figures) -> None:
        cells = ["–" if each == 0 else self.text.size(each) for each in figures]
        self.rows.append([name, *cells, _ratio(figures)])

    def _work(self, name: str, figures: Figures) -> None:
        unknown = self.text("inspect.unknown")
        cells = [unknown if each is None else work(each) for each in figures]
        self.rows.append([name, *cells, _ratio(figures)])

    def _table(self, heading: str | None, names: list[str] | None = None) -> None:
        rows, self.rows = self.rows, []
        if heading is not None:
            self.screen.heading(self.text(heading))
        if names is not None:
            rows.insert(0, [self.text("inspect.model"), *names, ""])
        titles = ["", "A", "B", self.text("inspect.column_ratio")]
        self.screen.table(titles, rows, left=(0, 1, 2))


def _read(one: Inspection, number: int) -> float | None:
    cache, weights = one.kv.read[number].bytes, one.decode.weight_bytes
    return None if cache is None or weights is None else cache + weights


def _prompt_flop(one: Inspection, number: int) -> int | None:
    cost = one.prefill.prompts[number]
    if cost.linear_flop is None or cost.attention_flop is None:
        return None
    return cost.linear_flop + cost.attention_flop


def _ratio(figures: Figures) -> str:
    """How many times the first the second is; nothing where that says nothing."""
    if not figures or not figures[0] or not figures[1]:
        return ""
    return significant(figures[1] / figures[0])
