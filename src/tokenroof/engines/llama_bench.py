"""llama-bench: llama.cpp's own benchmark, one process a measurement.

It takes no text. It is told how many tokens to read and how many steps to make at which depth,
makes up random tokens, and times each repeat as a whole: n tokens in `samples_ns`, so steps equal
tokens. A condition of ours, a prompt of P tokens and an answer of N, is two of its tests: `-p P`
at depth 0, and `-n N` at depth P, whose filling it does not time. Sample by sample they make one
reply. Averages and deviations that it prints are left alone: its `stddev_ns` overflows.

Each process loads the model anew and warms up by itself, so that samples of different processes
differ by whatever a new process changes. `-r` among the flags takes more samples in one process.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenroof.engines import llama_programs
from tokenroof.engines.base import (
    Condition,
    Identity,
    Loaded,
    ModelRef,
    Promises,
    Reply,
    Request,
    Samples,
    Step,
)
from tokenroof.engines.embedded import complete_file, default_threads
from tokenroof.engines.kept import Kept
from tokenroof.engines.llama_bench_rows import (
    Test,
    last_words,
    replies_of,
    row_of,
)
from tokenroof.engines.llama_programs import Program
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineError, EngineRefused
from tokenroof.importing.llama_bench_rows import samples_of, settings_of
from tokenroof.records import Settings
from tokenroof.safetext import printable

NAME = "llama-bench"
INSTALL = "https://github.com/ggml-org/llama.cpp"
TAKES = frozenset({"program", "flags"})

SILENCE_DEADLINE_SECONDS = 3600.0
"""It says nothing on its output until a test is done, and a large model reads long."""

OURS = (
    *("-m", "--model", "-hf", "-hfr", "--hf-repo", "-hff", "--hf-file"),
    *("-p", "--n-prompt", "-n", "--n-gen", "-pg", "-d", "--n-depth"),
    *("-o", "--output", "-oe", "--output-err"),
    *("-t", "--threads", "-ctk", "--cache-type-k", "-ctv", "--cache-type-v"),
    *("-fa", "--flash-attn"),
)
"""What is ours to set: the model, the conditions, the output, and settings of a measurement."""


def available() -> bool:
    """Whether the program is on the PATH, or named in the environment."""
    return llama_programs.on_path(NAME)


@dataclass(frozen=True, slots=True)
class _Model:
    path: Path
    settings: Settings


class LlamaBenchEngine:
    """llama-bench as a `Sampler`. See `tokenroof.engines.base`.

    Args:
        options: its file, and further flags, each with one value.
        silence_deadline_seconds: how long one test may take.
    """

    promises = Promises(
        counts_prompt_tokens=True,
        times_prompt=True,
        reports_cached_tokens=True,
        times_every_step=True,
        ignores_end_of_text=True,
        counts_before_running=True,
        takes_text=False,
    )

    def __init__(
        self,
        options: EngineOptions | None = None,
        *,
        silence_deadline_seconds: float = SILENCE_DEADLINE_SECONDS,
    ) -> None:
        self._options = options or EngineOptions()
        self._deadline = silence_deadline_seconds
        self._program: Program | None = None
        self._model: _Model | None = None
        self._running: Kept | None = None

    def identify(self) -> Identity:
        """Build, backends, and the place where it is certain.

        Raises:
            EngineMissing: there is no such program.
            UsageError: a flag is ours to set.
            EngineRefused: this build has no such flag.
        """
        program = self._looked_at()
        place = program.place(self._options.flags)
        return Identity(
            name=NAME,
            version=program.version,
            backend=program.backend(),
            place=place,
            device=llama_programs.cpu_name() if place == "cpu" else None,
            flags={"flags": list(self._options.flags)} if self._options.flags else {},
        )

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        """Read one token, to see that the model loads under these settings and which they are.

        The context is not one of them: llama-bench makes each test one that just fits.

        Raises:
            GGUFError: the file is no model, or a part of it is missing.
            EngineRefused: it does not load, or not under these settings.
            EngineDied: the program was killed, or did not end.
        """
        self._model = None
        path = complete_file(ModelRef.of(model).file(NAME))
        asked = _Model(path, settings)
        began = time.perf_counter()
        row = self._test(asked, prompt=1, output=0, depth=0, probe=True).row
        self._model = asked
        return Loaded(seconds=time.perf_counter() - began, settings=settings_of(row))

    def count_tokens(self, text: str) -> int | None:
        """Not known: llama-bench reads no text."""
        del text
        return None

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        """Not possible.

        Raises:
            EngineRefused: always.
        """
        del request, watch
        raise EngineRefused("llama_bench.takes_no_text")

    def sample(self, condition: Condition, watch: Callable[[Step], None] | None = None) -> Samples:
        """Time reading a prompt, then steps at that depth; each pair of samples is one reply.

        Raises:
            EngineError: no model was loaded, or the first of both tests failed.
        """
        model = self._model
        if model is None:
            raise EngineError("engines.nothing_loaded", engine=NAME)
        tell = watch or (lambda _step: None)
        prompt, output = condition.prompt_tokens, condition.output_tokens
        tell(Step(phase="prefill", done=0, total=prompt))
        prefill = self._test(model, prompt=prompt, output=0, depth=0)
        tell(Step(phase="prefill", done=prompt, total=prompt))
        if not output:
            return Samples(replies_of(condition, prefill, None))
        try:
            decode = self._test(model, prompt=0, output=output, depth=prompt)
        except EngineError as problem:
            return Samples(replies_of(condition, prefill, None), problem)
        tell(Step(phase="decode", done=output, total=output))
        return Samples(replies_of(condition, prefill, decode))

    def processes(self) -> Sequence[int]:
        """The process that measures just now."""
        running = self._running
        return (running.pid,) if running is not None and running.alive else ()

    def close(self) -> None:
        """End what is running. Safe to call twice."""
        running, self._running, self._model = self._running, None, None
        if running is not None:
            running.kill()

    def _looked_at(self) -> Program:
        if self._program is None:
            path = llama_programs.find(NAME, self._options.program)
            program = llama_programs.look_at(NAME, path)
            program.check(self._options.flags, OURS)
            self._program = program
        return self._program

    def _test(
        self, model: _Model, *, prompt: int, output: int, depth: int, probe: bool = False
    ) -> Test:
        """Run the program for one test; see `load` for the errors."""
        program = self._looked_at()
        arguments = _arguments(program, model, self._options.flags)
        arguments += ["-p", str(prompt), "-n", str(output), *_depth(program, depth)]
        if probe:
            arguments += ["-r", "1", *filter(None, [program.knows("--no-warmup")])]
        began = time.perf_counter()
        rows = self._rows([str(program.path), *arguments])
        wall = time.perf_counter() - began
        if len(rows) != 1:
            raise EngineRefused("llama_bench.not_one_row", rows=len(rows))
        (row,) = rows
        samples = samples_of(row)
        if not samples or (row.get("n_prompt"), row.get("n_gen")) != (prompt, output):
            shown = printable(json.dumps(row), 200)
            raise EngineRefused("llama_bench.strange_row", row=shown)
        return Test(row, samples, wall)

    def _rows(self, command: list[str]) -> list[dict[str, Any]]:
        """The rows that it prints."""
        running = self._running = Kept(NAME, command)
        rows = []
        try:
            while (line := running.next_line(self._deadline)) is not None:
                row = row_of(line)
                if row is not None:
                    rows.append(row)
            code = running.exit_code()
            if code is None or code < 0:
                raise running.death()
            if code:
                raise EngineRefused("llama_bench.failed", code=code, why=last_words(running.log))
        finally:
            self._running = None
            running.kill()
        return rows


def _arguments(program: Program, model: _Model, flags: Sequence[str]) -> list[str]:
    """Model, output and settings, as far as this build knows them."""
    settings = model.settings
    found = ["-m", str(model.path), "-o", "jsonl", "-t", str(settings.threads or default_threads())]
    if llama_programs.flag_value(flags, "-r", "--repetitions") is None:
        found += ["-r", "1"]
    found += ["-ctk", settings.kv_type_k or "f16", "-ctv", settings.kv_type_v or "f16"]
    found += program.flash_attention(settings.flash_attention)
    for option, value in (("-b", settings.batch), ("-ub", settings.ubatch)):
        if value is not None:
            found += [option, str(value)]
    if settings.gpu_layers is not None:
        found += ["-ngl", str(settings.gpu_layers)]
    return [*found, *flags]


def _depth(program: Program, depth: int) -> list[str]:
    if not depth:
        return []
    option = program.knows("-d", "--n-depth")
    if option is None:
        version = program.version or "?"
        raise EngineRefused("llama_bench.no_depth", version=version)
    return [option, str(depth)]
