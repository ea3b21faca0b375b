"""A machine whose rates are known: an engine that takes as long as they say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tokenroof.calibrate.shapes import Shape
from tokenroof.calibrate.writer import file_bytes, header_of
from tokenroof.engines.base import Identity, Loaded, ModelRef, Promises, Reply, Request, Step
from tokenroof.errors import EngineRefused
from tokenroof.gguf import read_header
from tokenroof.model import Model, build_model
from tokenroof.predict.learnt.work import decode_work, prefill_work
from tokenroof.records import Settings

THREADS = 2
DECODE = {
    "bytes:BF16": 2.9e-11, "bytes:IQ4_NL": 2.8e-11, "bytes:Q2_K": 5e-11, "bytes:Q3_K": 6e-11,
    "bytes:Q4_1": 5.4e-11, "bytes:Q5_1": 4.8e-11,
    "bytes:F16": 2.4e-11, "bytes:F32": 1e-11, "bytes:IQ4_XS": 4e-11, "bytes:MXFP4": 3.5e-11,
    "bytes:Q4_0": 3e-11, "bytes:Q4_K": 3.1e-11, "bytes:Q5_0": 4.2e-11, "bytes:Q5_K": 3.7e-11,
    "bytes:Q6_K": 3.2e-11, "bytes:Q8_0": 2.8e-11, "cache_bytes": 1e-10, "scores": 5e-9,
    "attention_flop": 6e-12, "rows": 6e-9, "vectors": 1.3e-5, "layer": 4e-6, "step": 1e-4,
    "expert_bytes": 1e-11, "expert_layer": 2e-5, "logits": 3e-9, "pieces": 5e-8,
}  # fmt: skip
PREFILL = {
    "flop:BF16": 2.7e-12, "flop:IQ4_NL": 3e-12, "flop:Q2_K": 5e-12, "flop:Q3_K": 2.8e-12,
    "flop:Q4_1": 1.2e-11, "flop:Q5_1": 1.3e-11, "unpack:Q6_K": 1.2e-10, "unpack:Q5_0": 5e-11,
    "flop:F16": 4.4e-12, "flop:F32": 1e-11, "flop:IQ4_XS": 1.6e-12, "flop:MXFP4": 2.8e-12,
    "flop:Q4_0": 2.8e-12, "flop:Q4_K": 2.7e-12, "flop:Q5_0": 5.6e-12, "flop:Q5_K": 1.6e-12,
    "flop:Q6_K": 2.4e-12, "flop:Q8_0": 3.9e-12, "activations": 1.5e-8, "attention_flop": 1.5e-11,
    "vectors": 4e-9, "batch_layer": 4e-5, "expert_flop": 2e-12,
}  # fmt: skip


@dataclass
class KnownMachine:
    """An engine. `slow` says by how much the run of that number is slower; `refuses` a type."""

    slow: Callable[[int], float] = lambda _: 1.0
    refuses: str = ""
    runs: int = 0
    loaded: list[str] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    model: Model | None = None

    @property
    def promises(self) -> Promises:
        return Promises(
            counts_prompt_tokens=True, times_prompt=True, reports_cached_tokens=False,
            times_every_step=True, ignores_end_of_text=True, counts_before_running=True,
        )  # fmt: skip

    def identify(self) -> Identity:
        return Identity(name="embedded", version="1", place="cpu")

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        assert isinstance(model, Path)
        self.model = build_model(read_header(model))
        self.loaded.append(self.model.name)
        self.files.append(model)
        types = {entry.tensor.type for entry in self.model.ledger}
        if self.refuses in types:
            raise EngineRefused("engines.prompt_empty")
        return Loaded(seconds=0.5, settings=settings)

    def count_tokens(self, text: str) -> int:
        return len(text) + 1

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        assert self.model is not None
        self.runs += 1
        tokens = len(request.prompt) + 1
        steps = request.output_tokens
        writing = decode_work(self.model, tokens + (steps - 1) / 2, threads=THREADS)
        reading = prefill_work(self.model, tokens, threads=THREADS)
        assert writing is not None
        assert reading is not None
        slower = self.slow(self.runs)
        return Reply(
            prompt_tokens=tokens,
            prompt_cached=0,
            prompt_seconds=slower * sum(n * PREFILL.get(k, 0.0) for k, n in reading.items()),
            output_tokens=steps,
            output_steps=steps,
            output_seconds=slower * steps * sum(n * DECODE[k] for k, n in writing.items()),
            wall_seconds=1.0,
        )

    def processes(self) -> Sequence[int]:
        return ()

    def close(self) -> None:
        return


def write_header(shape: Shape, path: Path) -> int:
    """A file of the shape's true length without its data: this engine reads headers only."""
    data = header_of(shape, list(shape.tensors()))
    path.write_bytes(data)
    with path.open("r+b") as file:
        file.truncate(len(data) + file_bytes(shape))
    return path.stat().st_size
