"""Random weights are numbers that a model could have, in every type that can be written."""

from __future__ import annotations

import numpy as np
import pytest
from gguf.quants import dequantize

from gguf import GGMLQuantizationType
from tokenroof.calibrate.blocks import random_blocks, writable_types
from tokenroof.gguf.types import TENSOR_TYPES_BY_NAME

LEAST_NORMAL_HALF = 2.0**-14
"""Of numbers of half precision; smaller ones are denormal."""

HALVES = {
    "Q8_0": (0,), "Q5_0": (0,), "Q5_1": (0, 2), "Q4_0": (0,), "Q4_1": (0, 2), "Q6_K": (208,),
    "Q5_K": (0, 2), "Q4_K": (0, 2), "Q3_K": (108,), "Q2_K": (80, 82), "IQ4_NL": (0,),
    "IQ4_XS": (0,),
}  # fmt: skip
"""Where ggml-common.h has the scales of half precision in a block."""


@pytest.mark.parametrize("name", writable_types())
def test_weights_are_finite_centred_and_as_wide_as_trained_ones(name: str) -> None:
    blocks = random_blocks(name, 4000, np.random.default_rng(1))
    assert blocks.shape == (4000, TENSOR_TYPES_BY_NAME[name].block_bytes)
    # The oracle: the gguf package's own reading of the blocks.
    weights = dequantize(blocks, GGMLQuantizationType[name])
    assert np.isfinite(weights).all()
    assert abs(float(weights.mean())) < 0.006
    assert 0.015 < float(weights.std()) < 0.03


@pytest.mark.parametrize("name", sorted(HALVES))
def test_no_scale_is_denormal(name: str) -> None:
    blocks = random_blocks(name, 10, np.random.default_rng(1))
    for at in HALVES[name]:
        scales = blocks[:, at : at + 2].copy().view("<f2").astype(float)
        assert (np.abs(scales) >= LEAST_NORMAL_HALF).all()


def test_the_bits_differ_from_block_to_block_and_not_from_time_to_time() -> None:
    first = random_blocks("Q4_K", 100, np.random.default_rng(7))
    again = random_blocks("Q4_K", 100, np.random.default_rng(7))
    assert (first == again).all()
    assert len({block.tobytes() for block in first}) == 100
