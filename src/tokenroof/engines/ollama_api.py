"""What an Ollama tells of itself and of its models, apart from their answers.

    GET  /api/version   its version: its own runner runs the models, from 0.30 on llama-server
    POST /api/show      family, architecture, capabilities, and whether the model runs elsewhere
    GET  /api/ps        what is loaded: bytes, how many of them on GPUs, context, digest
    POST /api/chat      without a message: load a model, or let it go (keep_alive 0)

Fields come and go with versions; what is not there is None.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from tokenroof.engines.base import Place
from tokenroof.engines.http_stream import Client
from tokenroof.errors import EngineDied, EngineMissing, EngineRefused
from tokenroof.library.ollama_names import parse
from tokenroof.safetext import printable

KEEP_ALIVE: Final = "30m"
"""Longer than any pause of a campaign; Ollama's own five minutes are not."""

_LOAD_SECONDS = 1800.0
_CLOUD_TAG = re.compile(r"(.+-)?cloud", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Shown:
    """What is known of a model before it is loaded.

    Attributes:
        name: as Ollama lists it.
        family: of its architecture, as Ollama calls it.
        architecture: as the file's header calls it.
        file_type: of its weights, by name.
        capabilities: None for versions that do not tell.
        drafts: whether the file holds layers that draft tokens (multi-token prediction).
    """

    name: str
    family: str | None
    architecture: str | None
    file_type: str | None
    capabilities: frozenset[str] | None
    drafts: bool

    @property
    def think(self) -> bool | str | None:
        """What a request says about thinking: nothing (None) where it should say nothing.

        Thoughts are tokens like others, but their number is the model's whim; qwen3 can do
        without, gpt-oss only with few of them.
        """
        names = {name.lower() for name in (self.family, self.architecture) if name}
        if any(name.startswith("qwen3") for name in names):
            return False
        may_think = self.capabilities is None or "thinking" in self.capabilities
        if may_think and names & {"gptoss", "gpt-oss"}:
            return "low"
        return None


@dataclass(frozen=True, slots=True)
class Resident:
    """A model that is loaded: where its bytes lie, and how long its context is."""

    size_bytes: int | None
    gpu_bytes: int | None
    context: int | None
    digest: str | None

    @property
    def place(self) -> Place | None:
        """Where its layers are computed, by where its bytes are."""
        if not self.size_bytes or self.gpu_bytes is None:
            return None
        if self.gpu_bytes <= 0:
            return "cpu"
        return "gpu" if self.gpu_bytes >= self.size_bytes else "mixed"


class OllamaApi:
    """Asks one Ollama."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def version(self) -> str | None:
        """Its version.

        Raises:
            EngineMissing: it is no Ollama.
        """
        endpoint = self._client.endpoint
        not_one = EngineMissing("ollama.not_one", url=endpoint.shown, source=endpoint.source)
        try:
            said = self._client.get("/api/version")
        except EngineRefused as error:
            if error.values.get("status") == HTTPStatus.NOT_FOUND:
                raise not_one from error
            raise
        version = said.get("version") if isinstance(said, dict) else None
        if not isinstance(version, str):
            raise not_one
        return printable(version, 40)

    def show(self, name: str) -> Shown:
        """What is known of a model.

        Raises:
            EngineRefused: there is none of that name, it runs in a cloud, or it writes no text.
        """
        shown = printable(name)
        if _CLOUD_TAG.fullmatch(name.rpartition(":")[2]):
            raise EngineRefused("ollama.cloud", name=shown)
        try:
            said = self._client.post("/api/show", {"model": name})
        except EngineRefused as error:
            if error.values.get("status") == HTTPStatus.NOT_FOUND:
                raise EngineRefused(
                    "ollama.not_pulled", name=shown, url=self._client.endpoint.shown
                ) from error
            raise
        said = said if isinstance(said, dict) else {}
        if said.get("remote_host"):
            raise EngineRefused("ollama.cloud", name=shown)
        model = _shown(name, said)
        if model.capabilities is not None and "completion" not in model.capabilities:
            raise EngineRefused("engines.not_generative", model=shown)
        return model

    def resident(self, name: str) -> Resident | None:
        """A model that is loaded; None if it is not."""
        said = self._client.get("/api/ps")
        models = said.get("models") if isinstance(said, dict) else None
        for each in models if isinstance(models, list) else ():
            if isinstance(each, dict) and _is_same(name, each.get("model") or each.get("name")):
                return Resident(
                    size_bytes=_whole(each.get("size")),
                    gpu_bytes=_whole(each.get("size_vram")),
                    context=_whole(each.get("context_length")) or None,
                    digest=_text(each.get("digest")),
                )
        return None

    def load(self, name: str, options: Mapping[str, Any]) -> None:
        """Have a model loaded with these options.

        Raises:
            EngineDied: it does not load.
        """
        body = {"model": name, "messages": [], "options": options, "keep_alive": KEEP_ALIVE}
        try:
            self._client.post("/api/chat", body | {"stream": False}, _LOAD_SECONDS)
        except EngineDied as error:
            why = error.values.get("why")
            if why is None:
                raise
            raise EngineDied("ollama.not_loaded", name=printable(name), why=why) from error

    def unload(self, name: str) -> None:
        """Let a model go."""
        self._client.post(
            "/api/chat", {"model": name, "messages": [], "keep_alive": 0, "stream": False}
        )


def runner(version: str | None) -> str | None:
    """What runs the models in a version; None for versions that are no numbers, and for 0.0.0."""
    found = re.match(r"(\d+)\.(\d+)", version or "")
    if found is None or found[0] == "0.0":
        return None
    return "llama-server" if (int(found[1]), int(found[2])) >= (0, 30) else "ollama"


def _shown(name: str, said: dict[str, Any]) -> Shown:
    details, info = said.get("details"), said.get("model_info")
    details = details if isinstance(details, dict) else {}
    info = info if isinstance(info, dict) else {}
    listed = said.get("capabilities")
    drafts = [key for key in info if key.endswith(".nextn_predict_layers") and info[key]]
    return Shown(
        name=name,
        family=_text(details.get("family")),
        architecture=_text(info.get("general.architecture")),
        file_type=_text(details.get("quantization_level")),
        capabilities=frozenset(map(str, listed)) if isinstance(listed, list) else None,
        drafts=bool(drafts),
    )


def _is_same(name: str, other: object) -> bool:
    if not isinstance(other, str):
        return False
    mine, theirs = parse(name), parse(other)
    return name == other or (mine is not None and theirs is not None and mine.is_same(theirs))


def _whole(value: object) -> int | None:
    return value if type(value) is int and value >= 0 else None


def _text(value: object) -> str | None:
    return printable(value, 100) if isinstance(value, str) and value else None
