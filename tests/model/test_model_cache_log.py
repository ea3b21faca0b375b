"""The caches that llama.cpp build 11434 logged for tiny models at -c 2048 -ub 64, f16.

Sizes in MiB as its log lines print them, two decimals: of each cache its keys and values, and of
the recurrent memory its convolution (R), matrix (S) and n-gram (P) states. The models are those of
the oracle of the same name.
"""

from __future__ import annotations

import pytest

from support.oracle.recorded import model_of

MIB = 2**20

LOGGED: dict[str, tuple[list[tuple[float, float]], tuple[float, ...]]] = {
    "gemma3-dense": ([(1.00, 1.00), (0.12, 0.12)], ()),
    "gpt-oss-moe": ([(1.00, 1.00), (0.12, 0.12)], ()),
    "llama4-moe": ([(2.00, 2.00), (2.00, 2.00)], ()),
    "deepseek32-moe": ([(4.50, 0.00), (1.00, 0.00)], ()),
    "glm-dsa-moe": ([(4.50, 0.00), (1.00, 0.00)], ()),
    "minimax-m3-moe": ([(2.00, 2.00), (0.50, 0.50)], ()),
    "dots3note-moe": ([(2.25, 0.00), (0.50, 0.00), (0.28, 0.00)], ()),
    "hy_v4-moe": ([(4.50, 0.00), (0.50, 0.00)], ()),
    "glm5-next-moe": ([(2.00, 0.00), (1.50, 0.00)], (0.00, 0.06, 0.00)),
    "qwen4exp-moe": ([(1.00, 1.00), (1.00, 0.00)], (0.01, 0.12, 0.04)),
    "deepseek4-moe": ([(0.12, 0.00), (0.06, 0.00), (0.03, 0.00), (0.12, 0.00)], (0.01, 0.06, 0.02)),
    "qwen35-dense": ([(1.00, 1.00)], (0.01, 0.12, 0.00)),
    "qwen3next-moe": ([(1.00, 1.00)], (0.01, 0.12, 0.00)),
    "kimi-linear-moe": ([(2.25, 0.00)], (0.00, 0.06, 0.00)),
    "kimi-k3-moe": ([(2.25, 0.00)], (0.00, 0.06, 0.00)),
    "minimax-01-moe": ([(1.00, 1.00)], (0.00, 0.12, 0.00)),
    "mamba2-dense": ([], (0.02, 0.50, 0.00)),
    "falcon-h1-dense": ([(2.00, 2.00)], (0.02, 0.50, 0.00)),
    "jamba-dense": ([(1.00, 1.00)], (0.01, 0.25, 0.00)),
    "lfm2-dense": ([(0.12, 0.12)], (0.00, 0.00, 0.00)),
    "plamo2-dense": ([(1.00, 1.00)], (0.01, 0.25, 0.00)),
    "hrm_text-dense": ([(6.00, 6.00)], ()),
    "smallthinker-moe": ([(1.00, 1.00), (1.00, 1.00)], ()),
    "phi3-dense": ([(2.00, 2.00)], ()),
    "mimo2-moe": ([(1.00, 1.00), (0.12, 0.12)], ()),
}


@pytest.mark.parametrize("name", LOGGED)
def test_the_total_is_what_the_log_lines_add_up_to(name: str) -> None:
    caches, states = LOGGED[name]
    logged = sum(keys + values for keys, values in caches) + sum(states)
    rounding = 0.005 * (2 * len(caches) + len(states))
    allocated = (model_of(name).kv_allocated(2048, ubatch=64) or 0) / MIB
    assert allocated == pytest.approx(logged, abs=rounding + 1e-9)


def test_the_oracles_and_the_log_differ_only_where_the_engine_changed() -> None:
    # llama.cpp 0.5.0 keeps one indexer key of 128 numbers a token in qwen4exp, 11434 two.
    model = model_of("qwen4exp-moe")
    (indexer,) = [cache for cache in model.caches or () if cache.kind == "indexer"]
    assert indexer.key_elements == 2 * 128
