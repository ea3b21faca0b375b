"""What the dialects have in common: from a request to a generation, and from that to the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from simulator import replay
from simulator.script import MISSING, Chunk, Generation, Script
from simulator.wire import Exchange, Wire
from simulator.world import World

Answer = Callable[[World, Exchange, Wire], None]
Routes = Mapping[tuple[str, str], Answer]


def follow(world: World, wire: Wire) -> Script | None:
    """The script of this request; None where it already was the whole answer."""
    script = world.next_script()
    wire.script = script
    if script.replay is not None:
        replay.send(wire, script.replay, script.replay_speed)
        return None
    if script.status == 200 and script.body is None:
        return script
    wire.answer(script.body or b"", script.status, script.headers)
    return None


def generation(
    world: World, script: Script, prompt: str, asked_tokens: int, context: int
) -> Generation:
    """What becomes of a prompt under a script. The context cuts the answer, never the prompt."""
    tokens = script.prompt_tokens
    if tokens is None:
        tokens = world.tokens_of(prompt)
    cached = script.cached_tokens
    if cached is None:
        cached = world.cached_of(prompt)
    world.held = prompt
    wanted = asked_tokens if script.output_tokens is None else script.output_tokens
    return Generation(
        script=script,
        prompt_tokens=tokens,
        cached_tokens=cached,
        output_tokens=max(min(wanted, context - tokens), 0),
        stop=script.stop,
    )


def with_counters(script: Script, said: dict[str, Any]) -> dict[str, Any]:
    """The counters with those that the script changes; one that is missing is left out."""
    changed = {**said, **script.counters}
    return {name: value for name, value in changed.items() if value is not MISSING}


def stream(
    wire: Wire,
    made: Generation,
    frame: Callable[[Chunk], bytes],
    *,
    error: bytes,
    before: Sequence[tuple[float, bytes]] = (),
    last: Sequence[bytes],
) -> None:
    """Send an answer: waits, chunks, the last frames, or what the script wants instead.

    Args:
        wire: where to.
        made: what.
        frame: one chunk in the dialect.
        error: an error in the dialect.
        before: frames before the first token, at their share of the prefill's time.
        last: the frames that end the answer.
    """
    script = made.script
    wire.wait(made.load_seconds + script.queue_seconds)
    done = 0.0
    for share, data in before:
        wire.send(data, made.prefill_seconds * (share - done))
        done = share
    first_wait = made.prefill_seconds * (1 - done)
    shown = 0.0
    chunks = made.chunks()
    for number, chunk in enumerate(chunks):
        if number == script.error_after:
            wire.send(error)
            wire.end()
            return
        if number == script.stall_after:
            wire.stall()
            return
        if number == script.end_after:
            wire.end()
            return
        if number == script.hold_after:
            wire.hold(script.released)
        # What was drafted together goes out together: no scheduler comes between.
        together = number + 1 < len(chunks) and chunks[number + 1].wait_seconds == 0
        wire.send(frame(chunk), chunk.wait_seconds + first_wait, more=together)
        first_wait, shown = 0.0, chunk.decode_seconds
    wire.wait(made.decode_seconds - shown + first_wait)
    for data in last:
        wire.send(data)
    wire.end()
