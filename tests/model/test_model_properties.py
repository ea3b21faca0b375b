"""Headers of every kind, damaged at random: sound figures or one of our errors, never a crash."""

from __future__ import annotations

import random
from typing import Any

import pytest

from support.gguf_files import Array
from support.model_survival import survive_model
from support.oracle.kinds import KINDS, Tensor, converted
from tokenroof.gguf import Header

VALUES: tuple[Any, ...] = (
    0, 1, 2, 3, 7, 8, 64, 255, 2**16, 2**31, 2**63, -1, [], [0], [1, 0], [2] * 4, [0, 0, 1, 1] * 8,
    "x", "", True, False, 1.5, [1.5], ["a"], [True, False],
)  # fmt: skip
SIZES = (0, 1, 2, 8, 64, 2**20, 2**40)
CASES = 25


def damaged(chance: random.Random) -> Header:
    """A header of some kind with up to three things changed."""
    metadata, tensors = converted(chance.choice(KINDS))
    metadata = {key: list(value.values) if isinstance(value, Array) else value
                for key, value in metadata.items()}  # fmt: skip
    for _ in range(chance.randint(1, 3)):
        where = chance.randrange(len(tensors))
        match chance.choices(("value", "key", "lost", "shape", "name"), (6, 1, 1, 1, 1))[0]:
            case "value":
                metadata[chance.choice(list(metadata))] = chance.choice(VALUES)
            case "key":
                metadata.pop(chance.choice(list(metadata)))
            case "lost":
                tensors.pop(where)
            case "shape":
                shape = tuple(chance.choice(SIZES) for _ in range(chance.randint(0, 5)))
                kind = chance.choice(("F32", "Q4_K", "Q8_0", "I32"))
                tensors[where] = (tensors[where][0], shape, kind)
            case "name":
                tensors[where] = (renamed(chance, tensors[where][0]), *tensors[where][1:])
    return Header.build(metadata, once(tensors))


def renamed(chance: random.Random, name: str) -> str:
    others = (name.replace("blk.0", "blk.999"), f"{name}x", f"blk.0.{name}", "", f"enc.{name}",
              name.replace("weight", "bias"), "token_embd.weight")  # fmt: skip
    return chance.choice(others)


def once(tensors: list[Tensor]) -> list[Tensor]:
    """Each name once, as the reader sees to."""
    return list({name: (name, shape, kind) for name, shape, kind in tensors}.values())


@pytest.mark.parametrize("seed", range(12))
def test_damaged_headers_give_sound_figures_or_our_errors(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(CASES):
        survive_model(damaged(chance))


def test_headers_that_are_whole_are_sound() -> None:
    for kind in KINDS:
        metadata, tensors = converted(kind)
        plain = {key: list(value.values) if isinstance(value, Array) else value
                 for key, value in metadata.items()}  # fmt: skip
        assert survive_model(Header.build(plain, tensors)).is_understood
