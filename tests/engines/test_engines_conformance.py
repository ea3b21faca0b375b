"""What every engine owes its callers: on the real ones with a real model, on the simulator else.

A further engine is one more line in `SUBJECTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from simulator.server import Simulator
from simulator.world import World
from support.llama_tools import tool
from support.small_model import digits, small_model
from tokenroof.engines.base import Engine, Loaded, ModelRef, Request, Step
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.engines.llama_server import LlamaServerEngine
from tokenroof.engines.ollama import OllamaEngine
from tokenroof.engines.openai_compatible import OpenAIEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineError, EngineRefused, TokenroofError
from tokenroof.records import Settings

# 300 is padded to a multiple of 256 by llama.cpp: 512.
ASKED = Settings(context=300, batch=64, threads=1)

SIMULATED = ModelRef(name="ollama:sim")
NAMED = ModelRef(name="openai:sim:latest")


@dataclass(frozen=True)
class Subject:
    """An engine with a model, and what is known of both.

    `serve` runs the server that the engine asks, if it does not start one itself, and gives its
    URL; `before_text` are the tokens that stand before a prompt (Gemma's beginning-of-text token, a
    chat template); `least_output` is what a run writes at least.
    """

    make: Callable[[str], Engine]
    model: Callable[[], Path | ModelRef]
    in_force: Settings
    asked: Settings = ASKED
    before_text: int = 1
    least_output: int = 1
    serve: Callable[[], AbstractContextManager[str]] = lambda: nullcontext("")


def llama_server(_url: str) -> LlamaServerEngine:
    return LlamaServerEngine(EngineOptions(program=tool("llama-server")))


@contextmanager
def simulated(**world: Any) -> Iterator[str]:
    """A server on which a digit is a token, and ten more stand before a prompt."""
    with Simulator(World(characters_per_token=1.0, context=512, **world)) as simulator:
        yield simulator.url


def ollama(**world: Any) -> Subject:
    return Subject(
        lambda url: OllamaEngine(EngineOptions(url=url)),
        lambda: SIMULATED,
        in_force=Settings(context=512, batch=64, threads=1),
        asked=Settings(context=512, batch=64, threads=1),
        before_text=10,
        serve=lambda: simulated(**world),
    )


def openai(flavour: str) -> Subject:
    return Subject(
        lambda url: OpenAIEngine(EngineOptions(url=url)),
        lambda: NAMED,
        in_force=Settings(context=None if flavour == "plain" else 512),
        asked=Settings(context=512),
        before_text=10,
        serve=lambda: simulated(flavour=flavour),
    )


ON_CPU = Settings(context=512, batch=64, threads=1, kv_type_k="f16", kv_type_v="f16")

REAL = {
    "embedded": Subject(
        lambda _url: EmbeddedEngine(), small_model, in_force=ON_CPU, least_output=0
    ),
    "llama-server": Subject(llama_server, small_model, in_force=ON_CPU, least_output=0),
}
SUBJECTS = REAL | {
    "ollama": ollama(),
    "ollama-before-0.30": ollama(version="0.22.1", reports_cached=False),
    "openai-llama.cpp": openai("llamacpp"),
    "openai-vllm": openai("vllm"),
    "openai-plain": openai("plain"),
}


@dataclass(frozen=True)
class Ready:
    subject: Subject
    engine: Engine
    loaded: Loaded
    url: str

    def another(self) -> Engine:
        """One more engine of the kind, with nothing loaded."""
        return self.subject.make(self.url)

    def tokens(self, count: int) -> str:
        """A prompt that is `count` tokens to the engine."""
        return digits(count - self.subject.before_text)


PARAMETERS = [
    pytest.param(name, marks=[pytest.mark.engine] if name in REAL else []) for name in SUBJECTS
]


@pytest.fixture(scope="module", params=PARAMETERS)
def ready(request: pytest.FixtureRequest) -> Iterator[Ready]:
    subject = SUBJECTS[request.param]
    with subject.serve() as url:
        engine = subject.make(url)
        loaded = engine.load(subject.model(), subject.asked)
        yield Ready(subject, engine, loaded, url)
        engine.close()


def test_prompt_tokens_are_counted_as_the_vocabulary_has_them(ready: Ready) -> None:
    reply = ready.engine.run(Request(prompt=ready.tokens(40), output_tokens=1))
    assert reply.prompt_tokens == 40
    assert ready.engine.count_tokens(ready.tokens(40)) in {40, None}


def test_output_is_exactly_as_long_as_asked_and_every_step_is_timed(ready: Ready) -> None:
    reply = ready.engine.run(Request(prompt=ready.tokens(20), output_tokens=17))
    assert reply.output_tokens == 17
    expected_steps = 17 if ready.engine.promises.times_every_step else 16
    assert reply.output_steps == expected_steps
    assert reply.output_seconds is not None
    assert reply.output_seconds > 0
    steps = reply.raw.get("step_seconds")
    if steps is not None:
        assert len(steps) == 17
        assert sum(steps) == pytest.approx(reply.output_seconds, abs=1e-9)


def test_parts_of_the_time_lie_within_the_whole(ready: Ready) -> None:
    reply = ready.engine.run(Request(prompt=ready.tokens(100), output_tokens=4))
    assert reply.output_seconds is not None
    assert reply.ttft_seconds is not None
    if ready.engine.promises.times_prompt:
        assert reply.prompt_seconds is not None
        assert 0 < reply.prompt_seconds <= reply.ttft_seconds
    else:
        assert reply.prompt_seconds is None
    assert reply.ttft_seconds <= reply.wall_seconds
    assert reply.output_seconds <= reply.wall_seconds
    if ready.engine.promises.times_every_step:
        # Elsewhere the first token reaches us after it was made, and the clocks are two.
        assert reply.ttft_seconds + reply.output_seconds <= reply.wall_seconds


def test_the_same_prompt_is_read_again_in_full_or_told_to_come_from_a_cache(ready: Ready) -> None:
    request = Request(prompt=ready.tokens(120), output_tokens=2)
    other = Request(prompt=ready.tokens(120)[::-1], output_tokens=2)
    new = ready.engine.run(other)
    first, second = ready.engine.run(request), ready.engine.run(request)
    assert (first.prompt_tokens, second.prompt_tokens) == (120, 120)
    if second.prompt_cached or "prefill_may_be_cached" in second.flags:
        assert ready.subject not in REAL.values()
        return
    if not ready.engine.promises.times_prompt:
        return
    assert (first.prompt_cached, second.prompt_cached) == (0, 0)
    # Were anything reused, reading again would take one token's time instead of 120 tokens'. Of
    # two that are new, the faster one was held up less.
    assert new.prompt_seconds is not None
    assert first.prompt_seconds is not None
    assert second.prompt_seconds is not None
    assert second.prompt_seconds > min(new.prompt_seconds, first.prompt_seconds) / 20


def test_a_run_leaves_nothing_for_the_next_one(ready: Ready) -> None:
    # Three times 400 tokens would overflow a context of 512, were it not emptied in between; and
    # what is written depends on the prompt alone.
    alone = ready.engine.run(Request(prompt=ready.tokens(30), output_tokens=8))
    for _ in range(3):
        ready.engine.run(Request(prompt=ready.tokens(400), output_tokens=1))
    again = ready.engine.run(Request(prompt=ready.tokens(30), output_tokens=8))
    assert again.raw.get("output_ids") == alone.raw.get("output_ids")


def test_settings_reported_are_those_in_force(ready: Ready) -> None:
    settings, expected = ready.loaded.settings, ready.subject.in_force
    known = {name for name, value in expected.to_dict().items() if value is not None}
    assert {name: settings.to_dict()[name] for name in known} == {
        name: expected.to_dict()[name] for name in known
    }
    if ready.engine.identify().name == "embedded":
        assert settings.flash_attention is not None
    assert ready.loaded.seconds > 0


def test_a_prompt_without_room_for_its_answer_is_never_taken_for_a_whole_run(ready: Ready) -> None:
    # 500 + 13 = 513, one more than 512.
    request = Request(prompt=ready.tokens(500), output_tokens=13)
    if ready.engine.promises.counts_before_running:
        with pytest.raises(EngineRefused) as caught:
            ready.engine.run(request)
        assert {"500", "13", "512", "513"} <= set(re.findall(r"\d+", str(caught.value)))
    else:
        reply = ready.engine.run(request)
        assert reply.output_tokens == 12
        assert "stopped_early" in reply.flags
    whole = Request(prompt=ready.tokens(500), output_tokens=12)
    assert ready.engine.run(whole).output_tokens == 12


def test_a_prompt_that_does_not_fit_is_refused_with_the_context(ready: Ready) -> None:
    with pytest.raises(EngineRefused, match="512"):
        ready.engine.run(Request(prompt=ready.tokens(600), output_tokens=4))


def test_progress_is_told_in_order_and_never_beyond_the_whole(ready: Ready) -> None:
    steps: list[Step] = []
    ready.engine.run(Request(prompt=ready.tokens(300), output_tokens=30), watch=steps.append)
    assert steps
    assert all(0 <= step.done <= step.total for step in steps)
    assert {step.total for step in steps if step.phase == "prefill"} <= {300}
    assert {step.total for step in steps if step.phase == "decode"} <= {30}
    order = [(step.phase == "decode", step.done) for step in steps]
    assert order == sorted(order)


def test_no_output_means_no_steps_and_no_time(ready: Ready) -> None:
    reply = ready.engine.run(Request(prompt=ready.tokens(11), output_tokens=0))
    assert reply.output_tokens == ready.subject.least_output
    assert (reply.output_steps, reply.output_seconds) == (0, 0.0)


def test_identity_names_version_and_place_as_far_as_the_engine_says(ready: Ready) -> None:
    identity = ready.engine.identify()
    if ready.engine.promises.times_prompt:
        assert identity.version
    if identity.name != "openai":
        assert identity.place in {"cpu", "gpu", "mixed"}


def test_its_processes_are_known_while_it_works_and_gone_after(ready: Ready) -> None:
    engine = ready.another()
    assert tuple(engine.processes()) == ()
    engine.load(ready.subject.model(), ready.subject.asked)
    assert len(engine.processes()) == 1
    engine.close()
    engine.close()
    assert tuple(engine.processes()) == ()


def test_without_a_model_there_is_nothing_to_run(ready: Ready) -> None:
    engine = ready.another()
    with pytest.raises(EngineError):
        engine.run(Request(prompt="a", output_tokens=1))


def test_a_file_that_is_no_model_is_refused_by_name(ready: Ready, tmp_path: Path) -> None:
    path = tmp_path / "page.gguf"
    path.write_bytes(b"<!DOCTYPE html><html></html>")
    engine = ready.another()
    with pytest.raises(TokenroofError, match=r"page\.gguf"):
        engine.load(path, ready.subject.asked)
    engine.close()
