"""OpenAI's dialect, as llama-server, vLLM and plainer servers speak it."""

from __future__ import annotations

from typing import Any

from simulator.dialect import Routes, follow, generation, stream, with_counters
from simulator.llama_server import event, refused, timings
from simulator.script import Chunk, Generation
from simulator.wire import Exchange, Wire
from simulator.world import World

_CREATED = 1795956857


def models(world: World, _exchange: Exchange, wire: Wire) -> None:
    owner = {"llamacpp": "llamacpp", "vllm": "vllm"}.get(world.flavour, "organization_owner")
    data = []
    for model in world.models:
        entry: dict[str, Any] = {"id": model.name, "object": "model", "created": _CREATED}
        entry["owned_by"] = owner
        if world.flavour == "llamacpp":
            entry["meta"] = {"n_ctx": world.context, "n_ctx_train": 32768, "size": model.size}
        if world.flavour == "vllm":
            entry["max_model_len"] = world.context
        data.append(entry)
    wire.document({"object": "list", "data": data})


def vllm_version(world: World, _exchange: Exchange, wire: Wire) -> None:
    if world.flavour == "vllm":
        wire.document({"version": "0.19.0"})
    else:
        wire.document({"error": {"message": "File Not Found", "code": 404}}, 404)


def chat(world: World, exchange: Exchange, wire: Wire) -> None:
    prompt = "".join(each["content"] for each in exchange.body["messages"])
    _answer(world, exchange, wire, prompt, chat=True)


def completions(world: World, exchange: Exchange, wire: Wire) -> None:
    _answer(world, exchange, wire, exchange.body["prompt"], chat=False)


def _answer(world: World, exchange: Exchange, wire: Wire, prompt: str, *, chat: bool) -> None:
    body = exchange.body
    script = follow(world, wire)
    if script is None:
        return
    if world.flavour == "plain" and ("ignore_eos" in body or "cache_prompt" in body):
        error = {"message": "Unrecognized request argument supplied", "code": 400}
        wire.document({"error": error}, 400)
        return
    if body.get("cache_prompt", True) is False:
        world.held = ""
    made = generation(world, script, prompt, body.get("max_tokens", 16), world.context)
    if refused(world, made, wire):
        return
    answer = _Answer(world, made, body, chat)
    if not body.get("stream"):
        wire.wait(made.total_seconds)
        wire.document(answer.whole())
        return
    wire.begin("text/event-stream")
    error = {"message": "engine died", "type": "InternalServerError", "code": 500}
    stream(
        wire,
        made,
        lambda chunk: event(answer.chunk(chunk)),
        error=event({"error": error}),
        before=[(1.0, event(answer.frame({"role": "assistant", "content": None}, None)))]
        if chat
        else (),
        last=[*map(event, answer.last()), b"data: [DONE]\n\n"],
    )


class _Answer:
    def __init__(self, world: World, made: Generation, body: dict[str, Any], chat: bool) -> None:
        self.world, self.made, self.body, self.chat = world, made, body, chat
        options = body.get("stream_options") or {}
        self.wants_usage = world.usage and bool(options.get("include_usage"))
        self.continuous = world.flavour == "vllm" and bool(options.get("continuous_usage_stats"))

    def frame(self, delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
        choice: dict[str, Any] = {"finish_reason": finish, "index": 0}
        if self.chat:
            choice["delta"] = delta
        else:
            choice["text"] = delta.get("content") or ""
        return self._document([choice])

    def chunk(self, chunk: Chunk) -> dict[str, Any]:
        channel = "content"
        if chunk.reasoning:
            channel = "reasoning" if self.world.flavour == "vllm" else "reasoning_content"
        said = self.frame({channel: chunk.text}, None)
        if self.continuous:
            said["usage"] = self._usage(chunk.produced)
        return said

    def last(self) -> list[dict[str, Any]]:
        """The frame that ends the answer, and the one that tells the usage; the timings of
        llama-server are in the later one."""
        frames = [self.frame({}, self.made.stop)]
        if self.wants_usage:
            frames.append(self._document([]) | {"usage": self._usage(self.made.output_tokens)})
        if self.world.flavour == "llamacpp":
            made = self.made
            frames[-1]["timings"] = timings(made, made.output_tokens, made.decode_seconds)
        return frames

    def whole(self) -> dict[str, Any]:
        text = "".join(each.text for each in self.made.chunks())
        choice: dict[str, Any] = {"finish_reason": self.made.stop, "index": 0}
        if self.chat:
            choice["message"] = {"role": "assistant", "content": text}
        else:
            choice["text"] = text
        usage = self._usage(self.made.output_tokens)
        kind = "chat.completion" if self.chat else "text_completion"
        return self._document([choice]) | {"usage": usage, "object": kind}

    def _usage(self, produced: int) -> dict[str, Any]:
        made = self.made
        said: dict[str, Any] = {
            "prompt_tokens": made.prompt_tokens,
            "completion_tokens": produced,
            "total_tokens": made.prompt_tokens + produced,
        }
        if self.world.flavour != "plain":
            said["prompt_tokens_details"] = {"cached_tokens": made.cached_tokens}
        return with_counters(made.script, said)

    def _document(self, choices: list[dict[str, Any]]) -> dict[str, Any]:
        said = {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk" if self.chat else "text_completion",
            "created": _CREATED,
            "model": self.body.get("model") or self.world.models[0].name,
            "choices": choices,
        }
        if self.world.flavour == "llamacpp":
            said["system_fingerprint"] = self.world.build
        return said


ROUTES: Routes = {
    ("GET", "/v1/models"): models,
    ("GET", "/version"): vllm_version,
    ("POST", "/v1/chat/completions"): chat,
    ("POST", "/v1/completions"): completions,
}
