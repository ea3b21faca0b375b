"""The embedded engine: llama.cpp itself, in a child process, through llama-cpp-python.

No server, no sampling settings and no prompt cache stand between the clock and the model: the
prompt is read in batches until the logits of its last token are there, and then every decode step
is timed by itself. The next token is the most likely one that does not end the text; choosing it
is outside the time, so a run never stops early. The child (`embedded_child`) holds the model.
"""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from tokenroof import units
from tokenroof.engines.base import (
    Identity,
    Loaded,
    ModelRef,
    Place,
    Promises,
    Reply,
    Request,
    Step,
)
from tokenroof.engines.child import Child
from tokenroof.engines.messages import (
    DECODER,
    Counted,
    Hello,
    Message,
    Missing,
    Progress,
    Ran,
    Ready,
    Refused,
)
from tokenroof.errors import EngineError, EngineMissing, EngineRefused, GGUFError
from tokenroof.records import Settings
from tokenroof.safetext import printable

M = TypeVar("M", bound=Message)

NAME = "embedded"
INSTALL = 'pip install "tokenroof[embedded]"'

DEFAULT_CONTEXT = 4096
DEFAULT_BATCH = 2048
DEFAULT_UBATCH = 512
KV_TYPES = ("f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
_PLAIN_KV_TYPES = frozenset({"f32", "f16", "bf16"})

COMMAND = (sys.executable, "-P", "-m", "tokenroof.engines.embedded_child")

# Generous, because a slow disk or one batch of a large model on a small CPU takes many minutes,
# and a person can always press Ctrl-C. A child that dies is noticed at once.
LOAD_DEADLINE_SECONDS = 1800.0
SILENCE_DEADLINE_SECONDS = 1800.0
_START_DEADLINE_SECONDS = 120.0


def available() -> bool:
    """Whether the library is installed. It is not loaded for that."""
    return importlib.util.find_spec("llama_cpp") is not None


class EmbeddedEngine:
    """llama.cpp in a child process. See `tokenroof.engines.base.Engine`.

    Args:
        command: what starts the child.
        start_deadline_seconds: how long it may take until the library is there.
        load_deadline_seconds: how long a model may take to load.
        silence_deadline_seconds: how long a run may go on without a word of progress.
    """

    promises = Promises(
        counts_prompt_tokens=True,
        times_prompt=True,
        reports_cached_tokens=True,
        times_every_step=True,
        ignores_end_of_text=True,
        counts_before_running=True,
        can_reuse=True,
    )

    def __init__(
        self,
        *,
        command: Sequence[str] = COMMAND,
        start_deadline_seconds: float = _START_DEADLINE_SECONDS,
        load_deadline_seconds: float = LOAD_DEADLINE_SECONDS,
        silence_deadline_seconds: float = SILENCE_DEADLINE_SECONDS,
    ) -> None:
        self._command = tuple(command)
        self._start_deadline = start_deadline_seconds
        self._load_deadline = load_deadline_seconds
        self._silence_deadline = silence_deadline_seconds
        self._child: Child | None = None
        self._facts: Hello | None = None
        self._loaded = False
        self._place: Place | None = None

    def identify(self) -> Identity:
        """Version of the binding and of llama.cpp, its backends and the CPU features it uses."""
        self._started()
        facts = self._facts
        assert facts is not None
        place = self._place if self._loaded else (None if facts.gpus else "cpu")
        cpu = [facts.cpu] if facts.cpu else []
        used = {"cpu": cpu, "gpu": facts.gpus, "mixed": [*facts.gpus, *cpu], None: []}[place]
        return Identity(
            name=NAME,
            version=facts.version,
            backend=facts.backend,
            place=place,
            device=" + ".join(used) or None,
            flags={"llama_cpp": facts.llama_cpp, "system_info": facts.system_info},
        )

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        """Load a model in a fresh child.

        Raises:
            GGUFError: the file is no model, or a part of it is missing.
            EngineMissing: the library is not installed.
            EngineRefused: the file or the settings; llama.cpp's own last error is quoted.
            EngineDied: the child crashed, was killed or said nothing until the deadline.
        """
        wanted = _complete(settings)
        first = complete_file(ModelRef.of(model).file(NAME))
        if self._loaded:
            # A fresh process per model: nothing of the one before can be left behind.
            self.close()
        child = self._started()
        child.send({"do": "load", "model": str(first), **wanted}, self._silence_deadline)
        try:
            ready = self._answer(Ready, self._load_deadline)
        except EngineRefused:
            # It may hold a model whose context failed.
            self.close()
            raise
        self._loaded = True
        self._place = ready.place
        return Loaded(seconds=ready.seconds, settings=ready.settings)

    def count_tokens(self, text: str) -> int:
        """How many tokens the model makes of a prompt, its beginning-of-text token included."""
        child = self._with_model()
        child.send({"do": "count", "text": text}, self._silence_deadline)
        return self._answer(Counted, self._silence_deadline).tokens

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        """Read the prompt into an empty cache and write exactly `output_tokens` tokens.

        Where it may reuse, what the prompt has in common with the request before stays in the
        cache, as far as the model's kind of cache allows it; one token is always read.

        The seed is not used: the next token is always the most likely one.

        Raises:
            EngineRefused: the prompt and its answer do not fit into the context.
            EngineDied: the child crashed, was killed, or hung; `load` starts a new one.
        """
        child = self._with_model()
        order = {
            "do": "run",
            "prompt": request.prompt,
            "output_tokens": request.output_tokens,
            "reuse": request.reuse,
        }
        child.send(order, self._silence_deadline)
        ran = self._answer(Ran, self._silence_deadline, watch)
        return Reply(
            prompt_tokens=ran.prompt_tokens,
            prompt_cached=ran.prompt_cached,
            prompt_seconds=ran.prompt_seconds,
            output_tokens=len(ran.output_ids),
            output_steps=len(ran.step_seconds),
            output_seconds=round(sum(ran.step_seconds), 9),
            wall_seconds=ran.wall_seconds,
            ttft_seconds=ran.ttft_seconds,
            raw={
                "step_seconds": ran.step_seconds,
                "prompt_batches": ran.prompt_batches,
                "output_ids": ran.output_ids,
            },
        )

    def set_threads(self, decode: int, prefill: int) -> Settings:
        """Use so many threads from now on to make steps, and to read prompts.

        Raises:
            EngineError: no model is loaded.
            EngineDied: the child crashed, was killed, or hung.
        """
        child = self._with_model()
        order = {"do": "threads", "decode": decode, "prefill": prefill}
        child.send(order, self._silence_deadline)
        return self._answer(Ready, self._silence_deadline).settings

    def processes(self) -> tuple[int, ...]:
        """The child's process id, while there is one."""
        return (self._child.pid,) if self._child is not None and self._child.alive else ()

    def close(self) -> None:
        """End the child. Safe to call twice."""
        child, self._child, self._loaded = self._child, None, False
        if child is not None:
            child.close()

    def _started(self) -> Child:
        """The child, started if there is none."""
        if self._child is not None and self._child.alive:
            return self._child
        self.close()
        self._child = Child(NAME, self._command)
        self._facts = self._answer(Hello, self._start_deadline)
        return self._child

    def _with_model(self) -> Child:
        if self._child is None or not self._loaded:
            raise EngineError("engines.nothing_loaded", engine=NAME)
        return self._child

    def _answer(
        self, wanted: type[M], deadline: float, watch: Callable[[Step], None] | None = None
    ) -> M:
        """Wait for one kind of message. Whatever goes wrong, no half-done child is kept."""
        child = self._child
        assert child is not None
        try:
            message = _wait(child, wanted, deadline, watch)
        except BaseException:
            self._child, self._loaded = None, False
            child.kill()
            raise
        if isinstance(message, Refused):
            values = {name: _shown(value) for name, value in message.values.items()}
            raise EngineRefused(message.message, **values)
        return message


def _wait(
    child: Child, wanted: type[M], deadline: float, watch: Callable[[Step], None] | None
) -> M | Refused:
    """The next message that is no report of progress."""
    while True:
        line = child.receive(deadline)
        try:
            message = DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise child.babble(line) from None
        if isinstance(message, wanted):
            return message
        match message:
            case Progress(phase=phase, done=done, total=total):
                if watch is not None:
                    watch(Step(phase=phase, done=done, total=total))
            case Refused():
                return message
            case Missing(why=why):
                raise _missing(why)
            case _:
                raise child.babble(line)


def _missing(why: object = "-") -> EngineMissing:
    return EngineMissing(
        "engines.library_missing",
        engine=NAME,
        library="llama-cpp-python",
        install=INSTALL,
        why=_shown(why),
    )


def _shown(value: object) -> object:
    """A value from the child as a sentence may show it."""
    return printable(value, 300) if isinstance(value, str) else value


def _complete(settings: Settings) -> dict[str, Any]:
    """The settings with nothing left open but what llama.cpp decides (flash attention).

    Raises:
        EngineRefused: a type that the cache cannot have, or a pair of settings that exclude
            each other.
    """
    types = check_kv_types(settings)
    return {
        "context": settings.context or DEFAULT_CONTEXT,
        "kv_type_k": types["k"],
        "kv_type_v": types["v"],
        "flash_attention": settings.flash_attention,
        "gpu_layers": settings.gpu_layers or 0,
        "threads": settings.threads or default_threads(),
        "threads_batch": settings.threads_batch or settings.threads or default_threads(),
        "batch": settings.batch or DEFAULT_BATCH,
        "ubatch": settings.ubatch or DEFAULT_UBATCH,
    }


def check_kv_types(settings: Settings) -> dict[str, str]:
    """The cache's types, by the letter of what they hold.

    Raises:
        EngineRefused: a type that the cache cannot have, or quantised values without flash
            attention.
    """
    types = {"k": settings.kv_type_k or "f16", "v": settings.kv_type_v or "f16"}
    for name in types.values():
        if name not in KV_TYPES:
            raise EngineRefused(
                "engines.kv_type_unknown", type=printable(name, 40), choices=", ".join(KV_TYPES)
            )
    if types["v"] not in _PLAIN_KV_TYPES and settings.flash_attention is False:
        raise EngineRefused("engines.kv_type_needs_flash_attention", type=types["v"])
    return types


def complete_file(model: Path) -> Path:
    """The file to load for a model: the first part of a split set, else the file itself.

    Raises:
        GGUFError: it is no model file, or the weights that its header promises are not all there.
    """
    from tokenroof.gguf import read_header

    header = read_header(model)
    missing = header.missing_bytes
    if missing:
        assert header.promised_bytes
        share = math.floor(100 * (1 - missing / header.promised_bytes)) / 100
        raise GGUFError(
            "engines.file_incomplete",
            path=printable(str(model)),
            present=units.percent(share),
            missing=units.binary_size(missing),
        )
    return header.paths[0]


def default_threads() -> int:
    """One thread a physical core that this process may use: second threads only get in the way."""
    from tokenroof.hardware.machine import this_machine

    machine = this_machine()
    known = [n for n in (machine.physical_cores, machine.usable_cores) if n]
    return min(known, default=1)
