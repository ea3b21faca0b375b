"""Which bytes of a header stay in memory.

Names are always kept, so a file whose names are beyond their budget is refused. Values are kept
while they are short and their budget lasts, and otherwise left where they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenroof.errors import GGUFError
from tokenroof.gguf.limits import (
    KEPT_VALUE_BYTES,
    MAX_NAME_BYTES,
    NAMES_BUDGET_BYTES,
    VALUES_BUDGET_BYTES,
)
from tokenroof.gguf.values import InSource, Kept, Payload
from tokenroof.safetext import has_controls

if TYPE_CHECKING:
    from tokenroof.gguf.cursor import Cursor


class Keeper:
    """Takes names and values from one cursor, with a budget for each."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._left_for_names = NAMES_BUDGET_BYTES
        self._left_for_values = VALUES_BUDGET_BYTES

    def name(self, field: str) -> tuple[str, bool]:
        """A key or a tensor's name, and whether it holds what a name should not.

        Bytes that are not UTF-8 become escapes, so that different names stay different.
        """
        cursor = self._cursor
        size = cursor.length(field)
        allowed = min(MAX_NAME_BYTES, self._left_for_names)
        if size > allowed:
            raise GGUFError(
                "gguf.name_too_long",
                path=cursor.source.name,
                offset=cursor.offset - 8,
                field=field,
                found=size,
                allowed=allowed,
            )
        self._left_for_names -= size
        data = cursor.take(size, field)
        try:
            name = data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("utf-8", "backslashreplace"), True
        return name, has_controls(name)

    def next(self, size: int, field: str) -> Payload:
        """The next bytes, which are known to be there."""
        if self._keeps(size):
            return Kept(self._cursor.take(size, field))
        payload = InSource(self._cursor.source, self._cursor.offset, size)
        self._cursor.skip(size, field)
        return payload

    def passed(self, start: int) -> Payload:
        """The bytes from `start` to the cursor."""
        size = self._cursor.offset - start
        if self._keeps(size):
            return Kept(self._cursor.recall(start, size))
        return InSource(self._cursor.source, start, size)

    def _keeps(self, size: int) -> bool:
        if size > min(KEPT_VALUE_BYTES, self._left_for_values):
            return False
        self._left_for_values -= size
        return True
