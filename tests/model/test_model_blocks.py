"""Tensors by block: searched once for a question, however many tensors ask it."""

from __future__ import annotations

from collections.abc import Iterator

from tokenroof.model.blocks import Block, has_prefix, place


class Searched(Block):
    """A block that counts how often all its names are gone through."""

    searches = 0

    def __iter__(self) -> Iterator[str]:
        self.searches += 1
        return super().__iter__()


def test_a_block_of_many_tensors_is_searched_once_for_a_prefix() -> None:
    block = Searched()
    assert not any(has_prefix(block, "time_mix_") for _ in range(10_000))
    assert block.searches == 1


def test_names_are_placed_by_their_block() -> None:
    assert place("blk.12.attn_q.weight") == (12, "attn_q.weight")
    assert place("dec.blk.3.attn_q.weight") == (3, "attn_q.weight")
    # The encoder's blocks run once for a prompt and belong to no block of the decoder.
    assert place("enc.blk.3.attn_q.weight") == (None, "enc.blk.3.attn_q.weight")
    assert place("blk.9999999.attn_q.weight")[0] is None
    assert place("blk.²٣.x")[0] is None
