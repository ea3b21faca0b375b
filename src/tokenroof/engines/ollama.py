"""Ollama: a daemon that has models by name and runs them for whoever asks.

A request says all that can be said: context, batch, number of tokens, temperature 0, the seed, and
that neither prompt nor context may be cut. It is sent to `/api/chat`, so that the model's template
goes around the prompt, as it does for people. What Ollama cannot be told is left as it is: the type
of its cache and flash attention are decided where its daemon starts, and it may draft tokens by
itself.

It caches prompts and cannot be told not to. Prompts therefore begin with a tag that was never used
before, and a reply says how many tokens were cached all the same, or that its prefill may have been
(see `prefills`).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from tokenroof.engines import http_errors
from tokenroof.engines.arrivals import Arrivals, Teller
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
from tokenroof.engines.http_connection import Limits, now
from tokenroof.engines.http_errors import Endpoint
from tokenroof.engines.http_stream import Stream
from tokenroof.engines.ollama_api import KEEP_ALIVE, OllamaApi, Resident, Shown, runner
from tokenroof.engines.ollama_reply import Streamed, Terms, reply_of
from tokenroof.engines.ollama_terms import (
    NAME,
    client_of,
    endpoint_of,
    host_of,
    name_of,
    options_of,
)
from tokenroof.engines.options import EngineOptions
from tokenroof.engines.owners import is_local, serving_processes
from tokenroof.engines.prefills import Prefills
from tokenroof.engines.residence import Judged, Residence
from tokenroof.errors import EngineError, EngineRefused, TokenroofError
from tokenroof.library.ollama_names import parse
from tokenroof.notices import Notice
from tokenroof.records import Settings
from tokenroof.safetext import printable

_PROGRAMS = ("ollama", "ollama_llama_server")
_RELOAD_SECONDS = (0.1, 0.5)
"""A request to a loaded model spends less on loading; half of what loading took, within these."""

_GLANCE = Limits(connect_seconds=0.4, answer_seconds=0.4)
_GLANCE_SECONDS = 0.5
"""It is on this machine most often, and has nothing to compute for what is asked. Whoever named no
engine does not wait longer for one that may not be there, and finding an address may take long."""


@dataclass
class _Session:
    """A model that is loaded, and what its runs have shown so far."""

    model: Shown
    options: dict[str, Any]
    settings: Settings
    load_seconds: float
    was_there: bool
    resident: Resident | None
    residence: Residence
    prefills: Prefills = field(default_factory=Prefills)


def why(model: ModelRef) -> Notice | None:
    """Why to take Ollama for a model when nobody named an engine: it runs and has it.

    Takes half a second at most, whatever the network does.
    """
    if name_of(model) is None:
        return None
    found: list[Notice] = []
    looking = threading.Thread(target=_look, args=(model, found), daemon=True)
    looking.start()
    looking.join(_GLANCE_SECONDS)
    return found[0] if found else None


def served_by_ollama(name: str) -> ModelRef | None:
    """The name under which a running Ollama is asked for a model that it has; None if it has not.

    Only a name that means a model of Ollama's is looked for, never a path.
    """
    plain = name.lower().startswith("ollama:")
    if not plain and (":" not in name or "/" in name.partition(":")[2] or "@" in name):
        return None
    reference = ModelRef(name=name if plain else f"ollama:{name}")
    if parse(name_of(reference) or "") is None or why(reference) is None:
        return None
    if host_of(reference) is not None:
        return reference
    place = urlsplit(endpoint_of().url).netloc
    return ModelRef(name=f"ollama://{place}/{name_of(reference)}")


def _look(model: ModelRef, found: list[Notice]) -> None:
    name, elsewhere = name_of(model), host_of(model)
    assert name is not None
    with contextlib.suppress(TokenroofError):
        endpoint = endpoint_of() if elsewhere is None else endpoint_of(elsewhere, str(model))
        OllamaApi(client_of(endpoint, _GLANCE)).show(name)
        values = {"url": endpoint.shown, "model": printable(name)}
        found.append(Notice("engines.chosen_ollama", values))


class OllamaEngine:
    """A running Ollama. See `tokenroof.engines.base.Engine`.

    Args:
        options: where it is.
        limits: how long to wait for it.
        model: whose name may itself say where it is.
    """

    promises = Promises(
        counts_prompt_tokens=True,
        times_prompt=True,
        reports_cached_tokens=False,
        times_every_step=False,
        ignores_end_of_text=False,
        counts_before_running=False,
        can_reuse=True,
    )

    def __init__(
        self,
        options: EngineOptions | None = None,
        limits: Limits | None = None,
        model: ModelRef | None = None,
    ) -> None:
        self._limits = limits or Limits()
        self._session: _Session | None = None
        self._pids: tuple[int, ...] = ()
        self._version: str | None = None
        url = options.url if options else None
        elsewhere = host_of(model) if model is not None else None
        if url is None and elsewhere is not None:
            self._connect(endpoint_of(elsewhere, str(model)))
        else:
            self._connect(endpoint_of(url))

    def identify(self) -> Identity:
        """Its version and, with a model loaded, where that lies.

        Raises:
            EngineMissing: it does not answer.
        """
        if self._version is None:
            self._version = self._api.version()
        flags: dict[str, Any] = {"runner": runner(self._version)}
        session = self._session
        if session is not None:
            flags |= {"think": session.model.think, "has_draft_layers": session.model.drafts}
            if session.resident is not None:
                flags["model_digest"] = session.resident.digest
        return Identity(name=NAME, version=self._version, place=self._place(), flags=flags)

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        """Have a model loaded with the options that all its requests will have.

        Raises:
            EngineRefused: the model is not there, runs elsewhere or writes no text; or a setting
                that only the daemon's own environment can bring about.
            EngineDied: it does not load.
        """
        ref = ModelRef.of(model)
        name = name_of(ref)
        if name is None:
            raise EngineRefused("ollama.needs_name", model=str(ref))
        options = options_of(settings)
        elsewhere = host_of(ref)
        if elsewhere is not None:
            self._connect(endpoint_of(elsewhere, str(ref)))
        self.identify()
        shown = self._api.show(name)
        if self._session is not None and self._session.model.name != name:
            self._let_go()
        there = self._api.resident(name) is not None
        was_there = there if self._session is None else self._session.was_there
        began = now()
        self._api.load(name, options)
        seconds = now() - began
        resident = self._api.resident(name)
        context = resident.context if resident is not None else None
        in_force = Settings(
            context=context or options["num_ctx"],
            batch=options["num_batch"],
            threads=settings.threads,
            gpu_layers=settings.gpu_layers,
        )
        residence = Residence(self._with_header(ref, name), in_force.context)
        self._session = _Session(shown, options, in_force, seconds, was_there, resident, residence)
        self._pids = serving_processes(self._client.endpoint.url, _PROGRAMS)
        return Loaded(seconds=seconds, settings=in_force, cold=not there)

    def count_tokens(self, text: str) -> int | None:
        """None: Ollama counts only what it runs."""
        del text
        return None

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        """Send a prompt and read the answer.

        Raises:
            EngineRefused: the prompt does not fit into the context.
            EngineDied: Ollama failed, fell silent or broke off.
            EngineError: what it answers is no answer; or nothing is loaded.
        """
        session = self._session
        if session is None:
            raise EngineError("engines.nothing_loaded", engine=NAME)
        with self._stream(session, request) as stream:
            streamed = _read(stream, self._client.endpoint, Teller(watch, request.output_tokens))
        terms = Terms(
            context=session.settings.context,
            reload_seconds=_reload_seconds(session.load_seconds),
            may_draft=runner(self._version) != "ollama",
        )
        reply = reply_of(request, streamed, terms, session.prefills)
        return self._with_residence(session, reply)

    def processes(self) -> tuple[int, ...]:
        """The daemon's, if it is on this machine and a model is loaded."""
        return self._pids if self._session is not None else ()

    def close(self) -> None:
        """Let the model go, unless it was there before we came."""
        session = self._session
        if session is not None and not session.was_there:
            with contextlib.suppress(TokenroofError):
                self._let_go()
        self._session = None

    def _connect(self, endpoint: Endpoint) -> None:
        self._client = client_of(endpoint, self._limits)
        self._api = OllamaApi(self._client)
        self._version = None

    def _with_header(self, reference: ModelRef, name: str) -> ModelRef:
        """The model by a name under which its header can be read: its file, or this daemon."""
        if reference.path is not None or host_of(reference) is not None:
            return reference
        return ModelRef(name=f"ollama://{urlsplit(self._client.endpoint.url).netloc}/{name}")

    def _let_go(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            self._api.unload(session.model.name)

    def _place(self) -> Place | None:
        session = self._session
        place = _judged(session).place if session is not None else None
        # Another machine's processor is not the one whose bandwidth is measured here.
        return None if place == "cpu" and not is_local(self._client.endpoint.url) else place

    def _stream(self, session: _Session, request: Request) -> Stream:
        body: dict[str, Any] = {
            "model": session.model.name,
            "messages": [{"role": "user", "content": request.prompt}],
            "stream": True,
            "truncate": False,
            "shift": False,
            "keep_alive": KEEP_ALIVE,
            # No tokens would mean no limit, so one is the least that can be asked for.
            "options": session.options
            | {"num_predict": max(request.output_tokens, 1), "seed": request.seed},
        }
        if session.model.think is not None:
            body["think"] = session.model.think
        try:
            return self._client.stream("/api/chat", body, "lines")
        except EngineRefused as error:
            why = str(error.values.get("why", ""))
            if "context" in why:
                raise EngineRefused(
                    "ollama.prompt_too_long", context=session.settings.context, why=why
                ) from error
            raise

    def _with_residence(self, session: _Session, reply: Reply) -> Reply:
        """The reply with what `/api/ps` says after it: another load, or part of it on the CPU."""
        flags = set(reply.flags)
        try:
            resident = self._api.resident(session.model.name)
        except TokenroofError:
            # The run is there all the same; whoever asks next finds out.
            return reply
        before, session.resident = session.resident, resident or session.resident
        if before is not None and (resident is None or resident.digest != before.digest):
            flags.add("reloaded")
        where: dict[str, Any] = {}
        if resident is not None:
            judged = _judged(session)
            if judged.place == "mixed":
                flags.add("partial_offload")
            where = {"size": resident.size_bytes, "size_vram": resident.gpu_bytes}
            if judged.raw:
                where["sources"] = judged.raw
        return msgspec.structs.replace(
            reply, flags=tuple(sorted(flags)), raw=reply.raw | {"resident": where}
        )


def _judged(session: _Session) -> Judged:
    """Where the model is, by `/api/ps` and by its header."""
    resident = session.resident
    if resident is None:
        return Judged(None)
    return session.residence.judge(resident.place, resident.gpu_bytes)


def _read(stream: Stream, endpoint: Endpoint, teller: Teller) -> Streamed:
    """Read an answer to its last message."""
    arrivals = Arrivals(stream.sent_at)
    for frame in stream:
        said = frame.document()
        if not isinstance(said, dict):
            raise http_errors.nonsense(endpoint, frame.data)
        if said.get("error"):
            raise http_errors.error_frame(endpoint, said)
        message = said.get("message")
        if isinstance(message, dict):
            texts = {name: message.get(name) for name in ("thinking", "content")}
            if arrivals.add(frame.at, texts):
                stream.token(frame.at)
                teller.decode(len(arrivals.at), frame.at)
        if said.get("done") is True:
            wall_seconds = frame.at - stream.sent_at
            return Streamed(said, arrivals, wall_seconds, stream.cpu_seconds)
    raise stream.cut()


def _reload_seconds(load_seconds: float) -> float:
    least, most = _RELOAD_SECONDS
    return min(max(load_seconds / 2, least), most)
