"""Make the worked example: published figures in, a runs file and the report of it out.

    python docs/example/make_example.py

reads figures.json and writes runs.jsonl, summary.md, report.html and charts/ beside it.

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

from tokenroof.analysis import Ask, Conditions, Peak, StatedCosts, analyse
from tokenroof.records import (
    Aggregate,
    Output,
    Prompt,
    Run,
    RunEngine,
    RunModel,
    Settings,
    Workload,
)
from tokenroof.report import write_report

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


def peak_of(figures: dict[str, Any]) -> Peak:
    """The bandwidth that the article calculates with."""
    return Peak(
        device=figures["device"],
        bandwidth_bytes_per_second=figures["bandwidth"]["bytes_per_second"],
        bandwidth_basis="spec",
        bandwidth_source=figures["bandwidth"]["source"],
    )


def runs_of(figures: dict[str, Any]) -> list[Run]:
    """One record for each condition; each stands for the three or four runs of its median."""
    models = {model["name"]: model for model in figures["models"]}
    return [_run(figures, models[p["model"]], p) for p in figures["points"]]


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
    figures = load_figures()
    runs = runs_of(figures)
    lines = "".join(msgspec.json.encode(run).decode() + "\n" for run in runs)
    (HERE / "runs.jsonl").write_text(lines, encoding="utf-8")
    analysis = analyse(
        runs,
        costs_of(figures),
        peaks=[peak_of(figures)],
        asks=[
            Ask(prompt_tokens=520, output_tokens=500),
            Ask(prompt_tokens=22600, output_tokens=500),
        ],
        conditions=Conditions(
            command=("python", "docs/example/make_example.py"),
            remarks=(figures["source"], figures["as_printed"]),
        ),
    )
    paths = write_report(HERE, analysis, runs, language="en")
    sys.stdout.write("".join(f"{path.relative_to(HERE)}\n" for path in paths))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
