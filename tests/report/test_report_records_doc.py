"""docs/records.md documents the closed sets, and nothing that is not in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec

from tokenroof.analysis.reasons import EXCLUSION_MESSAGES, FLAG_MESSAGES
from tokenroof.records import Exclusion, Flag, Run

TEXT = (Path(__file__).parents[2] / "docs" / "records.md").read_text(encoding="utf-8")


def documented(heading: str) -> list[str]:
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)


def test_every_flag_is_documented_and_has_its_sentence() -> None:
    assert documented("Flags") == list(get_args(Flag))
    assert set(FLAG_MESSAGES) == set(get_args(Flag))


def test_every_exclusion_is_documented_and_has_its_sentence() -> None:
    assert documented("Exclusions") == list(get_args(Exclusion))
    assert set(EXCLUSION_MESSAGES) == set(get_args(Exclusion))


def test_the_run_that_is_shown_is_a_run() -> None:
    shown = TEXT.split("```json\n")[1].split("```")[0]
    run = msgspec.json.decode(shown, type=Run, strict=True)
    assert run.decode_tokens_per_second == 127 / 3.386
    assert set(msgspec.json.decode(shown)) == set(Run.__struct_fields__)
