"""Ollama's names for models: ``[[HOST/]NAMESPACE/]MODEL[:TAG]``.

What is left out is filled in: registry.ollama.ai, library, latest. The parts become folders of the
store, so only what Ollama itself accepts is accepted: no part can lead out of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT_HOST = "registry.ollama.ai"
DEFAULT_NAMESPACE = "library"
DEFAULT_TAG = "latest"

_HOST = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:-]{0,349}")
_NAMESPACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,79}")
_MODEL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")


@dataclass(frozen=True)
class OllamaName:
    """A name with all its parts."""

    host: str
    namespace: str
    model: str
    tag: str

    @property
    def parts(self) -> tuple[str, str, str, str]:
        """The folders of its manifest, and the manifest."""
        return self.host, self.namespace, self.model, self.tag

    def __str__(self) -> str:
        """The shortest name that means it; the tag is always there, as `ollama list` shows it."""
        short = f"{self.model}:{self.tag}"
        if self.host.lower() != DEFAULT_HOST:
            return f"{self.host}/{self.namespace}/{short}"
        if self.namespace.lower() != DEFAULT_NAMESPACE:
            return f"{self.namespace}/{short}"
        return short

    def is_same(self, other: OllamaName) -> bool:
        """Whether both mean one model; Ollama does not tell capitals from small letters."""
        return [p.lower() for p in self.parts] == [p.lower() for p in other.parts]


def parse(text: str) -> OllamaName | None:
    """The name that a text is; None if it is none."""
    path, _, digest = text.partition("@")
    tag = DEFAULT_TAG
    if path.rfind(":") > path.rfind("/"):
        path, _, tag = path.rpartition(":")
    *front, model = path.split("/")
    if digest or len(front) > 2:
        return None
    namespace = front[-1] if front else DEFAULT_NAMESPACE
    host = front[0] if len(front) == 2 else DEFAULT_HOST
    return from_parts(host, namespace, model, tag)


def from_parts(host: str, namespace: str, model: str, tag: str) -> OllamaName | None:
    """The name of a manifest by its folders; None if it is none of Ollama's."""
    rules = ((_HOST, host), (_NAMESPACE, namespace), (_MODEL, model), (_MODEL, tag))
    if all(rule.fullmatch(part) for rule, part in rules):
        return OllamaName(host, namespace, model, tag)
    return None
