"""What is wrong with a file, and yet does not stop it from being read."""

from __future__ import annotations

from tokenroof.errors import GGUFError
from tokenroof.notices import Notice
from tokenroof.safetext import printable

MAX_NOTICES = 100
SHOWN_CHARACTERS = 120


def shown(text: str) -> str:
    """A name from inside a file as a message shows it: escaped, and not of any length."""
    return printable(text, SHOWN_CHARACTERS)


class Problems:
    """Collects them; or, when strict, makes an error of the first one."""

    def __init__(self, path: str, *, strict: bool) -> None:
        self._path = path
        self._strict = strict
        self._notices: list[Notice] = []
        self._left_out = 0

    def add(self, message: str, where: str | None = None, **values: object) -> None:
        """Something that the format forbids or that llama.cpp refuses.

        Raises:
            GGUFError: in strict mode.
        """
        if self._strict:
            raise GGUFError(message, path=self._path, **values)
        self.remark(message, where, **values)

    def remark(self, message: str, where: str | None = None, **values: object) -> None:
        """Something unusual that is allowed."""
        if len(self._notices) < MAX_NOTICES:
            place = None if where is None else shown(where)
            self._notices.append(Notice(message, values, place))
        else:
            self._left_out += 1

    def notices(self) -> tuple[Notice, ...]:
        """All of them, or the first hundred and the number of the others."""
        if not self._left_out:
            return tuple(self._notices)
        return (*self._notices, Notice("gguf.more_problems", {"count": self._left_out}))
