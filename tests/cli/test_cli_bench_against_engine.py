"""`bench --against` on the embedded engine and a real model: what was counted, never how fast."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from support.commands import Tokenroof
from support.schemas import check
from support.small_model import small_model
from tokenroof.store.journal import Journal

pytestmark = pytest.mark.engine

ROUNDS, ASKED = 3, 80
COMMAND = (
    *("--engine", "embedded", "--lengths", str(ASKED), "--output", "4", "--rounds", str(ROUNDS)),
    *("--wait-quiet", "0.1s", "--bandwidth", "50", "--threads", "2", "--against", "threads=1"),
)


def test_the_engine_runs_both_conditions_and_counts_every_token(
    tokenroof: Tokenroof, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path / "data"))
    done = tokenroof("bench", small_model(), *COMMAND, "--json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    check(document, "compare")
    assert {"condition": "threads", "a": "2", "b": "1"} in document["differences"]
    assert (document["a"]["runs"], document["b"]["runs"]) == (ROUNDS, ROUNDS)
    runs = Journal().runs()
    assert Counter(run.settings.threads for run in runs) == {2: ROUNDS, 1: ROUNDS}
    assert len({run.campaign for run in runs}) == 2
    for run in runs:
        assert (run.engine.name, run.engine.place) == ("embedded", "cpu")
        # The embedded engine times every step, and reads each prompt anew.
        assert (run.output.tokens, run.output.steps, run.prompt.cached) == (4, 4, 0)
        assert run.prompt.tokens == pytest.approx(ASKED, abs=4)
        assert run.output.seconds is not None
        assert run.cost is not None
        # 247 MB of tensors, of which a step reads all: the embedding is the output projection.
        assert run.cost.read_bytes == pytest.approx(246.6e6, rel=0.02)
    (decode,) = [cell for cell in document["cells"] if cell["phase"] == "decode"]
    assert (decode["a"]["runs"], decode["b"]["runs"]) == (ROUNDS, ROUNDS)
    assert decode["verdict"] in {"slower", "faster", "cannot_tell"}
