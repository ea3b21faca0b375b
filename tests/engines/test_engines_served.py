"""A campaign on a model that only a server knows: speeds and their findings, no ceiling."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulator.script import Script
from simulator.server import Simulator
from simulator.world import SimModel, World
from support import fake_world
from support.fake_bench import FakeSensor
from tokenroof.api.benching import bench, resume_bench
from tokenroof.api.lab import lab
from tokenroof.clock import FakeClock
from tokenroof.engines import registry
from tokenroof.engines.base import ModelRef
from tokenroof.engines.openai_compatible import OpenAIEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineMissing, EngineRefused, InputError

NAME = "openai:sim:latest"


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Simulator]:
    monkeypatch.setattr("tokenroof.api.setup.available_sensors", lambda *_, **__: [FakeSensor()])
    monkeypatch.setattr("tokenroof.api.setup.ContentionProbe", lambda: None)
    monkeypatch.setattr("tokenroof.api.setup.measure_read_bandwidth", fake_world.read_bandwidth)
    # The server's own time is real; waiting for a quiet machine is not.
    monkeypatch.setattr("tokenroof.api.benching.SystemClock", FakeClock)
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with Simulator(World(caches=False)) as running:
        monkeypatch.setenv("TOKENROOF_OPENAI_URL", running.url)
        yield running


def test_speeds_are_measured_and_weight_bytes_are_not_made_up(simulator: Simulator) -> None:
    # 50 us a prompt token, 2 ms a step.
    simulator.world.script = Script(prefill_seconds_per_token=50e-6, gap_seconds=0.002)
    result = bench(NAME, lengths=[400, 800], output_tokens=8, budget_seconds=1)
    assert len(result.runs) >= 6
    for run in result.runs:
        assert run.excluded is None
        assert run.prefill_tokens_per_second == pytest.approx(20_000)
        assert run.decode_tokens_per_second == pytest.approx(500)
        assert (run.model.name, run.model.weight_bytes, run.model.digest) == (NAME, None, None)
        assert run.engine.name == "openai"
        # Learnt from the runs before: the server's own tokeniser makes 2.5 characters a token.
        assert run.prompt.tokens == pytest.approx(run.workload.prompt_target, rel=0.02)
    assert result.campaign.engine["identity"]["place"] is None


def test_a_run_that_was_not_the_one_asked_for_is_left_out_with_its_reason(
    simulator: Simulator,
) -> None:
    simulator.world.script = Script(output_tokens=5, stop="stop")
    result = bench(NAME, lengths=[400], output_tokens=8, budget_seconds=1)
    assert {run.excluded for run in result.runs} == {"stopped_early"}


def test_a_server_that_dies_now_and_then_costs_only_those_runs(simulator: Simulator) -> None:
    # One request of the loading, two or three of the warm-up; then every other run fails.
    good, dead = Script(), Script(die_after_bytes=300)
    simulator.world.scripts.extend([good] * 6 + [dead, good, good, good, dead])
    result = bench(NAME, lengths=[400], output_tokens=8, budget_seconds=1)
    failed = [run for run in result.runs if run.excluded == "failed"]
    assert 1 <= len(failed) <= 2
    assert all("broke off" in run.raw["error"]["text"] for run in failed)
    assert sum(run.excluded is None for run in result.runs) >= 3


def test_a_campaign_can_be_gone_on_with(simulator: Simulator) -> None:
    result = bench(NAME, lengths=[400], output_tokens=8, budget_seconds=1)
    again = resume_bench(result.campaign.id)
    assert again.campaign.id == result.campaign.id


@pytest.fixture
def ollama(simulator: Simulator, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Simulator:
    """An Ollama that runs here, and whose store is somebody else's."""
    monkeypatch.setenv("TOKENROOF_OLLAMA_URL", simulator.url)
    monkeypatch.setenv("OLLAMA_MODELS", str(tmp_path / "none"))
    simulator.world.script = Script(prefill_seconds_per_token=50e-6, gap_seconds=0.002)
    return simulator


@pytest.mark.parametrize("name", ["ollama:sim", "sim:latest"])
def test_a_running_ollama_is_enough_where_neither_store_nor_tensors_are_to_be_had(
    ollama: Simulator, name: str
) -> None:
    del ollama
    result = bench(name, lengths=[400], output_tokens=8, budget_seconds=1)
    assert {run.source for run in result.runs} == {"ollama"}
    counted = [run for run in result.runs if run.excluded is None]
    assert counted
    # 7 steps of 2 ms.
    assert all(run.decode_tokens_per_second == pytest.approx(500) for run in counted)
    assert {run.model.weight_bytes for run in result.runs} == {None}


def test_what_a_running_ollama_tells_of_the_tensors_is_taken(ollama: Simulator) -> None:
    ollama.world.models[0] = SimModel(
        info={
            "llama.block_count": 1,
            "llama.context_length": 4096,
            "llama.embedding_length": 32,
            "llama.feed_forward_length": 64,
            "llama.attention.head_count": 1,
            "llama.attention.head_count_kv": 1,
        },
        tensors=[
            {"name": f"{name}.weight", "type": "F32", "shape": list(shape)}
            for name, shape in {
                "token_embd": (32, 100),
                "output": (32, 100),
                "output_norm": (32,),
                "blk.0.attn_norm": (32,),
                "blk.0.attn_q": (32, 32),
                "blk.0.attn_k": (32, 32),
                "blk.0.attn_v": (32, 32),
                "blk.0.attn_output": (32, 32),
                "blk.0.ffn_norm": (32,),
                "blk.0.ffn_gate": (32, 64),
                "blk.0.ffn_up": (32, 64),
                "blk.0.ffn_down": (64, 32),
            }.items()
        ],
    )
    result = bench("ollama:sim", lengths=[400], output_tokens=8, budget_seconds=1)
    # 54,144 bytes of weights in F32, and the row of 32 that is looked up.
    assert {run.model.weight_bytes for run in result.runs} == {54_144 + 128}


def test_a_name_that_no_ollama_has_is_refused_as_before(ollama: Simulator) -> None:
    del ollama
    with pytest.raises(InputError):
        bench("ollama:other", lengths=[400], output_tokens=8)


def test_lab_says_that_there_is_no_file_to_inspect(simulator: Simulator, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tokenroof bench openai:sim:latest"):
        lab(NAME, parent=tmp_path)


def test_the_name_alone_says_which_engine_it_is(
    simulator: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    choice = registry.choose(ModelRef(name=NAME))
    assert isinstance(choice.engine, OpenAIEngine)
    assert choice.notice is not None
    assert NAME in choice.notice.text()
    monkeypatch.delenv("TOKENROOF_OPENAI_URL")
    with pytest.raises(EngineMissing, match="TOKENROOF_OPENAI_URL"):
        registry.choose(ModelRef(name=NAME))


def test_settings_of_the_server_are_refused_before_anything_is_measured(
    simulator: Simulator,
) -> None:
    with pytest.raises(EngineRefused, match="threads"):
        bench(
            NAME,
            lengths=[400],
            threads=2,
            engine="openai",
            engine_options=EngineOptions(url=simulator.url),
        )
