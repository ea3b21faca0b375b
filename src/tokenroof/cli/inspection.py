"""An inspection as a person reads it, in 80 columns."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.cli.inspection_tensors import tensor_table
from tokenroof.cli.inspection_text import PARTS, UNREAD, Text
from tokenroof.cli.screen import Screen
from tokenroof.model import Inspection
from tokenroof.safetext import printable
from tokenroof.units import binary_size, count, size, work

_BAR_CELLS = 12


def show(found: Inspection, language: str) -> None:
    """Print an inspection."""
    page = _Page(found, language)
    page.model()
    if found.types:
        page.types()
        page.parts()
        page.token()
    if page.text.writes_tokens and found.model.layers is not None:
        page.cache()
        page.prefill()
    page.tensors()
    page.warnings()


class _Page:
    """The parts of the page, in their order."""

    def __init__(self, found: Inspection, language: str) -> None:
        self.found = found
        self.text = Text(found, language)
        self.screen = Screen()

    def model(self) -> None:
        """What the file says it is."""
        text, model = self.text, self.found.model
        self.screen.title(text.name)
        rows = [
            (text("inspect.architecture"), text.architecture()),
            (text("inspect.label"), text.label()),
            (text("inspect.parameters"), text.parameters()),
        ]
        if model.bits_per_weight is not None:
            rows.append((text("inspect.bits"), text.bits()))
        if model.layers is not None:
            rows.append((text("inspect.layers"), text.layers()))
        if model.context_length is not None:
            rows.append((text("inspect.trained_for"), text.trained_for()))
        if model.file_bytes is not None:
            rows.append((text("inspect.file"), text.file()))
        if model.recipe is not None:
            written = f"{size(model.tensor_bytes)} ({binary_size(model.tensor_bytes)})"
            rows[:0] = [(text("inspect.recipe"), text.recipe())]
            rows.append((text("inspect.tensors_of"), written))
        self.screen.facts(rows)

    def types(self) -> None:
        """The types that are really stored, beside the label."""
        types, total = self.found.types, self.found.model.tensor_bytes
        self.screen.heading(self.text("inspect.heading_types"))
        rows = [
            [
                printable(each.type),
                self.screen.bar(each.bytes / total if total else 0.0),
                self.text.share(each.bytes, total),
                size(each.bytes),
                count(each.tensors),
            ]
            for each in types
        ]
        columns = ("inspect.column_share", "inspect.column_size", "inspect.column_tensors")
        titles = [self.text("inspect.column_type"), "", *map(self.text, columns)]
        self.screen.table(titles, rows, left=(0, 1))

    def parts(self) -> None:
        """What the bytes are for, down to the size of the file, and what a token reads of them."""
        text, model = self.text, self.found.model
        whole = sum(each.bytes for each in self.found.components) - model.overlap_bytes
        whole += model.other_bytes or 0
        self.screen.heading(text("inspect.heading_parts"))
        rows = [
            self._part(
                text(PARTS[each.component]),
                each.bytes,
                whole,
                0 if each.component in UNREAD else each.decode_bytes,
            )
            for each in self.found.components
        ]
        if model.overlap_bytes:
            name = text("inspect.part_overlap")
            rows.append([name, "", "", f"-{size(model.overlap_bytes)}", ""])
        if model.other_bytes:
            rows.append(self._part(text("inspect.part_besides"), model.other_bytes, whole, 0))
            read = self.found.decode.weight_bytes
            rows.append([text("inspect.part_file"), "", "", size(whole), text.size(read)])
        columns = ("inspect.column_share", "inspect.column_size", "inspect.column_per_token")
        titles = [text("inspect.column_part"), "", *map(text, columns)]
        self.screen.table(titles, rows, left=(0, 1))

    def _part(self, name: str, part: int, whole: int, read: float | None) -> list[str]:
        share = part / whole if whole else 0.0
        return [
            name,
            self.screen.bar(share, _BAR_CELLS),
            self.text.share(part, whole),
            size(part),
            "–" if read == 0 else self.text.size(read),
        ]

    def token(self) -> None:
        """What one decoded token reads of the weights, and why; what lies in memory."""
        text = self.text
        heading = "inspect.heading_token" if text.writes_tokens else "inspect.heading_pass"
        self.screen.heading(text(heading))
        rows = [(text("inspect.weights"), text.weights())]
        if self.found.decode.embedding is not None:
            rows.append((text("inspect.embedding"), text.embedding()))
        if self.found.experts is not None:
            rows.append((text("inspect.experts"), text.experts()))
        if any(each.component in UNREAD for each in self.found.components):
            rows.append((text("inspect.unread"), text.unread()))
        rows.append((text("inspect.resident"), text.resident()))
        self.screen.facts(rows)

    def cache(self) -> None:
        """What the context costs: read by each token, and set aside."""
        kv, text = self.found.kv, self.text
        self.screen.heading(text("inspect.heading_cache"))
        rows = [(text("inspect.cache_of"), text.cache_type())]
        rows.append((text("inspect.bytes_per_token"), text.bytes_per_token()))
        if kv.state_bytes:
            rows.append((text("inspect.states"), text.states()))
        if kv.layers:
            rows.append((text("inspect.cache_layers"), text.kinds()))
        rows.append((text("inspect.outweighs"), text.outweighs()))
        self.screen.facts(rows)
        if kv.bytes_per_token is None:
            return
        if kv.read:
            self.screen.gap()
            lines = []
            for number, each in enumerate(kv.read):
                most, least = text.read(number)
                certain = most == least and each.bytes is not None and most
                share = text.share(each.bytes or 0, most) if certain and most else "–"
                cells = [count(each.depth), text.size(*text.cache_read(number))]
                lines.append([*cells, text.size(most, least), share])
            self._figures(
                (
                    "inspect.column_depth",
                    "inspect.column_cache",
                    "inspect.column_all",
                    "inspect.column_cache_share",
                ),
                lines,
            )
        if kv.allocated:
            self.screen.gap()
            resident = self.found.model.resident_bytes
            lines = []
            for number, row in enumerate(kv.allocated):
                high, low = text.allocated(number)
                together = [None if each is None else each + resident for each in (high, low)]
                cells = [count(row.context), text.binary(high, low), text.binary(*together)]
                lines.append(cells)
            self._figures(
                ("inspect.column_context", "inspect.column_allocated", "inspect.column_resident"),
                lines,
            )

    def prefill(self) -> None:
        """What reading a prompt takes: operations, experts of a micro-batch, bytes moved."""
        cost, text = self.found.prefill, self.text
        if cost.flop_per_token is None or cost.micro_batch_bytes is None:
            return
        self.screen.heading(text("inspect.heading_prefill"))
        moved = {"bytes": size(cost.micro_batch_bytes)}
        moves = text("inspect.moves", **moved)
        if cost.distinct_experts is not None and self.found.experts is not None:
            experts = f"{cost.distinct_experts:.1f}".removesuffix(".0")
            total = self.found.experts.total
            moves = text("inspect.moves_experts", **moved, experts=experts, total=total)
        done = text("inspect.work_and_attention", work=work(cost.flop_per_token))
        batch = text("inspect.micro_batch", tokens=count(cost.ubatch))
        self.screen.facts([(text("inspect.per_token"), done), (batch, moves)])
        if not cost.prompts:
            return
        self.screen.gap()
        lines = []
        for each in cost.prompts:
            known = each.linear_flop is not None and each.attention_flop is not None
            total_flop = (each.linear_flop or 0) + (each.attention_flop or 0)
            unknown = text("inspect.unknown")
            lines.append(
                [
                    count(each.prompt),
                    work(total_flop) if known else unknown,
                    text.share(each.attention_flop or 0, total_flop) if known else unknown,
                    text.size(each.weight_bytes),
                    text.size(each.cache_bytes),
                ]
            )
        self._figures(
            (
                "inspect.column_prompt",
                "inspect.column_work",
                "inspect.column_attention",
                "inspect.column_weights",
                "inspect.column_cache_moved",
            ),
            lines,
        )

    def _figures(self, columns: Sequence[str], lines: list[list[str]]) -> None:
        self.screen.table([self.text(each) for each in columns], lines, left=())

    def tensors(self) -> None:
        """Every tensor, where they were asked for."""
        if self.found.tensors is not None:
            self.screen.heading(self.text("inspect.heading_tensors"))
            tensor_table(self.screen, self.text, self.found.tensors)

    def warnings(self) -> None:
        """What else to know."""
        if self.found.warnings:
            self.screen.heading(self.text("inspect.heading_warnings"))
            self.screen.notices(self.found.warnings, self.text.language)
