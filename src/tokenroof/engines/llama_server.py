"""llama-server: one of our own, started from its program, or one that runs already at an address.

Its native `/completion` is asked, with nothing taken from a cache, no chat template, a fixed
number of tokens and no end of text. The server's own `timings` are taken; what we measure is the
time to the first token, on the socket. See `llama_server_reply` for what the figures mean.

A running server keeps the settings that it was started with: what is asked for beyond the context
is refused, since it could not be brought about.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tokenroof import units
from tokenroof.engines import http_errors, llama_programs
from tokenroof.engines.base import Identity, Loaded, ModelRef, Promises, Reply, Request, Step
from tokenroof.engines.embedded import LOAD_DEADLINE_SECONDS, complete_file
from tokenroof.engines.http_connection import Limits
from tokenroof.engines.http_errors import Endpoint
from tokenroof.engines.http_stream import Client
from tokenroof.engines.llama_programs import Program, flag_value
from tokenroof.engines.llama_server_props import (
    context_of,
    dictionary,
    file_name,
    version_of,
    whole_name,
)
from tokenroof.engines.llama_server_reply import Answer
from tokenroof.engines.llama_server_start import NAME, OURS, OwnServer, is_ready
from tokenroof.engines.options import EngineOptions, from_environment, with_scheme
from tokenroof.engines.owners import serving_processes
from tokenroof.engines.residence import Judged, Residence
from tokenroof.errors import EngineDied, EngineError, EngineRefused, UsageError
from tokenroof.library.addresses import check_url
from tokenroof.records import Flag, Settings
from tokenroof.safetext import printable

INSTALL = "https://github.com/ggml-org/llama.cpp"
TAKES = frozenset({"program", "url", "flags"})

_TOO_LONG = re.compile(r"\((\d+) tokens\) exceeds the available context size \((\d+) tokens\)")
_POLL_SECONDS = 0.2
_GLANCE_SECONDS = 2.0


def available() -> bool:
    """Whether there is a program to start, or the environment names one that runs."""
    return from_environment(NAME, "url") is not None or llama_programs.on_path(NAME)


class LlamaServerEngine:
    """llama-server. See `tokenroof.engines.base.Engine`.

    Args:
        options: the program to start and its further flags, or the address of a running one.
        limits: how long to wait for an answer.
        load_deadline_seconds: how long a model may take to load.

    Raises:
        UsageError: the address is none, or flags are given for a server that runs already.
    """

    promises = Promises(
        counts_prompt_tokens=True,
        times_prompt=True,
        reports_cached_tokens=True,
        times_every_step=False,
        ignores_end_of_text=True,
        counts_before_running=True,
        can_reuse=True,
    )

    def __init__(
        self,
        options: EngineOptions | None = None,
        *,
        limits: Limits | None = None,
        load_deadline_seconds: float = LOAD_DEADLINE_SECONDS,
    ) -> None:
        self._options = options or EngineOptions()
        self._limits = limits or Limits()
        self._load_deadline = load_deadline_seconds
        self._program: Program | None = None
        self._own: OwnServer | None = None
        self._running = self._running_one()
        self._listeners: tuple[int, ...] = ()
        self._context: int | None = None
        self._props: dict[str, Any] = {}
        self._counted: tuple[str, int] | None = None
        self._judged = Judged(None)

    def identify(self) -> Identity:
        """The build; for one of our own also its backends, and the place where it is certain.

        Raises:
            EngineMissing: there is no such program, or nothing answers at the address.
            UsageError: a flag is ours to set.
            EngineRefused: this build has no such flag.
        """
        if self._running is not None:
            props = self._props or dictionary(self._running.get("/props"))
            return Identity(name=NAME, version=version_of(props), flags={"server": "running"})
        program = self._looked_at()
        own = self._own
        place = program.place(own.arguments if own is not None else self._options.flags)
        if own is not None and place is None:
            place = self._judged.place
        return Identity(
            name=NAME,
            version=version_of(self._props) or program.version,
            backend=program.backend(),
            place=place,
            device=llama_programs.cpu_name() if place == "cpu" else None,
            flags={"flags": list(self._options.flags)} if self._options.flags else {},
        )

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        """Start a server with a model, or wait until a running one is ready.

        Raises:
            GGUFError: the file is no model, or a part of it is missing.
            EngineMissing: there is no program, or nothing answers at the address.
            EngineRefused: it would not start with this model or these settings; or it runs, with
                another model, or the settings cannot be changed.
            EngineDied: it crashed, was killed, or was not ready in time.
        """
        began = time.perf_counter()
        reference = ModelRef.of(model)
        if self._running is not None:
            in_force = self._wait_for_running(self._running, reference, settings)
        else:
            program, path = self._looked_at(), complete_file(reference.file(NAME))
            self.close()
            flags = self._options.flags
            self._own = OwnServer(program, path, settings, flags, self._load_deadline)
            self._props = dictionary(self._own.client.get("/props"))
            in_force = self._in_force(self._own, path)
        self._context = context_of(self._props)
        plain = in_force.to_dict() | {"context": self._context or in_force.context}
        return Loaded(
            seconds=time.perf_counter() - began,
            settings=Settings(**plain),
        )

    def count_tokens(self, text: str) -> int | None:
        """How many tokens the server makes of a prompt, its beginning-of-text token included."""
        answer = self._client().post("/tokenize", {"content": text, "add_special": True})
        tokens = answer.get("tokens") if isinstance(answer, dict) else None
        if not isinstance(tokens, list):
            return None
        self._counted = (text, len(tokens))
        return len(tokens)

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        """Read the prompt, nothing of it cached, and write exactly `output_tokens` tokens.

        Raises:
            EngineRefused: the prompt and its answer do not fit into the context, or the server
                says no.
            EngineDied: it crashed, was killed, hung, or broke off.
        """
        client = self._client()
        self._check_room(request)
        busy = self.other_requests()
        try:
            reply = self._complete(client, request, watch)
        except EngineDied as problem:
            raise self._death() or problem from None
        except EngineRefused as problem:
            raise _too_long(request, problem) or problem from None
        found: set[Flag] = {*reply.flags}
        if busy:
            found.add("contended")
        if self._judged.place == "mixed":
            found.add("partial_offload")
        raw = reply.raw | ({"residence": self._judged.raw} if self._judged.raw else {})
        return msgspec.structs.replace(reply, flags=tuple(sorted(found)), raw=raw)

    def other_requests(self) -> int | None:
        """How many requests the server works on that are not ours, while we ask for nothing.

        None where it does not tell, or is our own and nobody else's.
        """
        if self._running is None:
            return None
        try:
            slots = self._running.get("/slots", _GLANCE_SECONDS)
        except EngineError:
            return None  # the endpoint is off, or it is too busy to answer
        if not isinstance(slots, list):
            return None
        return sum(isinstance(slot, dict) and slot.get("is_processing") is True for slot in slots)

    def processes(self) -> Sequence[int]:
        """The server we started, or the process on this machine that answers at the address."""
        if self._running is not None:
            return self._listeners
        own = self._own
        return (own.process.pid,) if own is not None and own.process.alive else ()

    def close(self) -> None:
        """End the server if it is ours. Safe to call twice."""
        own, self._own = self._own, None
        self._props, self._context, self._counted = {}, None, None
        self._judged = Judged(None)
        if own is not None:
            own.close()

    def _running_one(self) -> Client | None:
        """The server that runs already, if one was named."""
        given = self._options.url
        url = given or (None if self._options.program else from_environment(NAME, "url"))
        if url is None:
            return None
        if self._options.program or self._options.flags:
            raise UsageError("llama_server.runs_already")
        url = with_scheme(url)
        check_url(url)
        source = "--url" if given else "TOKENROOF_LLAMA_SERVER_URL"
        endpoint = Endpoint(NAME, url.rstrip("/"), source, f"{NAME} -m MODEL")
        return Client(endpoint, self._limits, from_environment(NAME, "api_key"))

    def _looked_at(self) -> Program:
        if self._program is None:
            path = llama_programs.find(NAME, self._options.program)
            program = llama_programs.look_at(NAME, path)
            program.check(self._options.flags, OURS)
            self._program = program
        return self._program

    def _client(self) -> Client:
        """The server to ask.

        Raises:
            EngineError: none was loaded.
            EngineDied: ours is no longer there.
        """
        if self._running is not None and self._props:
            return self._running
        if self._own is None:
            raise EngineError("engines.nothing_loaded", engine=NAME)
        death = self._own.death()
        if death is not None:
            raise death
        return self._own.client

    def _death(self) -> EngineDied | None:
        """Why our own server broke off; None where it is another's, or still there."""
        own = self._own
        if own is None:
            return None
        own.process.exit_code()  # it may be about to end
        return own.death()

    def _wait_for_running(
        self, client: Client, reference: ModelRef, settings: Settings
    ) -> Settings:
        _refuse_settings(settings)
        until = time.monotonic() + self._load_deadline
        while not is_ready(client):
            if time.monotonic() > until:
                limit = self._load_deadline
                raise http_errors.silent(client.endpoint, "answer", limit, 0)
            time.sleep(_POLL_SECONDS)
        self._props = dictionary(client.get("/props"))
        self._listeners = serving_processes(client.endpoint.url, (NAME,))
        served, asked = file_name(self._props), reference.path
        if (
            asked is not None
            and served is not None
            and whole_name(asked.name) != whole_name(served)
        ):
            raise EngineRefused(
                "llama_server.other_model",
                url=client.endpoint.shown,
                served=printable(served, 120),
                asked=printable(asked.name, 120),
            )
        return Settings()

    def _in_force(self, own: OwnServer, path: Path) -> Settings:
        """The settings, with what the server chose itself; where it put the weights is kept."""
        chosen = own.loading.flash_attention
        weights = own.loading.weights
        if flag_value(own.arguments, "-rpc", "--rpc") is None:
            self._judged = Residence(ModelRef(path=path), None).of_buffers(weights)
        if chosen is None:
            return own.settings
        return msgspec.structs.replace(own.settings, flash_attention=chosen)

    def _check_room(self, request: Request) -> None:
        context = self._context
        if context is None:
            return
        known = self._counted
        prompt = known[1] if known is not None and known[0] == request.prompt else None
        prompt = self.count_tokens(request.prompt) if prompt is None else prompt
        if prompt is not None and prompt + request.output_tokens > context:
            raise _no_room(prompt, request.output_tokens, context)

    def _complete(
        self, client: Client, request: Request, watch: Callable[[Step], None] | None
    ) -> Reply:
        body = {
            "prompt": request.prompt,
            "n_predict": max(request.output_tokens, 1),
            "cache_prompt": request.reuse,
            "ignore_eos": True,
            "temperature": 0,
            "seed": request.seed,
            "stream": True,
            "return_progress": True,
        }
        with client.stream("/completion", body, "events") as stream:
            answer = Answer(request, stream.sent_at)
            for frame in stream:
                event = frame.document()
                if not isinstance(event, dict):
                    raise http_errors.nonsense(client.endpoint, frame.data)
                if http_errors.said_error(event) is not None:
                    raise http_errors.error_frame(client.endpoint, event)
                for step in answer.take(event, frame):
                    if step.phase == "decode":
                        stream.token(frame.at)
                    if watch is not None:
                        watch(step)
                if answer.ended_at is not None:
                    break
            else:
                raise stream.cut()
            return answer.reply(stream.cpu_seconds)


def _too_long(request: Request, problem: EngineRefused) -> EngineRefused | None:
    """A refusal for the length of the prompt, with what a person has to change."""
    match = _TOO_LONG.search(str(problem.values.get("why", "")))
    if match is None:
        return None
    return _no_room(int(match[1]), request.output_tokens, int(match[2]))


def _no_room(prompt: int, output: int, context: int) -> EngineRefused:
    return EngineRefused(
        "engines.context_too_small",
        prompt=units.count(prompt),
        output=units.count(output),
        context=units.count(context),
        needed=units.count(prompt + output),
    )


def _refuse_settings(settings: Settings) -> None:
    """What a running server cannot be told any more; its context is compared later."""
    asked = [
        name
        for name, value in settings.to_dict().items()
        if value is not None and name != "context"
    ]
    if asked:
        raise EngineRefused("llama_server.settings_fixed", settings=", ".join(asked))
