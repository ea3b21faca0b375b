"""Every architecture of llama.cpp is judged by the engine, or listed here with the reason."""

from __future__ import annotations

import pytest

from support.model_headers import header
from support.oracle.kinds import BASES
from support.oracle.recorded import model_of
from tokenroof.model import build_model
from tokenroof.model.architectures import (
    DIFFUSION,
    DRAFTS,
    ENCODERS,
    EXPERTS_REPLACE_DENSE,
    KNOWN,
    NO_TEXT_MODEL,
    UNTOUCHED,
    WINDOWS,
)

BY_READING = {
    "plm": "its graph ends llama.cpp 0.5.0 for more than one token; as minicpm3's, head tied",
    "gptoss": "Ollama's name of gpt-oss",
}
"""Known, and not run: how they were judged instead."""

JUDGED = {base["metadata"]["general.architecture"] for base in BASES.values()}


def test_every_known_architecture_was_run_by_the_engine_or_is_excused() -> None:
    assert JUDGED | set(BY_READING) == KNOWN
    assert not JUDGED & set(BY_READING)


def test_rules_are_for_architectures_that_are_known() -> None:
    named = ENCODERS | DIFFUSION | EXPERTS_REPLACE_DENSE | set(UNTOUCHED)
    assert named <= KNOWN
    assert set(WINDOWS) <= KNOWN | DRAFTS
    assert not KNOWN & (DRAFTS | NO_TEXT_MODEL)


@pytest.mark.parametrize("architecture", sorted(DRAFTS))
def test_a_draft_is_said_to_need_another_model(architecture: str) -> None:
    model = model_of("llama-dense", architecture)
    assert "draft" in {notice.id for notice in model.warnings}
    assert not model.is_understood
    low, high = model.decode_weight_bounds
    assert low < high


def test_ollamas_name_of_gpt_oss_means_gpt_oss() -> None:
    ours, theirs = model_of("gpt-oss-moe"), model_of("gpt-oss-moe", "gptoss")
    assert theirs.kv_read(5000) == ours.kv_read(5000)
    assert theirs.decode_weight_bytes == ours.decode_weight_bytes
    assert theirs.is_understood


def test_plm_keeps_keys_and_values_of_all_heads_and_ties_its_head() -> None:
    tensors = [("token_embd.weight", (256, 128), "F16")]
    for block in range(2):
        tensors += [
            (f"blk.{block}.{name}.weight", shape, "F16")
            for name, shape in {
                "attn_q": (256, 2 * 192),
                "attn_kv_a_mqa": (256, 128 + 64),
                "attn_kv_b": (128, 2 * (128 + 128)),
                "attn_output": (256, 256),
            }.items()
        ]
    keys = {"block_count": 2, "embedding_length": 256, "attention.head_count": 2,
            "attention.kv_lora_rank": 128, "attention.key_length": 192,
            "attention.value_length": 128}  # fmt: skip
    model = build_model(header("plm", keys, tensors))
    # src/models/plm.cpp: keys of 128 + 64 numbers and values of 128 for each of 2 heads.
    assert model.kv_bytes_per_token() == 2 * 2 * (192 + 128) * 2
    assert model.embedding == "tied"
    assert model.decode_weight_bytes == model.tensor_bytes
