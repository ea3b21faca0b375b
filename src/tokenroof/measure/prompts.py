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
"""By a straight line; then by halving, until no character is left between too few and too many."""

_MAX_HALVINGS = 24
_TAGS = 8
"""Tags differ by some tokens, which decides whether a very short prompt can be met."""

_FIRST_TOKENS_PER_CHARACTER = 0.4
_HEAD = "Copy {tag} of the keeper's log\n\n"
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
        self._made: set[int] = set()

    def learn(self, prompt: Prompt, tokens: int) -> None:
        """A run has said how many tokens this prompt was."""
        self._seen[len(prompt.text)] = tokens

    def make(self, target_tokens: int, seed: int | str) -> Prompt:
        """A prompt of `target_tokens` tokens, within 2 % or one, its numbers drawn by `seed`.

        Where no text has such a count, it is the nearest one that was found; `tokens` tells.
        Where the engine cannot count before it runs, the length follows what `learn` was told,
        and may miss by more until it was told something.

        Raises:
            UsageError: even prompts without any log line are longer than that.
        """
        best: Prompt | None = None
        least: int | None = None
        for _ in range(_TAGS):
            head = _HEAD.format(tag=self._tag())
            prompt = self._behind(head, target_tokens, seed)
            if prompt.tokens is None:
                return prompt
            if best is None or _miss(prompt.tokens, target_tokens) < _miss(
                best.tokens, target_tokens
            ):
                best = prompt
                least = prompt.tokens if prompt.text == head + _INSTRUCTION else None
            if not misses(prompt.tokens, target_tokens):
                break
        else:
            # A campaign does not end because of tags that are dearer than those before them.
            if least is not None and least > target_tokens and target_tokens not in self._made:
                raise UsageError(
                    "measure.length_too_short",
                    length=written(target_tokens),
                    minimum=written(least),
                )
        assert best is not None
        self._made.add(target_tokens)
        return best

    def _behind(self, head: str, target: int, seed: int | str) -> Prompt:
        """The prompt with this head that comes nearest to its length."""
        smallest = len(head) + len(_INSTRUCTION)
        log = _Log(seed)
        known: dict[int, int] = {}
        best: Prompt | None = None
        for number in range(_MAX_COUNTS + _MAX_HALVINGS):
            characters: int | None = max(self._characters_for(target), smallest)
            if number >= _MAX_COUNTS:
                if best is None or best.tokens is None or not misses(best.tokens, target):
                    break
                characters = _between(known, target, smallest)
            if characters is None:
                break
            if characters in known:
                continue
            text = head + log.cut(characters - smallest) + _INSTRUCTION
            tokens = self._count(text)
            if tokens is None:
                return Prompt(text, None)
            known[characters] = self._seen[characters] = tokens
            if best is None or _miss(tokens, target) < _miss(best.tokens, target):
                best = Prompt(text, tokens)
            if _miss(tokens, target) <= max(target * _AIM, 0.5):
                break
            if characters == smallest and tokens > target:
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


def misses(tokens: int, target: int) -> bool:
    """Whether a count of tokens is farther from the wanted one than a prompt may be."""
    return abs(tokens - target) > max(target * TOLERANCE, 1)


def _between(known: dict[int, int], target: int, smallest: int) -> int | None:
    """Characters between the longest text that is too short and the shortest that is too long.

    None where there are none left: the next character is then worth several tokens.
    """
    below = max((at for at, tokens in known.items() if tokens < target), default=smallest)
    above = min((at for at, tokens in known.items() if tokens > target), default=2 * below)
    middle = (below + above) // 2
    return middle if below < middle < above else None


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
