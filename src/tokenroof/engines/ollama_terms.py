"""What is said to an Ollama, and where it is: address, model names, options."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from tokenroof.engines.base import ModelRef
from tokenroof.engines.http_connection import Limits
from tokenroof.engines.http_errors import Endpoint
from tokenroof.engines.http_stream import Client
from tokenroof.engines.options import from_environment
from tokenroof.errors import EngineRefused
from tokenroof.library.ollama_remote import server_url
from tokenroof.library.system import here
from tokenroof.records import Settings

NAME = "ollama"
START = "ollama serve"
INSTALL = "https://ollama.com/download"

DEFAULT_CONTEXT = 4096
DEFAULT_BATCH = 512

_SETTINGS = frozenset({"context", "batch", "ubatch", "threads", "gpu_layers"})
_DEFAULT_URL = "http://127.0.0.1:11434"
_PREFIX = "ollama:"
_ELSEWHERE = "ollama://"


def endpoint_of(url: str | None = None, source: str | None = None) -> Endpoint:
    """Where Ollama is: as given, as the environment says, or where it usually is.

    Raises:
        UsageError: that is no address.
    """
    if url is None:
        url, source = from_environment(NAME, "url"), "TOKENROOF_OLLAMA_URL"
    if url is None:
        url, source = here().variable("OLLAMA_HOST"), "OLLAMA_HOST"
    if url is None:
        url, source = _DEFAULT_URL, "default"
    return Endpoint(
        engine=NAME, url=_reachable(server_url(url)), source=source or "--url", start=START
    )


def client_of(endpoint: Endpoint, limits: Limits) -> Client:
    """Who asks it."""
    return Client(endpoint, limits, from_environment(NAME, "api_key"))


def options_of(settings: Settings) -> dict[str, Any]:
    """The options of every request.

    Raises:
        EngineRefused: a setting that a request cannot bring about.
    """
    fixed = {
        "--kv-type": (settings.kv_type_k or settings.kv_type_v, "OLLAMA_KV_CACHE_TYPE"),
        "--flash-attention": (settings.flash_attention, "OLLAMA_FLASH_ATTENTION"),
    }
    for option, (value, variable) in fixed.items():
        if value is not None:
            raise EngineRefused("ollama.cannot_set", option=option, variable=variable)
    asked = {name for name, value in settings.to_dict().items() if value is not None}
    if strange := asked - _SETTINGS:
        raise EngineRefused("ollama.unknown_setting", settings=", ".join(sorted(strange)))
    batch = settings.batch or DEFAULT_BATCH
    if settings.ubatch not in {None, batch}:
        raise EngineRefused("ollama.one_batch", batch=batch, ubatch=settings.ubatch)
    options: dict[str, Any] = {
        "temperature": 0,
        "num_ctx": settings.context or DEFAULT_CONTEXT,
        "num_batch": batch,
    }
    if settings.threads is not None:
        options["num_thread"] = settings.threads
    if settings.gpu_layers is not None:
        options["num_gpu"] = settings.gpu_layers
    return options


def name_of(model: ModelRef) -> str | None:
    """What Ollama calls a model; None if it has no name of Ollama's."""
    name = model.name or ""
    if name.lower().startswith(_ELSEWHERE):
        return name[len(_ELSEWHERE) :].partition("/")[2] or None
    return (name[len(_PREFIX) :] or None) if name.lower().startswith(_PREFIX) else None


def host_of(model: ModelRef) -> str | None:
    """The host that a name itself says."""
    name = model.name or ""
    if not name.lower().startswith(_ELSEWHERE):
        return None
    return name[len(_ELSEWHERE) :].partition("/")[0] or None


def _reachable(url: str) -> str:
    """A daemon that listens at every address is reached at the loopback one."""
    host = urlsplit(url).hostname
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - nothing is bound here
        loopback = "127.0.0.1" if host == "0.0.0.0" else "[::1]"  # noqa: S104
        return url.replace("[::]" if host == "::" else "0.0.0.0", loopback, 1)  # noqa: S104
    return url
