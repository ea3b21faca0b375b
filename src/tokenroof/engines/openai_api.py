"""Which OpenAI-compatible server it is, which models it has, and what may be asked of it.

They all speak one dialect and differ in what they add to it. Who answers shows in the list of
models, `owned_by`: llama-server says "llamacpp" and vLLM "vllm". What only one of them understands
is only said to that one, because others refuse what they do not know.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import PurePosixPath
from typing import Any, Literal
from urllib.parse import urlsplit

from tokenroof.engines.base import SERVED, ModelRef
from tokenroof.engines.http_errors import Endpoint
from tokenroof.engines.http_stream import Client
from tokenroof.engines.options import from_environment, with_scheme
from tokenroof.errors import EngineMissing, EngineRefused
from tokenroof.library.addresses import check_url, origin
from tokenroof.safetext import printable

NAME = "openai"
URL_VARIABLE = "TOKENROOF_OPENAI_URL"
INSTALL = f"{URL_VARIABLE}=http://127.0.0.1:8080"
_START = "llama-server -m MODEL.gguf"

Kind = Literal["llama.cpp", "vllm"]
_OWNERS: dict[str, Kind] = {"llamacpp": "llama.cpp", "vllm": "vllm"}

_OURS: dict[Kind | None, dict[str, Any]] = {
    None: {},
    "llama.cpp": {"ignore_eos": True, "cache_prompt": False},
    "vllm": {"ignore_eos": True},
}
"""What is added for one kind: to write as many tokens as asked for, and to read all of a prompt."""

_SHOWN_MODELS = 10

UNFIT = frozenset(
    {
        HTTPStatus.BAD_REQUEST,
        HTTPStatus.NOT_FOUND,
        HTTPStatus.METHOD_NOT_ALLOWED,
        HTTPStatus.UNPROCESSABLE_ENTITY,
        HTTPStatus.NOT_IMPLEMENTED,
    }
)
"""What a server answers to a kind of request that it does not know."""


@dataclass(frozen=True, slots=True)
class ServedModel:
    """One model that a server has."""

    name: str
    context: int | None
    kind: Kind | None


@dataclass(frozen=True, slots=True)
class Shape:
    """One way to ask: with a chat template around the prompt or without, for usage or not."""

    chat: bool
    usage: bool

    @property
    def path(self) -> str:
        """Where it is asked."""
        return "/chat/completions" if self.chat else "/completions"

    def body(self, model: ServedModel, prompt: str, tokens: int, seed: int) -> dict[str, Any]:
        """The request."""
        said: dict[str, Any] = {
            "model": model.name,
            "stream": True,
            "max_tokens": max(tokens, 1),
            "temperature": 0,
            "seed": seed,
            **_OURS[model.kind],
        }
        if self.usage:
            said["stream_options"] = {"include_usage": True}
            if model.kind == "vllm":
                said["stream_options"]["continuous_usage_stats"] = True
        if self.chat:
            return said | {"messages": [{"role": "user", "content": prompt}]}
        return said | {"prompt": prompt}


SHAPES = (
    Shape(chat=True, usage=True),
    Shape(chat=True, usage=False),
    Shape(chat=False, usage=True),
    Shape(chat=False, usage=False),
)
"""From what tells most to what every server can do."""


def endpoint_of(url: str | None = None) -> Endpoint:
    """Where the server is: as given, or as the environment says; there is no usual place.

    Raises:
        EngineMissing: nobody says where.
        UsageError: that is no address.
    """
    found = [
        (url, "--url"),
        (from_environment(NAME, "url"), URL_VARIABLE),
        (os.environ.get("OPENAI_BASE_URL"), "OPENAI_BASE_URL"),
    ]
    for address, source in found:
        if address:
            bare = with_scheme(address).rstrip("/")
            check_url(bare)
            path = "" if urlsplit(bare).path else "/v1"
            return Endpoint(engine=NAME, url=bare + path, source=source, start=_START)
    raise EngineMissing("openai.no_url", variable=URL_VARIABLE)


def key_for(endpoint: Endpoint) -> str | None:
    """The key to a server: ours, or the general one where it was given for the same place.

    The general key is most often the key to a paid service, and not for any server that one tries.
    """
    own = from_environment(NAME, "api_key")
    base, general = os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY")
    if own is None and base and general and origin(base) == origin(endpoint.url):
        return general
    return own


def models_of(client: Client) -> list[ServedModel]:
    """The models of a server.

    Raises:
        EngineMissing: it is none of this kind.
    """
    endpoint = client.endpoint
    not_one = EngineMissing("openai.not_one", url=endpoint.shown, source=endpoint.source)
    try:
        said = client.get("/models")
    except EngineRefused as error:
        if error.values.get("status") == HTTPStatus.NOT_FOUND:
            raise not_one from error
        raise
    data = said.get("data") if isinstance(said, dict) else None
    if not isinstance(data, list):
        raise not_one
    return [_served(each) for each in data if isinstance(each, dict) and each.get("id")]


def choose(models: list[ServedModel], wanted: ModelRef) -> ServedModel:
    """The model that is meant: by its name, or the one that is called like the file.

    That a server has only one model does not make it the right one.

    Raises:
        EngineRefused: none, or several.
    """
    name = wanted.name or ""
    if wanted.is_served:
        named = [each for each in models if each.name == name[len(SERVED) :]]
    else:
        called = _file_name(str(wanted.path or name))
        named = [each for each in models if _file_name(each.name) == called]
    if len(named) == 1:
        return named[0]
    listed = [printable(each.name, 80) for each in models]
    shown = ", ".join(listed[:_SHOWN_MODELS]) + (", …" if len(listed) > _SHOWN_MODELS else "")
    raise EngineRefused("openai.no_model", model=str(wanted), choices=shown or "-")


def _file_name(text: str) -> str:
    """What is left of a path or a name without its folders and its ending."""
    return PurePosixPath(text.replace("\\", "/")).name.lower().removesuffix(".gguf")


def _served(entry: dict[str, Any]) -> ServedModel:
    meta = entry.get("meta")
    contexts = [meta.get("n_ctx") if isinstance(meta, dict) else None, entry.get("max_model_len")]
    known = [each for each in contexts if type(each) is int and each > 0]
    return ServedModel(
        name=str(entry["id"]),
        context=known[0] if known else None,
        kind=_OWNERS.get(str(entry.get("owned_by"))),
    )
