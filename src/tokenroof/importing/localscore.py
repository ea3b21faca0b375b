"""Results of LocalScore: averages over repeats of nine mixes of reading and writing.

Each result has a rate of reading, one of writing and a time to the first token. Nobody says how
many repeats it stands for. The score itself is a mean of unlike things and is kept as it was said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tokenroof.importing.collector import Collector
from tokenroof.importing.figures import scalar, scalars, seconds_at, span, whole
from tokenroof.importing.llama_bench_rows import file_type
from tokenroof.records import Aggregate, Output, Prompt, RunEngine, RunModel, Workload

NAME = "localscore"

Document = Mapping[str, Any]


def is_results(document: Document) -> bool:
    """Whether it is a whole result, or one row of it."""
    rows = document.get("results")
    return is_row(document) or (isinstance(rows, list) and any(map(is_row, rows)))


def is_row(row: object) -> bool:
    """Whether it is the result of one mix."""
    return isinstance(row, dict) and {"n_prompt", "n_gen", "prompt_tps", "gen_tps"} <= row.keys()


def add_results(collector: Collector, line: int, document: Document) -> None:
    """Collect a run for each mix."""
    rows = [document] if is_row(document) else document["results"]
    info = {
        f"{name}_info": scalars(document.get(f"{name}_info") or document.get(name))
        for name in ("system", "accelerator", "runtime", "model")
    }
    for row in rows:
        if is_row(row):
            _add(collector, line, row, info)
        else:
            collector.refuse(line, "importing.no_test")


def _add(collector: Collector, line: int, row: Document, info: dict[str, dict[str, Any]]) -> None:
    prompt, output = whole(row.get("n_prompt")), whole(row.get("n_gen"))
    of_all = info["model_info"]  # as the site shows a result; the program repeats it in each row
    kind = _text(row.get("model_quant_str")) or _text(of_all.get("quant"))
    collector.add(
        line,
        source=NAME,
        model=RunModel(
            name=_text(row.get("model_name")) or _text(of_all.get("name")),
            file_type=None if kind is None else file_type(kind) or kind,
        ),
        engine=RunEngine(name=NAME, version=_text(info["runtime_info"].get("version"))),
        device=_text(info["accelerator_info"].get("name")),
        workload=Workload(prompt_target=prompt, output_target=output),
        prompt=Prompt(tokens=prompt, seconds=seconds_at(prompt, row.get("prompt_tps"))),
        output=Output(tokens=output, steps=output, seconds=seconds_at(output, row.get("gen_tps"))),
        ttft_seconds=span(row.get("ttft_ms"), 1e3),
        aggregate=Aggregate(),
        raw={NAME: scalars(dict(row)), **{name: each for name, each in info.items() if each}},
    )


def _text(value: object) -> str | None:
    return str(scalar(value)) if isinstance(value, str) and value else None
