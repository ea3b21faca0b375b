"""A model on a web server: ``https://HOST/PATH.gguf``, whole or any part of a split set."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from tokenroof.library.addresses import check_url, shown
from tokenroof.library.http import Web
from tokenroof.library.location import Location, with_notices
from tokenroof.library.ranges import open_remote
from tokenroof.library.terms import Limits, Token

if TYPE_CHECKING:
    from tokenroof.clock import Clock
    from tokenroof.gguf import Header
    from tokenroof.library.system import System
    from tokenroof.notices import Notice

_CONFIG = re.compile(r"\.json(@[^/@]*)?$", re.IGNORECASE)
"""How the path of a config ends, a file type behind it or not."""


@dataclass(frozen=True, kw_only=True)
class RemoteModel:
    """A model that lies on a web server; only its header ever travels.

    Attributes:
        name: the name that means it, fit to be shown.
        source: what kind of place it is.
        url: its file, or any part of a split set.
        token: for the server that the file belongs to.
        notices: what a reader of its header should know of the place.
        limits: what reading it may cost, if not the usual.
    """

    name: str
    source: str
    url: str
    token: Token | None = None
    notices: tuple[Notice, ...] = ()
    limits: Limits | None = None

    def header(self, clock: Clock | None = None) -> Header:
        """Read the header over the network; see `Location.header`."""
        with Web(self.url, token=self.token, limits=self.limits, clock=clock) as web:
            return with_notices(read_remote_header(web, self.url, clock), self.notices)


def locate(url: str, system: System) -> Location:
    """The model that a URL names: a GGUF file, or the config that one is made of.

    A file's page on the Hugging Face Hub, or its download link, means what `hf:` does.

    Raises:
        UsageError: it is not a URL of a file; and all that `huggingface.locate` raises.
    """
    check_url(url)
    if _CONFIG.search(urlsplit(url).path):
        from tokenroof.library.recipe import of_url

        return of_url(url)
    from tokenroof.library import hub_server, huggingface

    on_hub = hub_server.name_of(url, hub_server.endpoint_of(system))
    if on_hub is not None:
        return huggingface.locate(on_hub, system)
    return RemoteModel(name=shown(url), source="web", url=url)


def read_remote_header(web: Web, url: str, clock: Clock | None = None) -> Header:
    """Read a header by ranges.

    What was read stays in memory with the header. Only an array that was passed over (the types
    and scores of tokens) is asked for when it is decoded.

    Raises:
        NotFound: there is no such file.
        InputError: it cannot be had, or is no model, or a part of a split set is missing.
    """
    from tokenroof.gguf.reader import Part, parse
    from tokenroof.gguf.split import join, read_set

    address = urlsplit(url)

    def read(path: PurePosixPath) -> Part:
        part_url = urlunsplit(address._replace(path=str(path)))
        source = open_remote(web, part_url)
        try:
            return parse(source, clock=clock, deadline_seconds=web.left_seconds())
        finally:
            source.close()

    parts, _, problems = read_set(PurePosixPath(address.path or "/"), read)
    return join(parts, [], problems)
