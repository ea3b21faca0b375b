"""Further formats, and figures that cannot be true whatever stands beside them.

The formats are restated from what the programs print: llama-batched-bench of llama.cpp's tools,
Ollama's API, `lms chat --stats` and LM Studio's REST answers. Expected values are worked out by
hand in each test.
"""

from __future__ import annotations

import json

import pytest

from support.pastes import imported, ollama_message, reasons
from tokenroof.records import Aggregate, Run


def only(paste: str) -> Run:
    """The single run of a paste of which all was understood."""
    found = imported(paste)
    assert not found.refused
    (run,) = found.runs
    return run


def listed(**model: object) -> str:
    """An answer of Ollama's that lists one model."""
    known = {
        "name": "qwen3:8b",
        "model": "qwen3:8b",
        "digest": "500a1f067a9f",
        "details": {"family": "qwen3", "quantization_level": "Q4_K_M"},
    }
    return json.dumps({"models": [{**known, **model}]})


# Ollama's JSON


@pytest.mark.parametrize(
    ("on_gpu", "place"), [(0, "cpu"), (3_000_000_000, "mixed"), (7_557_455_872, "gpu")]
)
def test_the_answer_of_api_ps_tells_where_the_bytes_lie(on_gpu: int, place: str) -> None:
    run = only(listed(size=7_557_455_872, size_vram=on_gpu, context_length=4096))
    assert (run.source, run.engine.place, run.settings.context) == ("ollama", place, 4096)
    assert run.flags == (("partial_offload",) if place == "mixed" else ())
    assert (run.model.architecture, run.model.file_type) == ("qwen3", "Q4_K_M")
    assert run.raw["ollama_ps"]["size"] == 7_557_455_872
    assert run.decode_tokens_per_second is None


def test_the_answer_of_api_tags_names_models_and_no_place() -> None:
    run = only(listed(size=5_225_388_164, modified_at="2026-08-01T10:00:00Z"))
    assert (run.model.name, run.model.digest, run.engine.place) == (
        *("qwen3:8b", "500a1f067a9f"),
        None,
    )


def test_models_without_a_size_are_no_answer_of_ollama() -> None:
    assert not imported(listed(size="")).runs


def test_a_last_message_without_its_text_and_date_is_one_still() -> None:
    whole = json.loads(ollama_message(eval_count=101, eval_duration=2_000_000_000))
    del whole["created_at"]
    run = only(json.dumps(whole))
    assert run.decode_tokens_per_second == pytest.approx(50.0)  # 100 steps in 2 s


# llama-batched-bench

SETTINGS = (
    "n_kv_max = 2048, n_batch = 2048, n_ubatch = 512, flash_attn = 1, is_pp_shared = {shared}, "
    "is_tg_separate = 0, n_gpu_layers = 99, n_threads = 8, n_threads_batch = 8"
)
TITLES = (
    "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |"
    "    S t/s |\n"
    "|-------|--------|------|--------|----------|----------|----------|----------|----------|"
    "----------|\n"
)
ROWS = (
    "|   128 |     64 |    1 |    192 |    0.200 |   640.00 |    1.600 |    40.00 |    1.800 |"
    "   106.67 |\n"
    "|   128 |     64 |    4 |    768 |    0.500 |  1024.00 |    3.200 |    80.00 |    3.700 |"
    "   207.57 |\n"
)


@pytest.mark.parametrize("program", ["main", "llama_batched_bench"])
def test_a_batched_bench_gives_what_one_of_several_users_sees(program: str) -> None:
    paste = f"{program}: {SETTINGS.format(shared=0)}\n\n{TITLES}{ROWS}"
    found = imported(paste)
    assert not found.refused
    alone, together = found.runs
    assert alone.prefill_tokens_per_second == pytest.approx(640.0)  # 128 / 0.2
    assert alone.decode_tokens_per_second == pytest.approx(40.0)  # 64 / 1.6
    # Four read in one go: no prompt has a time of its own. 80 tok/s are those of all four.
    assert together.prefill_tokens_per_second is None
    assert together.decode_tokens_per_second == pytest.approx(20.0)
    assert [run.engine.flags for run in found.runs] == [{"parallel": 1}, {"parallel": 4}]
    assert alone.settings.flash_attention is True
    assert (alone.settings.context, alone.settings.gpu_layers) == (2048, 99)


def test_a_shared_prompt_is_read_once() -> None:
    together = imported(f"main: {SETTINGS.format(shared=1)}\n{TITLES}{ROWS}").runs[1]
    assert together.prefill_tokens_per_second == pytest.approx(256.0)  # 128 / 0.5
    assert together.engine.flags == {"parallel": 4, "is_pp_shared": 1}


def test_sequences_that_are_written_in_turn_share_the_time() -> None:
    row = {"pp": 128, "tg": 64, "pl": 4, "t_pp": 0.5, "t_tg": 3.2, "is_tg_separate": 1}
    assert only(json.dumps(row)).decode_tokens_per_second == pytest.approx(80.0)  # 64 / (3.2 / 4)


def test_a_row_of_a_batched_bench_with_no_time_is_refused() -> None:
    row = {"pp": 128, "tg": 64, "pl": 1, "t_pp": -1, "t_tg": 0}
    assert reasons(imported(json.dumps(row))) == {
        1: "This result has no time and no rate that could be true."
    }


# LM Studio

STATS = """\
Prediction Stats:
  Stop Reason: eosFound
  Tokens/Second: 42,50
  Time to First Token: 0.345s
  Prompt Tokens: 512
  Predicted Tokens: 128
  Total Tokens: 640
"""


def test_the_block_of_lm_studios_command_line_is_read() -> None:
    run = only(STATS)
    assert (run.prompt.tokens, run.output.tokens, run.ttft_seconds) == (512, 128, 0.345)
    assert run.decode_tokens_per_second == pytest.approx(42.5)


def test_two_blocks_of_lm_studio_are_two_runs() -> None:
    assert [run.output.tokens for run in imported(STATS + STATS).runs] == [128, 128]


def test_points_between_the_figures_of_its_window_are_no_text() -> None:
    run = only("42,50 tok/sec\n•\n512 tokens\n•\n1,20s to first token\n•\nStop reason: EOS\n")
    assert (run.output.tokens, run.ttft_seconds) == (512, 1.2)


def test_an_answer_of_lm_studio_names_its_model_and_runtime() -> None:
    run = only(
        json.dumps(
            {
                "model": "granite-3.0-2b-instruct",
                "choices": [{"message": {"content": "Hi"}}],
                "usage": {"prompt_tokens": 240, "completion_tokens": 53},
                "stats": {"tokens_per_second": 51.4, "time_to_first_token": 0.111},
                "model_info": {"arch": "granite", "quant": "Q4_K_M", "context_length": 4096},
                "runtime": {"name": "llama.cpp-mac-arm64", "version": "1.3.0"},
            }
        )
    )
    assert (run.model.architecture, run.model.file_type) == ("granite", "Q4_K_M")
    assert run.settings.context == 4096
    assert (run.engine.backend, run.engine.flags) == (
        *("llama.cpp-mac-arm64", {"runtime_version": "1.3.0"}),
    )


def test_a_rate_of_decode_without_a_count_is_the_mean_of_a_step() -> None:
    for paste, rate in (
        ("[ Prompt: 282,9 t/s | Generation: 104,9 t/s ]\n", 104.9),
        ("66.23 tok/sec\n0.26s to first token\n", 66.23),
    ):
        run = only(paste)
        assert run.decode_tokens_per_second == pytest.approx(rate)
        assert (run.output.tokens, run.output.steps) == (None, 1)
        assert run.aggregate == Aggregate()
        # How fast a prompt of nobody knows which length was read tells nothing.
        assert run.prefill_tokens_per_second is None


def test_a_csv_of_localscore_is_read_as_its_json() -> None:
    names = "name,model_name,model_quant_str,n_prompt,n_gen,avg_time_ms,prompt_tps,gen_tps,ttft_ms"
    run = only(
        f'{names}\n"pp1024+tg16","Llama","Q4_K - Medium","1024","16","300","5000","200","210"'
    )
    assert (run.source, run.model.file_type, run.ttft_seconds) == ("localscore", "Q4_K_M", 0.21)
    assert run.prefill_tokens_per_second == pytest.approx(5000)
    assert run.decode_tokens_per_second == pytest.approx(200)


def test_a_row_of_csv_that_ends_within_a_value_was_cut() -> None:
    rows = 'model_type,n_prompt,n_gen,avg_ns\n"llama 8B","512","0","5000"\n"llama 8B","51'
    found = imported(rows)
    assert len(found.runs) == 1
    assert "cut off" in reasons(found)[3]


def test_what_somebody_quotes_is_read() -> None:
    run = only("> eval count: 41 token(s)\n> eval duration: 2s\n")
    assert run.decode_tokens_per_second == pytest.approx(20.0)  # 40 steps in 2 s


# Logs of llama.cpp

LOAD = """\
ggml_cuda_init: found 1 CUDA devices:
  Device 0: {device}, compute capability 8.6, VMM: yes
llama_model_loader: - kv   0:             general.architecture str              = llama
llama_model_loader: - kv   2:                     general.name str              = Llama 8B
load_tensors:   CPU_Mapped model buffer size =   281.81 MiB
load_tensors:        CUDA0 model buffer size =  4403.50 MiB
llama_kv_cache:      CUDA0 KV buffer size =  1024.00 MiB
prompt eval time =     500.00 ms /  1000 tokens (    0.50 ms per token,  2000.00 tokens per second)
       eval time =  {eval_ms} ms /   101 tokens (   10.00 ms per token,   100.00 tokens per second)
      total time =   {total_ms} ms /  1101 tokens
"""


def log(**values: str) -> str:
    """A log of one request."""
    return LOAD.format(
        **{"device": "NVIDIA GeForce RTX 3090", "eval_ms": "1000.00", "total_ms": "1500.00"}
        | values
    )


def test_the_metadata_of_a_log_names_the_model_and_a_banner_the_device() -> None:
    run = only(log())
    assert (run.model.name, run.model.architecture) == ("Llama 8B", "llama")
    assert (run.device, run.flags) == ("NVIDIA GeForce RTX 3090", ())


def test_a_device_that_is_named_where_it_is_used_is_taken() -> None:
    line = "llama_prepare_model_devices: using device Vulkan0 (AMD Radeon RX 7900 XTX (RADV)) - 1 M"
    assert only(f"{line}\n{log().replace('CUDA0', 'Vulkan0')}").device == (
        "AMD Radeon RX 7900 XTX (RADV)"
    )


def test_a_log_on_two_devices_is_of_neither() -> None:
    second = "load_tensors:        CUDA1 model buffer size =   100.00 MiB\nprompt eval"
    assert only(log().replace("prompt eval", second, 1)).device is None


# What cannot be true


def test_a_log_above_the_bandwidth_of_its_device_is_not_believed() -> None:
    # 4,617,404,416 B x 100 steps in 0.4 s are 1,154 GB/s; a 3090 has 936. In 0.6 s they are 770.
    assert only(log(eval_ms="400.00")).flags == ("above_ceiling",)
    assert only(log(eval_ms="600.00")).flags == ()


def test_a_log_of_a_model_of_experts_is_not_held_against_all_of_its_bytes() -> None:
    experts = "print_info: n_expert              = 8\n"
    run = only(log(eval_ms="400.00").replace("load_tensors", f"{experts}load_tensors", 1))
    assert (run.flags, run.raw["experts"]) == ((), 8)
    none = experts.replace("8", "0")
    flagged = only(log(eval_ms="400.00").replace("load_tensors", f"{none}load_tensors", 1))
    assert flagged.flags == ("above_ceiling",)


TABLE = (
    "ggml_cuda_init: found 1 CUDA devices:\n"
    "  Device 0: {device}, compute capability 8.9, VMM: yes\n"
    "| model | size | params | backend | ngl | test | t/s |\n"
    "| llama 70B Q4_K - Small | 37.57 GiB | 70.55 B | {backend} | 58 | tg128 | {rate} ± 0.20 |\n"
)


@pytest.mark.parametrize(
    ("device", "rate", "is_flagged"),
    [
        # At least 0.8 x 40.34 GB a token: 78 tok/s are 2,517 GB/s, 28 are 904.
        ("NVIDIA GeForce RTX 4090", "78.00", True),
        ("NVIDIA GeForce RTX 3090", "78.00", True),
        ("NVIDIA GeForce RTX 3090", "28.00", False),
        ("NVIDIA H200", "78.00", False),
        ("NVIDIA Something That Nobody Knows", "78.00", False),
    ],
)
def test_the_ceiling_of_a_table_is_that_of_the_device_that_it_names(
    device: str, rate: str, is_flagged: bool
) -> None:
    found = imported(TABLE.format(device=device, rate=rate, backend="CUDA"))
    assert found.runs[0].device == device
    assert found.runs[0].flags == (("above_ceiling",) if is_flagged else ())
    assert [notice.message for notice in found.notices] == (
        ["importing.why_above_ceiling"] if is_flagged else []
    )


def test_several_devices_give_what_each_of_them_gives() -> None:
    row = {
        "model_type": "llama 70B Q4_K - Small",
        "model_size": 40_340_480_000,
        "model_n_params": 70_550_000_000,
        "n_prompt": 0,
        "n_gen": 128,
        "n_gpu_layers": 99,
        "backends": "CUDA",
        "gpu_info": "NVIDIA GeForce RTX 3090, NVIDIA GeForce RTX 3090",
        "avg_ts": 50.0,  # 1,614 GB/s at least, of 1,872
    }
    assert only(json.dumps(row)).flags == ()
    assert only(json.dumps(row | {"avg_ts": 60.0})).flags == ("above_ceiling",)  # 1,936


def test_a_table_of_metal_below_a_banner_of_cuda_ran_elsewhere() -> None:
    paste = TABLE.format(device="NVIDIA GeForce RTX 4090", rate="20.00", backend="BLAS,MTL")
    assert imported(paste).runs[0].device is None


def test_no_program_writes_a_hundred_thousand_tokens_a_second() -> None:
    found = imported(ollama_message(prompt_eval_count=500, eval_count=290, eval_duration=1))
    assert found.runs[0].flags == ("above_ceiling",)
    assert [notice.message for notice in found.notices] == ["importing.why_too_fast"]


@pytest.mark.parametrize(
    "paste",
    [
        ollama_message(total_duration=1_000_000_000, eval_count=290, eval_duration=4_709_213_000),
        log(total_ms="900.00"),
    ],
    ids=["ollama", "llama.cpp"],
)
def test_parts_that_are_longer_than_the_whole_are_told(paste: str) -> None:
    assert "importing.why_parts_exceed" in {each.message for each in imported(paste).notices}


def test_parts_that_make_the_whole_are_not() -> None:
    assert not imported(log()).notices


@pytest.mark.parametrize(
    ("paste", "flag"),
    [
        ("| model | test | t/s |\n| llama 8B Q4_0 | pp512+tg128 | 600 ± 3 |\n", "combined_rate"),
        (
            "Output generated in 9.62 seconds (2.49 tokens/s, 24 tokens, context 11, seed 17)\n",
            "end_to_end_rate",
        ),
        (
            'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\ndata: [DONE]\n',
            "lower_bound",
        ),
        ("eval time = 0.00 ms / 32 runs\n", "timing_disabled"),
        ("prompt eval time = -5.00 ms / 500 tokens\n", "prefill_implausible"),
        (
            "total duration: 1s\neval count: 40 token(s)\neval duration: 1s\n",
            "prefill_may_be_cached",
        ),
    ],
)
def test_what_a_reader_flags_is_told_with_the_reason(paste: str, flag: str) -> None:
    found = imported(paste)
    assert flag in found.runs[0].flags
    assert len(found.notices) == 1
    assert found.notices[0].text() != found.notices[0].text("ja")


def told(paste: str) -> set[str]:
    """Ids of what is said of the runs of a paste."""
    return {each.message for each in imported(paste).notices}


def test_a_rate_that_its_own_count_and_time_do_not_make_is_told() -> None:
    verbose = "prompt eval count: 500 token(s)\neval count: 120 token(s)\neval duration: 5s\n"
    assert told(f"{verbose}eval rate: 24.00 tokens/s\n") == set()  # 120 / 5
    assert told(f"{verbose}eval rate: 240.00 tokens/s\n") == {"importing.why_unlike_rate"}


def test_an_answer_of_few_tokens_is_told() -> None:
    for tokens, expected in ((31, {"importing.why_short_answer"}), (32, set())):
        paste = ollama_message(
            prompt_eval_count=500, eval_count=tokens, eval_duration=1_000_000_000
        )
        assert told(paste) == expected


@pytest.mark.parametrize(
    ("rates", "is_told"),
    [
        ([5000, 25000, 25100, 25050], True),
        ([25000, 25100, 5000, 25050], False),  # a stall, which warming up would not have met
        ([20500, 25000, 25100, 25050], False),
        ([5000, 25000], False),
    ],
)
def test_a_first_repeat_that_warmed_up_is_told_and_kept(rates: list[int], is_told: bool) -> None:
    row = {"model_type": "qwen2 1B Q4_0", "n_prompt": 512, "n_gen": 0, "samples_ts": rates}
    found = imported(json.dumps([row, {**row, "n_prompt": 1024, "samples_ts": [9000, 9010, 9020]}]))
    assert len(found.runs) == len(rates) + 3
    assert {run.excluded for run in found.runs} == {None}
    assert [each.message for each in found.notices] == ["importing.why_first_slow"] * is_told
