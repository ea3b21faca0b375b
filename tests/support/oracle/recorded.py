"""llama.cpp's own figures for 150 tiny models, recorded.

`tests/model/data/engine_oracle.json.gz`: 56 models, what llama.cpp build 11434 did with them.
`tests/model/data/engine_oracle_more.json.gz`: 94 more from llama.cpp 0.5.0, recorded with `probe`.
Each file says in its key `about` how it was made. Both name every weight tensor that one decode
step touched, each once, with its bytes, and what was allocated for caches and states.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tokenroof.gguf import Header
from tokenroof.model import Model, build_model

_DATA = Path(__file__).parents[2] / "model" / "data"


def _load(name: str) -> dict[str, Any]:
    models: dict[str, Any] = json.loads(gzip.decompress((_DATA / name).read_bytes()))["models"]
    return models


ORACLE = _load("engine_oracle.json.gz") | _load("engine_oracle_more.json.gz")


def model_of(name: str, architecture: str | None = None) -> Model:
    """The model of an entry, under another architecture's name if one is given."""
    entry = ORACLE[name]
    metadata = dict(entry["metadata"])
    if architecture is not None:
        old = metadata["general.architecture"]
        metadata = {
            architecture + key[len(old) :] if key.startswith(f"{old}.") else key: value
            for key, value in metadata.items()
        }
        metadata["general.architecture"] = architecture
    return build_model(Header.build(metadata, [tuple(row) for row in entry["tensors"]]))
