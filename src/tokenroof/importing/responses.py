"""Answers of servers, as their clients keep them: Ollama's, llama-server's, and OpenAI's form.

Times are the server's own; an answer that was stored tells nothing of when it came. Both Ollama
and llama-server begin the clock of the answer with its first token, so n tokens span n - 1 steps.
Ollama counts cached tokens into the prompt and times the others; llama-server counts both apart.
OpenAI's form has counts and no times, unless a server adds its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from tokenroof.clock import stamp
from tokenroof.importing.collector import Collector
from tokenroof.importing.figures import finite, scalar, scalars, seconds_at, span, whole
from tokenroof.importing.llama_bench_rows import base_name
from tokenroof.records import Flag, Output, Prompt, RunEngine, RunModel, Settings, Workload

Document = Mapping[str, Any]

_NS, _MS = 1e9, 1e3


def is_ollama(document: Document) -> bool:
    """Whether it is a last message of Ollama, or one of a stream."""
    said = {"created_at", "total_duration", "eval_duration"}
    return isinstance(document.get("done"), bool) and bool(said & document.keys())


def is_native(document: Document) -> bool:
    """Whether it is llama-server's own form."""
    return "timings" in document and "choices" not in document


def is_openai(document: Document) -> bool:
    """Whether it is OpenAI's form."""
    return isinstance(document.get("choices"), list)


def add_ollama(collector: Collector, line: int, last: Document) -> None:
    """Ollama's last message: counters in nanoseconds; a count of zero is left out."""
    tokens, cached = whole(last.get("prompt_eval_count"), 1), _cached(last)
    output = whole(last.get("eval_count"), 1)
    flags: set[Flag] = set()
    if tokens is None:
        flags.add("prefill_may_be_cached")
    if output and _text_of(last) == "":
        flags.add("empty_output")
    steps = None if output is None else output - 1
    collector.add(
        line,
        source="ollama",
        started=_date(last.get("created_at")),
        model=RunModel(name=_text(last.get("model"))),
        engine=RunEngine(name="ollama"),
        prompt=Prompt(
            tokens=tokens, cached=cached, seconds=span(last.get("prompt_eval_duration"), _NS)
        ),
        output=Output(
            tokens=output,
            steps=steps,
            seconds=span(last.get("eval_duration"), _NS) if steps else None,
        ),
        load_seconds=span(last.get("load_duration"), _NS),
        wall_seconds=span(last.get("total_duration"), _NS),
        flags=tuple(sorted(flags)),
        raw={"ollama": _without(last, "response", "context", "message", "thinking")},
    )


def add_native(collector: Collector, line: int, last: Document) -> None:
    """llama-server's own answer, or the last event of its stream."""
    asked = last.get("generation_settings")
    asked = asked if isinstance(asked, dict) else {}
    timings = last["timings"] if isinstance(last["timings"], dict) else {}
    read, cached = whole(timings.get("prompt_n")), whole(timings.get("cache_n"))
    prompt = whole(last.get("tokens_evaluated"), 1)
    if prompt is None and read is not None and cached is not None:
        prompt = read + cached
    if cached is None and prompt is not None and read is not None:
        cached = max(prompt - read, 0)
    flags = _timing_flags(timings)
    if last.get("truncated") is True:
        flags.add("truncated")
    output = whole(last.get("tokens_predicted"))
    _add_timed(
        collector,
        line,
        timings,
        source="llama-server",
        model=_model(last),
        engine=RunEngine(name="llama-server"),
        workload=Workload(
            output_target=whole(asked.get("n_predict"), 1), seed=whole(asked.get("seed"))
        ),
        prompt=(prompt, cached),
        output=output,
        flags=flags,
    )


def add_openai(collector: Collector, line: int, document: Document) -> None:
    """OpenAI's form, with whatever a server added."""
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    timings = document.get("timings")
    details = usage.get("prompt_tokens_details")
    cached = whole(details.get("cached_tokens")) if isinstance(details, dict) else None
    prompt, output = whole(usage.get("prompt_tokens"), 1), whole(usage.get("completion_tokens"))
    fingerprint = _text(document.get("system_fingerprint"))
    flags: set[Flag] = set()
    if output and _spoken(document) == "":
        flags.add("empty_output")
    shared: dict[str, Any] = {
        "started": _moment(document.get("created")),
        "model": _model(document),
        "prompt": (prompt, cached),
        "output": output,
    }
    if isinstance(timings, dict):
        read, found = whole(timings.get("prompt_n")), whole(timings.get("cache_n"))
        if prompt is None and read is not None:
            shared["prompt"] = (read + (found or 0), found)
        elif cached is None:
            shared["prompt"] = (prompt, found)
        engine = RunEngine(name="llama-server", version=_build(fingerprint))
        flags |= _timing_flags(timings)
        _add_timed(
            collector, line, timings, source="llama-server", engine=engine, flags=flags, **shared
        )
        return
    stats = document.get("stats")
    stats = stats if isinstance(stats, dict) else {}
    name = "lm-studio" if stats else "openai-compatible"
    info, runtime = scalars(document.get("model_info")), scalars(document.get("runtime"))
    seconds = seconds_at(output, stats.get("tokens_per_second"))
    _add(
        collector,
        line,
        source=name,
        engine=RunEngine(
            name=name,
            backend=_text(runtime.get("name")),
            flags={"runtime_version": runtime["version"]} if "version" in runtime else {},
        ),
        settings=Settings(context=whole(info.get("context_length"), 1)),
        steps=output if seconds else None,
        seconds=seconds,
        ttft_seconds=span(stats.get("time_to_first_token")),
        flags=flags,
        raw={"usage": scalars(usage), **({"stats": scalars(stats)} if stats else {})},
        **shared,
    )


def error_of(document: Document) -> str | None:
    """What a server says instead of an answer."""
    error = document.get("error")
    if isinstance(error, dict):
        error = error.get("message") or error.get("type") or "?"
    return None if not error else str(scalar(str(error)))


def _add_timed(
    collector: Collector,
    line: int,
    timings: Document,
    *,
    output: int | None,
    **fields: Any,
) -> None:
    """A run with llama-server's `timings`."""
    tokens = whole(timings.get("predicted_n"))
    tokens = output if tokens is None else tokens
    steps = None if tokens is None else max(tokens - 1, 0)
    _add(
        collector,
        line,
        prompt_seconds=span(timings.get("prompt_ms"), _MS) if timings.get("prompt_n") else None,
        output=tokens,
        steps=steps,
        seconds=span(timings.get("predicted_ms"), _MS) if steps else None,
        raw={"timings": scalars(dict(timings))},
        **fields,
    )


def _add(
    collector: Collector,
    line: int,
    *,
    prompt: tuple[int | None, int | None],
    output: int | None,
    steps: int | None,
    seconds: float | None,
    flags: set[Flag],
    prompt_seconds: float | None = None,
    settings: Settings | None = None,
    **fields: Any,
) -> None:
    collector.add(
        line,
        prompt=Prompt(tokens=prompt[0], cached=prompt[1], seconds=prompt_seconds),
        output=Output(tokens=output, steps=steps, seconds=seconds),
        flags=tuple(sorted(flags)),
        settings=settings,
        **fields,
    )


def _timing_flags(timings: Document) -> set[Flag]:
    flags: set[Flag] = set()
    if whole(timings.get("draft_n"), 1):
        flags.add("speculative")
    if not timings:
        flags.add("timing_disabled")
    return flags


def _cached(last: Document) -> int | None:
    cached, tokens = whole(last.get("prompt_eval_cached_count")), last.get("prompt_eval_count")
    known = whole(tokens, 1)
    return None if cached is None or (known is not None and cached > known) else cached


def _model(document: Document) -> RunModel:
    name = _text(document.get("model"))
    # llama-server names the file, which lies in a person's folders; names of the Hub have a slash.
    is_file = name is not None and name.lower().endswith(".gguf")
    info = scalars(document.get("model_info"))  # LM Studio's own
    return RunModel(
        name=base_name(name) if name is not None and is_file else name,
        architecture=_text(info.get("arch")),
        file_type=_text(info.get("quant")),
    )


def _text_of(last: Document) -> str | None:
    """What Ollama answered, thinking included; None where the message was stored without it."""
    message = last.get("message")
    parts = [last.get("response"), last.get("thinking")]
    if isinstance(message, dict):
        parts += [message.get("content"), message.get("thinking"), message.get("tool_calls")]
    said = [each for each in parts if each is not None]
    return None if not said else "".join(str(each) for each in said if each)


def _spoken(document: Document) -> str | None:
    """What the first choice says, on any channel; None where that was not stored."""
    choices = document.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return None
    message = choice.get("message")
    if not isinstance(message, dict):
        return None if choice.get("text") is None else str(choice["text"])
    channels = ("content", "reasoning_content", "reasoning", "tool_calls")
    return "".join(str(message[name]) for name in channels if message.get(name))


def _build(fingerprint: str | None) -> str | None:
    """The build in `b5163-8cf427ff`; one that nobody numbered says `b0-unknown`."""
    known = fingerprint is not None and fingerprint.startswith("b")
    return fingerprint if known and not str(fingerprint).endswith("-unknown") else None


def _date(value: object) -> str | None:
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return stamp(moment) if moment.tzinfo is not None else None


def _moment(value: object) -> str | None:
    seconds = finite(value)
    if seconds is None or not 0 < seconds < 2**33:
        return None
    return stamp(datetime.fromtimestamp(seconds, UTC))


def _text(value: object) -> str | None:
    return str(scalar(value)) if isinstance(value, str) and value else None


def _without(document: Document, *names: str) -> dict[str, Any]:
    return {name: each for name, each in scalars(dict(document)).items() if name not in names}
