"""Why a ceiling by a model's size is another than the one by what a token reads."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof import words
from tokenroof.cli.estimate_columns import model_name
from tokenroof.cli.screen import Screen
from tokenroof.predict.records import BySize, Row
from tokenroof.units import count, percent, size


def show_sizes(screen: Screen, rows: Sequence[Row], language: str) -> None:
    """A sentence for every model, with the cache of the deepest that was asked about."""
    name = model_name(rows)
    told: dict[str, Row] = {}
    for row in rows:
        before = told.get(name(row))
        if row.by_size is not None and (before is None or (row.depth or 0) > (before.depth or 0)):
            told[name(row)] = row
    if told:
        screen.gap()
    for model, row in told.items():
        if row.by_size is not None:
            screen.say(_sentence(model, row, row.by_size, language))


def _sentence(model: str, row: Row, found: BySize, language: str) -> str:
    def text(message: str, **values: object) -> str:
        return words.text(message, language, **values)

    reasons = [
        text(message)
        for message, unread in (
            ("lists.why_embedding", found.lookup_bytes),
            ("lists.why_experts", found.experts_unread_bytes),
            ("lists.why_unread", found.unread_bytes),
        )
        if unread
    ] or [text("lists.why_all")]
    if found.bytes != found.tensor_bytes:
        stored = size(found.tensor_bytes)
        reasons.append(text("lists.why_rounded", stored=stored))
    share = found.weight_bytes / found.bytes - 1
    message = "lists.size_same"
    if abs(share) >= _SAME:
        message = "lists.size_less" if share < 0 else "lists.size_more"
    cache = (row.read_bytes or 0) - found.weight_bytes
    return text(
        "lists.size_of",
        model=model,
        size=size(found.bytes),
        weights=size(found.weight_bytes),
        difference=text(message, percent=percent(abs(share))),
        why=text("cli.comma").join(reasons),
        cache=text("lists.why_cache", depth=count(row.depth or 0), cache=size(cache))
        if cache > 0
        else "",
    )


_SAME = 0.0005
