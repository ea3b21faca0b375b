"""What is said of imported runs beside their flags."""

from __future__ import annotations

import io

from tokenroof.importing import import_stream


def test_a_remark_on_a_row_that_stands_for_several_runs_is_made_once() -> None:
    row = (
        b'{"n_prompt": 64, "n_gen": 16, "n_depth": 0, "model_filename": "m.gguf", '
        b'"samples_ns": [240000000, 250000000, 260000000], "samples_ts": [333, 320, 307]}'
    )
    imported = import_stream(io.BytesIO(row))
    said = [each for each in imported.notices if each.message == "importing.why_combined_rate"]
    assert len(imported.runs) == 3
    assert len(said) == 1
