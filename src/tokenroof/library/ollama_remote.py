"""A model of an Ollama on another machine, by what its daemon tells of it.

``POST /api/show`` with `verbose` answers with the header's keys (`model_info`) and its tensors by
name, type and shape: all that the byte counts need. Sizes follow from types and shapes; where the
tensors lie in the file is not told.

The other machine is named by the variable OLLAMA_HOST, as for Ollama's own commands, or in the
name: ``ollama://HOST:PORT/MODEL:TAG``.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from tokenroof.closest import closest
from tokenroof.errors import EngineMissing, InputError, NotFound, UsageError
from tokenroof.library.addresses import check_url, shown
from tokenroof.library.documents import read_json
from tokenroof.library.http import Web
from tokenroof.library.location import with_notices
from tokenroof.library.ollama_names import OllamaName, parse
from tokenroof.library.system import System
from tokenroof.library.terms import Limits, Passing
from tokenroof.notices import Notice
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.clock import Clock
    from tokenroof.gguf import Header

PREFIX: Final = "ollama://"

_PORT = 11434
_ANSWER_BYTES = 96 * 2**20
_LIST_BYTES = 8 * 2**20
_MOST_TENSORS = 65_536
_MOST_DIMENSIONS = 4
_LARGEST = 2**63


@dataclass(frozen=True, kw_only=True)
class ServedModel:
    """A model that an Ollama serves.

    Attributes:
        name: the name that means it.
        server: the daemon's URL.
        model: what it calls the model.
        source: what kind of place it is.
        limits: what asking may cost, if not the usual.
    """

    name: str
    server: str
    model: OllamaName
    source: str = "ollama"
    limits: Limits | None = None

    @classmethod
    def of(cls, server: str, model: OllamaName) -> ServedModel:
        """A model of the daemon at a URL."""
        place = shown(server).removeprefix("http://")
        return cls(name=f"{PREFIX}{place}/{model}", server=server, model=model)

    def header(self, clock: Clock | None = None) -> Header:
        """Ask the daemon; see `Location.header`."""
        where = shown(self.server)
        url = self.server.rstrip("/") + "/api/show"
        question = {"model": str(self.model), "verbose": True}
        try:
            with Web(self.server, limits=self.limits, clock=clock) as web:
                answer = read_json(web, url, _ANSWER_BYTES, method="POST", json=question)
        except NotFound as error:
            raise self._not_found(clock) from error
        except InputError as error:
            if error.message == "library.remote_failed":
                reason = error.values["reason"]
                if isinstance(error.__cause__, Passing) and error.__cause__.status:
                    raise InputError(
                        "library.served_failed", server=where, reason=reason
                    ) from error
                raise EngineMissing("library.served_silent", server=where, reason=reason) from error
            raise
        return with_notices(self._header_of(answer), self._notices(answer))

    def _not_found(self, clock: Clock | None) -> NotFound:
        """What the daemon has instead, by its own list."""
        where, url = shown(self.server), self.server.rstrip("/") + "/api/tags"
        try:
            with Web(self.server, limits=Limits(seconds=10), clock=clock) as web:
                answer = read_json(web, url, _LIST_BYTES)
        except InputError:
            answer = None
        models = answer.get("models") if isinstance(answer, dict) else None
        entries = models if isinstance(models, list) else []
        names = [each.get("name") for each in entries if isinstance(each, dict)]
        near = closest(str(self.model), [name for name in names if isinstance(name, str)])
        if near:
            return NotFound(
                "library.served_not_found_but",
                name=self.model,
                server=where,
                closest=", ".join(near),
            )
        return NotFound("library.served_not_found", name=self.model, server=where)

    def _header_of(self, answer: Any) -> Header:
        from tokenroof.gguf import Header

        if not isinstance(answer, dict):
            raise self._odd("model_info")
        if answer.get("remote_host") or answer.get("remote_model"):
            raise InputError("library.ollama_cloud", name=self.model)
        info, tensors = answer.get("model_info"), answer.get("tensors")
        if not isinstance(info, dict) or not info:
            raise self._odd("model_info")
        if not isinstance(tensors, list) or not tensors:
            raise self._odd("tensors")
        if len(tensors) > _MOST_TENSORS:
            raise self._odd("tensors")
        return Header.build(
            {key: value for key, value in info.items() if _is_plain(value)},
            [self._tensor(each) for each in tensors],
        )

    def _tensor(self, entry: Any) -> tuple[str, list[int], str]:
        from tokenroof.gguf import TENSOR_TYPES_BY_NAME

        if not isinstance(entry, dict):
            raise self._odd("tensors")
        name, kind, shape = entry.get("name"), entry.get("type"), _shape(entry.get("shape"))
        if not isinstance(name, str) or not isinstance(kind, str) or shape is None:
            raise self._odd("tensors")
        if kind.upper() not in TENSOR_TYPES_BY_NAME:
            raise InputError(
                "library.served_type",
                server=shown(self.server),
                name=printable(name, 100),
                type=printable(kind, 40),
            )
        return name, shape, kind.upper()

    def _notices(self, answer: dict[str, Any]) -> tuple[Notice, ...]:
        if answer.get("projector_info"):
            return (Notice("library.projector_apart_unsized", {}),)
        return ()

    def _odd(self, field: str) -> InputError:
        return InputError("library.served_odd", server=shown(self.server), field=field)


def locate(text: str, system: System) -> ServedModel:
    """The model of a name without its prefix: ``HOST:PORT/MODEL:TAG``.

    Raises:
        UsageError: it is none.
    """
    del system
    host, _, model = text.partition("/")
    name = parse(model)
    if not host or name is None:
        raise UsageError("library.ollama_name", name=printable(PREFIX + text))
    return ServedModel.of(server_url(host), name)


def server_of(system: System) -> str | None:
    """The daemon that OLLAMA_HOST names, if it is another machine.

    Raises:
        UsageError: OLLAMA_HOST cannot be understood.
    """
    text = system.variable("OLLAMA_HOST")
    if text is None:
        return None
    url = server_url(text)
    return None if _is_here(urlsplit(url).hostname or "") else url


def server_url(text: str) -> str:
    """The URL of a daemon as Ollama reads it: scheme and port may be left out.

    Raises:
        UsageError: that is none.
    """
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "http", text
    host, slash, path = rest.partition("/")
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"
    if host.startswith(":"):
        host = "127.0.0.1" + host
    url = f"{scheme}://{host}"
    check_url(url)
    if not found and urlsplit(url).port is None:
        url += f":{_PORT}"
    return url + (slash + path).rstrip("/")


def _is_here(host: str) -> bool:
    """Whether a host is this machine: a name or address of loopback, or "every address"."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _is_plain(value: object) -> bool:
    """Whether a value is one that a header may hold. What is null was left out by the server."""
    if isinstance(value, list):
        return all(isinstance(each, bool | int | float | str) for each in value)
    return isinstance(value, bool | int | float | str)


def _shape(value: object) -> list[int] | None:
    """A shape, ne0 first; None if it is none."""
    if not isinstance(value, list) or len(value) > _MOST_DIMENSIONS:
        return None
    shape = [each for each in value if type(each) is int and 0 <= each < _LARGEST]
    return shape if len(shape) == len(value) else None
