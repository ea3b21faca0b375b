"""Whose server is played: its models, its version, what it has loaded, who else uses it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.script import Script


@dataclass
class SimModel:
    """A model that the server has."""

    name: str = "sim:latest"
    family: str = "llama"
    architecture: str = "llama"
    file_type: str = "Q4_K_M"
    digest: str = "ab" * 32
    capabilities: tuple[str, ...] | None = ("completion",)
    info: Mapping[str, Any] = field(default_factory=dict)
    tensors: Sequence[Mapping[str, Any]] = ()
    size: int = 5_000_000_000
    size_vram: int = 5_000_000_000
    remote_host: str = ""


@dataclass
class World:
    """See the module. Tests change it as they please.

    Attributes:
        version: of Ollama.
        reports_cached: whether its last message has `prompt_eval_cached_count`.
        caches: whether what a prompt has in common with the one before is not read again.
        truncates: whether prompts that are too long are cut even if told not to (older versions).
        flavour: which server of OpenAI's dialect: "llamacpp", "vllm", "plain".
        usage: whether that one gives usage when asked.
        template_tokens: what goes around a prompt.
        characters_per_token: of the prompt.
        context: of the servers whose context is fixed.
        build: what llama-server says of its build.
        loading: llama-server is not ready.
        busy_slots: of its four, those that others use.
        api_key: without which nobody is let in.
        endpoints_off: paths that answer with 501.
        has_gpu: whether models that are made here lie on one.
        copies_changed: whether Ollama's copy of a file that a model is made of has other bytes.
    """

    models: list[SimModel] = field(default_factory=lambda: [SimModel()])
    version: str = "0.34.0"
    reports_cached: bool = True
    caches: bool = True
    truncates: bool = False
    flavour: str = "llamacpp"
    usage: bool = True
    template_tokens: int = 10
    characters_per_token: float = 2.5
    context: int = 4096
    build: str = "b11434-0123abc"
    loading: bool = False
    busy_slots: int = 0
    api_key: str | None = None
    endpoints_off: frozenset[str] = frozenset()
    load_seconds: float = 0.02
    has_gpu: bool = False
    copies_changed: bool = False

    scripts: deque[Script] = field(default_factory=deque)
    script: Script = field(default_factory=Script)
    loaded: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Ollama's: model -> the options that it was loaded with."""
    blobs: dict[str, bytes] = field(default_factory=dict)
    """Ollama's: digest -> data of models that were made here."""
    held: str = ""
    """The prompt that the cache holds."""

    def next_script(self) -> Script:
        return self.scripts.popleft() if self.scripts else self.script

    def model(self, name: str) -> SimModel | None:
        wanted = name if ":" in name.rpartition("/")[2] else f"{name}:latest"
        return next((each for each in self.models if each.name == wanted), None)

    def tokens_of(self, text: str) -> int:
        """What the server's tokeniser makes of a prompt, the template included."""
        return self.template_tokens + -int(-len(text) // self.characters_per_token)

    def cached_of(self, text: str) -> int:
        """What the cache holds of a prompt; one token is always read again."""
        if not self.caches or not self.held:
            return 0
        same = 0
        for mine, theirs in zip(text, self.held, strict=False):
            if mine != theirs:
                break
            same += 1
        if not same:
            return 0
        common = self.template_tokens + int(same // self.characters_per_token)
        return min(common, self.tokens_of(text) - 1)
