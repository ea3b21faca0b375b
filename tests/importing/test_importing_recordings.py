"""What real programs printed becomes the runs that they made."""

from __future__ import annotations

import json

import pytest

from support.pastes import DATA, reasons, recorded
from tokenroof.records import Run

FORMATS = ("md", "csv", "json", "jsonl", "sql")


@pytest.mark.parametrize("form", FORMATS)
def test_llama_benchs_five_formats_give_the_same_tests(form: str) -> None:
    found = recorded(f"llama_bench_default.{form}")
    assert found.refused == ()
    tests = {(run.prompt.tokens, run.output.tokens) for run in found.runs}
    assert tests == {(64, 0), (0, 16), (32, 8)}
    for run in found.runs:
        assert (run.model.name, run.model.file_type) == ("gemma3 270M Q4_K - Medium", "Q4_K_M")
        assert run.model.architecture == "gemma3"
        assert (run.engine.name, run.engine.version, run.engine.place) == (
            *("llama-bench", None, "cpu"),
        )
        assert run.settings.threads == 2
        assert ("combined_rate" in run.flags) == (run.prompt.tokens == 32)
        # `-r 3`: each sample where they are printed, else one record for all of them.
        assert (run.aggregate is None) == (form in {"json", "jsonl"})
    assert len(found.runs) == (9 if form in {"json", "jsonl"} else 3)


def test_a_sample_is_its_own_nanoseconds() -> None:
    rows = json.loads((DATA / "llama_bench_default.json").read_text())
    found = recorded("llama_bench_default.json").runs
    expected = [ns / 1e9 for row in rows for ns in row["samples_ns"]]
    assert [r.prompt.seconds or r.output.seconds or r.wall_seconds for r in found] == expected


def test_the_average_of_csv_is_in_nanoseconds_and_its_deviation_by_the_rates() -> None:
    run = recorded("llama_bench_default.csv").runs[0]
    names, values = (DATA / "llama_bench_default.csv").read_text().splitlines()[:2]
    row = dict(zip(names.split(","), [v.strip('"') for v in values.split('","')], strict=True))
    assert run.prompt.seconds == int(row["avg_ns"]) / 1e9
    assert run.aggregate is not None
    share = float(row["stddev_ts"]) / float(row["avg_ts"])
    assert run.aggregate.stddev_seconds == pytest.approx(int(row["avg_ns"]) / 1e9 * share)


def test_columns_that_are_not_default_become_settings_in_both_formats() -> None:
    table, rows = (
        recorded("non_default_columns.md").runs,
        recorded("non_default_columns.jsonl").runs,
    )
    for found in (table, rows):
        settings = [run.settings for run in found]
        assert {each.threads for each in settings} == {1, 2}
        assert {(each.batch, each.ubatch) for each in settings} == {(256, 128)}
        assert {(each.kv_type_k, each.kv_type_v) for each in settings} == {("q8_0", "q8_0")}
        assert {each.flash_attention for each in settings} == {True}
        assert {run.workload.depth for run in found} == {0, 256}
        flags = found[0].engine.flags
        chosen = {name: flags[name] for name in ("no_kv_offload", "load_mode", "repack")}
        assert chosen == {"no_kv_offload": 1, "load_mode": "mmap", "repack": 0}


def test_the_patterns_of_an_override_do_not_shift_its_columns() -> None:
    found = recorded("overrides.md")
    assert found.refused == ()
    pattern = found.runs[0].engine.flags["tensor_buft_overrides"]
    assert pattern == r"blk\.0\.ffn.*=CPU;output=CPU"
    paste = (DATA / "overrides.md").read_text().replace("ffn.*", "ffn_(up|down)")
    from support.pastes import imported

    run = imported(paste).runs[0]
    assert run.engine.flags["tensor_buft_overrides"] == r"blk\.0\.ffn_(up|down)=CPU;output=CPU"
    assert run.prompt.tokens == 8


def test_ranges_are_rows_like_any_other() -> None:
    lengths = [run.prompt.tokens for run in recorded("ranges.md").runs]
    assert lengths == [8, 16, 32, 0, 8]


def test_a_remote_device_is_no_place_and_its_address_is_not_kept() -> None:
    for name in ("rpc.md", "rpc.jsonl"):
        for run in recorded(name).runs:
            assert (run.engine.backend, run.engine.place, run.device) == ("RPC", None, None)
            assert "50052" not in json.dumps(run.to_dict())


def test_a_list_that_was_never_closed_is_told() -> None:
    found = recorded("aborted_second_model.json")
    assert [run.prompt.seconds for run in found.runs] == [0.032830521]
    assert "cut off" in reasons(found)[1]
    assert len(recorded("aborted_bad_combination.jsonl").runs) == 2


# llama-server


def only(name: str) -> Run:
    (run,) = recorded(name).runs
    return run


@pytest.mark.parametrize(
    ("name", "prompt", "cached", "read_ms", "output", "written_ms"),
    [
        ("server_completion.json", 13, 0, 260.78, 16, 643.782),
        ("server_completion_cached.json", 13, 8, 37.845, 16, 307.591),
        ("server_completion_fields.json", 13, 8, 35.257, 3, 39.144),
        ("server_completion_speculative.json", 27, 0, 99.659, 60, 899.023),
        ("server_chat.json", 26, 0, 96.859, 12, 188.585),
        ("server_v1_completions.json", 13, 8, 31.906, 6, 87.066),
        ("chat_stream_no_usage.sse", 27, 1, 102.723, 4, 56.987),
        ("chat_stream_usage.sse", 26, 21, 34.154, 12, 197.253),
        ("chat_stream_usage_timings.sse", 28, 1, 93.651, 8, 125.404),
        ("v1_completions_stream_usage.sse", 13, 8, 33.385, 6, 89.136),
        ("completion_stream.sse", 1014, 0, 3110.913, 8, 143.528),
        ("completion_stream_partial_cache.sse", 1353, 1009, 1203.321, 4, 60.488),
    ],
)
def test_an_answer_of_llama_server_has_its_counts_and_times(
    name: str, prompt: int, cached: int, read_ms: float, output: int, written_ms: float
) -> None:
    run = only(name)
    assert (run.prompt.tokens, run.prompt.cached) == (prompt, cached)
    assert run.prompt.seconds == pytest.approx(read_ms / 1e3)
    assert (run.output.tokens, run.output.steps) == (output, output - 1)
    assert run.output.seconds == pytest.approx(written_ms / 1e3)
    assert (run.source, run.engine.version) == ("llama-server", None)  # "b0-unknown" is no version


def test_a_single_token_has_no_step_and_no_time() -> None:
    run = only("server_completion_n1.json")
    assert (run.output.tokens, run.output.steps, run.output.seconds) == (1, 0, None)


def test_drafted_tokens_are_told() -> None:
    assert "speculative" in only("server_completion_speculative.json").flags
    assert {
        "speculative" in run.flags for run in recorded("server_speculative_ngram.log").runs
    } == {True}


def test_an_answer_to_two_prompts_is_two_runs() -> None:
    found = recorded("server_completion_array2.json")
    assert [run.prompt.tokens for run in found.runs] == [13, 2]
    assert found.refused == ()


def test_an_error_is_refused_with_what_the_server_said() -> None:
    found = recorded("error_ctx_exceeded.json")
    assert found.runs == ()
    assert "9001 tokens" in reasons(found)[1]


# Logs


def test_a_log_tells_what_was_read_and_what_came_from_the_cache() -> None:
    first, second = recorded("server_default_verbosity.log").runs
    # 12 tokens held at the end are the prompt and 8 answered ones but the last: 12 - 8 + 1 = 5.
    assert (first.prompt.tokens, first.prompt.cached) == (5, 0)
    # 1290 - 190 + 1 = 1101, of which 1100 were read.
    assert (second.prompt.tokens, second.prompt.cached) == (1101, 1)
    assert second.prompt.seconds == pytest.approx(2.69286)
    assert (second.output.tokens, second.output.steps) == (190, 189)
    assert second.decode_tokens_per_second == pytest.approx(58.62, abs=5e-3)
    assert (second.settings.context, second.settings.threads) == (4096, 2)
    assert second.model.name == "MODEL.gguf"


def test_layers_are_where_their_buffers_are_whatever_the_offload_lines_say() -> None:
    run = only("server_lv4_rpc_ngl10_np2.log")
    assert run.engine.place == "mixed"
    assert "partial_offload" in run.flags
    # 202.39 + 6.68 MiB of the CPU, mapped and repacked; 202.77 MiB of the device.
    assert run.raw["model_buffer_bytes"] == {
        "CPU": round(202.39 * 2**20) + round(6.68 * 2**20),
        "RPC0": round(202.77 * 2**20),
    }
    # Both caches: 4 + 16 MiB and 8 + 14 MiB.
    assert run.raw["kv_buffer_bytes"] == {"CPU": 20 * 2**20, "RPC0": 22 * 2**20}
    assert (run.model.name, run.model.architecture) == ("Gemma 3 270m", "gemma3")
    assert (run.settings.context, run.settings.batch, run.settings.ubatch) == (2048, 2048, 512)
    assert (run.settings.kv_type_k, run.settings.flash_attention) == ("f16", True)


def test_a_run_on_the_cpu_is_none_of_a_gpu_though_all_layers_were_offloaded() -> None:
    assert "offloaded 19/19 layers to GPU" in (DATA / "server_lv4_load.log").read_text()
    run = only("server_lv4_load.log")
    assert (run.engine.place, run.flags) == ("cpu", ())
    assert (run.prompt.seconds, run.output.seconds) == (None, None)


def test_a_log_in_json_is_read_as_a_log() -> None:
    found = recorded("server_lv4_log_jsonl.jsonl")
    (run,) = found.runs
    assert found.refused == ()
    assert run.prompt.tokens == 5
    assert run.prompt.seconds == pytest.approx(0.21883)
    assert (run.output.steps, run.engine.place) == (7, "cpu")


def test_older_servers_print_a_block_below_its_heading() -> None:
    from support.pastes import imported

    paste = (
        "slot print_timing: id  0 | task 7 | \n"
        "prompt eval time =     146.46 ms /   130 tokens (    1.13 ms per token, 887.61 t/s)\n"
        "       eval time =    1000.00 ms /    26 tokens (   38.46 ms per token,  26.00 t/s)\n"
        "      total time =    1146.46 ms /   156 tokens\n"
        "slot      release: id  0 | task 7 | stop processing: n_past = 155, truncated = 1\n"
    )
    (run,) = imported(paste).runs
    # 155 - 26 + 1 = 130 tokens, all of them read; 25 steps in a second.
    assert (run.prompt.tokens, run.prompt.cached) == (130, 0)
    assert run.decode_tokens_per_second == 25
    assert run.flags == ("truncated",)


def test_two_tasks_of_a_server_at_once_are_kept_apart() -> None:
    from support.pastes import imported

    lines = [
        "slot print_timing: id {i} | task {t} | prompt eval time = {p}.00 ms / 200 tokens (x)",
        "slot print_timing: id {i} | task {t} |        eval time = {e}.00 ms / 11 tokens (x)",
    ]
    paste = "\n".join(
        line.format(i=i, t=t, p=p, e=e)
        for line in lines
        for i, t, p, e in ((0, 3, 400, 100), (1, 5, 800, 200))
    )
    found = imported(paste + "\n").runs
    assert [(run.prompt.seconds, run.output.seconds) for run in found] == [(0.4, 0.1), (0.8, 0.2)]
