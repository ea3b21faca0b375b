"""How fast headers are read, against the `gguf` package and, if asked for, llama-roofline.

    python benchmarks/header_reader.py [--rounds 3] [--llama-roofline]

What is timed is one reading of the header with all its tensor entries and checks, and the sum of
all tensor bytes. Readers take turns, round by round, each in a process of its own; a ratio is the
median over rounds. Memory is the peak of the process above that of a bare interpreter. One JSON
line a vocabulary and reader.

`--llama-roofline` installs that package (0.2.3) into a virtual environment in the user's cache
folder, once.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from platformdirs import user_cache_path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from support.gguf_files import TensorSpec, Value, gguf_builder, vocabulary_metadata

VOCABULARIES = (151_936, 262_144)
PEER = "llama-roofline==0.2.3"

# The process prints the seconds of each repeat, the sum, and the most memory that it held. VmHWM
# belongs to the process itself, where ru_maxrss starts with the memory of its parent.
CHILD = """
import json, sys, time
path, repeats = sys.argv[1], int(sys.argv[2])
{prepare}
seconds, total = [], None
for _ in range(repeats):
    start = time.perf_counter()
    {read}
    seconds.append(time.perf_counter() - start)
with open("/proc/self/status") as status:
    peak = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))
print(json.dumps([seconds, total, peak]))
"""


@dataclass(frozen=True)
class Reader:
    """Something that reads headers: the code of its process, and how often it repeats."""

    name: str
    prepare: str
    read: str
    repeats: int
    python: str = sys.executable

    def run(self, path: Path) -> tuple[float, int | None, int]:
        """Seconds (the median of its repeats), the sum of tensor bytes, and peak bytes."""
        code = CHILD.format(prepare=self.prepare, read=self.read)
        done = subprocess.run(
            [self.python, "-c", code, str(path), str(self.repeats)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        seconds, total, peak = json.loads(done.stdout)
        return median(seconds), total, peak


BARE = Reader("bare interpreter", "", "pass", 1)
OURS = Reader(
    "tokenroof",
    "from tokenroof.gguf import read_header",
    "total = sum(t.bytes for t in read_header(path).tensors)",
    9,
)
REFERENCE = Reader(
    "gguf", "import gguf", "total = sum(int(t.n_bytes) for t in gguf.GGUFReader(path).tensors)", 1
)


def peer() -> Reader:
    """llama-roofline, in its own environment."""
    folder = user_cache_path("tokenroof") / "benchmarks" / "llama-roofline"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", PEER], check=True)
    return Reader(
        "llama-roofline",
        "from llama_roofline import gguf",
        "total = sum(t['bytes'] for t in gguf.read_tensors(path))",
        9,
        str(python),
    )


def write_model(path: Path, tokens: int) -> int:
    """A model of 36 layers and 399 tensors, shaped as qwen3:8b; returns its header's bytes."""
    metadata: dict[str, Value] = {
        "general.architecture": "qwen3",
        "general.name": "benchmark",
        "qwen3.block_count": 36,
        **vocabulary_metadata(tokens),
    }
    tensors: list[TensorSpec] = [("token_embd.weight", (4096, tokens), "Q4_K")]
    for layer in range(36):
        for name, shape, kind in (
            ("attn_k", (4096, 1024), "Q4_K"), ("attn_k_norm", (128,), "F32"),
            ("attn_norm", (4096,), "F32"), ("attn_output", (4096, 4096), "Q4_K"),
            ("attn_q", (4096, 4096), "Q4_K"), ("attn_q_norm", (128,), "F32"),
            ("attn_v", (4096, 1024), "Q6_K"), ("ffn_down", (12288, 4096), "Q6_K"),
            ("ffn_gate", (4096, 12288), "Q4_K"), ("ffn_norm", (4096,), "F32"),
            ("ffn_up", (4096, 12288), "Q4_K"),
        ):  # fmt: skip
            tensors.append((f"blk.{layer}.{name}.weight", shape, kind))
    tensors += [("output.weight", (4096, tokens), "Q6_K"), ("output_norm.weight", (4096,), "F32")]
    builder = gguf_builder(metadata, tensors)
    builder.write(path)
    return len(builder.header())


def main() -> None:
    """Measure, and print one JSON line a vocabulary and reader."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--llama-roofline", action="store_true")
    chosen = options.parse_args()
    readers = [OURS, REFERENCE, *([peer()] if chosen.llama_roofline else [])]
    for tokens in VOCABULARIES:
        with TemporaryDirectory() as folder:
            path = Path(folder) / "model.gguf"
            header_bytes = write_model(path, tokens)
            bare = BARE.run(path)[2]
            rounds = [[reader.run(path) for reader in readers] for _ in range(chosen.rounds)]
        for index, reader in enumerate(readers):
            results = [one[index] for one in rounds]
            assert {r[1] for r in results} == {rounds[0][0][1]}, "the sums differ"
            line = {
                "benchmark": "header_reader",
                "tokens": tokens,
                "header_bytes": header_bytes,
                "reader": reader.name,
                "seconds": median(r[0] for r in results),
                "times_ours": median(one[index][0] / one[0][0] for one in rounds),
                "peak_bytes_above_interpreter": max(r[2] for r in results) - bare,
            }
            print(json.dumps(line))


if __name__ == "__main__":
    main()
