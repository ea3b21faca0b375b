"""Ollama on the simulator: the figures are the script's, and every fault is told for what it is."""

from __future__ import annotations

import dataclasses
import json
import math
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from simulator.script import MISSING, Script
from simulator.server import Simulator
from simulator.world import SimModel, World
from support.ports import nobody_listens
from tokenroof.engines.base import ModelRef, Reply, Request
from tokenroof.engines.http_connection import Limits
from tokenroof.engines.ollama import OllamaEngine, why
from tokenroof.engines.ollama_api import runner
from tokenroof.engines.ollama_terms import endpoint_of
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineDied, EngineError, EngineMissing, EngineRefused
from tokenroof.records import Settings

SIM = ModelRef(name="ollama:sim")
CONTEXT = 4096


class LaterSettings(Settings, frozen=True, kw_only=True):
    """Settings with one that this engine was written before."""

    something: int | None = None


class Bench:
    """An engine with the model loaded, and the server behind it."""

    def __init__(self, simulator: Simulator, engine: OllamaEngine) -> None:
        self.simulator, self.engine, self.world = simulator, engine, simulator.world
        self._tag = 0

    def prompt(self, tokens: int) -> str:
        """So many tokens, 2.5 characters each and 10 around, with a beginning of its own."""
        self._tag += 1
        return f"{self._tag:04d}".ljust(int((tokens - 10) * 2.5), "x")

    def run(self, script: Script, tokens: int = 400, output: int = 16, **request: Any) -> Reply:
        self.world.scripts.append(script)
        prompt = request.pop("prompt", None) or self.prompt(tokens)
        watch = request.pop("watch", None)
        return self.engine.run(Request(prompt=prompt, output_tokens=output, **request), watch)

    def fails(self, script: Script) -> EngineError:
        with pytest.raises(EngineError) as caught:
            self.run(script)
        return caught.value

    @property
    def asked(self) -> dict[str, Any]:
        """The last request for an answer."""
        bodies = [each.body for each in self.simulator.asked("/api/chat")]
        found: dict[str, Any] = [body for body in bodies if body["messages"]][-1]
        return found


@pytest.fixture
def bench() -> Iterator[Bench]:
    yield from opened(World())


def opened(world: World, model: ModelRef = SIM, **seconds: float) -> Iterator[Bench]:
    with Simulator(world) as simulator:
        engine = OllamaEngine(EngineOptions(url=simulator.url), Limits(**seconds))
        engine.load(model, Settings(context=CONTEXT))
        yield Bench(simulator, engine)
        engine.close()


def test_figures_are_the_scripts_exactly(bench: Bench) -> None:
    # 1000 tokens at 30 us: 30 ms. 23 steps of 4 ms after the first of 24 tokens: 92 ms.
    script = Script(prefill_seconds_per_token=30e-6, gap_seconds=0.004)
    reply = bench.run(script, tokens=1000, output=24)
    assert (reply.prompt_tokens, reply.prompt_cached) == (1000, 0)
    assert reply.prompt_seconds == 0.03
    assert (reply.output_tokens, reply.output_steps) == (24, 23)
    assert reply.output_seconds == 0.092
    assert reply.flags == ()
    # Ollama's own rate takes 24 tokens for the time of 23: it is shown beside.
    assert reply.raw["engine_tokens_per_second"] == pytest.approx(24 / 0.092)


def test_times_are_those_at_which_the_server_sent(bench: Bench) -> None:
    # The second piece is sent 20 ms after we said that we have the first.
    script = Script(hold_after=1, gap_seconds=0.02)
    told: list[float] = []

    def watch(_step: object) -> None:
        told.append(time.perf_counter())
        script.released.set()

    reply = bench.run(script, output=12, watch=watch)
    exchange = bench.simulator.asked("/api/chat")[-1]
    came, sent = reply.raw["chunk_seconds"], [each.at for each in exchange.sent]
    assert len(came) == 12
    # We had the first before we told of it, and no other before it was sent. How much later it
    # came is the scheduler's.
    assert sent[0] <= told[0] <= sent[1] - 0.02
    for at, moment in zip(came[1:], sent[1:], strict=False):
        assert at - came[0] >= moment - told[0] - 1e-5
    assert reply.ttft_seconds is not None
    assert reply.ttft_seconds >= sent[0] - exchange.received_at - 1e-4
    assert came[-1] <= reply.wall_seconds + 1e-5


def test_a_request_pins_all_that_can_be_pinned(bench: Bench) -> None:
    bench.engine.load(SIM, Settings(context=2048, batch=256, threads=3, gpu_layers=7))
    bench.run(Script(), output=9, seed=5)
    asked = bench.asked
    assert asked["options"] == {
        "temperature": 0,
        "seed": 5,
        "num_predict": 9,
        "num_ctx": 2048,
        "num_batch": 256,
        "num_thread": 3,
        "num_gpu": 7,
    }
    assert (asked["truncate"], asked["shift"], asked["stream"]) == (False, False, True)
    assert asked["keep_alive"] == "30m"


@pytest.mark.parametrize(
    ("model", "think"),
    [
        (SimModel(family="qwen3", architecture="qwen3"), False),
        (SimModel(family="qwen3moe", architecture="qwen3moe", capabilities=None), False),
        (SimModel(family="gptoss", architecture="gptoss", capabilities=None), "low"),
        (SimModel(family="gpt-oss", capabilities=("completion", "thinking")), "low"),
        (SimModel(family="gpt-oss", capabilities=("completion",)), "left out"),
        (SimModel(family="llama"), "left out"),
        (SimModel(family="deepseek2", capabilities=("completion", "thinking")), "left out"),
    ],
)
def test_thinking_is_off_or_low_where_that_is_to_be_had(model: SimModel, think: object) -> None:
    for bench in opened(World(models=[model])):
        bench.run(Script())
        assert bench.asked.get("think", "left out") == think


def test_loading_makes_ready_with_the_options_of_the_runs_so_none_is_reloaded(
    bench: Bench,
) -> None:
    assert [bench.run(Script()).flags for _ in range(3)] == [(), (), ()]


def test_a_reload_is_told_by_its_time_and_is_no_part_of_the_wait_for_a_token(bench: Bench) -> None:
    reply = bench.run(Script(load_seconds=0.25))
    assert "reloaded" in reply.flags
    assert reply.raw["ollama"]["load_duration"] == 250_000_000
    assert reply.raw["ttft_with_load_seconds"] >= 0.25
    assert reply.ttft_seconds == pytest.approx(reply.raw["ttft_with_load_seconds"] - 0.25)
    # Some time for loading is normal with a model that is there.
    assert "reloaded" not in bench.run(Script(load_seconds=0.05)).flags


def test_another_model_under_the_same_name_is_a_reload(bench: Bench) -> None:
    bench.world.models[0].digest = "cd" * 32
    assert "reloaded" in bench.run(Script()).flags


def test_cached_tokens_are_taken_from_the_server_and_not_learnt_from(bench: Bench) -> None:
    prompt = bench.prompt(1000)
    first, second = (bench.run(Script(), prompt=prompt) for _ in range(2))
    assert (first.prompt_cached, second.prompt_cached) == (0, 999)
    assert (second.prompt_tokens, second.prompt_seconds) == (1000, 20e-6)


@pytest.mark.parametrize("tokens", [200, 1000, 3000])
def test_a_cache_that_is_not_told_is_seen_by_what_it_would_mean(tokens: int) -> None:
    for bench in opened(World(version="0.22.1", reports_cached=False)):
        prompt = bench.prompt(tokens)
        first, second = (bench.run(Script(), prompt=prompt) for _ in range(2))
        assert first.flags == ()
        # One token was read, and all are counted.
        assert second.prompt_tokens == tokens
        assert second.prompt_cached is None
        assert "prefill_may_be_cached" in second.flags
        # A prompt of its own is read in full, and so it is believed.
        assert bench.run(Script(), tokens=tokens).flags == ()


def test_what_came_from_a_cache_is_no_measure_of_what_reading_takes(bench: Bench) -> None:
    # One token is written, so no step tells how long reading the weights takes.
    prompt = bench.prompt(1000)
    for _ in range(2):
        bench.run(Script(), prompt=prompt, output=1)
    bench.world.reports_cached = False
    assert bench.run(Script(), prompt=prompt, output=1).flags == ("prefill_may_be_cached",)


def test_a_run_is_kept_where_only_the_question_after_it_fails(bench: Bench) -> None:
    bench.world.endpoints_off = frozenset({"/api/ps"})
    reply = bench.run(Script())
    assert (reply.output_tokens, reply.flags) == (16, ())


def test_a_long_system_prompt_is_not_taken_for_tokens_of_the_text() -> None:
    for bench in opened(World(template_tokens=1000)):
        for tokens in (1100, 1200, 3500):
            assert bench.run(Script(), tokens=tokens - 990).flags == ()


@pytest.mark.parametrize("cached", [2999, 2940])
def test_a_first_prompt_from_the_cache_is_seen_without_any_history(
    bench: Bench, cached: int
) -> None:
    bench.world.reports_cached = False
    # 3000 tokens in the time of one, 20 us, or of 60, 1.2 ms, where a step takes 1 ms.
    reply = bench.run(Script(cached_tokens=cached), tokens=3000)
    assert reply.flags == ("prefill_may_be_cached",)


def test_a_prefill_that_cannot_be_true_is_null_where_nothing_was_cached(bench: Bench) -> None:
    reply = bench.run(Script(counters={"prompt_eval_duration": 1000}), tokens=1000)
    assert reply.flags == ("prefill_implausible",)
    assert reply.prompt_seconds is None
    assert reply.prompt_tokens == 1000


def test_versions_that_leave_the_count_of_a_cached_prompt_out_say_nothing_of_it(
    bench: Bench,
) -> None:
    reply = bench.run(Script(counters={"prompt_eval_count": MISSING}))
    assert reply.prompt_tokens is None
    assert "prefill_may_be_cached" in reply.flags
    assert reply.output_tokens == 16


def test_a_prompt_that_is_too_long_is_refused_with_the_servers_numbers(bench: Bench) -> None:
    with pytest.raises(EngineRefused, match=r"4500 tokens.*4096") as caught:
        bench.run(Script(), tokens=4500)
    assert caught.value.message == "ollama.prompt_too_long"


@pytest.mark.parametrize("warm", [False, True])
def test_a_version_that_cuts_all_the_same_is_found_out(warm: bool) -> None:
    for bench in opened(World(truncates=True, version="0.22.1", reports_cached=False)):
        if warm:
            bench.run(Script(), tokens=1000)
        reply = bench.run(Script(), tokens=6000 if warm else 9000)
        # 4096 - (4096 - 4) // 2 = 2050: the first four tokens and the later half.
        assert reply.prompt_tokens == 2050 == CONTEXT // 2 + 2
        assert "truncated" in reply.flags


def test_half_a_context_is_a_length_like_any_other(bench: Bench) -> None:
    bench.run(Script(), tokens=1000)
    assert bench.run(Script(), tokens=2050).flags == ()


def test_an_answer_that_ends_early_is_told(bench: Bench) -> None:
    reply = bench.run(Script(output_tokens=5, stop="stop"))
    assert (reply.output_tokens, reply.output_steps) == (5, 4)
    assert reply.flags == ("stopped_early",)


def test_an_empty_answer_is_zero_tokens_and_no_rate(bench: Bench) -> None:
    reply = bench.run(Script(output_tokens=0, stop="stop"))
    assert (reply.output_tokens, reply.output_steps, reply.output_seconds) == (0, 0, 0.0)
    assert reply.ttft_seconds is None
    assert "stopped_early" in reply.flags


def test_tokens_that_are_counted_and_never_shown_still_count(bench: Bench) -> None:
    # As gpt-oss did in Ollama 0.22.1: no text in any channel, and right counters.
    reply = bench.run(Script(hidden_tokens=16))
    assert (reply.output_tokens, reply.output_seconds) == (16, 0.015)
    assert reply.flags == ("empty_output",)
    assert reply.ttft_seconds is None


def test_thoughts_are_tokens_and_the_first_of_them_ends_the_wait(bench: Bench) -> None:
    bench.world.models[0].capabilities = ("completion", "thinking")
    reply = bench.run(Script(reasoning_tokens=16, gap_seconds=0.01))
    assert reply.output_tokens == 16
    assert reply.flags == ()
    assert reply.raw["characters"] == {"thinking": 32}
    assert len(reply.raw["chunk_seconds"]) == 16
    assert reply.ttft_seconds == pytest.approx(reply.raw["chunk_seconds"][0], abs=1e-6)


@pytest.mark.parametrize("chunk", [1, 3, 16])
def test_chunks_are_not_tokens(bench: Bench, chunk: int) -> None:
    reply = bench.run(Script(tokens_per_chunk=chunk))
    assert (reply.output_tokens, reply.output_steps) == (16, 15)
    assert reply.output_seconds == 0.015
    assert len(reply.raw["chunk_seconds"]) == -(-16 // chunk)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_split_characters_change_nothing(bench: Bench, size: int) -> None:
    reply = bench.run(Script(text="灯台", piece_bytes=size))
    assert reply.output_tokens == 16
    assert reply.raw["characters"] == {"content": 32}


COUNTERS = {
    # 400 tokens at 20 us, and 15 steps of 1 ms after the first of 16 tokens.
    "prompt_eval_count": 400,
    "prompt_eval_duration": 0.008,
    "eval_count": 16,
    "eval_duration": 0.015,
}


@pytest.mark.parametrize(
    "value",
    [0, -5, "12", True, None, MISSING, [], {}, 10**400, math.nan, math.inf],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("counter", COUNTERS)
def test_an_absurd_or_missing_counter_is_unknown_and_the_others_are_kept(
    bench: Bench, counter: str, value: object
) -> None:
    reply = bench.run(Script(counters={counter: value}))
    found = {
        "prompt_eval_count": reply.prompt_tokens,
        "prompt_eval_duration": reply.prompt_seconds,
        "eval_count": reply.output_tokens,
        "eval_duration": reply.output_seconds,
    }
    assert found == COUNTERS | {counter: None}
    assert counter in reply.raw["unusable_counters"]
    json.loads(msgspec.json.encode(reply), parse_constant=pytest.fail)


def test_half_a_token_is_no_count(bench: Bench) -> None:
    assert bench.run(Script(counters={"eval_count": 15.5})).output_tokens is None


@pytest.mark.parametrize("counter", ["prompt_eval_duration", "eval_duration"])
def test_a_part_longer_than_the_whole_is_no_time(bench: Bench, counter: str) -> None:
    reply = bench.run(Script(counters={counter: 3600 * 10**9}))
    assert counter in reply.raw["unusable_counters"]
    found = {"prompt_eval_duration": reply.prompt_seconds, "eval_duration": reply.output_seconds}
    assert found[counter] is None


def test_more_cached_tokens_than_tokens_are_none(bench: Bench) -> None:
    reply = bench.run(Script(counters={"prompt_eval_cached_count": 401}))
    assert reply.prompt_cached is None
    assert "prompt_eval_cached_count" in reply.raw["unusable_counters"]


@pytest.mark.parametrize(
    ("script", "kind", "said"),
    [
        (Script(error_after=0), EngineDied, "unexpectedly stopped"),
        (Script(error_after=5), EngineDied, "unexpectedly stopped"),
        (Script(end_after=5), EngineDied, "broke off"),
        (Script(die_after_bytes=0), EngineDied, "broke off"),
        (Script(die_after_bytes=40), EngineError, "127.0.0.1"),
        (Script(die_after_bytes=700), EngineDied, "700 bytes"),
        (Script(status=500, body=b'{"error": "CUDA out of memory"}'), EngineDied, "CUDA out"),
        (Script(status=503, body=b'{"error": "server busy"}'), EngineRefused, "server busy"),
        (Script(body=b"<html>proxy</html>"), EngineError, "web page"),
        (Script(body=b"[1, 2]\n"), EngineError, r"\[1, 2\]"),
        (Script(body=b""), EngineError, "127.0.0.1"),
    ],
)
def test_a_failure_is_a_failure_and_never_a_run_of_zero_tokens(
    bench: Bench, script: Script, kind: type[EngineError], said: str
) -> None:
    error = bench.fails(script)
    assert isinstance(error, kind)
    assert error.exit_code == 4
    with pytest.raises(type(error), match=said):
        raise error
    # The next run is none the worse for it.
    assert bench.run(Script()).output_tokens == 16


@pytest.mark.parametrize("size", range(0, 1000, 111))
def test_death_at_whatever_byte_is_never_an_answer(bench: Bench, size: int) -> None:
    assert isinstance(bench.fails(Script(die_after_bytes=size)), EngineError)


@pytest.mark.parametrize(
    ("chunks", "message"), [(0, "http.no_first_token"), (3, "http.no_next_token")]
)
def test_a_stall_ends_with_the_limit_that_it_reached(chunks: int, message: str) -> None:
    # A limit that is not the one in question is never reached.
    limits: dict[str, Any] = {}
    limits["between_tokens_seconds" if chunks else "first_token_seconds"] = 0.3
    for bench in opened(World(), **limits):
        assert bench.fails(Script(stall_after=chunks)).message == message
        # The first request loaded the model.
        assert bench.simulator.over("/api/chat", 2).hung_up_at is not None


def test_an_interrupted_run_hangs_up(bench: Bench) -> None:
    def interrupt(_step: object) -> None:
        raise KeyboardInterrupt

    bench.world.scripts.append(Script(stall_after=1))
    with pytest.raises(KeyboardInterrupt):
        bench.engine.run(Request(prompt="x" * 500, output_tokens=8), watch=interrupt)
    assert bench.simulator.over("/api/chat", 2).hung_up_at is not None


@pytest.mark.usefixtures("times_count")
def test_drafted_tokens_that_come_together_are_speculation(bench: Bench) -> None:
    # Three tokens a step of 12 ms, each shown by itself.
    reply = bench.run(Script(tokens_per_step=3, gap_seconds=0.012), output=31)
    assert (reply.output_tokens, reply.output_steps) == (31, 30)
    assert "speculative" in reply.flags
    # What is sent together is read together; more, where what comes has to wait for us.
    assert reply.raw["tokens_per_step"] >= 3


@pytest.mark.usefixtures("times_count")
def test_a_version_that_cannot_draft_does_not_speculate() -> None:
    for bench in opened(World(version="0.22.1")):
        reply = bench.run(Script(tokens_per_step=3, gap_seconds=0.012), output=31)
        assert "speculative" not in reply.flags


def test_a_second_client_shows_as_time_that_no_counter_explains(bench: Bench) -> None:
    reply = bench.run(Script(queue_seconds=0.7))
    assert reply.flags == ("contended",)
    assert reply.raw["unexplained_seconds"] == pytest.approx(0.7)
    # It is not in the prefill, and it is in what a person waited.
    assert reply.prompt_seconds == 0.008
    assert reply.ttft_seconds is not None
    assert reply.ttft_seconds >= 0.7


@pytest.mark.parametrize(
    ("vram", "place", "flags"),
    [
        (5_000_000_000, "gpu", ()),
        (0, "cpu", ()),
        (3_000_000_000, "mixed", ("partial_offload",)),
    ],
)
def test_the_place_is_where_the_bytes_are(vram: int, place: str, flags: tuple[str, ...]) -> None:
    for bench in opened(World(models=[SimModel(size_vram=vram)])):
        reply = bench.run(Script())
        assert bench.engine.identify().place == place
        assert reply.flags == flags
        told = reply.raw["resident"]
        assert (told["size"], told["size_vram"]) == (5_000_000_000, vram)


def linear(name: str, *shape: int) -> dict[str, Any]:
    return {"name": f"{name}.weight", "type": "F32", "shape": list(shape)}


# F32: 4 bytes. The head 12800, norms 3 x 128, attention 4 x 4096, feed-forward 3 x 8192: 54,144
# that a token reads. The embedding's 12800 are looked up, and stay on the CPU. The cache of 4096
# tokens in f16 is 4096 x (32 + 32) x 2 = 524,288.
SMALL = SimModel(
    info={
        "llama.block_count": 1,
        "llama.context_length": 4096,
        "llama.embedding_length": 32,
        "llama.feed_forward_length": 64,
        "llama.attention.head_count": 1,
        "llama.attention.head_count_kv": 1,
    },
    tensors=[
        *(linear(name, 32, 100) for name in ("token_embd", "output")),
        *(linear(name, 32) for name in ("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm")),
        *(linear(f"blk.0.attn_{part}", 32, 32) for part in ("q", "k", "v", "output")),
        *(linear(f"blk.0.ffn_{part}", 32, 64) for part in ("gate", "up")),
        linear("blk.0.ffn_down", 64, 32),
    ],
)


@pytest.mark.parametrize(
    ("vram", "place", "header", "flags"),
    [
        (50_000, "mixed", "mixed", ("partial_offload",)),  # not even the weights
        (54_144 + 524_287, "mixed", None, ("partial_offload",)),  # the weights; the cache maybe
        (54_144 + 524_288, None, "gpu", ()),  # both, so that the size counts something twice
    ],
)
def test_a_split_is_held_against_the_models_own_header(
    vram: int, place: str | None, header: str | None, flags: tuple[str, ...]
) -> None:
    model = dataclasses.replace(SMALL, size=1_200_000, size_vram=vram)
    for bench in opened(World(models=[model])):
        reply = bench.run(Script())
        assert bench.engine.identify().place == place
        assert set(flags) == {"partial_offload"} & set(reply.flags)
        sources = {"program": "mixed", "header": header, "weights_on_gpu_at_least": 54_144}
        assert reply.raw["resident"]["sources"] == sources


def test_where_nothing_tells_of_the_tensors_the_one_source_stands_alone() -> None:
    for bench in opened(World(models=[SimModel(size_vram=1)])):
        reply = bench.run(Script())
        assert "partial_offload" in reply.flags
        assert reply.raw["resident"]["sources"]["header"] is None


def test_the_context_in_force_is_the_servers_word(bench: Bench) -> None:
    loaded = bench.engine.load(SIM, Settings(context=1024))
    assert (loaded.settings.context, loaded.settings.batch) == (1024, 512)
    # Nobody knows what the daemon's environment chose.
    assert loaded.settings.kv_type_k is None
    assert loaded.settings.flash_attention is None


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (Settings(kv_type_k="q8_0"), "OLLAMA_KV_CACHE_TYPE"),
        (Settings(flash_attention=True), "OLLAMA_FLASH_ATTENTION"),
        (Settings(batch=512, ubatch=256), "256"),
        (LaterSettings(something=2), "something"),
    ],
)
def test_a_setting_that_no_request_can_bring_about_is_refused(
    bench: Bench, settings: Settings, said: str
) -> None:
    with pytest.raises(EngineRefused, match=said):
        bench.engine.load(SIM, settings)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ollama:none", "ollama.not_pulled"),
        ("ollama:far", "ollama.cloud"),
        ("ollama:gpt-oss:120b-cloud", "ollama.cloud"),
        ("ollama:qwen3:cloud", "ollama.cloud"),
        ("ollama:embed", "engines.not_generative"),
        ("hf:a/b/c.gguf", "ollama.needs_name"),
        ("/models/x.gguf", "ollama.needs_name"),
    ],
)
def test_a_model_that_cannot_be_measured_here_is_refused_before_it_is_loaded(
    name: str, message: str
) -> None:
    models = [
        SimModel(),
        SimModel(name="far:latest", remote_host="https://ollama.com"),
        SimModel(name="embed:latest", capabilities=("embedding",)),
    ]
    for bench in opened(World(models=models)):
        asked = len(bench.simulator.asked("/api/chat"))
        with pytest.raises(EngineRefused) as caught:
            bench.engine.load(ModelRef.of(name), Settings())
        assert caught.value.message == message
        assert len(bench.simulator.asked("/api/chat")) == asked


def test_the_digest_of_the_model_that_runs_is_told(bench: Bench) -> None:
    assert bench.engine.identify().flags["model_digest"] == "ab" * 32


def test_a_model_that_we_loaded_goes_with_us_and_one_that_was_there_stays() -> None:
    with Simulator() as simulator:
        for was_there in (False, True):
            engine = OllamaEngine(EngineOptions(url=simulator.url))
            loaded = engine.load(SIM, Settings(context=CONTEXT))
            assert loaded.cold is not was_there
            engine.close()
            engine.close()
            assert bool(simulator.world.loaded) is was_there
            simulator.world.loaded["sim:latest"] = {"num_ctx": CONTEXT, "num_batch": 512}


def test_a_name_may_say_where_its_ollama_is() -> None:
    with Simulator() as simulator:
        address = simulator.url.removeprefix("http://")
        engine = OllamaEngine(EngineOptions(url="http://127.0.0.1:9"))
        engine.load(ModelRef(name=f"ollama://{address}/sim"), Settings())
        assert engine.run(Request(prompt="x" * 400, output_tokens=4)).output_tokens == 4
        engine.close()


@pytest.mark.parametrize(
    ("variables", "url", "source"),
    [
        ({}, "http://127.0.0.1:11434", "default"),
        ({"OLLAMA_HOST": "0.0.0.0"}, "http://127.0.0.1:11434", "OLLAMA_HOST"),
        ({"OLLAMA_HOST": "[::]:7000"}, "http://[::1]:7000", "OLLAMA_HOST"),
        ({"OLLAMA_HOST": "'box:80'"}, "http://box:80", "OLLAMA_HOST"),
        ({"OLLAMA_HOST": "https://box"}, "https://box", "OLLAMA_HOST"),
        (
            {"OLLAMA_HOST": "box", "TOKENROOF_OLLAMA_URL": "http://mine:1"},
            "http://mine:1",
            "TOKENROOF_OLLAMA_URL",
        ),
    ],
)
def test_the_address_comes_from_the_environment_as_ollama_reads_it(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, source: str
) -> None:
    for name in ("OLLAMA_HOST", "TOKENROOF_OLLAMA_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (endpoint_of().url, endpoint_of().source) == (url, source)


def test_a_server_that_is_no_ollama_is_told_with_the_source_of_the_address() -> None:
    with Simulator() as simulator, pytest.raises(EngineMissing, match=r"not Ollama.*--url"):
        OllamaEngine(EngineOptions(url=simulator.url + "/v1")).identify()
    with nobody_listens() as port, pytest.raises(EngineMissing, match="ollama serve"):
        OllamaEngine(EngineOptions(url=f"http://127.0.0.1:{port}")).identify()


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("0.22.1", "ollama"),
        ("0.29.9", "ollama"),
        ("0.30.0", "llama-server"),
        ("1.0", "llama-server"),
        ("0.0.0", None),
        ("dev", None),
        (None, None),
    ],
)
def test_results_before_and_after_0_30_are_told_apart(
    version: str | None, expected: str | None
) -> None:
    assert runner(version) == expected


def test_reading_costs_us_little_and_says_how_much(bench: Bench) -> None:
    reply = bench.run(Script(gap_seconds=0.0005), output=200)
    cost = reply.raw["client_cpu_seconds_per_token"]
    assert 0 < cost < reply.wall_seconds
    assert cost == pytest.approx(reply.raw["client_cpu_seconds"] / 200)


def test_it_is_taken_where_it_runs_and_has_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    with Simulator() as simulator:
        monkeypatch.setenv("TOKENROOF_OLLAMA_URL", simulator.url)
        notice = why(SIM)
        assert notice is not None
        assert simulator.url in notice.text()
        assert why(ModelRef(name="ollama:none")) is None
        assert why(ModelRef(path=Path("/models/x.gguf"))) is None
    # It does not run any more.
    assert why(SIM) is None
    monkeypatch.setenv("TOKENROOF_OLLAMA_URL", "no address at all")
    assert why(SIM) is None


def test_nobody_waits_for_an_ollama_that_may_not_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    release = threading.Event()
    looked = threading.Event()

    def looking_up(*_arguments: object, **_more: object) -> list[object]:
        # As long as a look-up may take that nobody answers.
        release.wait(120)
        looked.set()
        return []

    monkeypatch.setenv("TOKENROOF_OLLAMA_URL", "http://far.example:11434")
    monkeypatch.setattr("socket.getaddrinfo", looking_up)
    monkeypatch.setattr("tokenroof.engines.ollama._GLANCE_SECONDS", 0.05)
    try:
        assert why(SIM) is None
        assert not looked.is_set()
    finally:
        release.set()
    assert looked.wait(120)
