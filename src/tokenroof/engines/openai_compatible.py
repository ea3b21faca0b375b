"""Servers that speak OpenAI's dialect: llama-server's `/v1`, LM Studio, vLLM, mlx-lm and others.

The dialect has no times, so a prompt's time is known only from servers that add it; what a person
waits for the first token is always measured. How the model is set up is decided where the server
starts, and cannot be asked for here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokenroof.engines import http_errors
from tokenroof.engines.arrivals import Arrivals, Teller
from tokenroof.engines.base import Identity, Loaded, ModelRef, Promises, Reply, Request, Step
from tokenroof.engines.http_connection import Limits, now
from tokenroof.engines.http_errors import Endpoint
from tokenroof.engines.http_stream import Client, Stream
from tokenroof.engines.openai_api import (
    NAME,
    SHAPES,
    UNFIT,
    ServedModel,
    Shape,
    choose,
    endpoint_of,
    key_for,
    models_of,
)
from tokenroof.engines.openai_reply import Answer, reply_of
from tokenroof.engines.options import EngineOptions
from tokenroof.engines.owners import serving_processes
from tokenroof.engines.prefills import Prefills
from tokenroof.errors import EngineError, EngineRefused, TokenroofError
from tokenroof.records import Settings
from tokenroof.safetext import printable

_END = b"[DONE]"
_UNKNOWN_BUILD = re.compile(r"b0(-unknown)?")


@dataclass
class _Session:
    model: ServedModel
    shape: Shape
    prefills: Prefills = field(default_factory=Prefills)


class OpenAIEngine:
    """A running server. See `tokenroof.engines.base.Engine`.

    Args:
        options: where it is.
        limits: how long to wait for it.

    Raises:
        EngineMissing: nobody says where.
    """

    def __init__(self, options: EngineOptions | None = None, limits: Limits | None = None) -> None:
        self._endpoint = endpoint_of(options.url if options else None)
        self._client = Client(self._endpoint, limits, key_for(self._endpoint))
        self._models: list[ServedModel] | None = None
        self._session: _Session | None = None
        self._version: str | None = None
        self._pids: tuple[int, ...] = ()

    @property
    def promises(self) -> Promises:
        """What this server adds to the dialect; of one that is not known, nothing is promised."""
        kind = self._session.model.kind if self._session else None
        return Promises(
            counts_prompt_tokens=kind is not None,
            times_prompt=kind == "llama.cpp",
            reports_cached_tokens=kind == "llama.cpp",
            times_every_step=False,
            ignores_end_of_text=kind is not None,
            counts_before_running=False,
        )

    def identify(self) -> Identity:
        """Which server it is, as far as it tells; never where it computes.

        Raises:
            EngineMissing: it does not answer, or is no such server.
        """
        models = self._served()
        kinds = {each.kind for each in models}
        kind = kinds.pop() if len(kinds) == 1 else None
        if self._version is None and kind == "vllm":
            self._version = self._vllm_version()
        flags: dict[str, Any] = {"server": kind}
        if self._session is not None:
            flags["chat"] = self._session.shape.chat
        return Identity(name=NAME, version=self._version, flags=flags)

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        """Find the model, and have a first token written, so that it is loaded.

        Raises:
            EngineRefused: the server has no such model, or a setting is not to be had.
            EngineDied: it failed.
        """
        asked = {name: value for name, value in settings.to_dict().items() if value is not None}
        asked.pop("context", None)
        if asked:
            raise EngineRefused("openai.cannot_set", settings=", ".join(sorted(asked)))
        self._models = None
        served = choose(self._served(), ModelRef.of(model))
        began = now()
        shape = self._first_fitting(served)
        seconds = now() - began
        self._session = _Session(served, shape)
        self._pids = serving_processes(self._endpoint.url)
        return Loaded(seconds=seconds, settings=Settings(context=served.context))

    def count_tokens(self, text: str) -> int | None:
        """None: the dialect counts only what it runs."""
        del text
        return None

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        """Send a prompt and read the answer.

        Raises:
            EngineRefused: the server said no, as to a prompt that is too long.
            EngineDied: it failed, fell silent or broke off.
            EngineError: what it answers is no answer; or nothing is loaded.
        """
        session = self._session
        if session is None:
            raise EngineError("engines.nothing_loaded", engine=NAME)
        answer, wall_seconds, cpu_seconds = self._ask(
            session.model, session.shape, request, Teller(watch, request.output_tokens)
        )
        return reply_of(
            request,
            answer,
            wall_seconds=wall_seconds,
            cpu_seconds=cpu_seconds,
            prefills=session.prefills,
            context=session.model.context,
        )

    def processes(self) -> tuple[int, ...]:
        """The server's, if it is on this machine and a model is loaded."""
        return self._pids if self._session is not None else ()

    def close(self) -> None:
        """Nothing is ours, so nothing is let go."""
        self._session = None

    def _served(self) -> list[ServedModel]:
        if self._models is None:
            self._models = models_of(self._client)
        return self._models

    def _vllm_version(self) -> str | None:
        root = self._endpoint.url.removesuffix("/v1")
        client = Client(
            Endpoint(NAME, root, self._endpoint.source, self._endpoint.start),
            self._client.limits,
            key_for(self._endpoint),
        )
        try:
            said = client.get("/version")
        except TokenroofError:
            return None
        version = said.get("version") if isinstance(said, dict) else None
        return printable(version, 40) if isinstance(version, str) else None

    def _first_fitting(self, model: ServedModel) -> Shape:
        """The first way to ask that this server understands."""
        problem: EngineRefused | None = None
        for shape in SHAPES:
            try:
                self._ask(model, shape, Request(prompt="Hello", output_tokens=1), Teller(None, 1))
            except EngineRefused as error:
                if error.values.get("status") not in UNFIT:
                    raise
                problem = problem or error
            else:
                return shape
        assert problem is not None
        raise problem

    def _ask(
        self, model: ServedModel, shape: Shape, request: Request, teller: Teller
    ) -> tuple[Answer, float, float]:
        """One answer, with the time until its end and our own processor time."""
        body = shape.body(model, request.prompt, request.output_tokens, request.seed)
        with self._client.stream(shape.path, body, "events") as stream:
            answer, ended_at = _read(stream, self._endpoint, teller)
            cpu_seconds = stream.cpu_seconds
        build = answer.fingerprint
        if build and model.kind == "llama.cpp" and not _UNKNOWN_BUILD.fullmatch(build):
            self._version = printable(build, 40)
        return answer, ended_at - stream.sent_at, cpu_seconds


def _read(stream: Stream, endpoint: Endpoint, teller: Teller) -> tuple[Answer, float]:
    """Read an answer to its end, and when that came."""
    answer = Answer(Arrivals(stream.sent_at))
    ended_at = stream.sent_at
    for frame in stream:
        ended_at = frame.at
        if frame.data.strip() == _END:
            answer.ended = True
            break
        said = frame.document()
        if not isinstance(said, dict):
            raise http_errors.nonsense(endpoint, frame.data)
        if said.get("error") or said.get("object") == "error":
            raise http_errors.error_frame(endpoint, said)
        if answer.take(said, frame.at):
            stream.token(frame.at)
            teller.decode(len(answer.arrivals.at), frame.at)
    if not answer.ended:
        raise stream.cut()
    return answer, ended_at
