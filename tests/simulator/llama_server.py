"""llama-server's own dialect. Its frames have the fields of the recordings beside this file."""

from __future__ import annotations

import json
from typing import Any

from simulator.dialect import Routes, follow, generation, stream, with_counters
from simulator.script import Chunk, Generation
from simulator.wire import Exchange, Wire
from simulator.world import World

SLOTS = 4
PROGRESS_TOKENS = 512
"""Tokens of a micro-batch: after each, progress is told."""


def health(world: World, _exchange: Exchange, wire: Wire) -> None:
    if world.loading:
        error = {"message": "Loading model", "type": "unavailable_error", "code": 503}
        wire.document({"error": error}, 503)
    else:
        wire.document({"status": "ok"})


def props(world: World, _exchange: Exchange, wire: Wire) -> None:
    wire.document(
        {
            "default_generation_settings": {"params": {}, "n_ctx": world.context},
            "total_slots": SLOTS,
            "model_alias": world.models[0].name,
            "model_ftype": "Q4_K - Medium",
            "model_path": world.models[0].name,
            "build_info": world.build,
            "is_sleeping": False,
        }
    )


def slots(world: World, _exchange: Exchange, wire: Wire) -> None:
    found = []
    for number in range(SLOTS):
        slot: dict[str, Any] = {"id": number, "n_ctx": world.context, "speculative": False}
        slot["is_processing"] = number < world.busy_slots
        if slot["is_processing"]:
            slot["id_task"] = 100 + number
        found.append(slot)
    wire.document(found)


def tokenize(world: World, exchange: Exchange, wire: Wire) -> None:
    text = exchange.body["content"]
    special = 1 if exchange.body.get("add_special") else 0
    count = world.tokens_of(text) - world.template_tokens + special
    wire.document({"tokens": list(range(count))})


def completion(world: World, exchange: Exchange, wire: Wire) -> None:
    body = exchange.body
    script = follow(world, wire)
    if script is None:
        return
    if "prompt" not in body:
        error = {"code": 400, "message": "key 'prompt' not found", "type": "invalid_request_error"}
        wire.document({"error": error}, 400)
        return
    if body.get("cache_prompt", True) is False:
        world.held = ""
    asked = max(body.get("n_predict", 128), 1)
    made = generation(world, script, body["prompt"], asked, world.context)
    if refused(world, made, wire):
        return
    if not body.get("stream"):
        wire.wait(made.total_seconds)
        wire.document(_last(world, made, body, "".join(each.text for each in made.chunks())))
        return
    wire.begin("text/event-stream")
    timed = bool(body.get("timings_per_token"))
    stream(
        wire,
        made,
        lambda chunk: event(_chunk(made, chunk, timed)),
        error=event({"error": {"code": 500, "message": "slot died", "type": "server_error"}}),
        before=_progress(made) if body.get("return_progress") else (),
        last=[event(_last(world, made, body, ""))],
    )


def refused(world: World, made: Generation, wire: Wire) -> bool:
    """Say no to a prompt that does not fit."""
    if made.prompt_tokens < world.context:
        return False
    message = (
        f"request ({made.prompt_tokens} tokens) exceeds the available context size "
        f"({world.context} tokens), try increasing it"
    )
    error = {
        "code": 400,
        "message": message,
        "type": "exceed_context_size_error",
        "n_prompt_tokens": made.prompt_tokens,
        "n_ctx": world.context,
    }
    wire.document({"error": error}, 400)
    return True


def timings(made: Generation, predicted: int, predicted_seconds: float) -> dict[str, Any]:
    """The counters, in milliseconds; a rate counts the steps between tokens (since b10406)."""
    prompt_ms, read = made.prefill_seconds * 1e3, made.read_tokens
    predicted_ms = predicted_seconds * 1e3 if predicted > 1 else 0.001
    steps = predicted - 1
    said: dict[str, Any] = {
        "cache_n": made.cached_tokens,
        "prompt_n": read,
        "prompt_ms": prompt_ms,
        "prompt_per_token_ms": prompt_ms / read if read else 0.0,
        "prompt_per_second": 1e3 * read / prompt_ms if prompt_ms else 0.0,
        "predicted_n": predicted,
        "predicted_ms": predicted_ms,
        "predicted_per_token_ms": predicted_ms / steps if steps > 0 else 0.0,
        "predicted_per_second": 1e3 * steps / predicted_ms if steps > 0 else 0.0,
    }
    if made.drafted_tokens:
        said |= {"draft_n": made.drafted_tokens + 2, "draft_n_accepted": made.drafted_tokens}
    return with_counters(made.script, said)


def event(said: Any) -> bytes:
    return b"data: " + json.dumps(said, ensure_ascii=False).encode() + b"\n\n"


def _progress(made: Generation) -> list[tuple[float, bytes]]:
    """Progress of the prefill: at its beginning and after each micro-batch."""
    found = []
    read = made.read_tokens
    for done in [*range(0, read, PROGRESS_TOKENS), read]:
        share = done / read if read else 1.0
        said = _frame(made, "", [0], 0)
        said["prompt_progress"] = {
            "total": made.prompt_tokens,
            "cache": made.cached_tokens,
            "processed": made.cached_tokens + done,
            "time_ms": round(made.prefill_seconds * share * 1e3),
        }
        found.append((share, event(said)))
    return found


def _chunk(made: Generation, chunk: Chunk, timed: bool) -> dict[str, Any]:
    said = _frame(made, chunk.text, [858] * chunk.tokens, chunk.produced)
    if timed:
        said["timings"] = timings(made, chunk.produced, chunk.decode_seconds)
    return said


def _frame(made: Generation, text: str, tokens: list[int], produced: int) -> dict[str, Any]:
    return {
        "index": 0,
        "content": text,
        "tokens": tokens,
        "stop": False,
        "id_slot": -1,
        "tokens_predicted": produced,
        "tokens_evaluated": made.prompt_tokens,
    }


def _last(world: World, made: Generation, body: dict[str, Any], text: str) -> dict[str, Any]:
    return {
        "index": 0,
        "content": text,
        "tokens": [],
        "id_slot": 0,
        "stop": True,
        "model": world.models[0].name,
        "tokens_predicted": made.output_tokens,
        "tokens_evaluated": made.prompt_tokens,
        "generation_settings": {"n_predict": body.get("n_predict", -1)},
        "prompt": body["prompt"],
        "has_new_line": False,
        "truncated": False,
        "stop_type": {"length": "limit", "stop": "eos"}[made.stop],
        "stopping_word": "",
        "tokens_cached": made.prompt_tokens + max(made.output_tokens - 1, 0),
        "timings": timings(made, made.output_tokens, made.decode_seconds),
    }


ROUTES: Routes = {
    ("GET", "/health"): health,
    ("GET", "/props"): props,
    ("GET", "/slots"): slots,
    ("POST", "/tokenize"): tokenize,
    ("POST", "/completion"): completion,
}
