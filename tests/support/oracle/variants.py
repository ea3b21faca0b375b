"""Every model of the oracle again, as a converter and a quantiser would have written it.

The oracle's files were written by llama.cpp's own saver, with keys for what it worked out itself.
Here those keys are taken away, matrices are quantised, the output projection is left out, and the
caches are set up in other ways; the embedded engine said what it read and allocated, once:

    python -m support.oracle.variants engine_oracle_variants.json.gz    (in tests/, with PYTHONPATH)

`tests/model/data/engine_oracle_variants.json.gz` holds its answers: bytes read, a digest of the
tensors touched with the bytes of each, bytes of the caches; or the reason why it refuses. Where an
architecture cannot do without a derived key, the file keeps them all (`derived`).
"""

from __future__ import annotations

import gzip
import hashlib
import json
import sys
import tempfile
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from support.gguf_files import Array, write_gguf
from support.oracle.engine import run
from support.oracle.kinds import BASES, DERIVED, Kind, Tensor, converted
from support.oracle.random_data import fill

DATA = Path(__file__).parents[2] / "model" / "data" / "engine_oracle_variants.json.gz"

Settings = dict[str, Any]

DEFAULTS: Settings = {
    "context": 1024, "ubatch": 64, "sequences": 1, "unified": False, "swa_full": False,
    "type_k": "f16", "type_v": "f16",
}  # fmt: skip

VARIANTS: Mapping[str, tuple[Settings, Settings]] = {
    # name: (what is changed in the file, how the caches are set up)
    "converted": ({}, {}),
    "8_bit": (
        {"matrices": "Q8_0"},
        {"context": 1100, "ubatch": 512, "sequences": 2, "type_k": "q8_0", "type_v": "q8_0"},
    ),
    "tied": (
        {"matrices": "Q8_0", "tied": True},
        {"context": 2048, "sequences": 4, "unified": True},
    ),
    "4_bit": (
        {"matrices": "Q4_K", "experts": "Q6_K"},
        {"context": 3000, "ubatch": 512, "swa_full": True, "type_k": "q8_0"},
    ),
}

_NOT_IN_THE_GRAPH = {"qwen35-dense": "^cls"}
"""llama.cpp 0.5.0 has no use for qwen35's classifier."""

_REFUSALS = {
    "does not support different K": "cache types",
    "does not divide": "cache types",
    "requires flash_attn": "cache types",
    "output.weight' not found": "untied only",
}


def settings(variant: str) -> Settings:
    """How a variant's caches are set up."""
    return DEFAULTS | VARIANTS[variant][1]


def written(base: str, variant: str, *, derived: bool) -> tuple[dict[str, Any], list[Tensor]]:
    """Metadata and tensors of a variant, arrays as the writer of files takes them."""
    kind = Kind(
        f"{base} {variant}",
        base,
        derived=DERIVED if derived else (),
        drop=_NOT_IN_THE_GRAPH.get(base),
        **VARIANTS[variant][0],
    )
    return converted(kind)


def plain(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata with arrays as lists."""
    return {
        key: list(value.values) if isinstance(value, Array) else value
        for key, value in metadata.items()
    }


def digest(reads: Mapping[str, float | Fraction]) -> str:
    """A short name for what was read of which tensor."""
    text = json.dumps(sorted((name, round(size)) for name, size in reads.items()))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def recorded() -> dict[str, dict[str, dict[str, Any]]]:
    """The engine's answers, by base and variant."""
    models: dict[str, dict[str, dict[str, Any]]] = json.loads(gzip.decompress(DATA.read_bytes()))[
        "models"
    ]
    return models


def _answer(result: Mapping[str, Any], derived: bool) -> dict[str, Any]:
    marks = {"derived": True} if derived else {}
    if result.get("status") == 0:
        answer = {
            "read_bytes": sum(result["reads"].values()),
            "reads": digest(result["reads"]),
            "cache_bytes": result["cache_bytes"],
        }
        return answer | marks
    log = " ".join(result.get("log", []))
    reasons = (reason for text, reason in _REFUSALS.items() if text in log)
    return {"refused": next(reasons, "the engine ends"), **marks}


def _record(bases: list[str]) -> dict[str, dict[str, Any]]:
    answers: dict[str, dict[str, Any]] = {base: {} for base in bases}
    with tempfile.TemporaryDirectory() as folder:
        jobs: list[dict[str, Any]] = []
        asked = []
        for base in bases:
            for variant in VARIANTS:
                for derived in (False, True):
                    metadata, tensors = written(base, variant, derived=derived)
                    path = write_gguf(Path(folder) / f"{len(jobs)}.gguf", metadata, tensors)
                    fill(path)
                    weights = [name for name, _, _ in tensors]
                    jobs.append({"path": str(path), "weights": weights, **settings(variant)})
                    asked.append((base, variant, derived))
        for (base, variant, derived), result in zip(asked, run(jobs), strict=True):
            answer = _answer(result, derived)
            if "refused" in answers[base].get(variant, {"refused": ""}):
                answers[base][variant] = answer
    return answers


def main(path: str) -> None:
    """Ask the embedded engine about everything and write its answers."""
    about = (
        "What llama.cpp 0.5.0 (llama-cpp-python 0.3.36) did with the oracle's models written "
        "otherwise (tests/support/oracle/variants.py): bytes read by one decode step, a digest of "
        "them by tensor, and bytes of the caches."
    )
    text = json.dumps({"about": about, "models": _record(list(BASES))}, separators=(",", ":"))
    Path(path).write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
