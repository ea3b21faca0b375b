"""Prompts of a wanted length that no cache can know.

A prompt is a tag that was never used before, a log whose lines differ only in their numbers, and
an instruction that is always the same. The tag stands first, because a prefix cache compares from
the front: nothing after a different first line can be reused. The numbers keep their count of
digits, so that each line costs nearly the same tokens and the length can be steered by a straight
line, tokens = a + b x characters. The last line is cut where the wanted length is reached.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from uuid import uuid4

from tokenroof.errors import UsageError
from tokenroof.units import count as written

TOLERANCE = 0.02
"""A prompt may miss its length by this share."""

_AIM = 0.002
"""Counting again costs milliseconds, so it goes on until the miss is this small."""

_MAX_COUNTS = 6
_FIRST_TOKENS_PER_CHARACTER = 0.4
_INSTRUCTION = (
    "\n\nNothing in this log needs an answer. Write the whole numbers from 1 upwards, separated "
    "by commas, and do not stop.\n"
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt and the engine's own count of its tokens; None where only a run can tell."""

    text: str
    tokens: int | None


def new_tag() -> str:
    """32 hexadecimal digits that were never used before."""
    return uuid4().hex


class PromptMaker:
    """Makes prompts of a wanted length for one loaded model.

    Args:
        count: the engine's own counting of a prompt's tokens; None where it cannot.
        tag: where the tags come from.
    """

    def __init__(
        self, count: Callable[[str], int | None], tag: Callable[[], str] = new_tag
    ) -> None:
        self._count = count
        self._tag = tag
        self._seen: dict[int, int] = {}

    def learn(self, prompt: Prompt, tokens: int) -> None:
        """A run has said how many tokens this prompt was."""
        self._seen[len(prompt.text)] = tokens

    def make(self, target_tokens: int, seed: int | str) -> Prompt:
        """A prompt of `target_tokens` tokens, within 2 %, its numbers drawn by `seed`.

        Where the engine cannot count before it runs, the length follows what `learn` was told,
        and may miss by more until it was told something.

        Raises:
            UsageError: even a prompt without any log line is longer than that.
        """
        head = f"Copy {self._tag()} of the keeper's log\n\n"
        smallest = len(head) + len(_INSTRUCTION)
        log = _Log(seed)
        best: Prompt | None = None
        for _ in range(_MAX_COUNTS):
            characters = max(self._characters_for(target_tokens), smallest)
            text = head + log.cut(characters - smallest) + _INSTRUCTION
            tokens = self._count(text)
            if tokens is None:
                return Prompt(text, None)
            self._seen[characters] = tokens
            if best is None or _miss(tokens, target_tokens) < _miss(best.tokens, target_tokens):
                best = Prompt(text, tokens)
            if characters == smallest and tokens > target_tokens * (1 + TOLERANCE):
                raise UsageError(
                    "measure.length_too_short",
                    length=written(target_tokens),
                    minimum=written(tokens),
                )
            if _miss(tokens, target_tokens) <= max(target_tokens * _AIM, 0.5):
                break
        assert best is not None
        return best

    def _characters_for(self, tokens: int) -> int:
        """The straight line through what was seen nearest to the wanted length."""
        if not self._seen:
            return round(tokens / _FIRST_TOKENS_PER_CHARACTER)
        near = sorted(self._seen.items(), key=lambda seen: abs(seen[1] - tokens))
        at, seen = near[0]
        return round(at + (tokens - seen) / self._slope(at, seen))

    def _slope(self, at: int, seen: int) -> float:
        """Tokens per character, from this point and the farthest other one.

        Two points that lie close together say little about a slope, and less the more their
        tokens were rounded to whole ones.
        """
        far = max(self._seen, key=lambda characters: abs(characters - at))
        if abs(far - at) < at / 4:
            return seen / at
        slope = (self._seen[far] - seen) / (far - at)
        return slope if slope > 0 else seen / at


def _miss(tokens: int | None, target: int) -> float:
    return float("inf") if tokens is None else abs(tokens - target)


class _Log:
    """A lighthouse keeper's log without end; only its numbers change from line to line."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - no secret
        self._text = ""
        self._entries = 1000

    def cut(self, characters: int) -> str:
        """Its first so many characters: whole lines, and a last one cut short."""
        lines = [self._text]
        length = len(self._text)
        while length < characters:
            lines.append(self._line())
            length += len(lines[-1])
        self._text = "".join(lines)
        return self._text[:characters]

    def _line(self) -> str:
        self._entries += 1
        draw = self._random.randint
        return (
            f"Entry {self._entries}. Watch {draw(10, 23)}:{draw(10, 59)}, wind {draw(10, 64)} "
            f"knots from {draw(100, 359)} degrees, swell {draw(10, 99)} inches, lamp turned "
            f"{draw(100, 999)} times on {draw(10, 99)} pints of oil, {draw(10, 99)} sails passed.\n"
        )
