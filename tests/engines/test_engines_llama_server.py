"""llama-server: what its answers mean, and that one of our own is started, watched and ended."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from simulator.script import Script
from simulator.server import Simulator
from simulator.world import World
from support.gguf_files import write_gguf
from support.llama_tools import tool
from support.small_model import digits, small_model
from tokenroof.engines import llama_server_start
from tokenroof.engines.base import ModelRef, Reply, Request, Step
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.engines.http_connection import Limits
from tokenroof.engines.http_stream import Frame
from tokenroof.engines.llama_server import LlamaServerEngine
from tokenroof.engines.llama_server_reply import Answer
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import (
    EngineDied,
    EngineError,
    EngineMissing,
    EngineRefused,
    GGUFError,
    UsageError,
)
from tokenroof.records import Settings

ASKED = Request(prompt="x", output_tokens=16)

# The last event of a real answer, 13 tokens read and 16 written, as build 11434 sent it.
TIMINGS = {
    "cache_n": 0,
    "prompt_n": 13,
    "prompt_ms": 84.117,
    "prompt_per_token_ms": 6.470,
    "prompt_per_second": 154.546,
    "predicted_n": 16,
    "predicted_ms": 643.782,
    "predicted_per_token_ms": 42.9188,
    "predicted_per_second": 23.29981,
}


def reply(timings: object, wall: float = 1.0, request: Request = ASKED, **last: Any) -> Reply:
    """What is made of a last event."""
    answer = Answer(request, sent_at=0.0)
    known = {"stop": True, "tokens_evaluated": 13, "tokens_predicted": 16, "timings": timings}
    token = Frame(b"", min(0.1, wall))
    list(answer.take({"content": "a", "tokens": [5], "tokens_predicted": 1}, token))
    list(answer.take(known | last, Frame(b"", wall)))
    return answer.reply(0.002)


def test_n_tokens_span_one_step_fewer_whatever_rate_the_version_prints() -> None:
    # 643.782 ms / 15 = 42.919 ms is what this build prints itself; those before August 2026
    # divided by 16 and printed 40.236 ms and 24.853 tokens/s.
    old = TIMINGS | {"predicted_per_token_ms": 40.236, "predicted_per_second": 24.853}
    for timings in (TIMINGS, old):
        made = reply(timings)
        assert (made.output_tokens, made.output_steps) == (16, 15)
        assert made.output_seconds == pytest.approx(0.643782)
        assert (made.prompt_tokens, made.prompt_cached) == (13, 0)
        assert made.prompt_seconds == pytest.approx(0.084117)
        assert (made.ttft_seconds, made.wall_seconds) == (0.1, 1.0)
        assert made.flags == ()


def test_one_token_has_no_step_and_no_time() -> None:
    # The server then says 0.001 ms and rates of 0.
    one = reply(TIMINGS | {"predicted_n": 1, "predicted_ms": 0.001}, tokens_predicted=1)
    assert (one.output_tokens, one.output_steps, one.output_seconds) == (1, 0, 0.0)
    nothing = Request(prompt="x", output_tokens=0)
    none = reply(TIMINGS | {"predicted_n": 1, "predicted_ms": 0.001}, request=nothing)
    assert (none.output_tokens, none.output_steps, none.output_seconds) == (0, 0, 0.0)


def test_cached_tokens_are_those_that_were_not_read_not_the_cells_in_use() -> None:
    # As recorded: the same 13 tokens again, 8 of them from a checkpoint; 28 cells in use.
    made = reply(TIMINGS | {"cache_n": 8, "prompt_n": 5}, tokens_cached=28)
    assert (made.prompt_tokens, made.prompt_cached) == (13, 8)
    # Builds without cache_n: what was read is told, so the rest was cached.
    old = {name: value for name, value in TIMINGS.items() if name != "cache_n"}
    made = reply(old | {"prompt_n": 1})
    assert (made.prompt_tokens, made.prompt_cached) == (13, 12)
    made = reply(TIMINGS | {"cache_n": 8, "prompt_n": 5}, tokens_evaluated=None)
    assert (made.prompt_tokens, made.prompt_cached) == (13, 8)
    made = reply({}, tokens_evaluated=None)
    assert (made.prompt_tokens, made.prompt_cached) == (None, None)


def test_speculation_is_told_by_its_drafts_and_what_each_pass_yields() -> None:
    # As recorded: 60 tokens, 44 drafted, 30 accepted: 59 steps came of 59 - 30 = 29 passes.
    said = {"predicted_n": 60, "draft_n": 44, "draft_n_accepted": 30}
    made = reply(TIMINGS | said, tokens_predicted=60)
    assert "speculative" in made.flags
    assert made.raw["tokens_per_pass"] == pytest.approx(59 / 29)
    assert reply(TIMINGS | {"draft_n": 0}).flags == ()
    assert reply(TIMINGS).raw["tokens_per_pass"] is None


@pytest.mark.parametrize("bad", [None, "5", -1, 0, float("nan"), float("inf"), True, 10**400, 2000])
def test_a_time_that_cannot_be_is_null_and_told(bad: object) -> None:
    # 2000 ms within an answer of 1 s.
    made = reply(TIMINGS | {"prompt_ms": bad, "predicted_ms": bad})
    assert (made.prompt_seconds, made.output_seconds) == (None, None)
    assert {"prompt_ms", "predicted_ms"} <= set(made.raw["unusable_counters"])
    assert (made.prompt_tokens, made.output_steps) == (13, 15)


@pytest.mark.parametrize("timings", [None, [], "fast", 7])
def test_an_answer_without_timings_keeps_its_counts(timings: object) -> None:
    made = reply(timings)
    assert made.flags == ("timing_disabled",)
    assert (made.prompt_tokens, made.output_tokens, made.output_steps) == (13, 16, 15)
    assert (made.prompt_seconds, made.output_seconds) == (None, None)


def test_a_prompt_that_was_cut_and_an_early_end_are_told() -> None:
    assert "truncated" in reply(TIMINGS, truncated=True).flags
    made = reply(TIMINGS | {"predicted_n": 4}, tokens_predicted=4, stop_type="eos")
    assert (made.output_tokens, made.raw["stop_type"]) == (4, "eos")


@pytest.mark.usefixtures("times_count")
def test_waiting_for_another_request_shows_before_the_first_token() -> None:
    answer = Answer(ASKED, sent_at=0.0)
    list(answer.take({"content": "a", "tokens_predicted": 1}, Frame(b"", 5.0)))
    list(answer.take({"stop": True, "timings": TIMINGS, "tokens_predicted": 16}, Frame(b"", 6.0)))
    made = answer.reply(0.0)
    assert made.flags == ("contended",)
    assert made.raw["unexplained_seconds"] == pytest.approx(5.0 - 0.084117)


def test_progress_is_no_token_and_a_token_without_text_is_one() -> None:
    answer = Answer(Request(prompt="x", output_tokens=3), sent_at=0.0)
    events: list[tuple[float, dict[str, Any]]] = [
        (0.1, {"content": "", "tokens": [0], "prompt_progress": {"total": 9, "processed": 5}}),
        (0.2, {"content": "", "tokens": [0], "prompt_progress": {"total": 9, "processed": 9}}),
        (0.3, {"content": "", "tokens": [858], "tokens_predicted": 1}),
        (0.4, {"content": "b", "tokens": [859], "tokens_predicted": 2}),
        (0.5, {"content": "c"}),
    ]
    told = [step for at, event in events for step in answer.take(event, Frame(b"", at))]
    assert [(step.phase, step.done, step.total) for step in told] == [
        ("prefill", 5, 9),
        ("prefill", 9, 9),
        ("decode", 1, 3),
        ("decode", 2, 3),
        ("decode", 3, 3),
    ]
    assert answer.first_token_at == 0.3


# A server that runs already, played by the simulator.


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(World(template_tokens=1)) as playing:
        yield playing


def at(simulator: Simulator, **limits: float) -> LlamaServerEngine:
    engine = LlamaServerEngine(
        EngineOptions(url=simulator.url), limits=Limits(**limits), load_deadline_seconds=0.5
    )
    engine.load(ModelRef(name="sim"), Settings())
    return engine


def test_figures_of_a_running_server_equal_its_script(simulator: Simulator) -> None:
    engine = at(simulator)
    simulator.world.scripts.append(Script(prompt_tokens=600, output_tokens=12, gap_seconds=0.002))
    steps: list[Step] = []
    made = engine.run(Request(prompt="p" * 1500, output_tokens=12), steps.append)
    assert (made.prompt_tokens, made.prompt_cached) == (600, 0)
    assert made.prompt_seconds == pytest.approx(600 * 20e-6)
    assert (made.output_tokens, made.output_steps) == (12, 11)
    assert made.output_seconds == pytest.approx(11 * 0.002)
    # Progress at 0, 512 and 600 tokens, then every token.
    assert [step.done for step in steps if step.phase == "prefill"] == [0, 512, 600]
    assert [step.done for step in steps if step.phase == "decode"] == list(range(1, 13))
    body = simulator.asked("/completion")[-1].body
    assert body["cache_prompt"] is False
    assert (body["ignore_eos"], body["temperature"], body["n_predict"]) == (True, 0, 12)
    assert engine.identify().version == "b11434-0123abc"
    assert engine.identify().place is None


def test_an_unknown_build_is_unknown_and_not_old(simulator: Simulator) -> None:
    simulator.world.build = "b0-unknown"
    assert at(simulator).identify().version is None


def test_others_at_the_server_are_seen_and_flag_the_run(simulator: Simulator) -> None:
    engine = at(simulator)
    assert engine.other_requests() == 0
    assert engine.run(ASKED).flags == ()
    simulator.world.busy_slots = 2
    assert engine.other_requests() == 2
    assert engine.run(ASKED).flags == ("contended",)
    simulator.world.endpoints_off = frozenset({"/slots"})
    assert engine.other_requests() is None
    assert engine.run(ASKED).flags == ()


def test_a_prompt_that_does_not_fit_is_refused_with_the_numbers(simulator: Simulator) -> None:
    simulator.world.context = 512
    engine = at(simulator)
    with pytest.raises(EngineRefused, match=r"401 tokens .* 200 more .* 512: .* 601"):
        engine.run(Request(prompt="p" * 1000, output_tokens=200))
    assert simulator.asked("/completion") == []


def test_the_servers_own_refusal_of_a_long_prompt_is_told_the_same_way(
    simulator: Simulator,
) -> None:
    engine = at(simulator)
    simulator.world.scripts.append(Script(prompt_tokens=9001))
    with pytest.raises(EngineRefused, match=r"9,001 tokens .* 16 more .* 4,096"):
        engine.run(ASKED)


@pytest.mark.parametrize(
    ("script", "error", "message"),
    [
        (Script(error_after=3), EngineDied, "http.error_frame"),
        (Script(end_after=3), EngineDied, "http.cut"),
        (Script(die_after_bytes=400), EngineDied, "http.cut"),
        (Script(stall_after=2), EngineDied, "http.no_next_token"),
        (Script(status=500, body=b'{"error": {"message": "oom"}}'), EngineDied, "http.failed"),
        (Script(status=503, body=b'{"error": {"message": "busy"}}'), EngineRefused, "http.refused"),
    ],
)
def test_whatever_breaks_an_answer_is_an_error_and_the_next_one_is_whole(
    simulator: Simulator, script: Script, error: type[EngineError], message: str
) -> None:
    stalls = script.stall_after is not None
    engine = at(simulator, **({"between_tokens_seconds": 0.3} if stalls else {}))
    simulator.world.scripts.append(script)
    with pytest.raises(error) as caught:
        engine.run(ASKED)
    assert caught.value.message == message
    # Of an engine with so short a limit, a busy machine could stop the next answer too.
    assert (at(simulator) if stalls else engine).run(ASKED).output_tokens == 16


def test_a_server_that_is_still_loading_is_waited_for_and_not_forever(
    simulator: Simulator,
) -> None:
    simulator.world.loading = True
    with pytest.raises(EngineDied) as caught:
        at(simulator)
    assert caught.value.message == "http.no_answer_in_time"


def test_what_a_running_server_cannot_be_told_is_refused(simulator: Simulator) -> None:
    engine = LlamaServerEngine(EngineOptions(url=simulator.url))
    for settings in (Settings(threads=4), Settings(kv_type_k="q8_0"), Settings(gpu_layers=0)):
        with pytest.raises(EngineRefused) as caught:
            engine.load(ModelRef(name="sim"), settings)
        assert caught.value.message == "llama_server.settings_fixed"
    assert engine.load(ModelRef(name="sim"), Settings(context=100)).settings.context == 4096


def test_another_model_than_the_one_that_is_served_is_refused(simulator: Simulator) -> None:
    simulator.world.models[0].name = "C:\\models\\big-00001-of-00002.gguf"
    engine = LlamaServerEngine(EngineOptions(url=simulator.url))
    with pytest.raises(EngineRefused, match=r"big-00001-of-00002\.gguf, not small\.gguf"):
        engine.load(Path("/here/small.gguf"), Settings())
    assert engine.load(Path("/here/big-00002-of-00002.gguf"), Settings()).settings.context == 4096


def test_a_key_is_sent_where_one_is_set(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulator.world.api_key = "s3cret"
    with pytest.raises(EngineRefused, match="TOKENROOF_LLAMA_SERVER_API_KEY"):
        at(simulator)
    monkeypatch.setenv("TOKENROOF_LLAMA_SERVER_API_KEY", "s3cret")
    assert at(simulator).run(ASKED).output_tokens == 16


def test_an_address_and_a_program_exclude_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError):
        LlamaServerEngine(EngineOptions(url="http://127.0.0.1:1", flags=("-ngl", "1")))
    with pytest.raises(UsageError):
        LlamaServerEngine(EngineOptions(url="gopher://x"))
    monkeypatch.setenv("TOKENROOF_LLAMA_SERVER_URL", "http://127.0.0.1:9")
    with pytest.raises(EngineMissing, match="TOKENROOF_LLAMA_SERVER_URL"):
        LlamaServerEngine().load(ModelRef(name="sim"), Settings())


# The real one.


@pytest.fixture(scope="module")
def real() -> Iterator[LlamaServerEngine]:
    engine = LlamaServerEngine(EngineOptions(program=tool("llama-server"), flags=("-lv", "3")))
    yield engine
    engine.close()


SMALL = Settings(context=512, threads=1, batch=64)


@pytest.mark.engine
def test_the_real_one_counts_as_the_embedded_engine_counts(real: LlamaServerEngine) -> None:
    embedded = EmbeddedEngine()
    try:
        ours = real.load(small_model(), SMALL).settings
        theirs = embedded.load(small_model(), SMALL).settings
        for prompt, output in ((40, 1), (100, 17), (300, 2)):
            request = Request(prompt=digits(prompt), output_tokens=output)
            one, other = real.run(request), embedded.run(request)
            assert one.prompt_tokens == other.prompt_tokens == prompt + 1
            assert one.prompt_cached == other.prompt_cached == 0
            assert one.output_tokens == other.output_tokens == output
            # n tokens, n - 1 gaps between them; the embedded engine times every step.
            assert one.output_steps == output - 1
            assert other.output_steps == output
            assert real.count_tokens(request.prompt) == embedded.count_tokens(request.prompt)
        for name in ("context", "kv_type_k", "kv_type_v", "threads", "batch"):
            assert getattr(ours, name) == getattr(theirs, name)
        version = real.identify().version
        commit = "unknown" if version is None else version.partition("-")[2]
        assert commit in str(embedded.identify().flags["llama_cpp"])
        assert real.identify().place == embedded.identify().place
        assert real.identify().flags == {"flags": ["-lv", "3"]}
    finally:
        embedded.close()


@pytest.mark.engine
def test_a_real_one_tells_whether_it_chose_flash_attention_and_that_it_is_on_the_cpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(llama_server_start, "_LAST_LINES_SECONDS", 120.0)
    engine = LlamaServerEngine(EngineOptions(program=tool("llama-server")))
    try:
        # llama.cpp takes it on a CPU wherever the model allows, and this one does.
        assert engine.load(small_model(), SMALL).settings.flash_attention is True
        off = msgspec.structs.replace(SMALL, flash_attention=False)
        assert engine.load(small_model(), off).settings.flash_attention is False
        assert engine.identify().place == "cpu"
    finally:
        engine.close()


@pytest.mark.engine
def test_a_real_one_has_other_threads_to_read_where_they_are_asked_for(
    real: LlamaServerEngine,
) -> None:
    both = Settings(context=512, threads=1, threads_batch=2)
    assert real.load(small_model(), both).settings.threads_batch == 2
    assert real._own is not None
    assert "-tb" in real._own.arguments


@pytest.mark.engine
def test_a_real_one_reads_again_only_what_it_may_not_reuse(real: LlamaServerEngine) -> None:
    real.load(small_model(), SMALL)
    request = Request(prompt=digits(200), output_tokens=2)
    assert real.run(request).prompt_cached == 0
    assert real.run(request).prompt_cached == 0
    reused = real.run(Request(prompt=digits(200), output_tokens=2, reuse=True))
    # Models with a window go back to a checkpoint some tokens before the end.
    assert reused.prompt_tokens == 201
    assert 150 <= (reused.prompt_cached or 0) <= 200


@pytest.mark.engine
@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_real_one_that_is_killed_is_told_and_started_again(real: LlamaServerEngine) -> None:
    real.load(small_model(), SMALL)
    (keeper,) = real.processes()
    (server,) = psutil.Process(keeper).children()
    killed = False

    def kill(step: Step) -> None:
        nonlocal killed
        if step.phase == "decode" and not killed:
            killed = True
            os.kill(server.pid, signal.SIGKILL)

    with pytest.raises(EngineDied) as caught:
        real.run(Request(prompt=digits(20), output_tokens=400), kill)
    assert caught.value.message == "engines.killed"
    assert real.processes() == ()
    with pytest.raises(EngineDied):
        real.run(ASKED)
    real.load(small_model(), SMALL)
    assert real.run(Request(prompt=digits(20), output_tokens=2)).output_tokens == 2


@pytest.mark.engine
def test_a_real_one_is_gone_after_close_and_after_ctrl_c(real: LlamaServerEngine) -> None:
    real.load(small_model(), SMALL)
    (keeper,) = real.processes()
    (server,) = psutil.Process(keeper).children()

    def press(_step: Step) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        real.run(Request(prompt=digits(20), output_tokens=400), press)
    real.close()
    real.close()
    assert not psutil.pid_exists(keeper)
    assert not server.is_running() or server.status() == psutil.STATUS_ZOMBIE
    with pytest.raises(EngineError):
        real.run(ASKED)


@pytest.mark.engine
def test_a_real_one_whose_port_was_taken_in_between_takes_another(
    real: LlamaServerEngine, simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The other one answers before ours has said anything.
    monkeypatch.setattr(llama_server_start, "_LAST_LINES_SECONDS", 0.0)
    free = llama_server_start._free_port
    taken = int(simulator.url.rpartition(":")[2])
    ports = iter([taken])
    monkeypatch.setattr(llama_server_start, "_free_port", lambda: next(ports, None) or free())
    real.load(small_model(), SMALL)
    assert real.run(Request(prompt=digits(20), output_tokens=2)).output_tokens == 2
    # The server at the taken port would have answered as well.
    assert not simulator.asked("/completion")


@pytest.mark.engine
def test_a_real_one_that_does_not_start_says_why(real: LlamaServerEngine, tmp_path: Path) -> None:
    strange = write_gguf(
        tmp_path / "strange.gguf", {"general.architecture": "nosuch"}, [("a", (32, 4), "F32")]
    )
    with pytest.raises(EngineRefused) as caught:
        real.load(strange, SMALL)
    assert "nosuch" in str(caught.value)
    assert real.processes() == ()
    with pytest.raises(GGUFError):
        real.load(Path(__file__), SMALL)
    with pytest.raises(EngineRefused, match="flash attention"):
        real.load(small_model(), Settings(kv_type_v="q8_0", flash_attention=False))


@pytest.mark.engine
def test_settings_of_the_environment_do_not_reach_a_real_one(
    real: LlamaServerEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What is recorded is what is in force.
    monkeypatch.setenv("LLAMA_ARG_CACHE_REUSE", "nonsense")
    monkeypatch.setenv("LLAMA_API_KEY", "nobody knows")
    real.load(small_model(), SMALL)
    assert real.run(Request(prompt=digits(20), output_tokens=2)).output_tokens == 2


@pytest.mark.engine
def test_a_real_one_that_runs_already_is_used_and_left_running(real: LlamaServerEngine) -> None:
    real.load(small_model(), SMALL)
    own = real._own
    assert own is not None
    guest = LlamaServerEngine(EngineOptions(url=own.client.endpoint.url))
    loaded = guest.load(small_model(), Settings())
    assert (loaded.settings.context, loaded.settings.threads) == (512, None)
    (keeper,) = real.processes()
    assert guest.processes() == tuple(child.pid for child in psutil.Process(keeper).children())
    assert guest.run(Request(prompt=digits(20), output_tokens=2)).output_tokens == 2
    guest.close()
    assert real.run(Request(prompt=digits(20), output_tokens=2)).output_tokens == 2
