"""A llama-server of our own: how it is started, and how long until it is ready.

One slot, a context of its own for it, no cache of earlier prompts in memory, and every setting
that makes a difference said aloud, so that what is in force is what the record says. Settings that
this machine's environment would slip in (`LLAMA_ARG_...`) are kept from it for the same reason.
"""

from __future__ import annotations

import os
import re
import socket
import threading
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path

from tokenroof.engines.embedded import (
    DEFAULT_BATCH,
    DEFAULT_CONTEXT,
    DEFAULT_UBATCH,
    LOAD_DEADLINE_SECONDS,
    check_kv_types,
    default_threads,
)
from tokenroof.engines.http_errors import Endpoint
from tokenroof.engines.http_stream import Client
from tokenroof.engines.kept import Kept
from tokenroof.engines.llama_programs import Program, flag_value, whole
from tokenroof.engines.owners import serving_processes
from tokenroof.errors import EngineDied, EngineError, EngineMissing, EngineRefused
from tokenroof.importing.loader_lines import Loader
from tokenroof.records import Settings
from tokenroof.safetext import printable

NAME = "llama-server"
HOST = "127.0.0.1"

OURS = (
    *("-m", "--model", "-mu", "--model-url", "-hf", "-hfr", "--hf-repo", "-hff", "--hf-file"),
    *("-dr", "--docker-repo", "--host", "--port", "--api-key", "--api-key-file", "--api-prefix"),
    *("--ssl-key-file", "--ssl-cert-file", "-np", "--parallel", "-c", "--ctx-size"),
    *("-t", "--threads", "-ctk", "--cache-type-k", "-ctv", "--cache-type-v"),
    *("-fa", "--flash-attn", "--log-disable", "--log-file", "--no-slots"),
)
"""What is ours to set: the model, the address, the one slot, settings of a measurement."""

_POLL_SECONDS = 0.05
_LAST_LINES_SECONDS = 2.0
_LOADED = "listening on "
_WHY_LINES = 2
_STAMP = re.compile(r"[\d.]+ (?=[EWID] )", re.ASCII)
_STARTS = 3
"""Between looking for a free port and the server's taking it, another may have taken it."""


class OwnServer:
    """A server that was started here, and ends with us.

    Args:
        program: the build to start.
        model: the file to load.
        settings: as asked for.
        flags: further ones, passed on.
        deadline_seconds: how long the model may take to load.

    Raises:
        EngineRefused: it did not start with this model or these settings; its own last lines are
            quoted.
        EngineDied: it crashed, was killed, or was not ready in time.
    """

    def __init__(
        self,
        program: Program,
        model: Path,
        settings: Settings,
        flags: Sequence[str],
        deadline_seconds: float = LOAD_DEADLINE_SECONDS,
    ) -> None:
        self.settings = effective(settings, flags)
        self.arguments = arguments(program, self.settings, flags)
        for attempt in range(_STARTS):
            port = _free_port()
            command = [str(program.path), "-m", str(model), "--host", HOST, "--port", str(port)]
            self.loading = LoadLog()
            self.process = Kept(
                NAME, [*command, *self.arguments], _environment(), self.loading.take
            )
            self.client = Client(
                Endpoint(NAME, f"http://{HOST}:{port}", "default", str(program.path))
            )
            try:
                self._wait_until_ready(deadline_seconds)
            except BaseException as problem:
                self.close()
                taken = any("couldn't bind" in line for line in self.process.log)
                if not (taken and isinstance(problem, EngineRefused) and attempt < _STARTS - 1):
                    raise
            else:
                return

    def close(self) -> None:
        """End it."""
        self.process.kill()

    def death(self) -> EngineDied | None:
        """Why it is no longer there; None while it is."""
        return None if self.process.alive else self.process.death()

    def _wait_until_ready(self, deadline_seconds: float) -> None:
        until = time.monotonic() + deadline_seconds
        while True:
            if not self.process.alive:
                raise self._failed_start()
            if self._listens_and_is_ready():
                self.loading.wait()
                if not self.process.alive:
                    raise self._failed_start()  # it was another's server that answered
                if self._is_ours():
                    return
            if time.monotonic() > until:
                raise self.process.silence(deadline_seconds)
            time.sleep(_POLL_SECONDS)

    def _listens_and_is_ready(self) -> bool:
        try:
            return is_ready(self.client)
        except EngineMissing as problem:
            if problem.message != "http.unreachable":
                raise
            return False

    def _is_ours(self) -> bool:
        """Whether it is ours that answered, as far as the log or the system tells.

        On a busy machine ours may not have come as far as to find its port taken.
        """
        if self.loading.ended:
            return True
        import psutil

        listening = set(serving_processes(self.client.endpoint.url))
        try:
            family = {child.pid for child in psutil.Process(self.process.pid).children()}
        except psutil.Error:
            return False
        return not listening or not listening.isdisjoint(family)

    def _failed_start(self) -> EngineError:
        code = self.process.exit_code()
        if code is None or code < 0:
            return self.process.death()
        return EngineRefused("llama_server.did_not_start", code=code, why=_why(self.process.log))


class LoadLog:
    """What the server says while it loads: what it decided by itself, and where the bytes went.

    Its log is written by a thread of its own, so the server may be ready before its last lines are
    here. They are waited for, but not for long: a build that says less is no reason to stop.
    """

    def __init__(self) -> None:
        self._loader = Loader()
        self._ended = threading.Event()
        self.ended = False
        """Whether the log said that the load is over, so that it is ours that listens."""

    def take(self, line: str) -> None:
        """Hear one line."""
        if self._ended.is_set():
            return
        if _LOADED in line:
            self.ended = True
            self._ended.set()
            return
        self._loader.take(line)

    def wait(self) -> None:
        """Until the lines of the load are here, or a moment has passed without them."""
        self._ended.wait(_LAST_LINES_SECONDS)
        self._ended.set()

    @property
    def flash_attention(self) -> bool | None:
        """Whether the cache is read by flash attention; None where it did not say."""
        return self._loader.settings().flash_attention

    @property
    def weights(self) -> Mapping[str, int]:
        """Bytes of the buffers of weights, by device; empty where it did not say."""
        return self._loader.sums("model")


def is_ready(client: Client) -> bool:
    """Whether the server there has its model loaded.

    Raises:
        EngineMissing: nothing answers there.
        EngineError: it answers with something else than that it is ready or loading.
    """
    try:
        client.get("/health")
    except EngineRefused as problem:
        if problem.values.get("status") == HTTPStatus.SERVICE_UNAVAILABLE:
            return False
        raise
    return True


def _why(log: Sequence[str]) -> str:
    """What it said first of what went wrong: the errors that follow only say that they follow."""
    lines = [_STAMP.sub("", line.strip()) for line in log if line.strip()]
    telling = [line for line in lines if line.startswith("E ") or "error" in line.lower()]
    said = list(dict.fromkeys(telling))[:_WHY_LINES] or lines[-_WHY_LINES:]
    return printable(" / ".join(line.removeprefix("E ") for line in said) or "-", 400)


def effective(settings: Settings, flags: Sequence[str]) -> Settings:
    """The settings with nothing left open but what the server decides by itself.

    Raises:
        EngineRefused: a type that the cache cannot have.
    """
    check_kv_types(settings)
    layers = settings.gpu_layers
    if layers is None:
        layers = whole(flag_value(flags, "-ngl", "--gpu-layers", "--n-gpu-layers"))
    batch = whole(flag_value(flags, "-b", "--batch-size")) or settings.batch or DEFAULT_BATCH
    ubatch = whole(flag_value(flags, "-ub", "--ubatch-size")) or settings.ubatch or DEFAULT_UBATCH
    return Settings(
        context=settings.context or DEFAULT_CONTEXT,
        kv_type_k=settings.kv_type_k or "f16",
        kv_type_v=settings.kv_type_v or "f16",
        flash_attention=settings.flash_attention,
        gpu_layers=layers,
        threads=settings.threads or default_threads(),
        threads_batch=settings.threads_batch,
        batch=batch,
        ubatch=min(ubatch, batch),  # as llama.cpp itself does
    )


def arguments(program: Program, settings: Settings, flags: Sequence[str]) -> list[str]:
    """The settings as this build understands them, and then the flags."""
    found = ["-c", str(settings.context), "-t", str(settings.threads)]
    if settings.threads_batch is not None and (one := program.knows("-tb", "--threads-batch")):
        found += [one, str(settings.threads_batch)]
    found += ["-ctk", str(settings.kv_type_k), "-ctv", str(settings.kv_type_v)]
    found += program.load_log(flags)
    found += ["-b", str(settings.batch), "-ub", str(settings.ubatch)]
    found += program.flash_attention(settings.flash_attention)
    if settings.gpu_layers is not None:
        found += ["-ngl", str(settings.gpu_layers)]
    if settings.gpu_layers == 0 and (bar := program.knows("-dev", "--device")):
        found += [bar, "none"]  # not even a large batch may wander off to a GPU
    if one := program.knows("-np", "--parallel"):
        found += [one, "1"]
    if memory := program.knows("-cram", "--cache-ram"):
        found += [memory, "0"]
    return [*found, *flags]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LLAMA_ARG_")}
    kept.pop("LLAMA_API_KEY", None)
    return kept


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
