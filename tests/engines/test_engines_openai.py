"""OpenAI-compatible servers on the simulator: each figure by its best source, and told which."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.script import MISSING, Script
from simulator.server import Simulator
from simulator.world import SimModel, World
from support.llama_tools import tool
from support.small_model import digits, small_model
from tokenroof.engines.base import ModelRef, Reply, Request, Step
from tokenroof.engines.http_connection import Limits
from tokenroof.engines.llama_server import LlamaServerEngine
from tokenroof.engines.openai_compatible import OpenAIEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineDied, EngineError, EngineMissing, EngineRefused
from tokenroof.records import Settings

SIM = ModelRef(name="openai:sim:latest")
FLAVOURS = ("llamacpp", "vllm", "plain")
VARIABLES = (
    "TOKENROOF_OPENAI_URL",
    "TOKENROOF_OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "OPENAI_API_KEY",
)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


class Bench:
    """An engine with the model loaded, and the server behind it."""

    def __init__(self, simulator: Simulator, engine: OpenAIEngine) -> None:
        self.simulator, self.engine, self.world = simulator, engine, simulator.world
        self._tag = 0

    def run(
        self,
        script: Script,
        tokens: int = 400,
        output: int = 16,
        watch: Callable[[Step], None] | None = None,
    ) -> Reply:
        """A prompt of so many tokens, 2.5 characters each and 10 around."""
        self._tag += 1
        self.world.scripts.append(script)
        prompt = f"{self._tag:04d}".ljust(int((tokens - 10) * 2.5), "x")
        return self.engine.run(Request(prompt=prompt, output_tokens=output, seed=3), watch)

    @property
    def asked(self) -> dict[str, Any]:
        body: dict[str, Any] = self.simulator.exchanges[-1].body
        return body


def opened(world: World, **seconds: float) -> Iterator[Bench]:
    with Simulator(world) as simulator:
        engine = OpenAIEngine(EngineOptions(url=simulator.url), Limits(**seconds))
        engine.load(SIM, Settings(context=4096))
        yield Bench(simulator, engine)
        engine.close()


def of(flavour: str, **world: Any) -> Iterator[Bench]:
    return opened(World(flavour=flavour, **world))


@pytest.fixture
def bench() -> Iterator[Bench]:
    yield from of("llamacpp")


@pytest.fixture
def plain() -> Iterator[Bench]:
    yield from of("plain")


def test_timings_of_the_server_come_first_and_are_exact(bench: Bench) -> None:
    # 1000 tokens at 30 us: 30 ms. 23 steps of 4 ms after the first of 24 tokens: 92 ms.
    reply = bench.run(Script(prefill_seconds_per_token=30e-6, gap_seconds=0.004), 1000, 24)
    assert (reply.prompt_tokens, reply.prompt_cached) == (1000, 0)
    assert reply.prompt_seconds == pytest.approx(0.03, abs=1e-12)
    assert (reply.output_tokens, reply.output_steps) == (24, 23)
    assert reply.output_seconds == pytest.approx(0.092, abs=1e-12)
    assert reply.raw["basis"] == {
        "prompt": "timings",
        "output": "timings",
        "output_steps": "timings",
    }
    assert reply.flags == ()


@pytest.mark.parametrize("flavour", ["vllm", "plain"])
def test_without_timings_usage_counts_and_the_pieces_time(flavour: str) -> None:
    for bench in of(flavour):
        # The second piece is sent 20 ms after the first was read.
        script = Script(hold_after=1, gap_seconds=0.02)
        told: list[float] = []

        def watch(_step: Step, script: Script = script, told: list[float] = told) -> None:
            told.append(time.perf_counter())
            script.released.set()

        reply = bench.run(script, output=12, watch=watch)
        assert (reply.prompt_tokens, reply.output_tokens, reply.output_steps) == (400, 12, 11)
        # The dialect has no time of the prompt, and none is made up.
        assert reply.prompt_seconds is None
        assert reply.ttft_seconds is not None
        assert reply.raw["basis"]["output"] == "usage"
        chunks = [each for each in bench.simulator.exchanges[-1].sent if b'" 7"' in each.data]
        assert len(chunks) == 12
        assert reply.output_seconds is not None
        # The first was read before it was told, and the last one after it was sent.
        assert reply.output_seconds >= chunks[-1].at - told[0]
        assert reply.output_seconds <= reply.wall_seconds - reply.ttft_seconds + 1e-9


def test_without_usage_only_pieces_can_be_counted_and_that_is_a_lower_bound() -> None:
    for bench in of("plain", usage=False):
        reply = bench.run(Script(tokens_per_chunk=2, gap_seconds=0.005))
        # 16 tokens in 8 pieces: at least 7 more after the first.
        assert (reply.output_tokens, reply.output_steps) == (None, 7)
        assert reply.flags == ("lower_bound",)
        assert reply.prompt_tokens is None
        assert reply.raw["basis"]["output"] == "pieces"


def test_as_many_pieces_as_were_asked_for_are_the_tokens() -> None:
    for bench in of("plain", usage=False):
        reply = bench.run(Script())
        assert (reply.output_tokens, reply.output_steps) == (16, 15)
        assert reply.flags == ()


def test_where_every_piece_comes_with_usage_the_first_ones_tokens_are_known() -> None:
    for bench in of("vllm"):
        reply = bench.run(Script(tokens_per_chunk=(5, 3, 3, 3, 2), gap_seconds=0.004))
        # The first piece has five of sixteen tokens.
        assert (reply.output_tokens, reply.output_steps) == (16, 11)
        assert reply.raw["basis"]["output_steps"] == "usage_of_every_piece"
        assert reply.flags == ()


def test_where_it_is_not_known_the_first_piece_is_taken_to_be_like_the_others(
    plain: Bench,
) -> None:
    reply = plain.run(Script(tokens_per_chunk=4, gap_seconds=0.004))
    assert (reply.output_tokens, reply.output_steps) == (16, 12)
    assert reply.flags == ("lower_bound",)


def test_all_tokens_in_one_piece_have_no_time(plain: Bench) -> None:
    reply = plain.run(Script(tokens_per_chunk=16))
    assert (reply.output_tokens, reply.output_steps, reply.output_seconds) == (16, None, None)


def test_what_one_server_adds_is_only_asked_of_that_one() -> None:
    added = {"ignore_eos", "cache_prompt"}
    for flavour, expected in (("llamacpp", added), ("vllm", {"ignore_eos"}), ("plain", set())):
        for bench in of(flavour):
            bench.run(Script())
            asked = bench.asked
            assert added & set(asked) == expected
            assert (asked["temperature"], asked["seed"], asked["max_tokens"]) == (0, 3, 16)
            extra = {"continuous_usage_stats": True} if flavour == "vllm" else {}
            assert asked["stream_options"] == {"include_usage": True} | extra


def test_a_model_without_a_chat_template_is_asked_without_one() -> None:
    world = World(endpoints_off=frozenset({"/v1/chat/completions"}))
    for bench in opened(world):
        reply = bench.run(Script())
        assert bench.simulator.exchanges[-1].path == "/v1/completions"
        assert (reply.output_tokens, reply.prompt_tokens) == (16, 400)
        assert bench.engine.identify().flags["chat"] is False


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_the_first_token_of_any_channel_ends_the_wait(flavour: str) -> None:
    for bench in of(flavour):
        reply = bench.run(Script(reasoning_tokens=16, gap_seconds=0.01))
        assert reply.output_tokens == 16
        # All text is thought, and the wait ended with the first of it.
        assert len(reply.raw["chunk_seconds"]) == 16
        assert reply.ttft_seconds == pytest.approx(reply.raw["chunk_seconds"][0], abs=1e-6)
        assert set(reply.raw["characters"]) <= {"reasoning", "reasoning_content"}
        assert reply.flags == ()


def test_a_piece_that_only_names_the_role_is_no_token(plain: Bench) -> None:
    reply = plain.run(Script(prefill_seconds_per_token=0.0, gap_seconds=0.001))
    assert len(reply.raw["chunk_seconds"]) == 16


def test_cached_tokens_are_taken_from_timings_or_usage() -> None:
    for flavour in ("llamacpp", "vllm"):
        for bench in of(flavour):
            reply = bench.run(Script(cached_tokens=300, prefill_seconds_per_token=1e-4))
            assert (reply.prompt_tokens, reply.prompt_cached) == (400, 300)


def test_drafts_are_speculation(bench: Bench) -> None:
    assert "speculative" in bench.run(Script(tokens_per_step=3)).flags


def test_an_early_end_and_an_empty_answer_are_told() -> None:
    for flavour in FLAVOURS:
        for bench in of(flavour):
            assert bench.run(Script(output_tokens=5, stop="stop")).flags == ("stopped_early",)
            empty = bench.run(Script(output_tokens=0, stop="stop"))
            assert (empty.output_tokens, empty.output_steps) == (0, 0)
            assert "stopped_early" in empty.flags


def test_an_early_end_is_told_where_nothing_is_counted() -> None:
    for bench in of("plain", usage=False):
        reply = bench.run(Script(output_tokens=6, tokens_per_chunk=2, stop="stop"))
        assert reply.output_tokens is None
        assert reply.flags == ("lower_bound", "stopped_early")


def test_hidden_tokens_count(bench: Bench) -> None:
    reply = bench.run(Script(hidden_tokens=16))
    assert (reply.output_tokens, reply.flags) == (16, ("empty_output",))


def test_a_prompt_that_is_too_long_is_refused_with_the_servers_numbers(bench: Bench) -> None:
    with pytest.raises(EngineRefused, match=r"4500 tokens.*4096"):
        bench.run(Script(), tokens=4500)


def test_a_prompt_that_was_cut_is_found_out(plain: Bench) -> None:
    for tokens in (500, 1000):
        plain.run(Script(), tokens=tokens)
    assert "truncated" in plain.run(Script(prompt_tokens=1500), tokens=3000).flags


@pytest.mark.usefixtures("times_count")
def test_another_client_shows_as_a_wait_that_the_prompt_does_not_explain(bench: Bench) -> None:
    reply = bench.run(Script(queue_seconds=0.7))
    assert "contended" in reply.flags
    assert reply.raw["unexplained_seconds"] >= 0.7


ABSURD = [0, -5, "12", True, None, MISSING, [], {}, 10**400, math.nan, math.inf]


@pytest.mark.parametrize("value", ABSURD, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("counter", ["predicted_ms", "prompt_ms"])
def test_an_absurd_time_is_unknown_or_measured_by_ourselves(
    bench: Bench, counter: str, value: object
) -> None:
    reply = bench.run(Script(counters={counter: value}))
    assert (reply.prompt_tokens, reply.output_tokens) == (400, 16)
    if counter == "prompt_ms":
        assert reply.prompt_seconds is None
    else:
        assert reply.raw["basis"]["output"] == "usage"
        assert reply.output_seconds is not None
        assert 0 < reply.output_seconds < reply.wall_seconds
    json.loads(msgspec.json.encode(reply), parse_constant=pytest.fail)


@pytest.mark.parametrize(
    "value", [each for each in ABSURD if each != 0], ids=lambda value: type(value).__name__
)
def test_an_absurd_count_is_unknown(plain: Bench, value: object) -> None:
    counters = {"completion_tokens": value, "prompt_tokens": value}
    reply = plain.run(Script(counters=counters))
    assert reply.prompt_tokens is None
    # The pieces are as many as the tokens that were asked for.
    assert (reply.output_tokens, reply.output_steps) == (16, 15)


@pytest.mark.parametrize(
    ("script", "kind", "said"),
    [
        (Script(error_after=0), EngineDied, "engine died"),
        (Script(error_after=5), EngineDied, "engine died"),
        (Script(end_after=5), EngineDied, "broke off"),
        (Script(die_after_bytes=900), EngineDied, "900 bytes"),
        (Script(status=500, body=b'{"error": {"message": "CUDA"}}'), EngineDied, "CUDA"),
        (Script(status=429, body=b'{"error": "slow down"}'), EngineRefused, "slow down"),
        (Script(body=b"<html>proxy</html>"), EngineError, "broke off"),
        (Script(body=b"data: <html>\n\n"), EngineError, "web page"),
        (Script(body=b'{"error": {"message": "no"}}\n'), EngineDied, "no"),
        (Script(body=b'data: {"object": "error", "message": "gone"}\n\n'), EngineDied, "gone"),
        (Script(body=b""), EngineDied, "broke off"),
    ],
)
def test_a_failure_is_a_failure_and_never_a_run_of_zero_tokens(
    bench: Bench, script: Script, kind: type[EngineError], said: str
) -> None:
    with pytest.raises(kind, match=said):
        bench.run(script)
    assert bench.run(Script()).output_tokens == 16


@pytest.mark.parametrize(
    ("chunks", "message"), [(0, "http.no_first_token"), (3, "http.no_next_token")]
)
def test_a_stall_ends_with_the_limit_that_it_reached(chunks: int, message: str) -> None:
    # The piece with the role comes at once and is no token: the first limit goes on.
    for bench in opened(World(), first_token_seconds=0.4, between_tokens_seconds=0.2):
        with pytest.raises(EngineDied) as caught:
            bench.run(Script(stall_after=chunks))
        assert caught.value.message == message


@pytest.mark.parametrize(
    ("name", "expected"),
    # Figures as in the recorded answers of the real llama-server.
    [
        ("chat_stream_usage", (26, 21, 0.034154, 12, 11, 0.197253)),
        ("chat_stream_usage_timings", None),
        ("chat_stream_no_usage", (27, 1, 0.102723, 4, 3, 0.056987)),
        ("v1_completions_stream_usage", (13, 8, 0.033385, 6, 5, 0.089136)),
    ],
)
def test_recorded_answers_of_llama_server_are_read_as_it_meant_them(
    bench: Bench, name: str, expected: tuple[float, ...] | None
) -> None:
    from simulator import replay

    asked = replay.document(f"{name}.request")["body"]["max_tokens"]
    reply = bench.run(Script(replay=name, replay_speed=4), tokens=26, output=asked)
    timings = [each["timings"] for each in replay.documents(name) if "timings" in each][-1]
    found = (
        reply.prompt_tokens,
        reply.prompt_cached,
        reply.prompt_seconds,
        reply.output_tokens,
        reply.output_steps,
        reply.output_seconds,
    )
    if expected is None:
        expected = (
            timings["cache_n"] + timings["prompt_n"],
            timings["cache_n"],
            timings["prompt_ms"] / 1e3,
            timings["predicted_n"],
            timings["predicted_n"] - 1,
            timings["predicted_ms"] / 1e3,
        )
    assert found == pytest.approx(expected, abs=1e-12)


def test_a_build_that_is_not_known_is_no_version(bench: Bench) -> None:
    assert bench.engine.identify().version == "b11434-0123abc"
    for other in of("llamacpp", build="b0-unknown"):
        assert other.engine.identify().version is None
    for other in of("vllm"):
        assert other.engine.identify().version == "0.19.0"


def test_nobody_knows_where_it_computes_so_there_is_no_place(bench: Bench) -> None:
    assert bench.engine.identify().place is None


def test_promises_are_those_of_the_server() -> None:
    for flavour, times in (("llamacpp", True), ("vllm", False), ("plain", False)):
        for bench in of(flavour):
            assert bench.engine.promises.times_prompt is times
            assert bench.engine.promises.ignores_end_of_text is (flavour != "plain")


def test_settings_are_refused_except_the_context(bench: Bench) -> None:
    with pytest.raises(EngineRefused, match="batch, threads"):
        bench.engine.load(SIM, Settings(context=512, threads=2, batch=64))


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (ModelRef(name="openai:org/Big.Model-7b"), "org/Big.Model-7b"),
        (ModelRef(path=Path("/models/big.model-7B.gguf")), "org/Big.Model-7b"),
        (ModelRef(path=Path("/models/Small.gguf")), "/srv/small.gguf"),
        (ModelRef(path=Path("/models/big.model-7b.Q4_K_M.gguf")), None),
        (ModelRef(path=Path("/models/big.gguf")), None),
        (ModelRef(name="openai:small"), None),
        (ModelRef(name="openai:"), None),
    ],
)
def test_a_model_is_meant_by_its_name_or_by_its_files(wanted: ModelRef, found: str | None) -> None:
    models = [SimModel(name="org/Big.Model-7b"), SimModel(name="/srv/small.gguf")]
    with Simulator(World(models=models)) as simulator:
        engine = OpenAIEngine(EngineOptions(url=simulator.url))
        if found is None:
            with pytest.raises(EngineRefused, match=r"org/Big\.Model-7b, /srv/small\.gguf"):
                engine.load(wanted, Settings())
        else:
            engine.load(wanted, Settings())
            assert simulator.exchanges[-1].body["model"] == found


def test_a_server_of_another_kind_is_told_with_the_source_of_the_address() -> None:
    with Simulator() as simulator, pytest.raises(EngineMissing, match="--url"):
        OpenAIEngine(EngineOptions(url=simulator.url + "/elsewhere")).identify()


def test_without_an_address_the_variable_that_takes_one_is_told() -> None:
    with pytest.raises(EngineMissing, match="TOKENROOF_OPENAI_URL"):
        OpenAIEngine()


@pytest.mark.parametrize(
    ("base", "url"), [("", "/v1/models"), ("/", "/v1/models"), ("/v1/", "/v1/models")]
)
def test_an_address_without_a_path_is_that_of_v1(base: str, url: str) -> None:
    with Simulator() as simulator:
        OpenAIEngine(EngineOptions(url=simulator.url + base)).identify()
        assert simulator.exchanges[0].path == url


def test_a_key_is_sent_where_it_belongs_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Simulator(World(api_key="general")) as simulator:
        monkeypatch.setenv("OPENAI_API_KEY", "general")
        # The general key, but for another place, or for none in particular: it is kept back.
        for base in (None, "https://api.openai.com/v1"):
            if base:
                monkeypatch.setenv("OPENAI_BASE_URL", base)
            with pytest.raises(EngineRefused, match="TOKENROOF_OPENAI_API_KEY"):
                OpenAIEngine(EngineOptions(url=simulator.url)).identify()
            assert "authorization" not in simulator.exchanges[-1].headers
        monkeypatch.setenv("OPENAI_BASE_URL", simulator.url + "/v1")
        OpenAIEngine().identify()
        simulator.world.api_key = "own"
        monkeypatch.setenv("TOKENROOF_OPENAI_API_KEY", "own")
        OpenAIEngine(EngineOptions(url=simulator.url)).identify()


def test_a_key_is_in_no_record_and_no_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKENROOF_OPENAI_API_KEY", "very-secret")
    with Simulator(World(api_key="very-secret")) as simulator:
        engine = OpenAIEngine(EngineOptions(url=simulator.url))
        engine.load(SIM, Settings())
        reply = engine.run(Request(prompt="x" * 500, output_tokens=4))
        assert "very-secret" not in str(reply.to_dict()) + str(engine.identify().to_dict())
        simulator.world.scripts.append(Script(status=307, headers={"Location": "http://b/"}))
        with pytest.raises(EngineRefused) as caught:
            engine.run(Request(prompt="x" * 500, output_tokens=4))
        assert "very-secret" not in str(caught.value)


@pytest.mark.engine
def test_on_the_real_llama_server_the_accounting_is_its_own() -> None:
    # One context for all: the prompt's digits are a token each, and a template goes around them.
    native = LlamaServerEngine(EngineOptions(program=tool("llama-server")))
    native.load(small_model(), Settings(context=1024, threads=1))
    try:
        assert native._own is not None
        url = native._own.client.endpoint.url
        engine = OpenAIEngine(EngineOptions(url=url))
        assert engine.load(small_model(), Settings(context=1024)).settings.context == 1024
        short, long = (
            engine.run(Request(prompt=digits(count), output_tokens=12)) for count in (200, 300)
        )
        for reply in (short, long):
            assert (reply.output_tokens, reply.output_steps) == (12, 11)
            assert reply.prompt_cached == 0
            assert reply.flags == ()
            assert reply.raw["usage"]["prompt_tokens"] == reply.prompt_tokens
            assert len(reply.raw["chunk_seconds"]) <= 12
            assert reply.prompt_seconds is not None
            assert reply.ttft_seconds is not None
            assert reply.prompt_seconds <= reply.ttft_seconds
        assert short.prompt_tokens is not None
        assert long.prompt_tokens is not None
        assert long.prompt_tokens - short.prompt_tokens == 100
        assert engine.identify().version == native.identify().version
    finally:
        native.close()
