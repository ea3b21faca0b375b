"""What attention costs a processor's cores: cells of the busiest thread, tiles of a prompt."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from tokenroof.predict.learnt.cells import decode_cells, prefill_cells


@pytest.mark.parametrize(
    ("depth", "threads", "expected"),
    [
        (64, 2, 65),  # up to 256 cells are divided by heads: as many as are seen
        (255, 2, 256),
        (256, 2, 512),  # 257 seen of 512; two pieces of 256, and one of them is full
        (511, 2, 512),
        (512, 2, 768),  # 513 of 768; pieces of 384, and 384 x 2
        (1024, 2, 1280),
        (1024, 1, 1025),  # a single thread shares with nobody
        (1024, None, 1025),  # not the cores of a processor
        (300, 16, 512),  # pieces of 32 cells: nine threads have full ones, the rest less or nothing
    ],
)
def test_all_wait_for_the_thread_whose_piece_of_the_cache_is_fullest(
    depth: int, threads: int | None, expected: float
) -> None:
    assert decode_cells(depth, None, threads, 512) == expected


def test_a_window_lies_anywhere_in_its_ring() -> None:
    # 512 tokens in a ring of 512 + 512 cells, in two pieces of 512: at a place x the larger part is
    # max(x, 512 - x), 384 on average; two threads pay for 768 although 512 are seen.
    assert decode_cells(5000, 512, 2, 512) == 768
    # 1024 in 1024 + 512 cells, in two pieces of 768: a whole piece at one place in three, else from
    # 512 to 768, 640 on average: 768/3 + 2/3 x 640 = 682.67.
    assert decode_cells(5000, 1024, 2, 512) == pytest.approx(2 * (256 + 2 / 3 * 640))
    # 16 pieces of 64: a window of 512 fills some of them wholly.
    assert decode_cells(5000, 512, 16, 512) == 1024
    # A short window: 128 in a ring of 768 (128 + 512, rounded up), pieces of 384: across a border
    # at one place in three, with 96 on average on its larger side.
    assert decode_cells(5000, 128, 2, 512) == pytest.approx(2 * (2 / 3 * 128 + 1 / 3 * 96))


def test_the_mean_place_in_the_ring_is_that_of_all_places() -> None:
    # By going through all places of a window of 300 in a ring of 1024 with pieces of 256.
    ring, piece, window = 1024, 256, 300
    fullest = []
    for start in range(ring):
        held = [0] * (ring // piece)
        for cell in range(start, start + window):
            held[cell % ring // piece] += 1
        fullest.append(max(held))
    expected = 4 * sum(fullest) / ring
    assert decode_cells(5000, window, 4, 700) == pytest.approx(expected, rel=0.005)


@given(
    st.integers(0, 20_000),
    st.integers(0, 3000),
    st.one_of(st.none(), st.integers(1, 5000)),
    st.one_of(st.none(), st.integers(1, 64)),
    st.sampled_from([128, 512, 2048]),
)
def test_more_depth_never_costs_less_and_nothing_costs_less_than_what_the_busiest_sees(
    depth: int, more: int, window: int | None, threads: int | None, ubatch: int
) -> None:
    here = decode_cells(depth, window, threads, ubatch)
    assert here <= decode_cells(depth + more, window, threads, ubatch) + 1e-6
    seen = depth + 1 if window is None else min(depth + 1, window)
    assert here >= seen - 1e-6


@pytest.mark.parametrize(
    ("tokens", "depth", "window", "expected"),
    [
        (64, 0, None, 64 * 64),  # one tile, although only half of it is seen
        (65, 0, None, 64 * 64 * (1 + 2)),  # a second row of tiles for one query
        (128, 0, None, 64 * 64 * (1 + 2)),
        (64, 64, None, 64 * 64 * 2),
        (128, 0, 64, 64 * 64 * (1 + 2)),  # token 64 sees 1 to 64, so its tile needs both
        (256, 0, 64, 64 * 64 * (1 + 2 + 2 + 2)),
    ],
)
def test_a_prompt_pays_for_whole_tiles(
    tokens: int, depth: int, window: int | None, expected: int
) -> None:
    assert prefill_cells(tokens, depth, window) == expected
