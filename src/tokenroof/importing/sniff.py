"""Which kind of thing a line is, by how it begins, before any reader looks at it closely."""

from __future__ import annotations

import re

_NOISE = re.compile(
    r"\s*(?:"
    r"\d{1,4}\.\d\d\.\d{3}\.\d{3} [A-Z] |"
    r"(?:srv|slot|cmn|que|spec|sched|load|init|build|main|system|llama|llm|ggml|print|common|"
    r"clip|graph|set|register|sampler|generate|reserve|resolve|kv|rpc|whisper|mtmd|server|start|"
    r"update|launch|warming|cache|check|find|get|run|alloc|create|using)[\w.]*\s{0,30}"
    r"[:=(]|"
    r"(?:load_backend|llama-bench|llama-server|llama-cli|warning|note|system info)\b|"
    r"\[GIN\]|time=\d|Device \d{1,3}:|[.]{3,}$|WARNING:|I |W "
    r")",
    re.ASCII,
)
"""How lines begin that programs of this kind say beside their figures."""

_COMMAND = re.compile(
    r"\s*(?:[\w@.~:/-]{0,80}[$#>%]\s*)?(?:\./)?[\w./-]{0,80}"
    r"(?:llama-bench|llama-server|llama-cli|ollama)(?:\.exe)?\b"
)
_DRAWING = frozenset("-=_*~+#|:. \t`>•·")

_LONGEST_TEXT = 4096
"""Characters of a line that is made for people. Longer ones are documents, or nothing of ours."""


def is_noise(text: str) -> bool:
    """Whether a line is known to hold no figure of ours: a log's other lines, rules, commands."""
    head = text[:200]
    return (
        not head.strip()
        or (len(text) <= _LONGEST_TEXT and _DRAWING.issuperset(head))
        or _NOISE.match(head) is not None
        or _COMMAND.match(head) is not None
        or head.strip().lower() in {"```", "<details>", "</details>"}
    )


def is_text(text: str) -> bool:
    """Whether a line may be one that a program made for people."""
    return len(text) <= _LONGEST_TEXT


def unquoted(text: str) -> str | None:
    """What somebody quotes from another's post; None where a line is no quotation."""
    return text[2:] if text.startswith("> ") and not text.startswith("> >") else None


def is_page(head: bytes) -> bool:
    """Whether a file is an HTML page, by its first bytes."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:15].lower()
    return start.startswith((b"<!doctype html", b"<html"))


def is_binary(head: bytes) -> bool:
    """Whether a file is no text, by its first bytes. UTF-16 has zeros, and says so."""
    return b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff"))
