"""Each message of the room has its sentence, and each sentence is said by someone."""

from __future__ import annotations

import re
import string
from pathlib import Path

import tokenroof.gguf
from tokenroof.words.gguf import MESSAGES

ROOM = Path(tokenroof.gguf.__file__).parent


def placeholders(sentence: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field}


def test_the_messages_of_the_code_are_those_of_the_catalogue() -> None:
    said = {
        found
        for module in ROOM.glob("*.py")
        for found in re.findall(r'"(gguf\.[a-z_0-9]+)"', module.read_text(encoding="utf-8"))
    }
    assert said == set(MESSAGES)


def test_both_languages_have_the_same_placeholders() -> None:
    for message, (english, japanese) in MESSAGES.items():
        assert placeholders(english) == placeholders(japanese), message


def test_japanese_is_japanese() -> None:
    for message, (_, japanese) in MESSAGES.items():
        assert re.search("[\u3040-\u30ff]", japanese), message
