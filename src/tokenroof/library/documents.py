"""Small JSON documents from a server, whole or page by page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from tokenroof.errors import InputError
from tokenroof.library.addresses import origin, shown
from tokenroof.library.terms import Passing
from tokenroof.units import count

if TYPE_CHECKING:
    from tokenroof.library.http import Web

_NEXT = re.compile(r'<([^<>]+)>\s*;\s*rel="?next"?', re.IGNORECASE)
_MOST_PAGES = 50
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}


def read_json(
    web: Web, url: str, most_bytes: int, *, method: str = "GET", json: object = None
) -> Any:
    """A document.

    Raises:
        Absent: the server has none of that name.
        InputError: it cannot be had, or is none.
    """
    return _document(web, url, most_bytes, method, json)[0]


def read_pages(web: Web, url: str, most_bytes: int) -> Iterator[Any]:
    """A document that its server hands out in pages, each naming the next (`Link`).

    Raises:
        Absent: the server has none of that name.
        InputError: a page cannot be had or is none, or there is no end to them.
    """
    for _ in range(_MOST_PAGES):
        document, following = _document(web, url, most_bytes, "GET", None)
        yield document
        if following is None:
            return
        target = urljoin(url, following)
        # A listing goes on where it began; another server that it names is not asked.
        if origin(target) != origin(url):
            raise InputError("library.remote_scheme", name=shown(url), target=shown(target))
        url = target
    raise InputError("library.remote_pages", name=shown(url), limit=count(_MOST_PAGES))


def _document(
    web: Web, url: str, most_bytes: int, method: str, json: object
) -> tuple[Any, str | None]:
    """A document, and where the next page of it is."""
    import msgspec

    attempt = 0
    while True:
        attempt += 1
        try:
            with web.ask(url, _HEADERS, method=method, json=json) as answer:
                following = _NEXT.search(answer.headers.get("link", ""))
                document = msgspec.json.decode(answer.whole(most_bytes))
                return document, following[1] if following else None
        except Passing as failure:
            web.wait(attempt, failure)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise InputError("library.remote_not_json", name=shown(url)) from error
