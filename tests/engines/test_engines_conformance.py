"""What every engine owes its callers, shown on the real one with a real model.

A further engine is one more line in `SUBJECTS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.llama_tools import tool
from support.small_model import digits, small_model
from tokenroof.engines.base import Engine, Loaded, Request, Step
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.engines.llama_server import LlamaServerEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineError, EngineRefused, TokenroofError
from tokenroof.records import Settings

pytestmark = pytest.mark.engine

# 300 is padded to a multiple of 256, as llama.cpp does: 512.
ASKED = Settings(context=300, batch=64, threads=1)


@dataclass(frozen=True)
class Subject:
    """An engine with a model, and what is known of both."""

    make: Callable[[], Engine]
    model: Callable[[], Path]
    before_text: int
    """Tokens that the model puts before a prompt: Gemma's beginning-of-text token."""


def llama_server() -> LlamaServerEngine:
    return LlamaServerEngine(EngineOptions(program=tool("llama-server")))


SUBJECTS = {
    "embedded": Subject(EmbeddedEngine, small_model, before_text=1),
    "llama-server": Subject(llama_server, small_model, before_text=1),
}


@dataclass(frozen=True)
class Ready:
    subject: Subject
    engine: Engine
    loaded: Loaded

    def tokens(self, count: int) -> str:
        """A prompt that is `count` tokens to the engine."""
        return digits(count - self.subject.before_text)


@pytest.fixture(scope="module", params=SUBJECTS)
def ready(request: pytest.FixtureRequest) -> Iterator[Ready]:
    subject = SUBJECTS[request.param]
    engine = subject.make()
    loaded = engine.load(subject.model(), ASKED)
    yield Ready(subject, engine, loaded)
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
    assert reply.prompt_seconds is not None
    assert reply.output_seconds is not None
    assert reply.ttft_seconds is not None
    assert 0 < reply.prompt_seconds <= reply.ttft_seconds
    assert reply.ttft_seconds <= reply.wall_seconds
    assert reply.output_seconds <= reply.wall_seconds
    if ready.engine.promises.times_every_step:
        # Elsewhere the first token reaches us after it was made, and the clocks are two.
        assert reply.ttft_seconds + reply.output_seconds <= reply.wall_seconds


def test_the_same_prompt_is_read_again_in_full(ready: Ready) -> None:
    request = Request(prompt=ready.tokens(120), output_tokens=2)
    first, second = ready.engine.run(request), ready.engine.run(request)
    assert (first.prompt_tokens, second.prompt_tokens) == (120, 120)
    assert (first.prompt_cached, second.prompt_cached) == (0, 0)
    # Were anything reused, reading again would take one token's time instead of 120 tokens'.
    assert first.prompt_seconds is not None
    assert second.prompt_seconds is not None
    assert second.prompt_seconds > first.prompt_seconds / 20


def test_a_run_leaves_nothing_for_the_next_one(ready: Ready) -> None:
    # Three times 400 tokens would overflow a context of 512, were it not emptied in between; and
    # what is written depends on the prompt alone.
    alone = ready.engine.run(Request(prompt=ready.tokens(30), output_tokens=8))
    for _ in range(3):
        ready.engine.run(Request(prompt=ready.tokens(400), output_tokens=1))
    again = ready.engine.run(Request(prompt=ready.tokens(30), output_tokens=8))
    assert again.raw.get("output_ids") == alone.raw.get("output_ids")


def test_settings_reported_are_those_in_force(ready: Ready) -> None:
    settings = ready.loaded.settings
    assert settings.context == 512
    assert settings.batch == 64
    assert settings.threads == 1
    assert settings.kv_type_k == settings.kv_type_v == "f16"
    if ready.engine.identify().name == "embedded":
        assert settings.flash_attention is not None
    assert ready.loaded.seconds > 0


def test_a_prompt_that_does_not_fit_is_refused_with_the_numbers(ready: Ready) -> None:
    with pytest.raises(EngineRefused) as caught:
        ready.engine.run(Request(prompt=ready.tokens(500), output_tokens=13))
    # 500 + 13 = 513, one more than 512.
    assert {"500", "13", "512", "513"} <= set(re.findall(r"\d+", str(caught.value)))
    assert ready.engine.run(Request(prompt=ready.tokens(500), output_tokens=12)).output_tokens == 12


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
    reply = ready.engine.run(Request(prompt=ready.tokens(10), output_tokens=0))
    assert (reply.output_tokens, reply.output_steps, reply.output_seconds) == (0, 0, 0.0)


def test_identity_names_version_and_place(ready: Ready) -> None:
    identity = ready.engine.identify()
    assert identity.version
    assert identity.place in {"cpu", "gpu", "mixed"}


def test_its_processes_are_known_while_it_works_and_gone_after(ready: Ready) -> None:
    engine = ready.subject.make()
    assert engine.processes() == ()
    engine.load(ready.subject.model(), ASKED)
    assert len(engine.processes()) == 1
    engine.close()
    engine.close()
    assert engine.processes() == ()


def test_without_a_model_there_is_nothing_to_run(ready: Ready) -> None:
    engine = ready.subject.make()
    with pytest.raises(EngineError):
        engine.run(Request(prompt="a", output_tokens=1))


def test_a_file_that_is_no_model_is_refused_by_name(ready: Ready, tmp_path: Path) -> None:
    path = tmp_path / "page.gguf"
    path.write_bytes(b"<!DOCTYPE html><html></html>")
    engine = ready.subject.make()
    with pytest.raises(TokenroofError, match=r"page\.gguf"):
        engine.load(path, ASKED)
    engine.close()
