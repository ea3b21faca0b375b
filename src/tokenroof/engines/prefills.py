"""Whether a prompt was really read: judged by the prompts that were read before it.

A server that takes a prompt from its cache counts all of its tokens and the time of the last one,
so that the rate has no limit. Where the server tells how many tokens were cached, that is known;
where it does not, the time itself tells:

- reading a prompt reads every weight at least once, as one decode step does, so it cannot take
  much less time than a step (64 tokens and more, to be above what a clock can tell);
- it computes with every token, and no machine computes a token of a prompt a thousand times
  faster than its memory delivers the weights for a step;
- a longer prompt cannot be read in a third of the time of a shorter one, nor the same text in a
  third of the time that it took before.

The same history tells whether a prompt was cut: the text has a known number of characters, and
characters make tokens at a rate that the runs before have shown.
"""

from __future__ import annotations

from dataclasses import dataclass

LEAST_TOKENS = 64
LEAST_STEPS = 0.5
MOST_STEPS_PER_TOKEN = 1000.0
FASTER_THAN_EVER = 3.0

_ENOUGH = 2
"""The first run after a load may be slow for its own reasons; one is no history."""

_OPENING_CHARACTERS = 64
_SHORT_SHARE = 0.8
_HALVED_SHARE = 0.95
_MOST_CHARACTERS_PER_TOKEN = 8.0
_APART = 1.5
"""Two texts tell what a character costs only where one is so many times as long as the other."""

_USUAL_TEMPLATE_TOKENS = 64
_REMEMBERED = 200


@dataclass(frozen=True, slots=True)
class Reading:
    """One prompt and what is known of its reading."""

    opening: str
    characters: int
    tokens: int
    seconds: float | None


class Prefills:
    """The prompts that were read since a model was loaded."""

    def __init__(self) -> None:
        self._readings: list[Reading] = []

    def learn(self, prompt: str, tokens: int, seconds: float | None) -> None:
        """A prompt was read in full, as far as is known."""
        opening = prompt[:_OPENING_CHARACTERS]
        self._readings.append(Reading(opening, len(prompt), tokens, seconds))
        del self._readings[:-_REMEMBERED]

    def is_plausible(
        self, prompt: str, read_tokens: int, seconds: float, step_seconds: float | None
    ) -> bool:
        """Whether so many tokens of this prompt can have been read in this time.

        Args:
            prompt: its text.
            read_tokens: those that did not come from a cache, as far as is told.
            seconds: what the reading took.
            step_seconds: what a decode step took in the same run; None where unknown.
        """
        if read_tokens < LEAST_TOKENS:
            return True
        if step_seconds is not None:
            if seconds < LEAST_STEPS * step_seconds:
                return False
            if read_tokens * step_seconds > MOST_STEPS_PER_TOKEN * seconds:
                return False
        return not self._is_faster_than_ever(prompt, read_tokens, seconds)

    def is_cut(self, prompt: str, tokens: int, context: int | None) -> bool:
        """Whether a prompt has too few tokens for its text.

        Servers that cut keep about half of the context: ``context / 2 + 2`` tokens.
        """
        if context is not None and tokens >= context - 1:
            return True
        least = self._least_tokens(len(prompt))
        if tokens < least * _SHORT_SHARE:
            return True
        # Exactly what such a cut leaves is a sign by itself: a likely count is enough then.
        halved = context is not None and context // 2 <= tokens <= context // 2 + 4
        return halved and tokens < max(least, self._likely_tokens(len(prompt))) * _HALVED_SHARE

    def _least_tokens(self, characters: int) -> float:
        """So many tokens at least. Template and system prompt add as many to every text."""
        least = [characters / _MOST_CHARACTERS_PER_TOKEN]
        least += [
            each.tokens * min(characters / max(each.characters, 1), 1.0) for each in self._readings
        ]
        known = sorted(self._readings, key=lambda each: each.characters)
        if known and known[-1].characters >= _APART * known[0].characters:
            first, last = known[0], known[-1]
            slope = (last.tokens - first.tokens) / (last.characters - first.characters)
            least.append(last.tokens + slope * (characters - last.characters))
        return max(least)

    def _likely_tokens(self, characters: int) -> float:
        """About so many tokens, with what is usual for a template left out."""
        if not self._readings:
            return 0.0
        nearest = min(self._readings, key=lambda each: abs(each.characters - characters))
        of_text = max(nearest.tokens - _USUAL_TEMPLATE_TOKENS, 0)
        return characters * of_text / max(nearest.characters, 1)

    def _is_faster_than_ever(self, prompt: str, tokens: int, seconds: float) -> bool:
        opening = prompt[:_OPENING_CHARACTERS]
        timed = [(each, each.seconds) for each in self._readings if each.seconds is not None]
        again = [took for each, took in timed if each.opening == opening and each.tokens <= tokens]
        if again and seconds * FASTER_THAN_EVER < min(again):
            return True
        shorter = [took for each, took in timed if each.tokens <= tokens]
        return len(shorter) >= _ENOUGH and seconds * FASTER_THAN_EVER < min(shorter)
