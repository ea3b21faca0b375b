"""What reading a stream costs ourselves: processor time a token, beside the makers' own clients.

A client that takes a processor's time away from the engine that it measures measures itself. The
limit is 100 microseconds a token: at 100 tokens a second that is one per cent of one core.

A simulated server in a process of its own sends a token every 2 ms, as a fast engine does. Each
client reads the same answers in turn; the figure is the median over its answers of the processor
time of its thread, divided by the tokens. Prints one line of JSON; ends with 1 if the limit is
passed.

    python benchmarks/client_cost.py
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import ollama
import openai

from tokenroof.engines.base import ModelRef, Request
from tokenroof.engines.ollama import OllamaEngine
from tokenroof.engines.openai_compatible import OpenAIEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.records import Settings

LIMIT_MICROSECONDS = 100.0
TOKENS = 400
ROUNDS = 7

SERVER = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1] / "tests")!r})
from simulator.script import Script
from simulator.server import Simulator
from simulator.world import World
with Simulator(World(script=Script(gap_seconds=0.002), caches=False)) as simulator:
    print(simulator.url, flush=True)
    sys.stdin.read()
"""


def thread_seconds(read: Callable[[], int]) -> float:
    """Processor time of this thread for one answer, a token."""
    before = time.thread_time()
    tokens = read()
    return (time.thread_time() - before) / tokens


def clients(url: str) -> dict[str, Callable[[], float]]:
    """Each client: reads one answer and gives its processor time a token, in seconds."""
    options = EngineOptions(url=url)
    of_ollama, of_openai = OllamaEngine(options), OpenAIEngine(options)
    of_ollama.load(ModelRef(name="ollama:sim"), Settings(context=4096))
    of_openai.load(ModelRef(name="openai:sim:latest"), Settings())
    request = Request(prompt="Write numbers.", output_tokens=TOKENS)
    say = request.prompt
    their_ollama = ollama.Client(url)
    their_openai = openai.OpenAI(base_url=url + "/v1", api_key="-")

    def ollama_package() -> int:
        parts = their_ollama.chat(
            "sim",
            [{"role": "user", "content": say}],
            stream=True,
            options={"num_predict": TOKENS, "num_ctx": 4096},
        )
        return sum(bool(part.message.content) for part in parts)

    def openai_package() -> int:
        parts = their_openai.chat.completions.create(
            model="sim:latest",
            messages=[{"role": "user", "content": say}],
            stream=True,
            max_tokens=TOKENS,
        )
        return sum(bool(part.choices and part.choices[0].delta.content) for part in parts)

    def ours(engine: OllamaEngine | OpenAIEngine) -> float:
        cost = engine.run(request).raw["client_cpu_seconds_per_token"]
        assert isinstance(cost, float)
        return cost

    return {
        "ollama": lambda: ours(of_ollama),
        "openai": lambda: ours(of_openai),
        "package_ollama": lambda: thread_seconds(ollama_package),
        "package_openai": lambda: thread_seconds(openai_package),
    }


def main() -> int:
    """Measure, print, judge."""
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        read = clients(server.stdout.readline().strip())
        costs: dict[str, list[float]] = {name: [] for name in read}
        for _ in range(ROUNDS):
            for name, one in read.items():
                costs[name].append(one())
        server.stdin.close()
    medians = {name: statistics.median(values) * 1e6 for name, values in costs.items()}
    passed = max(medians["ollama"], medians["openai"]) < LIMIT_MICROSECONDS
    print(
        json.dumps(
            {
                "benchmark": "client_cost",
                "microseconds_per_token": {name: round(us, 1) for name, us in medians.items()},
                "limit": LIMIT_MICROSECONDS,
                "tokens": TOKENS,
                "rounds": ROUNDS,
                "met": passed,
            }
        )
    )
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
