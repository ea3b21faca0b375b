"""The simulator is not only our own belief: others' clients read it, and recordings agree with it.

The official packages `ollama` and `openai` take its answers for those of the real servers, and its
llama-server frames have the fields of the frames that the real one sent.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import ollama
import openai
import pytest

from simulator import replay
from simulator.script import MISSING, Script
from simulator.server import Simulator
from simulator.world import SimModel, World


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator() as running:
        yield running


@pytest.fixture
def of_ollama(simulator: Simulator) -> Iterator[ollama.Client]:
    client = ollama.Client(simulator.url)
    yield client
    client._client.close()


@pytest.fixture
def of_openai(simulator: Simulator) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=simulator.url + "/v1", api_key="-", max_retries=0) as client:
        yield client


HELLO: list[dict[str, str]] = [{"role": "user", "content": "Hello"}]


def test_ollamas_own_client_reads_a_stream_with_all_counters(
    simulator: Simulator, of_ollama: ollama.Client
) -> None:
    # 100 tokens of which 40 are cached: 60 at 1 ms are 60 ms. Four steps of 5 ms: 20 ms.
    simulator.world.scripts.append(
        Script(
            prompt_tokens=100,
            cached_tokens=40,
            output_tokens=5,
            reasoning_tokens=2,
            prefill_seconds_per_token=1e-3,
            gap_seconds=0.005,
        )
    )
    parts = list(of_ollama.chat("sim", HELLO, stream=True))
    assert [part.message.thinking or part.message.content for part in parts] == [" 7"] * 5 + [""]
    assert [bool(part.message.thinking) for part in parts] == [True] * 2 + [False] * 4
    last = parts[-1]
    assert (last.done, last.done_reason) == (True, "length")
    assert (last.prompt_eval_count, last.prompt_eval_duration) == (100, 60_000_000)
    assert (last.eval_count, last.eval_duration) == (5, 20_000_000)
    assert last.load_duration == 20_000_000
    assert last.total_duration == 100_000_000


def test_ollamas_own_client_reads_what_it_tells_of_itself(
    simulator: Simulator, of_ollama: ollama.Client
) -> None:
    shown = of_ollama.show("sim")
    assert shown.details is not None
    assert (shown.details.family, shown.capabilities) == ("llama", ["completion"])
    assert [each.model for each in of_ollama.list().models] == ["sim:latest"]
    assert list(of_ollama.ps().models) == []
    of_ollama.chat("sim", HELLO, options={"num_ctx": 512, "num_predict": 1})
    (running,) = of_ollama.ps().models
    assert (running.model, running.size, running.size_vram) == (
        "sim:latest",
        5_000_000_000,
        5_000_000_000,
    )
    assert running.context_length == 512
    of_ollama.chat("sim", [], keep_alive=0)
    assert list(of_ollama.ps().models) == []


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (Script(error_after=2), "unexpectedly stopped"),
        (Script(status=500, body=b'{"error": "out of memory"}'), "out of memory"),
    ],
)
def test_ollamas_own_client_finds_the_errors(
    simulator: Simulator, of_ollama: ollama.Client, script: Script, said: str
) -> None:
    simulator.world.scripts.append(script)
    with pytest.raises(ollama.ResponseError, match=said):
        list(of_ollama.chat("sim", HELLO, stream=True))
    with pytest.raises(ollama.ResponseError, match="not found"):
        of_ollama.show("none")


@pytest.mark.parametrize("flavour", ["llamacpp", "vllm", "plain"])
def test_openais_own_client_reads_a_stream_and_its_usage(
    simulator: Simulator, of_openai: openai.OpenAI, flavour: str
) -> None:
    simulator.world.flavour = flavour
    simulator.world.scripts.append(Script(prompt_tokens=100, output_tokens=5))
    parts = list(
        of_openai.chat.completions.create(
            model="sim",
            messages=[{"role": "user", "content": "Hello"}],
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    texts = [part.choices[0].delta.content for part in parts if part.choices]
    assert [text for text in texts if text] == [" 7"] * 5
    assert [part.choices[0].finish_reason for part in parts if part.choices][-1] == "length"
    usage = parts[-1].usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (100, 5, 105)
    assert [each.id for each in of_openai.models.list()] == ["sim:latest"]


def test_openais_own_client_reads_completions_whole_and_streamed(
    simulator: Simulator, of_openai: openai.OpenAI
) -> None:
    whole = of_openai.completions.create(model="sim", prompt="Hello", max_tokens=3)
    assert whole.choices[0].text == " 7 7 7"
    assert whole.usage is not None
    assert whole.usage.completion_tokens == 3
    parts = of_openai.completions.create(model="sim", prompt="Hello", max_tokens=3, stream=True)
    assert [part.choices[0].text for part in parts] == [" 7", " 7", " 7", ""]


def test_openais_own_client_finds_the_errors(
    simulator: Simulator, of_openai: openai.OpenAI
) -> None:
    simulator.world.scripts.append(Script(error_after=1))
    with pytest.raises(openai.APIError, match="engine died"):
        list(of_openai.completions.create(model="sim", prompt="Hello", stream=True))
    simulator.world.api_key = "other"
    with pytest.raises(openai.AuthenticationError):
        of_openai.models.list()


def asked(simulator: Simulator, method: str, path: str, body: Any = None) -> tuple[int, bytes]:
    """A question by a plain client: the status, and all that was answered."""
    connection = http.client.HTTPConnection(urlsplit(simulator.url).netloc, timeout=10)
    try:
        connection.request(method, path, None if body is None else json.dumps(body))
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def documents(stream: bytes) -> list[dict[str, Any]]:
    return [json.loads(event[6:]) for event in stream.split(b"\n\n") if event.strip()]


NATIVE = {"prompt": "x" * 2500, "n_predict": 8, "stream": True}


@pytest.mark.parametrize(
    ("recording", "body"),
    [
        ("completion_stream_plain", NATIVE),
        ("completion_stream", NATIVE | {"return_progress": True, "timings_per_token": True}),
    ],
)
def test_native_frames_have_the_fields_of_the_real_ones(
    simulator: Simulator, recording: str, body: dict[str, Any]
) -> None:
    _, stream = asked(simulator, "POST", "/completion", body)
    ours, real = documents(stream), replay.documents(recording)

    def fields(frames: list[dict[str, Any]], kind: str) -> set[frozenset[str]]:
        wanted = {
            "progress": [each for each in frames if "prompt_progress" in each],
            "last": [each for each in frames if each["stop"]],
        }
        wanted["token"] = [
            each for each in frames if all(each not in others for others in wanted.values())
        ]
        # Progress has timings only where they were asked for, as tokens do.
        return {frozenset(each) - {"timings"} for each in wanted[kind]}

    assert fields(ours, "token") == fields(real, "token")
    assert fields(ours, "last") == fields(real, "last")
    assert fields(ours, "progress") == fields(real, "progress")
    assert set(ours[-1]["timings"]) == set(real[-1]["timings"])
    assert ours[-1]["stop_type"] == real[-1]["stop_type"] == "limit"


def test_native_counters_are_those_that_the_real_server_makes_of_the_same_counts(
    simulator: Simulator,
) -> None:
    # As recorded: 1014 tokens read in 3110.913 ms, 8 written, 143.528 ms for 7 steps.
    real = replay.documents("completion_stream")[-1]["timings"]
    script = Script(
        prompt_tokens=1014,
        prefill_seconds_per_token=real["prompt_ms"] / 1014e6,
        gap_seconds=real["predicted_ms"] / 7e6,
    )
    simulator.world.scripts.append(script)
    _, stream = asked(simulator, "POST", "/completion", NATIVE)
    ours = documents(stream)[-1]["timings"]
    # Times are a thousandth here, so that the test need not take 3 s; rates a thousandfold.
    for name in ("cache_n", "prompt_n", "predicted_n"):
        assert ours[name] == real[name]
    for name in ("prompt_ms", "prompt_per_token_ms", "predicted_ms", "predicted_per_token_ms"):
        assert ours[name] * 1e3 == pytest.approx(real[name])
    for name in ("prompt_per_second", "predicted_per_second"):
        assert ours[name] / 1e3 == pytest.approx(real[name])


@pytest.mark.parametrize(
    ("path", "recording"),
    [("/health", "health"), ("/slots", "slots_idle"), ("/nope", "error_404")],
)
def test_native_documents_are_the_recorded_ones(
    simulator: Simulator, path: str, recording: str
) -> None:
    simulator.world.context = 8192
    _, body = asked(simulator, "GET", path)
    assert json.loads(body) == replay.document(recording)


def test_native_refusals_are_the_recorded_ones(simulator: Simulator) -> None:
    simulator.world.context = 8192
    simulator.world.scripts.append(Script(prompt_tokens=9001))
    status, body = asked(simulator, "POST", "/completion", NATIVE)
    assert (status, json.loads(body)) == (400, replay.document("error_ctx_exceeded"))
    simulator.world.loading = True
    status, body = asked(simulator, "GET", "/health")
    assert (status, json.loads(body)) == (503, replay.document("health_while_loading"))
    simulator.world.endpoints_off = frozenset({"/slots"})
    status, body = asked(simulator, "GET", "/slots")
    assert status == 501
    assert set(json.loads(body)["error"]) == set(replay.document("slots_disabled")["error"])


def test_props_and_busy_slots_are_a_part_of_the_recorded_ones(simulator: Simulator) -> None:
    simulator.world.busy_slots = 1
    _, props = asked(simulator, "GET", "/props")
    assert set(json.loads(props)) <= set(replay.document("props"))
    _, slots = asked(simulator, "GET", "/slots")
    busy = [each for each in json.loads(slots) if each["is_processing"]]
    assert len(busy) == 1
    assert set(busy[0]) <= set(replay.document("slots_busy")[0])


def test_a_recording_is_sent_as_it_was_with_its_gaps(simulator: Simulator) -> None:
    name, speed = "completion_speculative_stream", 8.0
    simulator.world.scripts.append(Script(replay=name, replay_speed=speed))
    _, stream = asked(simulator, "POST", "/completion", NATIVE)
    assert stream == b"".join(replay.events(name))
    exchange = simulator.exchanges[-1]
    times = [each.at - exchange.received_at for each in exchange.sent]
    recorded = [at / speed for at in replay.arrival_seconds(name)]
    assert all(at >= wanted for at, wanted in zip(times, recorded, strict=True))


def test_nothing_is_sent_before_its_time_and_each_sending_is_written_down(
    simulator: Simulator,
) -> None:
    simulator.world.scripts.append(
        Script(prompt_tokens=100, prefill_seconds_per_token=1e-4, gap_seconds=(0.01, 0.02, 0.03))
    )
    began = time.perf_counter()
    asked(simulator, "POST", "/completion", NATIVE | {"n_predict": 4})
    ended = time.perf_counter()
    exchange = simulator.exchanges[-1]
    sent = [each.at for each in exchange.sent]
    assert began <= exchange.received_at <= sent[0] <= sent[-1] <= ended
    # 10 ms for the prompt; then 10, 20 and 30 ms.
    since = [at - exchange.received_at for at in sent]
    assert all(at >= least for at, least in zip(since, (0.01, 0.02, 0.04, 0.07, 0.07), strict=True))


def test_ollamas_own_client_makes_a_model_of_a_file_and_removes_it(
    simulator: Simulator, of_ollama: ollama.Client, tmp_path: Path
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF and more")
    digest = of_ollama.create_blob(path)
    assert list(simulator.world.blobs) == [digest]
    made = of_ollama.create("mine", files={"m.gguf": digest}, template="{{ .Prompt }}")
    assert made.status == "success"
    names = [each.model for each in of_ollama.list().models]
    assert names == ["sim:latest", "mine:latest"]
    of_ollama.delete("mine")
    assert simulator.world.blobs == {}
    with pytest.raises(ollama.ResponseError, match="not found"):
        of_ollama.delete("mine")


def test_counters_can_be_missing_or_absurd(simulator: Simulator, of_ollama: ollama.Client) -> None:
    counters = {"eval_count": MISSING, "prompt_eval_count": -3}
    simulator.world.scripts.append(Script(counters=counters))
    last = list(of_ollama.chat("sim", HELLO, stream=True))[-1]
    assert (last.eval_count, last.prompt_eval_count) == (None, -3)


def test_a_prompt_is_cached_as_far_as_it_is_the_one_before() -> None:
    world = World(characters_per_token=1.0, template_tokens=10)
    assert world.cached_of("abc") == 0
    world.held = "abcdef"
    # 10 for the template and three letters; a whole prompt keeps one token to read.
    assert world.cached_of("abcxyz") == 13
    assert world.cached_of("abcdef") == 15
    assert world.cached_of("xyz") == 0
    world.caches = False
    assert world.cached_of("abcdef") == 0


def test_models_are_found_with_and_without_the_usual_tag() -> None:
    world = World(models=[SimModel(name="a:latest"), SimModel(name="hf.co/x/y:Q4")])
    found = [world.model(name) for name in ("a", "a:latest", "hf.co/x/y:Q4", "a:7b", "hf.co/x/y")]
    assert [each is not None for each in found] == [True, True, True, False, False]
