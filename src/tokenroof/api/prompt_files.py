"""A prompt from a file: how many tokens it has, counted or guessed, and what that says of a row."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from tokenroof.errors import EngineError, EngineMissing, InputError
from tokenroof.notices import Notice
from tokenroof.predict.languages import JAPANESE, READING_SPEED, Letters, letters
from tokenroof.predict.records import Japanese, Row
from tokenroof.safetext import printable
from tokenroof.units import binary_size, count

if TYPE_CHECKING:
    from tokenroof.model import Model
    from tokenroof.predict.cases import Case

MOST_BYTES = 64 * 2**20
"""A prompt of sixteen million tokens: more than any context holds."""


@dataclass(frozen=True, slots=True)
class PromptText:
    """A prompt as it stands in a file."""

    path: Path
    text: str
    letters: Letters


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """How many tokens a prompt has.

    Attributes:
        low, usual, high: all the same where they were counted.
        reason: id of the sentence that says why they were not; None where they were.
    """

    low: int
    usual: int
    high: int
    reason: str | None

    @property
    def notice(self) -> Notice:
        """How it is known."""
        if self.reason is None:
            return Notice("waiting.assumes_counted", {"tokens": count(self.usual)})
        return Notice(self.reason, {"low": count(self.low), "high": count(self.high)})

    def asked(self, case: Case) -> Case:
        """The question, with this prompt."""
        if self.reason is None:
            return msgspec.structs.replace(case, prompt=self.usual)
        return msgspec.structs.replace(
            case, prompt=self.usual, prompt_low=self.low, prompt_high=self.high
        )


def read_prompt(path: str | Path) -> PromptText:
    """The text of a file.

    Raises:
        InputError: it cannot be read, is no text, or is empty.
    """
    file = Path(path)
    shown = printable(str(path))
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise InputError("waiting.unreadable_prompt", path=shown, reason=reason) from error
    if len(data) > MOST_BYTES:
        reason = f"> {binary_size(MOST_BYTES)}"
        raise InputError("waiting.unreadable_prompt", path=shown, reason=reason)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError("waiting.unreadable_prompt", path=shown, reason=error.reason) from error
    if not text.strip():
        raise InputError("waiting.empty_prompt", path=shown)
    return PromptText(file, text, letters(text, file))


def count_prompt(prompt: PromptText, model: Model) -> PromptTokens:
    """The tokens of a prompt by the model's own vocabulary, or else by its languages."""
    paths = model.header.paths
    if not paths:
        return PromptTokens(*prompt.letters.tokens(), "waiting.guessed_no_file")
    from tokenroof.engines.vocabulary import count_tokens

    try:
        tokens = count_tokens(paths[0], prompt.text)
    except EngineMissing:
        return PromptTokens(*prompt.letters.tokens(), "waiting.guessed_no_engine")
    except EngineError:
        return PromptTokens(*prompt.letters.tokens(), "waiting.guessed_refused")
    return PromptTokens(tokens, tokens, tokens, None)


def told(row: Row, prompt: PromptText, tokens: PromptTokens) -> Row:
    """The row, with how its prompt was counted, and how fast Japanese comes."""
    row = msgspec.structs.replace(row, assumes=(*row.assumes, tokens.notice))
    rate = row.decode
    if row.wait is None or rate is None or rate.low is None or rate.high is None:
        return row
    if not prompt.letters.is_japanese:
        return row
    least, most = _characters_per_token(prompt, tokens)
    low, high = rate.low, rate.high
    answer = next((part for part in row.wait.parts if part.name == "answer"), None)
    if answer is not None and answer.tokens is not None:
        # At the depth of the answer itself, not at the beginning of the context. Where nothing is
        # thought, the first token of each answer comes out of its prompt.
        turns = max(len(row.wait.turns), 1)
        steps = answer.tokens - (0 if row.wait.thinking_tokens else turns)
        low, high = steps / answer.high, steps / answer.low
    japanese = Japanese(
        low=low * least,
        high=high * most,
        people_low=READING_SPEED[0],
        people_high=READING_SPEED[1],
    )
    return msgspec.structs.replace(row, wait=msgspec.structs.replace(row.wait, japanese=japanese))


def _characters_per_token(prompt: PromptText, tokens: PromptTokens) -> tuple[float, float]:
    """As the prompt itself has, where it was counted and has little else in it."""
    if tokens.reason is None and prompt.letters.japanese > 0.9 * prompt.letters.all:
        counted = prompt.letters.all / tokens.usual
        return counted, counted
    return JAPANESE[0], JAPANESE[2]
