"""How one unit is put to an engine: as a text that it reads, or as a condition that it measures."""

from __future__ import annotations

from collections.abc import Callable

from tokenroof.engines.base import Condition, Engine, Request, Sampler, Samples, Step
from tokenroof.measure.plan import Unit
from tokenroof.measure.prompts import Prompt, PromptMaker


def prompt_for(engine: Engine, maker: PromptMaker, unit: Unit) -> Prompt:
    """The prompt of a unit; without a text where the engine makes up its own tokens.

    Raises:
        UsageError: the length is shorter than the shortest prompt.
        EngineError: the engine could not count.
    """
    if not engine.promises.takes_text:
        return Prompt("", unit.length)
    return maker.make(unit.length, f"{unit.seed}:{unit.length}:{unit.round}")


def ask(
    engine: Engine,
    unit: Unit,
    prompt: Prompt,
    watch: Callable[[Step], None],
    *,
    reuse: bool = False,
) -> Samples:
    """Let the engine carry out one unit; with `reuse`, after the same one.

    Raises:
        EngineError: it failed, and there is nothing to keep.
    """
    if not engine.promises.takes_text:
        assert isinstance(engine, Sampler)
        condition = Condition(prompt_tokens=unit.length, output_tokens=unit.output_tokens)
        return engine.sample(condition, watch)
    request = Request(
        prompt=prompt.text, output_tokens=unit.output_tokens, seed=unit.seed, reuse=reuse
    )
    return Samples((engine.run(request, watch),))
