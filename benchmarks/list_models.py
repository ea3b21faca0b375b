"""How long `tokenroof models` takes on a folder of 200 models, the first time and later.

    python benchmarks/list_models.py [--models 200] [--rounds 5]

Each model has a vocabulary of 32,000 tokens. Every time is that of a whole process, from the
command to the last line (promise: under 1 s when the headers are known). One JSON line.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.gguf_files import TensorSpec, Value, gguf_builder, vocabulary_metadata

WIDTH, LAYERS, TOKENS = 2048, 32, 32_000


def header(name: str, vocabulary: dict[str, Value]) -> bytes:
    """The header of a dense model of 32 layers."""
    metadata: dict[str, Value] = {
        "general.architecture": "llama",
        "general.name": name,
        "llama.block_count": LAYERS,
        "llama.context_length": 8192,
        "llama.embedding_length": WIDTH,
        "llama.feed_forward_length": 4 * WIDTH,
        "llama.attention.head_count": 16,
        "llama.attention.head_count_kv": 4,
        **vocabulary,
    }
    shapes = {
        "attn_q": (WIDTH, WIDTH),
        "attn_k": (WIDTH, WIDTH // 4),
        "attn_v": (WIDTH, WIDTH // 4),
        "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (WIDTH, 4 * WIDTH),
        "ffn_up": (WIDTH, 4 * WIDTH),
        "ffn_down": (4 * WIDTH, WIDTH),
    }
    tensors: list[TensorSpec] = [
        ("token_embd.weight", (WIDTH, TOKENS), "Q4_K"),
        ("output.weight", (WIDTH, TOKENS), "Q6_K"),
    ]
    for block in range(LAYERS):
        tensors += [(f"blk.{block}.{n}.weight", shape, "Q4_K") for n, shape in shapes.items()]
    return gguf_builder(metadata, tensors).header()


def listed(folder: str, environment: dict[str, str]) -> float:
    """Seconds of one listing."""
    start = time.perf_counter()
    command = [sys.executable, "-m", "tokenroof", "models", folder]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    return time.perf_counter() - start


def main() -> None:
    """List the folder for the first time, then again and again."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    vocabulary = vocabulary_metadata(TOKENS)
    with TemporaryDirectory() as folder, TemporaryDirectory() as home:
        for number in range(asked.models):
            path = Path(folder) / f"model-{number:03d}.gguf"
            path.write_bytes(header(f"Model {number}", vocabulary))
        environment = {**os.environ, "HOME": home, "TOKENROOF_CACHE": home}
        first = listed(folder, environment)
        later = [listed(folder, environment) for _ in range(asked.rounds)]
        line = {
            "benchmark": "list_models",
            "models": asked.models,
            "first_seconds": round(first, 2),
            "later_seconds": round(median(later), 3),
            "cache_bytes": (Path(home) / "models.json").stat().st_size,
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
