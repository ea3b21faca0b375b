"""llama.cpp's own programs as judges of recipes, on files that hold a header and no weights.

`llama-quantize --dry-run` says of every tensor what it would become; `llama-fit-params` loads a
model, and refuses one in which a tensor is missing, left over or of another shape.

    python -m support.quantizer [MODEL]...    records what the tests compare with, of all models
                                              or of some anew (in tests/, PYTHONPATH=.)
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from support.gguf_files import Value, gguf_builder, write_gguf
from support.llama_tools import tool
from tokenroof.gguf import GGUFArray, Header
from tokenroof.recipes import Blueprint, blueprint, file_types, find
from tokenroof.recipes.converter import converted

RECORDED = Path(__file__).parents[1] / "recipes" / "data" / "dry_runs.jsonl.gz"

_MODELS = """
llama-2-7b llama-3.1-70b llama-3.2-1b smollm2-360m mixtral-8x7b qwen2.5-0.5b qwen2.5-72b
ministral-3-3b smollm3-3b afm-4.5b apertus-8b llama-4-scout qwen2.5-vl-7b qwen1.5-moe-a2.7b
qwen3-0.6b qwen3-30b-a3b qwen3-vl-2b qwen3-vl-30b-a3b qwen3-next-80b-a3b qwen3.5-0.8b
qwen3.5-35b-a3b gpt-oss-20b gemma-2b gemma-2-2b gemma-3-270m gemma-3n-e2b gemma-4-e2b
gemma-4-26b-a4b phi-2 phi-3-mini phi-3.5-moe glm-4-9b glm-4.5-air glm-4.7-flash glm-5
deepseek-v2-lite deepseek-v3 deepseek-v3.2 kimi-linear-48b-a3b minimax-m2.5 minimax-m3
mimo-v2-flash step-3.5-flash granite-3.3-2b granite-3.1-1b-a400m granite-4.0-h-tiny lfm2-350m
lfm2-8b-a1b nemotron-mini-4b nemotron-nano-9b-v2 nemotron-3-super-120b-a12b
llama-3.3-nemotron-super-49b command-r7b aya-expanse-8b olmo-2-1b olmoe-1b-7b exaone-4.0-1.2b
seed-oss-36b hunyuan-a13b hunyuan-7b ernie-4.5-0.3b ernie-4.5-21b-a3b ling-mini-2.0 dots.llm1
starcoder2-3b internlm2.5-7b falcon-h1-0.5b stable-code-3b falcon-7b falcon-40b mamba-2.8b
mamba-codestral-7b dbrx-132b grok-2-270b minicpm-2b minicpm3-4b exaone-3.5-2.4b
"""
MODELS = tuple(_MODELS.split())
"""One of each architecture, and those that have rules of their own."""

WITH_MATRIX = ("IQ3_XXS", "IQ4_NL", "IQ4_XS", "Q4_0", "Q5_0", "Q4_K_M")

_LINE = re.compile(
    r"\[ *\d+/ *\d+\] (\S+) +- \[.*?\], type = +(\S+), "
    r"size = +[\d.]+ MiB(?: -> +[\d.]+ MiB \((\S+)\))?"
)
_TOTAL = re.compile(r"quant size += +([\d.]+) MiB")


class DryRun(NamedTuple):
    """What llama-quantize would do.

    Attributes:
        types: every tensor's new type, in its order; None where it refuses.
        mebibytes: of all tensors, as it writes it.
        output: all that it printed.
    """

    types: dict[str, str] | None
    mebibytes: str | None
    output: str


def write_converted(made: Blueprint, path: Path) -> Path:
    """Write the file that the converter would make, a hole in place of its weights."""
    metadata = {"general.architecture": made.sketch.architecture, **made.sketch.metadata}
    return _write(path, metadata, converted(made.sketch, made.config))


def write_header(header: Header, path: Path) -> Path:
    """Write a header, a hole in place of its weights."""
    return _write(path, header.metadata, [(t.name, t.shape, t.type) for t in header.tensors])


def _write(
    path: Path,
    metadata: Mapping[str, object],
    tensors: Iterable[tuple[str, tuple[int, ...], str]],
) -> Path:
    plain = {key: _plain(value) for key, value in metadata.items()}
    return write_gguf(path, {**plain, "tokenizer.ggml.model": "no_vocab"}, tensors)  # type: ignore[dict-item]


def _plain(value: object) -> object:
    return list(value.values()) if isinstance(value, GGUFArray) else value


def write_matrix(path: Path) -> Path:
    """Write an importance matrix that says nothing, which is enough for a dry run."""
    metadata: dict[str, Value] = {
        "general.type": "imatrix",
        "imatrix.datasets": ["none"],
        "imatrix.chunk_count": 1,
        "imatrix.chunk_size": 512,
    }
    tensors = [
        ("blk.0.attn_q.weight.in_sum2", (32, 1), "F32"),
        ("blk.0.attn_q.weight.counts", (1, 1), "F32"),
    ]
    header = gguf_builder(metadata, tensors).header()
    path.write_bytes(header + struct.pack("<33f", *[1.0] * 33) + bytes(28))
    return path


def dry_run(path: Path, kind: str, matrix: Path | None = None) -> DryRun:
    """Ask llama-quantize what it would make of a file."""
    with_matrix = ["--imatrix", str(matrix)] if matrix else []
    command = [tool("llama-quantize"), "--allow-requantize", *with_matrix, "--dry-run"]
    done = subprocess.run(
        [*command, str(path), kind], capture_output=True, text=True, timeout=300, check=False
    )
    output = done.stdout + done.stderr
    if done.returncode:
        return DryRun(None, None, output)
    total = _TOTAL.search(output)
    types = {m[1]: (m[3] or m[2]).upper() for m in _LINE.finditer(output)}
    return DryRun(types, total[1] if total else None, output)


def loads(path: Path) -> str | None:
    """Let llama.cpp load a file; None where it does, else what it says."""
    command = [tool("llama-fit-params"), "-m", str(path), "-c", "256", "-fitp", "on"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 0:
        return None
    lines = (done.stdout + done.stderr).splitlines()
    return next((line for line in lines if "error" in line), lines[-1] if lines else "?")


def digest(types: Mapping[str, str]) -> str:
    """A short name of all tensors and their types."""
    text = "\n".join(f"{name} {kind}" for name, kind in sorted(types.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def types_of(header: Header) -> dict[str, str]:
    """Every tensor's type."""
    return {tensor.name: tensor.type for tensor in header.tensors}


def recorded() -> list[dict[str, object]]:
    """What was recorded: a line of explanation, then one object a run."""
    lines = gzip.decompress(RECORDED.read_bytes()).decode().splitlines()
    return [json.loads(line) for line in lines[1:]]


def _record(names: Iterable[str] = MODELS) -> None:
    about = "llama-quantize --allow-requantize --dry-run of llama.cpp 0.5.0 on header-only files"
    kept = [row for row in recorded() if row["model"] not in set(names)]
    lines = [json.dumps(row, separators=(",", ":")) for row in kept]
    lines.insert(0, json.dumps({"about": about}))
    with tempfile.TemporaryDirectory() as folder:
        matrix = write_matrix(Path(folder, "matrix.gguf"))
        for name in names:
            path = write_converted(blueprint(find(name)), Path(folder, "model.gguf"))
            runs = [(kind.name, False) for kind in file_types()]
            runs += [(kind, True) for kind in WITH_MATRIX]
            for kind, has_matrix in runs:
                done = dry_run(path, kind, matrix if has_matrix else None)
                row = {"model": name, "type": kind, "matrix": has_matrix}
                if done.types is None:
                    row["refused"] = True
                else:
                    row |= {"mib": done.mebibytes, "digest": digest(done.types)}
                    row["fallback"] = done.output.count("falling back to")
                lines.append(json.dumps(row, separators=(",", ":")))
    RECORDED.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


if __name__ == "__main__":
    _record(sys.argv[1:] or MODELS)
