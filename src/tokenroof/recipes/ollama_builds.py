"""Ollama's own builds that are known to differ from the plain recipe of their label.

Ollama publishes some models in mixes of its own. What is known of one is what somebody read from
its file; the rest follows from the recipe of its label.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from tokenroof.gguf import Header
from tokenroof.notices import Notice
from tokenroof.recipes.blueprint import blueprint
from tokenroof.recipes.catalogue import find


class OllamaBuild(NamedTuple):
    """One of Ollama's builds.

    Attributes:
        model: id of the model in the catalogue.
        kind: the file type of its label.
        stored: endings of tensors' names, and the type that they have instead.
    """

    model: str
    kind: str
    stored: dict[str, str]


# As the article read it from its file: 5.2 GB, every attn_v in F16 (Ollama 0.22.1).
_QWEN3_8B = OllamaBuild("qwen3-8b", "Q4_K_M", {"attn_v.weight": "F16"})

BUILDS = {"qwen3:8b": _QWEN3_8B, "qwen3:8b-q4_k_m": _QWEN3_8B}


def ollama_build(name: str) -> Header | None:
    """The header of Ollama's build of a name, with its tag; None where it is not known."""
    known = BUILDS.get(name.lower())
    if known is None:
        return None
    plain = blueprint(find(known.model)).header(known.kind)
    tensors = [(t.name, t.shape, _stored(t.name, known) or t.type) for t in plain.tensors]
    built = Header.build(dict(plain.metadata), tensors)
    different = ", ".join(f"{ending} {kind}" for ending, kind in known.stored.items())
    values = {"name": name.lower(), "type": known.kind, "different": different}
    notice = Notice("recipes.ollama_build", values)
    return replace(built, recipe=f"ollama:{name.lower()}", problems=(notice, *plain.problems))


def _stored(name: str, build: OllamaBuild) -> str | None:
    return next((kind for ending, kind in build.stored.items() if name.endswith(ending)), None)
