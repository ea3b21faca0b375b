"""Make the worked example: published figures in, a runs file and the report of it out.

    python docs/example/make_example.py

reads figures.json and writes runs.jsonl beside it, and then what this writes:

    tokenroof report docs/example/runs.jsonl --out docs/example

A condition is printed as a rate, as milliseconds per token, or as both; figures.json holds
whichever was rounded less. The decode figures are the engine's own, which divides all 128 tokens
by a span of 127 steps. They are kept as printed, with 128 steps, so that every number here can be
found in the article; by tokenroof's own count they would be 0.8 % lower.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import msgspec
from msgspec import structs

from tokenroof import api
from tokenroof.analysis import StatedCosts
from tokenroof.analysis.costs import cost_of
from tokenroof.records import (
    Aggregate,
    MemoryBandwidth,
    Output,
    Prompt,
    Run,
    RunConditions,
    RunEngine,
    RunModel,
    Settings,
    Workload,
)

HERE = Path(__file__).parent


def load_figures() -> dict[str, Any]:
    """The figures as they were printed."""
    figures: dict[str, Any] = json.loads((HERE / "figures.json").read_text(encoding="utf-8"))
    return figures


def costs_of(figures: dict[str, Any]) -> dict[str, StatedCosts]:
    """What a token of each model costs, as the article states or implies it."""
    stated = ("architecture", "file_type")
    models = [{k: v for k, v in m.items() if k not in stated} for m in figures["models"]]
    return {each.name: each for each in msgspec.convert(models, list[StatedCosts])}


def conditions_of(figures: dict[str, Any]) -> RunConditions:
    """The bandwidth that the article calculates with, and the waits that it speaks of."""
    return RunConditions(
        bandwidth=MemoryBandwidth(
            bytes_per_second=figures["bandwidth"]["bytes_per_second"],
            basis="spec",
            name=figures["bandwidth"]["source"],
            device=figures["device"],
        ),
        remarks=(figures["source"], figures["as_printed"]),
        waits=((520, 500), (22600, 500)),
    )


def runs_of(figures: dict[str, Any]) -> list[Run]:
    """One record for each condition; each stands for the three or four runs of its median.

    Each says what its tokens cost, and the first one what surrounded them all, so that the file
    is all that a report needs.
    """
    models = {model["name"]: model for model in figures["models"]}
    costs = costs_of(figures)
    bare = [_run(figures, models[p["model"]], p) for p in figures["points"]]
    runs = [structs.replace(run, cost=cost_of(run, costs[str(run.model.name)])) for run in bare]
    return [structs.replace(runs[0], conditions=conditions_of(figures)), *runs[1:]]


def _run(figures: dict[str, Any], model: dict[str, Any], point: dict[str, Any]) -> Run:
    tokens, steps = point["prompt_tokens"], figures["output_tokens"]
    time = point["decode_ms"] / 1e3 if "decode_ms" in point else 1 / point["decode_tok_s"]
    return Run(
        id=f"article-{model['name']}-{tokens}",
        started=figures["started"],
        source="article",
        model=RunModel(
            name=model["name"],
            architecture=model["architecture"],
            file_type=model["file_type"],
            weight_bytes=model["decode_weight_bytes"],
        ),
        engine=RunEngine(name=figures["engine"]["name"], version=figures["engine"]["version"]),
        device=figures["device"],
        settings=Settings(context=figures["context"], kv_type_k="f16", kv_type_v="f16"),
        workload=Workload(output_target=steps, seed=1),
        prompt=Prompt(tokens=tokens, seconds=round(tokens / point["prefill_tok_s"], 6)),
        output=Output(tokens=steps, steps=steps, seconds=round(steps * time, 6)),
        aggregate=Aggregate(statistic="median"),
        raw={"printed": point, "aggregate_of": "3 to 4 runs"},
    )


def main() -> int:
    """Write everything; the exit code is 0."""
    runs = runs_of(load_figures())
    lines = "".join(msgspec.json.encode(run).decode() + "\n" for run in runs)
    path = HERE / "runs.jsonl"
    path.write_text(lines, encoding="utf-8")
    written = api.write_files(HERE, api.report(path), language="en")
    sys.stdout.write("".join(f"{each.relative_to(HERE)}\n" for each in (path, *written)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
