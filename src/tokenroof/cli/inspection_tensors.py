"""Every tensor in a table, and those that differ between two models."""

from __future__ import annotations

from collections.abc import Sequence

from tokenroof.cli import wide
from tokenroof.cli.inspection_text import Text
from tokenroof.cli.screen import Screen
from tokenroof.model import Inspection
from tokenroof.model.inspected import TensorRow
from tokenroof.safetext import printable
from tokenroof.units import size

_CLASSES = {
    "read": "inspect.class_read",
    "lookup": "inspect.class_lookup",
    "expert": "inspect.class_expert",
    "unread": "inspect.class_unread",
}
_BETWEEN = 3
_LEAST_NAME = 16


def tensor_table(screen: Screen, text: Text, tensors: Sequence[TensorRow]) -> None:
    """Print every tensor with its class and what a token reads of it."""
    columns = (
        "inspect.column_tensor",
        "inspect.column_type",
        "inspect.column_shape",
        "inspect.column_size",
        "inspect.column_class",
        "inspect.column_per_token",
    )
    rows = [
        [
            printable(each.type),
            _shape(each),
            size(each.bytes),
            text(_CLASSES[each.kind]),
            "–" if each.decode_bytes == 0 else text.size(each.decode_bytes),
        ]
        for each in tensors
    ]
    names = [printable(each.name) for each in tensors]
    _named_table(screen, [text(each) for each in columns], names, rows, left=(0, 1, 2, 4))


def differing_table(screen: Screen, text: Text, first: Inspection, second: Inspection) -> None:
    """Print the tensors that two models do not have alike."""
    one = {each.name: each for each in first.tensors or ()}
    other = {each.name: each for each in second.tensors or ()}
    names = [
        name
        for name in dict.fromkeys((*one, *other))
        if _alike(one.get(name)) != _alike(other.get(name))
    ]
    if not names:
        screen.say(text("inspect.no_difference"), indent=2)
        return
    nothing = text("inspect.none")
    rows = [
        [
            nothing if each is None else f"{printable(each.type)} {_shape(each)}"
            for each in (one.get(name), other.get(name))
        ]
        for name in names
    ]
    titles = [text("inspect.column_tensor"), "A", "B"]
    _named_table(screen, titles, list(map(printable, names)), rows, left=(0, 1, 2))


def _alike(tensor: TensorRow | None) -> tuple[str, tuple[int, ...]] | None:
    return None if tensor is None else (tensor.type, tensor.shape)


def _shape(tensor: TensorRow) -> str:
    return "×".join(map(str, tensor.shape))


def _named_table(
    screen: Screen,
    titles: Sequence[str],
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: Sequence[int],
) -> None:
    """A table whose names are broken at their dots where it would be too wide."""
    widest = [
        max(map(wide.width, (title, *(row[number] for row in rows))))
        for number, title in enumerate(titles[1:])
    ]
    room = screen.console.width - 2 - sum(widest) - _BETWEEN * len(widest)
    cells = [_broken(name, max(room, _LEAST_NAME)) for name in names]
    screen.table(
        titles,
        [[name, *row] for name, row in zip(cells, rows, strict=True)],
        left=left,
    )


def _broken(name: str, room: int) -> str:
    """A name in lines of at most `room` cells, broken after a dot if there is one."""
    lines = [""]
    for piece in name.replace(".", ".\n").splitlines():
        if lines[-1] and wide.width(lines[-1] + piece) > room:
            lines.append(" ")
        lines[-1] += piece
    return "\n".join(lines)
