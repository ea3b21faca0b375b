"""How many tokens a text has, by its languages, where no vocabulary is at hand.

A token of English is about four characters, one of Japanese one or two, depending on how much
Japanese the vocabulary was made from. The figures were counted with the 18 vocabularies for text
generation that llama.cpp's sources bring along for their tests and Gemma 3's, over the English and
Japanese documents and the Python source of this project (2026-11): characters per token of the
vocabularies of Llama 3, Qwen 2 and 3.5, Gemma 3 and 4, Command R, Phi-3, DeepSeek, Falcon, MPT,
StarCoder, Refact, GPT-2, GPT-NeoX, Aquila and Baichuan. The middle is that of models of today.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ENGLISH = (3.6, 3.95, 4.2)
"""Characters per token: the fewest, the usual, the most. From Baichuan's 3.60 to Llama 3's 4.16."""

CODE = (2.6, 3.5, 4.1)
"""From GPT-2's 2.64 to Llama 3's 4.03; Qwen 3.98, Command R 3.61, Gemma 3.45."""

JAPANESE = (0.8, 1.5, 1.75)
"""Of Japanese letters alone. From DeepSeek LLM's 0.79 to Gemma's 1.73; Command R 1.62, Qwen 1.44,
Llama 3 1.37."""

OTHER = (0.8, 2.0, 4.2)
"""Other scripts, of which nothing was counted: what lies between all of these."""

READING_SPEED = (8.0, 10.0)
"""Characters of Japanese that people read in a second."""

MOSTLY = 0.3
"""From so large a share of Japanese letters on a text is called Japanese."""

_JAPANESE = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_LATIN = re.compile(r"[\u0000-\u024f\u2000-\u206f]")
_SYMBOLS = re.compile(r"[{}\[\];=<>_\\&]")
_CODE_SYMBOLS = 0.04
_CODE_FILES = re.compile(
    r"\.(c|cc|cpp|cs|css|go|h|hpp|html|java|js|json|jsx|kt|lua|php|py|rb|rs|sh|sql|swift|toml|ts|"
    r"tsx|xml|ya?ml)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Letters:
    """What a text is made of, in characters."""

    japanese: int
    latin: int
    other: int
    is_code: bool

    @property
    def all(self) -> int:
        """All of them."""
        return self.japanese + self.latin + self.other

    @property
    def is_japanese(self) -> bool:
        """Whether a person would call it a Japanese text."""
        return self.japanese >= MOSTLY * self.all

    def tokens(self) -> tuple[int, int, int]:
        """The fewest tokens, the usual number, and the most; at least one."""
        kinds = (
            (self.japanese, JAPANESE),
            (self.latin, CODE if self.is_code else ENGLISH),
            (self.other, OTHER),
        )
        most, usual, fewest = (
            max(round(sum(count / figures[which] for count, figures in kinds)), 1)
            for which in range(3)
        )
        return fewest, usual, most


def letters(text: str, path: Path | None = None) -> Letters:
    """What a text is made of; a file's name tells of code."""
    japanese, latin = len(_JAPANESE.findall(text)), len(_LATIN.findall(text))
    written = sum(not each.isspace() for each in text)
    symbols = len(_SYMBOLS.findall(text))
    is_code = path is not None and _CODE_FILES.fullmatch(path.suffix) is not None
    return Letters(
        japanese=japanese,
        latin=latin,
        other=len(text) - japanese - latin,
        is_code=is_code or symbols > _CODE_SYMBOLS * written,
    )
