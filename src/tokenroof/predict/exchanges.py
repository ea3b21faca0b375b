"""What is sent and written, turn after turn, and what of it a cache still holds.

An engine keeps what it has read and written, and reads of the next prompt only what comes after
the longest beginning that the two share. So each turn reads its own new tokens and the one token
that was written last, which nobody has read yet. What was thought is not sent back: where a model
thinks, the cache still holds the thoughts between prompt and answer, so that the answer itself has
to be read again with the next turn.

A conversation adds a prompt a turn. An agent sends everything again each time, the results of its
tools behind it, which for an engine that keeps its cache is the same with another growth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from tokenroof.errors import UsageError
from tokenroof.units import count

if TYPE_CHECKING:
    from tokenroof.predict.cases import Case


@dataclass(frozen=True, slots=True)
class Exchange:
    """One prompt and its answer.

    Attributes:
        held: tokens of the prompt that the cache holds already.
        read: tokens of the prompt that are read.
        thinking, output: tokens that are written, one of them at least.
    """

    held: int
    read: int
    thinking: int
    output: int

    @property
    def prompt(self) -> int:
        """All tokens of the prompt, as it is sent."""
        return self.held + self.read

    @property
    def end(self) -> int:
        """Tokens in the context when the answer is written."""
        return self.prompt + self.thinking + self.output


def exchanges(case: Case) -> tuple[Exchange, ...]:
    """All turns of a question that asks for a prompt and an answer.

    Raises:
        UsageError: more tokens are in the cache than the prompt has, or an agent has no turns.
    """
    assert case.prompt is not None
    cached, output, thinking = case.cached or 0, case.output or 1, case.thinking or 0
    if cached > case.prompt:
        values = {"cached": count(cached), "prompt": count(case.prompt)}
        raise UsageError("waiting.cached_beyond_prompt", **values)
    if case.agent is not None and (case.turns or 1) < 2:
        raise UsageError("waiting.agent_without_turns")
    grows = case.prompt if case.agent is None else case.agent
    # The last token of a prompt is read in any case: what follows it is wanted.
    held = (case.depth or 0) + min(cached, case.prompt - 1)
    turn = Exchange(held, (case.depth or 0) + case.prompt - held, thinking, output)
    found = [turn]
    for _ in range(1, case.turns or 1):
        if thinking:
            turn = Exchange(turn.prompt, output + grows, thinking, output)
        else:
            turn = Exchange(turn.end - 1, 1 + grows, thinking, output)
        found.append(turn)
    return tuple(found)


def tokens_needed(case: Case) -> int:
    """The longest that the context of a question gets.

    Raises:
        UsageError: as for `exchanges`.
    """
    if case.prompt is None:
        return (case.depth or 0) + (case.thinking or 0) + (case.output or 1)
    longest = msgspec.structs.replace(case, prompt=max(case.prompt, case.prompt_high or 0))
    return max(each.end for each in exchanges(longest))
