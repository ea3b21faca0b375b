"""The table of conditions says what holds in the words that people use, and says all of it."""

from __future__ import annotations

import msgspec

from support.measured_runs import timed
from tokenroof.analysis import analyse
from tokenroof.records import Run, Settings
from tokenroof.report.conditions import conditions_table

FEATURES = (
    "CPU : SSE3 = 1 | SSSE3 = 1 | AVX = 1 | AVX2 = 1 | F16C = 1 | FMA = 1 | BMI2 = 1 | "
    "AVX512 = 1 | AVX512_VBMI = 1 | AVX512_VNNI = 1 | AVX512_BF16 = 1 | LLAMAFILE = 1 | "
    "OPENMP = 1 | REPACK = 1"
)
"""What llama.cpp says of a processor with many features: longer than any other condition."""


def conditions(settings: Settings, **flags: object) -> dict[str, str]:
    """Label to cell for runs with these settings and engine options."""
    runs: list[Run] = [
        msgspec.structs.replace(
            run, settings=settings, engine=msgspec.structs.replace(run.engine, flags=flags)
        )
        for run in timed([0.01, 0.01, 0.01])
    ]
    table = conditions_table(analyse(runs), "en")
    return {row[0]: row[1] for row in table.rows}


def test_switches_are_on_or_off() -> None:
    assert conditions(Settings(flash_attention=True))["flash attention"] == "on"
    assert conditions(Settings(flash_attention=False))["flash attention"] == "off"
    assert "flash attention" not in conditions(Settings())


def test_what_an_engine_says_of_the_processor_is_never_cut() -> None:
    said = conditions(Settings(), llama_cpp="b9000", system_info=FEATURES)["engine options"]
    assert said == f"llama_cpp=b9000 system_info={FEATURES}"


def test_options_of_an_engine_stand_as_they_were_typed() -> None:
    said = conditions(Settings(), flags=["-ot", "exps=CPU", "--name", "two words"])
    assert said["engine options"] == "flags=-ot exps=CPU --name 'two words'"
