"""Every public report of an odd benchmark output gives the figures that were meant.

Each test is named for its rule; the figures in it are worked out by hand from what was printed.
"""

from __future__ import annotations

import json

import pytest

from support.pastes import (
    CUT_JSON,
    DECIMAL_COMMAS,
    LLAMA_BENCH_2023,
    LLAMA_BENCH_2025,
    LM_STUDIO,
    LOCALSCORE,
    NO_TIMES,
    OLLAMA_LIST,
    OLLAMA_PS,
    ON_THE_CPU,
    ONLY_REASONING,
    VERBOSE,
    VERBOSE_MICROSECONDS,
    VERBOSE_WITHOUT_COUNT,
    WHOLE_REQUEST,
    imported,
    ollama_message,
    reasons,
)
from tokenroof.records import Run


def only(paste: str) -> Run:
    (run,) = imported(paste).runs
    return run


# llama-bench's tables


def test_a_table_of_2023_is_read_by_its_titles() -> None:
    prefill, decode = imported(LLAMA_BENCH_2023).runs
    assert (prefill.prompt.tokens, decode.output.tokens, decode.output.steps) == (512, 128, 128)
    assert prefill.prompt.seconds == pytest.approx(512 / 2242.06)
    assert prefill.output.seconds is None
    assert decode.output.seconds == pytest.approx(128 / 43.09)
    assert decode.settings.gpu_layers == 99
    assert (decode.model.name, decode.model.file_type) == ("LLaMA 7B mostly Q4_0", "Q4_0")
    assert decode.engine.version is None


def test_a_row_of_a_table_stands_for_nobody_knows_how_many_runs() -> None:
    prefill, _ = imported(LLAMA_BENCH_2023).runs
    assert prefill.aggregate is not None
    assert prefill.aggregate.of is None
    # 24.26 of 2242.06 is 1.082 %, of 228.36 ms 2.471 ms.
    assert prefill.aggregate.stddev_seconds == pytest.approx(2.471e-3, rel=1e-3)


def test_depth_build_settings_and_device_of_a_table_are_taken() -> None:
    plain, deep, both, other = imported(LLAMA_BENCH_2025).runs
    assert [run.workload.depth for run in (plain, deep)] == [0, 512]
    # The figure at depth 512 belongs to 512 + (128 - 1) / 2 tokens.
    assert deep.mean_decode_depth == 575.5
    assert {run.engine.version for run in (plain, deep, both, other)} == {"b5163-8cf427ff"}
    assert plain.settings.flash_attention is True
    assert plain.device == "NVIDIA GeForce RTX 4090"
    assert (plain.model.architecture, plain.model.file_type) == ("qwen2", "Q4_K_M")
    assert other.model.file_type == "F16"
    # 942.43 MiB is a rounded figure of the file's size, not of what a token reads.
    assert other.model.weight_bytes is None
    assert other.raw["llama-bench"]["model_size"] == round(942.43 * 2**20)


def test_a_rate_of_reading_and_writing_together_is_neither() -> None:
    run = imported(LLAMA_BENCH_2025).runs[2]
    assert run.flags == ("combined_rate",)
    assert (run.prompt.tokens, run.output.tokens) == (512, 128)
    assert (run.prompt.seconds, run.output.seconds, run.output.steps) == (None, None, None)
    assert run.wall_seconds == pytest.approx(640 / 600.22)
    assert run.prefill_tokens_per_second is None
    assert run.decode_tokens_per_second is None


def test_columns_that_nobody_knows_are_kept() -> None:
    paste = LLAMA_BENCH_2023.replace("n_gpu_layers", "warp_factor ")
    run = imported(paste).runs[0]
    assert run.raw["llama-bench"]["warp_factor"] == "99"
    assert run.settings.gpu_layers is None


def test_whole_records_of_a_cut_list_are_kept_and_the_lost_one_is_told() -> None:
    found = imported(CUT_JSON)
    assert [run.prompt.seconds for run in found.runs] == pytest.approx(
        [512 / 6863.1, 512 / 7147.55]
    )
    assert list(reasons(found)) == [4]
    assert "cut off" in reasons(found)[4]


def test_no_layer_on_the_device_is_a_run_on_the_cpu_whatever_the_backend_says() -> None:
    prefill, decode = imported(ON_THE_CPU).runs
    assert prefill.engine.place == decode.engine.place == "cpu"
    assert decode.engine.backend == "CUDA"


def test_without_a_count_of_layers_nobody_knows_where_it_ran() -> None:
    paste = (
        "| model | backend | test | t/s |\n| qwen3 8B Q4_0 | BLAS,MTL | tg128 | 20.21 ± 0.10 |\n"
    )
    run = only(paste)
    assert (run.engine.place, run.device) == (None, None)


def test_a_mean_of_repeats_that_differ_wildly_is_flagged() -> None:
    paste = "| model | test | t/s |\n| llama 8B Q4_0 | pp512 | 25231.96 ± 17262.95 |\n"
    found = imported(paste)
    assert found.runs[0].flags == ("unsteady",)
    assert "68 %" in found.notices[0].text()  # 17262.95 / 25231.96


def test_a_rate_above_the_ceiling_is_not_believed() -> None:
    # 37.57 GiB in one second 78 times is 3,147 GB/s; a dense model reads at least half of it.
    paste = (
        "| model | size | params | backend | ngl | test | t/s |\n"
        "| llama 70B Q4_K - Small | 37.57 GiB | 70.55 B | CUDA | 58 | tg128 | 78.00 ± 0.20 |\n"
    )
    found = imported(paste, bandwidth=1008e9)
    assert found.runs[0].flags == ("above_ceiling",)
    assert "not plausible" in found.notices[0].text()
    assert found.runs[0].decode_tokens_per_second == pytest.approx(78.0)
    assert imported(paste.replace("78.00", "21.00"), bandwidth=1008e9).runs[0].flags == ()


def test_a_sparse_model_is_not_held_against_the_size_of_its_file() -> None:
    paste = (
        "| model | size | params | backend | ngl | test | t/s |\n"
        "| llama 8x7B Q4_K - Medium | 24.62 GiB | 46.70 B | CUDA | 99 | tg128 | 110.00 ± 0.20 |\n"
    )
    assert imported(paste, bandwidth=1008e9).runs[0].flags == ()


# ollama run --verbose


def test_go_durations_are_read_to_the_last_digit() -> None:
    run = only(VERBOSE)
    assert run.wall_seconds == 147.989997625
    assert run.load_seconds == 0.559665542
    assert run.prompt.seconds == 19.747
    assert run.output.seconds == 127.682


def test_the_time_of_an_answer_spans_one_step_fewer_than_its_tokens() -> None:
    run = only(VERBOSE)
    assert (run.output.tokens, run.output.steps) == (1133, 1132)
    # 1132 / 127.682 = 8.866, printed as 8.87 like Ollama's own 1133 / 127.682 = 8.874.
    assert run.decode_tokens_per_second == pytest.approx(8.866, abs=5e-4)


def test_microseconds_are_read_in_each_spelling() -> None:
    for spelling in ("891.933µs", "891.933μs", "891.933us"):
        run = only(VERBOSE_MICROSECONDS.replace("891.933µs", spelling))
        assert run.load_seconds == pytest.approx(0.000891933)


def test_a_count_that_is_left_out_is_unknown() -> None:
    run = only(VERBOSE_WITHOUT_COUNT)
    assert run.wall_seconds == 3723.5
    assert run.load_seconds == pytest.approx(12.1e-6)
    assert (run.prompt.tokens, run.prompt.seconds) == (None, None)
    assert run.prefill_tokens_per_second is None
    assert run.flags == ("prefill_may_be_cached",)
    assert run.decode_tokens_per_second == pytest.approx(6 / 0.35)


def test_several_runs_in_one_paste_are_kept_apart_whatever_surrounds_them() -> None:
    paste = (
        "$ ollama run qwen3:8b --verbose\r\n>>> Why is the sky blue?\r\nBecause.\r\n\r\n"
        + VERBOSE.replace("\n", "\r\n")
        + ">>> And the sea?\r\n\x1b[32mIt mirrors the sky.\x1b[0m\r\n"
        + VERBOSE_MICROSECONDS.replace("total", "\x1b[1mtotal").replace("\n", "\x1b[0m\r\n")
        + VERBOSE_WITHOUT_COUNT
    )
    found = imported(paste)
    assert [run.wall_seconds for run in found.runs] == [147.989997625, 1.279118717, 3723.5]
    assert {run.model.name for run in found.runs} == {"qwen3:8b"}
    assert [each.line for each in found.refused] == [2, 13]
    assert all(run.engine.name == "ollama" for run in found.runs)


def test_a_missing_line_takes_no_other_figure_with_it() -> None:
    for missing in VERBOSE.splitlines():
        run = only(VERBOSE.replace(missing + "\n", ""))
        said = {
            "total duration": run.wall_seconds,
            "load duration": run.load_seconds,
            "prompt eval count": run.prompt.tokens,
            "eval count": run.output.tokens,
        }
        unknown = {name for name, value in said.items() if value is None}
        assert unknown <= {missing.partition(":")[0]}


def test_a_rate_stands_in_for_a_duration_that_is_missing() -> None:
    run = only(VERBOSE.replace("eval duration:        2m7.682s\n", ""))
    assert run.output.seconds == pytest.approx(1133 / 8.87)


# Streams


def test_tokens_are_counted_by_the_usage_before_the_events() -> None:
    event = 'data: {"id":"a","choices":[{"index":0,"delta":{"content":"x y z"}}]}\n\n'
    usage = 'data: {"id":"a","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":91}}\n\n'
    run = only(event * 20 + usage + "data: [DONE]\n\n")
    assert (run.prompt.tokens, run.output.tokens, run.flags) == (7, 91, ())
    assert run.output.seconds is None


def test_without_usage_the_events_are_the_least_there_were() -> None:
    event = 'data: {"id":"a","choices":[{"index":0,"delta":{"content":"x y z"}}]}\n\n'
    run = only(event * 20 + "data: [DONE]\n\n")
    assert (run.output.tokens, run.flags) == (20, ("lower_bound",))
    assert run.raw["tokens_from"] == "events"


def test_reasoning_is_output_and_a_role_is_no_token() -> None:
    run = only(ONLY_REASONING)
    assert run.output.tokens == 2
    assert (run.raw["reasoning_events"], run.raw["answer_events"]) == (2, 0)
    assert run.raw["finish_reason"] == "length"
    assert (run.ttft_seconds, run.output.seconds) == (None, None)


def test_a_stream_of_ollama_that_ends_without_counters_is_a_lower_bound() -> None:
    piece = '{"model":"m","created_at":"2026-11-01T10:00:00Z","response":"a","done":false}\n'
    run = only(piece * 3)
    assert (run.output.tokens, run.flags, run.model.name) == (3, ("lower_bound",), "m")


# Logs of llama.cpp, and other programs


def test_decimal_commas_are_points() -> None:
    run = only(DECIMAL_COMMAS)
    assert run.prompt.seconds == pytest.approx(0.98824)
    assert run.output.seconds == pytest.approx(2.22640)
    assert (run.output.steps, run.output.tokens) == (127, 128)
    assert run.decode_tokens_per_second == pytest.approx(57.04, abs=5e-3)


def test_zero_milliseconds_for_many_tokens_are_no_time() -> None:
    run = only(NO_TIMES)
    assert run.flags == ("timing_disabled",)
    assert (run.prompt.seconds, run.output.seconds) == (None, None)
    assert run.wall_seconds == 3.5
    assert run.decode_tokens_per_second is None


def test_a_negative_time_is_no_time() -> None:
    run = only(NO_TIMES.replace("  0.00 ms /", "-12.00 ms /"))
    assert (run.prompt.seconds, run.output.seconds) == (None, None)
    assert "prefill_implausible" in run.flags


def test_a_rate_over_the_whole_request_is_no_rate_of_decode() -> None:
    run = only(WHOLE_REQUEST)
    assert run.flags == ("end_to_end_rate",)
    assert (run.output.tokens, run.output.seconds, run.output.steps) == (24, None, None)
    assert (run.wall_seconds, run.prompt.tokens) == (9.62, 11)
    assert run.decode_tokens_per_second is None


def test_lm_studio_shows_the_rate_of_decode() -> None:
    for paste in (LM_STUDIO, " • ".join(LM_STUDIO.splitlines()) + "\n"):
        run = only(paste)
        assert run.decode_tokens_per_second == pytest.approx(66.23)
        assert (run.output.tokens, run.ttft_seconds) == (283, 0.26)
        assert run.prompt.tokens is None


def test_a_result_of_localscore_is_two_rates_and_a_wait() -> None:
    long, short = imported(LOCALSCORE).runs
    assert long.prefill_tokens_per_second == pytest.approx(4000)
    assert long.decode_tokens_per_second == pytest.approx(100)
    assert (long.ttft_seconds, long.workload.prompt_target) == (0.27, 1024)
    assert long.device == "NVIDIA GeForce RTX 4090"
    assert long.model.file_type == "Q4_K_M"
    assert short.aggregate is not None
    assert short.aggregate.of is None


def test_a_part_of_the_model_on_the_cpu_is_told_by_bytes() -> None:
    found = imported(OLLAMA_PS).runs
    assert [run.engine.place for run in found] == ["mixed", "gpu", "cpu"]
    assert [run.settings.context for run in found] == [32768, 4096, 4096]
    assert found[0].flags == ("partial_offload",)
    assert found[0].raw["ollama_ps"]["size_bytes"] == 11 * 10**9
    assert {run.output.seconds for run in found} == {None}


def test_a_list_of_models_holds_names_and_no_times() -> None:
    found = imported(OLLAMA_LIST)
    assert [run.model.name for run in found.runs] == ["qwen3:8b", "nomic-embed:latest"]
    assert found.runs[1].raw["ollama_list"]["size_bytes"] == 274 * 10**6
    assert found.refused == ()


# Figures that say less than they seem to


def test_repeats_of_a_prompt_that_are_far_faster_than_its_first_reading_were_cached() -> None:
    # 2,000 tokens at 400, 9,000, 9,100, 9,050 and 9,200 a second.
    rates = (400, 9000, 9100, 9050, 9200)
    found = imported(
        "".join(
            ollama_message(
                prompt_eval_count=2000,
                prompt_eval_duration=2000 * 10**9 // rate,
                eval_count=100,
                eval_duration=10**9,
            )
            for rate in rates
        )
    )
    assert [run.flags for run in found.runs] == [(), *[("prefill_may_be_cached",)] * 4]
    assert [run.prefill_tokens_per_second for run in found.runs] == [400.0, None, None, None, None]
    assert all(run.decode_tokens_per_second == 99.0 for run in found.runs)
    assert all(run.prompt.seconds is not None for run in found.runs)


def test_a_prompt_cannot_be_read_in_less_than_half_a_step() -> None:
    # 100 steps in 5 s are 50 ms each; 400 tokens in 10 ms did not pass over the weights.
    counters = {"eval_count": 101, "eval_duration": 5 * 10**9, "prompt_eval_count": 400}
    message = ollama_message(**counters, prompt_eval_duration=10**7)
    run = only(message)
    assert run.flags == ("prefill_may_be_cached",)
    told = ollama_message(**counters, prompt_eval_duration=10**7, prompt_eval_cached_count=0)
    run = only(told)
    assert (run.flags, run.prompt.seconds) == (("prefill_implausible",), None)


def test_cached_tokens_that_are_told_are_left_out_of_the_rate() -> None:
    message = ollama_message(
        prompt_eval_count=1000,
        prompt_eval_cached_count=800,
        prompt_eval_duration=10**8,
        eval_count=101,
        eval_duration=10**9,
    )
    run = only(message)
    assert run.flags == ()
    assert run.prefill_tokens_per_second == pytest.approx(2000)


def test_loading_the_model_anew_is_told_and_50_ms_are_normal() -> None:
    loads = (12.27, 0.05, 11.9, 0.05, 12.1)
    found = imported(
        "".join(
            ollama_message(
                load_duration=round(load * 1e9),
                prompt_eval_count=500,
                prompt_eval_duration=10**9,
                eval_count=100,
                eval_duration=10**9,
            )
            for load in loads
        )
    )
    assert [("reloaded" in run.flags) for run in found.runs] == [True, False, True, False, True]


def test_a_one_line_prompt_gives_no_rate_of_prefill() -> None:
    message = ollama_message(
        prompt_eval_count=12, prompt_eval_duration=37 * 10**6, eval_count=100, eval_duration=10**9
    )
    found = imported(message)
    assert found.runs[0].flags == ("prefill_too_short",)
    assert found.runs[0].prompt.seconds == 0.037
    assert found.runs[0].prefill_tokens_per_second is None


@pytest.mark.parametrize("counts", [(12, 300, 280), (300, 40, 280), (290, 310, 20, 280)])
def test_an_answer_that_ended_early_does_not_count(counts: tuple[int, ...]) -> None:
    found = imported(
        "".join(
            ollama_message(
                prompt_eval_count=500,
                prompt_eval_duration=10**9,
                eval_count=count,
                eval_duration=count * 10**7,
            )
            for count in counts
        )
    )
    excluded = [run.output.tokens for run in found.runs if run.excluded == "stopped_early"]
    assert excluded == [min(counts)]


def test_answers_of_different_lengths_all_count() -> None:
    found = imported(
        "".join(
            ollama_message(
                prompt_eval_count=500,
                prompt_eval_duration=10**9,
                eval_count=count,
                eval_duration=count * 10**7,
            )
            for count in (145, 300, 210)
        )
    )
    assert {run.excluded for run in found.runs} == {None}


def test_time_that_nothing_explains_is_another_request() -> None:
    # 900 tokens at 2,000 a second are 0.45 s; 45 s passed before the first step.
    message = ollama_message(
        total_duration=round(47e9),
        load_duration=round(0.05e9),
        prompt_eval_count=900,
        prompt_eval_duration=round(0.45e9),
        eval_count=101,
        eval_duration=2 * 10**9,
    )
    found = imported(message)
    assert found.runs[0].flags == ("contended",)
    assert "44 s" in found.notices[0].text()  # 47 - 0.05 - 0.45 - 2 = 44.5


def test_tokens_without_text_are_an_answer_that_was_not_checked() -> None:
    assert only(ollama_message(response="", eval_count=5, eval_duration=10**9)).flags == (
        *("empty_output", "prefill_may_be_cached"),
    )


def test_counters_that_cannot_be_are_unknown() -> None:
    message = json.dumps(
        {
            "model": "m",
            "created_at": "now",
            "done": True,
            "prompt_eval_count": -3,
            "prompt_eval_duration": 1e400,
            "eval_count": 2.5,
            "eval_duration": -1,
            "load_duration": "12",
            "total_duration": True,
        }
    )
    run = only(message + "\n")
    assert (run.started, run.prompt.tokens, run.prompt.seconds) == (None, None, None)
    assert (run.output.tokens, run.output.seconds, run.wall_seconds) == (None, None, None)
