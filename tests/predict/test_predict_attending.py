"""Works that grow with depth, by hand for models whose layers are known."""

from __future__ import annotations

import pytest

from tokenroof.calibrate.design import BASE, FAR_HEADS, WINDOW
from tokenroof.calibrate.learning import model_of
from tokenroof.predict.learnt.attending import ATTENTION, CACHE, PIECES, SCORES, Attending
from tokenroof.predict.learnt.work import LOGITS, decode_work, prefill_work


def test_works_of_a_full_cache_are_counted_by_the_busiest_thread() -> None:
    # 24 layers, 16 query heads on 4 KV heads of 64; at depth 300 two threads pay for 512 cells.
    attending = Attending.of(model_of(BASE), threads=2, ubatch=512)
    assert attending is not None
    found = attending.decode(300)
    assert found[CACHE] == 24 * 512 * 4 * (64 + 64) * 2
    assert found[SCORES] == 24 * 512 * 16
    assert found[ATTENTION] == 24 * 512 * 16 * 2 * (64 + 64)
    assert found[PIECES] == 0


def test_without_cores_what_is_seen_counts() -> None:
    attending = Attending.of(model_of(BASE), threads=None, ubatch=512)
    assert attending is not None
    assert attending.decode(300)[SCORES] == 24 * 301 * 16
    assert PIECES not in attending.decode(300)
    # 1 + 2 + ... + 100 positions, 16 heads, 24 layers.
    assert attending.prefill(100, 0)[SCORES] == 24 * 5050 * 16


def test_keys_of_heads_that_lie_far_apart_are_counted_one_by_one() -> None:
    # 10 layers, 4 KV heads of 128 numbers: 256 bytes each, 1,024 apart. Depth 300: 512 cells.
    attending = Attending.of(model_of(FAR_HEADS), threads=2, ubatch=512)
    assert attending is not None
    assert attending.decode(300)[PIECES] == 10 * 512 * 4


def test_windows_and_full_layers_are_added_up() -> None:
    # 18 layers, every sixth full: 3 full, 15 with a window of 512 in a ring of 1,024 cells. One KV
    # head of 256. At depth 4,000: 4,096 cells, and 768 of a ring (its mean place).
    attending = Attending.of(model_of(WINDOW), threads=2, ubatch=512)
    assert attending is not None
    assert attending.decode(4000)[CACHE] == (3 * 4096 + 15 * 768) * 2 * 256 * 2


def test_a_mean_depth_lies_between_two_whole_ones() -> None:
    model = model_of(BASE)
    low, high, middle = (decode_work(model, depth) for depth in (100, 101, 100.25))
    assert low is not None
    assert high is not None
    assert middle is not None
    assert middle[SCORES] == pytest.approx(0.75 * low[SCORES] + 0.25 * high[SCORES])


def test_the_vocabulary_counts_once_for_a_token_and_once_for_a_prompt() -> None:
    model = model_of(BASE)
    writing, reading = decode_work(model, 10), prefill_work(model, 100)
    assert writing is not None
    assert reading is not None
    # 3 special tokens, 256 bytes and 95 letters.
    assert writing[LOGITS] == reading[LOGITS] == 354
