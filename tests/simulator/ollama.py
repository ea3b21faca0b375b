"""Ollama's dialect: lines of JSON, durations in nanoseconds, counters left out where they are 0.

As in api/types.go, server/routes.go and server/create.go of Ollama 0.33, and with the field for
cached tokens that came after it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from simulator.dialect import Routes, follow, generation, stream, with_counters
from simulator.script import Chunk, Generation
from simulator.wire import Exchange, Wire
from simulator.world import SimModel, World

_DATE = "2026-11-11T03:14:15.926535Z"
_RELOADING = ("num_ctx", "num_batch", "num_gpu", "num_thread", "draft_num_predict", "use_mmap")
_DEFAULT_CONTEXT = 4096


def version(world: World, _exchange: Exchange, wire: Wire) -> None:
    wire.document({"version": world.version})


def tags(world: World, _exchange: Exchange, wire: Wire) -> None:
    wire.document({"models": [_tag(each) for each in world.models]})


def ps(world: World, _exchange: Exchange, wire: Wire) -> None:
    models = []
    for name, options in world.loaded.items():
        model = world.model(name)
        assert model is not None
        models.append(
            _tag(model)
            | {
                "expires_at": "2026-11-11T04:14:15Z",
                "size": model.size,
                "size_vram": model.size_vram,
                "context_length": options.get("num_ctx", _DEFAULT_CONTEXT),
            }
        )
    wire.document({"models": models})


def show(world: World, exchange: Exchange, wire: Wire) -> None:
    model = world.model(exchange.body.get("model", ""))
    if model is None:
        _not_found(exchange, wire)
        return
    said: dict[str, Any] = {
        "modelfile": "",
        "template": "{{ .Prompt }}",
        "details": _details(model),
        "model_info": {"general.architecture": model.architecture, **model.info},
        "modified_at": _DATE,
    }
    if model.capabilities is not None:
        said["capabilities"] = list(model.capabilities)
    if model.tensors and exchange.body.get("verbose"):
        said["tensors"] = list(model.tensors)
    if model.remote_host:
        said |= {"remote_host": model.remote_host, "remote_model": model.name}
    wire.document(said)


def push_blob(world: World, exchange: Exchange, wire: Wire) -> None:
    digest, data = exchange.path.rpartition("/")[2], exchange.body
    if digest in world.blobs:
        wire.answer(b"", 200, {})
        return
    found = f"sha256:{hashlib.sha256(data).hexdigest()}"
    if found != digest:
        error = f'digest mismatch, expected "{digest}", got "{found}"'
        wire.document({"error": error}, 400)
        return
    world.blobs[digest] = data
    wire.answer(b"", 201, {})


def has_blob(world: World, exchange: Exchange, wire: Wire) -> None:
    wire.answer(b"", 200 if exchange.path.rpartition("/")[2] in world.blobs else 404, {})


def create(world: World, exchange: Exchange, wire: Wire) -> None:
    """A model of one GGUF file. A version that copies keeps the data that it was given, too."""
    body = exchange.body
    script = follow(world, wire)
    if script is None:
        return
    if script.stall_after is not None:
        wire.stall()
    files = body.get("files")
    if files is None:
        wire.document({"error": "neither 'from' or 'files' was specified"}, 400)
        return
    (digest,) = files.values()
    data = world.blobs.get(digest)
    if data is None:
        wire.document({"error": f"open {digest}: no such file or directory"}, 500)
        return
    if not data.startswith(b"GGUF"):
        wire.document({"error": "unknown type"}, 400)
        return
    if world.copies_changed:
        data += b"changed"
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        world.blobs[digest] = data
    made = SimModel(
        name=f"{body['model']}:latest",
        digest=digest.partition(":")[2],
        size=len(data),
        size_vram=len(data) if world.has_gpu else 0,
    )
    world.models.append(made)
    wire.document({"status": "success"})


def delete(world: World, exchange: Exchange, wire: Wire) -> None:
    """The model, and its data where no other has the same."""
    model = world.model(exchange.body.get("model", ""))
    if model is None:
        _not_found(exchange, wire)
        return
    world.models.remove(model)
    if all(each.digest != model.digest for each in world.models):
        world.blobs.pop(f"sha256:{model.digest}", None)
    wire.answer(b"", 200, {})


def chat(world: World, exchange: Exchange, wire: Wire) -> None:
    body = exchange.body
    model = world.model(body["model"])
    if model is None:
        _not_found(exchange, wire)
        return
    messages = body.get("messages") or []
    if not messages:
        _load_or_unload(world, model, body, wire)
        return
    can_think = model.capabilities is None or "thinking" in model.capabilities
    if body.get("think") and not can_think:
        wire.document({"error": f'"{model.name}" does not support thinking'}, 400)
        return
    script = follow(world, wire)
    if script is None:
        return
    load_seconds = script.load_seconds + _load(world, model, body)
    options = world.loaded[model.name]
    context = options.get("num_ctx", _DEFAULT_CONTEXT)
    prompt = "".join(each["content"] for each in messages)
    asked = (body.get("options") or {}).get("num_predict", 128)
    made = generation(world, script, prompt, asked, context)
    if made.prompt_tokens >= context:
        if body.get("truncate") is False and not world.truncates:
            wire.document({"error": _too_long(made.prompt_tokens, context)}, 400)
            return
        # What the old runners and the new one keep: the first 4 tokens and the later half.
        made = generation(
            world, script, prompt[: len(prompt) // 2], made.output_tokens or 1, context
        )
        kept = context - (context - 4) // 2
        made = Generation(script, kept, 0, made.output_tokens, made.stop, truncated=True)
    made = Generation(
        script, made.prompt_tokens, made.cached_tokens, made.output_tokens, made.stop, load_seconds
    )
    if body.get("stream") is False:
        wire.wait(made.total_seconds)
        wire.document(_last(world, model, made, "".join(each.text for each in made.chunks())))
        return
    wire.begin("application/x-ndjson")
    stream(
        wire,
        made,
        lambda chunk: _line(_message(model, chunk)),
        error=_line({"error": "model runner has unexpectedly stopped"}),
        last=[_line(_last(world, model, made, ""))],
    )


def _load_or_unload(world: World, model: SimModel, body: dict[str, Any], wire: Wire) -> None:
    reason = "load"
    if body.get("keep_alive") == 0:
        reason = "unload"
        world.loaded.pop(model.name, None)
        world.held = ""
    else:
        wire.wait(_load(world, model, body))
    message = {"role": "assistant", "content": ""}
    said = {"model": body["model"], "created_at": _DATE, "message": message}
    wire.document(said | {"done": True, "done_reason": reason})


def _load(world: World, model: SimModel, body: dict[str, Any]) -> float:
    """Load a model unless it is loaded with the same options; the seconds that it takes."""
    options = {k: v for k, v in (body.get("options") or {}).items() if k in _RELOADING}
    if world.loaded.get(model.name) == options:
        return 0.0
    world.loaded[model.name] = options
    world.held = ""
    return world.load_seconds


def _message(model: SimModel, chunk: Chunk) -> dict[str, Any]:
    message = {"role": "assistant", "content": "" if chunk.reasoning else chunk.text}
    if chunk.reasoning:
        message["thinking"] = chunk.text
    return {"model": model.name, "created_at": _DATE, "message": message, "done": False}


def _last(world: World, model: SimModel, made: Generation, text: str) -> dict[str, Any]:
    counters: dict[str, Any] = {
        "total_duration": _ns(made.total_seconds),
        "load_duration": _ns(made.load_seconds),
        "prompt_eval_count": made.prompt_tokens,
        "prompt_eval_duration": _ns(made.prefill_seconds),
        "eval_count": made.output_tokens,
        "eval_duration": _ns(made.decode_seconds),
    }
    counters = {name: value for name, value in counters.items() if value}
    if world.reports_cached:
        counters["prompt_eval_cached_count"] = made.cached_tokens
    return {
        "model": model.name,
        "created_at": _DATE,
        "message": {"role": "assistant", "content": text},
        "done": True,
        "done_reason": made.stop,
        **with_counters(made.script, counters),
    }


def _tag(model: SimModel) -> dict[str, Any]:
    said = {
        "name": model.name,
        "model": model.name,
        "modified_at": _DATE,
        "size": model.size,
        "digest": model.digest,
        "details": _details(model),
    }
    return said | ({"remote_host": model.remote_host} if model.remote_host else {})


def _details(model: SimModel) -> dict[str, Any]:
    return {
        "parent_model": "",
        "format": "gguf",
        "family": model.family,
        "families": [model.family],
        "parameter_size": "8.0B",
        "quantization_level": model.file_type,
    }


def _not_found(exchange: Exchange, wire: Wire) -> None:
    wire.document({"error": f"model '{exchange.body.get('model')}' not found"}, 404)


def _too_long(tokens: int, context: int) -> str:
    return (
        f"request ({tokens} tokens) exceeds the available context size ({context} tokens), "
        "try increasing it"
    )


def _ns(seconds: float) -> int:
    return round(seconds * 1e9)


def _line(said: dict[str, Any]) -> bytes:
    return json.dumps(said, ensure_ascii=False).encode() + b"\n"


ROUTES: Routes = {
    ("GET", "/api/version"): version,
    ("GET", "/api/tags"): tags,
    ("GET", "/api/ps"): ps,
    ("POST", "/api/show"): show,
    ("POST", "/api/chat"): chat,
    ("HEAD", "/api/blobs/"): has_blob,
    ("POST", "/api/blobs/"): push_blob,
    ("POST", "/api/create"): create,
    ("DELETE", "/api/delete"): delete,
}
