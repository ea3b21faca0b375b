"""llama-bench: its samples are kept one by one, and whatever it does is a reply or an error."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest

from support.gguf_files import write_gguf
from support.llama_tools import OLD_BENCH_HELP, FakeBench, tool
from support.small_model import digits, small_model
from tokenroof.engines.base import Condition, Request, Sampler, Step
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.engines.llama_bench import LlamaBenchEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineDied, EngineError, EngineRefused, NotFound, UsageError
from tokenroof.records import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="starts a script by its first line")

PROBE = {"of": [1, 0, 0], "rows": [{"samples_ns": [1000]}]}
READING = {"of": [100, 0, 0], "rows": [{"samples_ns": [2_000_000_000, 1_900_000_001]}]}
WRITING = {"of": [0, 16, 100], "rows": [{"samples_ns": [800_000_000, 810_000_000]}]}
CONDITION = Condition(prompt_tokens=100, output_tokens=16)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_gguf(
        tmp_path / "m.gguf", {"general.architecture": "llama"}, [("a", (32, 4), "F32")]
    )


def engine(fake: FakeBench, *flags: str) -> LlamaBenchEngine:
    options = EngineOptions(program=str(fake.path), flags=flags)
    return LlamaBenchEngine(options, silence_deadline_seconds=120)


def loaded(fake: FakeBench, model: Path, *flags: str, **settings: object) -> LlamaBenchEngine:
    made = engine(fake, *flags)
    made.load(model, Settings(**settings))  # type: ignore[arg-type]
    return made


def test_every_sample_is_a_reply_of_its_own_and_steps_equal_tokens(
    tmp_path: Path, model: Path
) -> None:
    samples = loaded(FakeBench(tmp_path, [PROBE, READING, WRITING]), model).sample(CONDITION)
    assert samples.problem is None
    first, second = samples.replies
    assert (first.prompt_tokens, first.prompt_cached, first.prompt_seconds) == (100, 0, 2.0)
    assert (first.output_tokens, first.output_steps, first.output_seconds) == (16, 16, 0.8)
    assert (second.prompt_seconds, second.output_seconds) == (1.900000001, 0.81)
    # The time of both processes is shared out among the samples that they made.
    assert first.wall_seconds == second.wall_seconds > 0
    assert (first.raw["sample"], second.raw["sample"], first.raw["samples"]) == (1, 2, 2)


def test_averages_deviations_and_folders_of_a_person_are_not_kept(
    tmp_path: Path, model: Path
) -> None:
    row = {
        "samples_ns": [5],
        "stddev_ns": 3_700_000_000,
        "avg_ts": 1.0,
        "model_filename": "/home/me",
    }
    answers = [PROBE, {"of": [100, 0, 0], "rows": [row | {"backends": "CPU"}]}, WRITING]
    (reply, _) = loaded(FakeBench(tmp_path, answers), model).sample(CONDITION).replies
    kept = reply.raw["llama_bench"][0]
    assert kept["backends"] == "CPU"
    assert not {"samples_ns", "stddev_ns", "avg_ts", "model_filename"} & set(kept)


def test_one_phase_with_fewer_samples_leaves_the_other_whole(tmp_path: Path, model: Path) -> None:
    writing = {"of": [0, 16, 100], "rows": [{"samples_ns": [800_000_000]}]}
    fake = FakeBench(tmp_path, [PROBE, READING, writing])
    first, second = loaded(fake, model).sample(CONDITION).replies
    assert (first.output_steps, second.output_steps, second.output_seconds) == (16, None, None)
    assert second.prompt_seconds == 1.900000001


def test_decode_is_measured_at_the_depth_of_the_prompt_and_once_a_process(
    tmp_path: Path, model: Path
) -> None:
    fake = FakeBench(tmp_path, [PROBE, READING, WRITING])
    loaded(fake, model, threads=3, kv_type_k="q8_0", flash_attention=True).sample(CONDITION)
    probe, reading, writing = fake.asked()
    common = ["-m", str(model), "-o", "jsonl", "-t", "3", "-r", "1", "-ctk", "q8_0", "-ctv", "f16"]
    assert reading == [*common, "-fa", "on", "-p", "100", "-n", "0"]
    assert writing == [*common, "-fa", "on", "-p", "0", "-n", "16", "-d", "100"]
    assert probe[-3:] == ["-r", "1", "--no-warmup"]


def test_flags_go_through_and_the_number_of_repeats_may_be_among_them(
    tmp_path: Path, model: Path
) -> None:
    fake = FakeBench(tmp_path, [PROBE, READING, WRITING])
    loaded(fake, model, "-ub", "128", "-r", "2").sample(CONDITION)
    reading = fake.asked()[1]
    assert reading.count("-r") == 1
    assert reading[reading.index("-r") + 1] == "2"
    assert reading[reading.index("-ub") + 1] == "128"


def test_the_settings_in_force_are_those_of_the_row(tmp_path: Path, model: Path) -> None:
    row = {"type_k": "q8_0", "type_v": "f16", "n_threads": 7, "n_batch": 64, "n_ubatch": 32}

    def settings(**others: object) -> Settings:
        answer = {"of": [1, 0, 0], "rows": [row | {"samples_ns": [1]} | others]}
        return engine(FakeBench(tmp_path, [answer])).load(model, Settings()).settings

    told = settings(flash_attn=1, n_gpu_layers=5)
    assert (told.kv_type_k, told.kv_type_v, told.threads) == ("q8_0", "f16", 7)
    assert (told.batch, told.ubatch, told.gpu_layers, told.context) == (64, 32, 5, None)
    # -1 is "the library chooses"; builds before June 2026 wrote true and false.
    assert settings(flash_attn=-1, n_gpu_layers=-1).flash_attention is None
    assert settings(flash_attn=True).flash_attention is True
    assert settings(flash_attn=0).flash_attention is False
    # Fitting replaces the layers, and the row goes on naming those that were asked for.
    assert settings(n_gpu_layers=99, fit_target=512).gpu_layers is None


def test_a_decode_that_fails_leaves_the_prefill_and_is_told_by_its_last_words(
    tmp_path: Path, model: Path
) -> None:
    why = "llama_init_from_model: quantized V cache requires flash_attn to be enabled\n"
    broken = {"of": [0, 16, 100], "code": 1, "stderr": why + "llama_bench: error: no context\n"}
    samples = loaded(FakeBench(tmp_path, [PROBE, READING, broken]), model).sample(CONDITION)
    assert [reply.output_steps for reply in samples.replies] == [None, None]
    assert [reply.prompt_seconds for reply in samples.replies] == [2.0, 1.900000001]
    assert isinstance(samples.problem, EngineRefused)
    assert "requires flash_attn" in str(samples.problem)
    assert "code 1" in str(samples.problem)


def test_progress_lines_are_no_last_words(tmp_path: Path, model: Path) -> None:
    said = "failed to load model\nllama-bench: benchmark 1/1: starting\n"
    fake = FakeBench(tmp_path, [{"of": [1, 0, 0], "code": 1, "stderr": said}])
    with pytest.raises(EngineRefused, match=r"\(failed to load model\)"):
        engine(fake).load(model, Settings())


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "llama_bench.not_one_row"),
        ([{"samples_ns": [1]}, {"samples_ns": [2]}], "llama_bench.not_one_row"),
        (["no json", '{"a": 1}', '{"n_prompt": 1'], "llama_bench.not_one_row"),
        ([{"samples_ns": []}], "llama_bench.strange_row"),
        ([{"samples_ns": [0, -5, "7"]}], "llama_bench.strange_row"),
        ([{"avg_ns": 5}], "llama_bench.strange_row"),
        ([{"samples_ns": [5], "n_prompt": 99}], "llama_bench.strange_row"),
    ],
)
def test_rows_that_do_not_answer_the_question_are_refused(
    tmp_path: Path, model: Path, rows: list[object], message: str
) -> None:
    fake = FakeBench(tmp_path, [PROBE, {"of": [100, 0, 0], "rows": rows}])
    with pytest.raises(EngineRefused) as caught:
        loaded(fake, model).sample(CONDITION)
    assert caught.value.message == message


def test_other_lines_of_a_library_beside_the_row_do_not_matter(tmp_path: Path, model: Path) -> None:
    rows: list[object] = ["ggml_cuda_init: found 1 device", {"samples_ns": [7]}]
    fake = FakeBench(tmp_path, [PROBE, {"of": [100, 0, 0], "rows": rows}, WRITING])
    assert loaded(fake, model).sample(CONDITION).replies[0].prompt_seconds == 7e-9


def test_a_process_that_is_killed_or_hangs_is_dead_not_refusing(
    tmp_path: Path, model: Path
) -> None:
    killed = {"of": [100, 0, 0], "signal": signal.SIGKILL}
    made = loaded(FakeBench(tmp_path, [PROBE, killed]), model)
    with pytest.raises(EngineDied) as caught:
        made.sample(CONDITION)
    assert caught.value.message == "engines.killed"
    assert made.processes() == ()


def test_an_old_build_without_depths_says_so(tmp_path: Path, model: Path) -> None:
    fake = FakeBench(tmp_path, [PROBE, READING], help=OLD_BENCH_HELP)
    made = loaded(fake, model)
    identity = made.identify()
    assert (identity.version, identity.place, identity.backend) == (None, None, None)
    samples = made.sample(CONDITION)
    assert samples.problem is not None
    assert samples.problem.message == "llama_bench.no_depth"
    assert fake.asked()[0][-4:] == ["-n", "0", "-r", "1"]


def test_an_answer_of_no_tokens_is_only_a_prefill(tmp_path: Path, model: Path) -> None:
    made = loaded(FakeBench(tmp_path, [PROBE, READING]), model)
    (reply, _) = made.sample(Condition(prompt_tokens=100, output_tokens=0)).replies
    assert (reply.prompt_seconds, reply.output_seconds) == (2.0, None)


def test_it_takes_no_text_and_needs_a_model(tmp_path: Path, model: Path) -> None:
    made = engine(FakeBench(tmp_path, [PROBE]))
    assert isinstance(made, Sampler)
    assert not made.promises.takes_text
    assert made.count_tokens("text") is None
    with pytest.raises(EngineRefused):
        made.run(Request(prompt="text", output_tokens=1))
    with pytest.raises(EngineError):
        made.sample(CONDITION)
    with pytest.raises(NotFound):
        made.load(tmp_path / "gone.gguf", Settings())
    with pytest.raises(UsageError, match="-p of llama-bench"):
        engine(FakeBench(tmp_path, []), "-p", "5").identify()


@pytest.mark.engine
def test_the_real_one_counts_as_the_embedded_engine_counts() -> None:
    condition = Condition(prompt_tokens=48, output_tokens=6)
    real = LlamaBenchEngine(EngineOptions(program=tool("llama-bench"), flags=("-r", "2")))
    embedded = EmbeddedEngine()
    steps: list[Step] = []
    try:
        settings = real.load(small_model(), Settings(threads=1, batch=64, ubatch=32)).settings
        replies = real.sample(condition, steps.append).replies
        there = embedded.load(small_model(), Settings(threads=1, batch=64, ubatch=32))
        text = Request(prompt=digits(47), output_tokens=6)  # one token stands before the text
        other = embedded.run(text)
        assert len(replies) == 2
        for reply in replies:
            assert reply.prompt_tokens == other.prompt_tokens == 48
            assert reply.output_tokens == other.output_tokens == 6
            assert reply.output_steps == other.output_steps == 6
            assert reply.prompt_seconds is not None
            assert reply.output_seconds is not None
            assert reply.prompt_seconds + reply.output_seconds < 2 * reply.wall_seconds
        ours, theirs = real.identify(), embedded.identify()
        # b<number>-<commit> here, <version> <commit> there; outside a git tree neither knows it.
        commit = "unknown" if ours.version is None else ours.version.partition("-")[2]
        assert commit in str(theirs.flags["llama_cpp"])
        assert (ours.place, ours.backend) == (theirs.place, "CPU")
        for name in ("kv_type_k", "kv_type_v", "threads", "batch", "ubatch"):
            assert getattr(settings, name) == getattr(there.settings, name)
    finally:
        real.close()
        embedded.close()
    assert [(step.phase, step.done, step.total) for step in steps] == [
        ("prefill", 0, 48),
        ("prefill", 48, 48),
        ("decode", 6, 6),
    ]


@pytest.mark.engine
def test_the_real_one_says_why_a_combination_cannot_be() -> None:
    real = LlamaBenchEngine(EngineOptions(program=tool("llama-bench")))
    with pytest.raises(EngineRefused, match=r"flash_attn|context"):
        real.load(small_model(), Settings(threads=1, kv_type_v="q8_0", flash_attention=False))
