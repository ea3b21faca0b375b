"""An Ollama that runs files: each becomes a model of its own, which is removed after its runs.

    HEAD   /api/blobs/sha256:...   whether it has the data already
    POST   /api/blobs/sha256:...   the data
    POST   /api/create             a model of it, whose template is the prompt and nothing else
    DELETE /api/delete             the model, and the data that no other model uses

Only what was made here is removed. The name of a model is noted in a file before it is made: it
begins with `PREFIX` and ends with random digits, so that no one else has made it, and what a kill
leaves behind is removed by whoever reads the note next.

Newer versions copy the data as they make a model, and keep the original until their daemon starts
anew; no request removes it. How much that is, is counted.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

import msgspec

from tokenroof.engines.base import Identity, Loaded, ModelRef, Promises, Reply, Request, Step
from tokenroof.engines.http_connection import Limits
from tokenroof.engines.http_stream import Client, Upload
from tokenroof.engines.ollama import OllamaEngine
from tokenroof.engines.ollama_api import OllamaApi
from tokenroof.engines.ollama_terms import NAME, client_of, endpoint_of
from tokenroof.engines.options import EngineOptions
from tokenroof.engines.owners import is_local
from tokenroof.errors import EngineError, EngineRefused, TokenroofError
from tokenroof.records import Record, Settings
from tokenroof.store.files import write_whole_file

PREFIX: Final = "tokenroof-calibrate-"
TEMPLATE: Final = "{{ .Prompt }}"

_NAME = re.compile(PREFIX + "[0-9a-f]{16}")
_SLOW_SECONDS = 1800.0
"""For the data to be taken and checked: as long as a model may take to load."""

PATIENCE_SECONDS = 5.0
_POLL_SECONDS = 0.05
_GLANCE = Limits(connect_seconds=1.0, answer_seconds=5.0)
_PIECE_BYTES = 2**20


class Made(Record, frozen=True, kw_only=True):
    """A model that was made and may still be there: by whom it is kept, and its name."""

    url: str
    name: str


class Notes:
    """The names of the models that were made, in a file that outlives a kill.

    Args:
        path: the file; it is there only as long as it says something.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> tuple[Made, ...]:
        """What is noted. A name that could not have been given here is passed over."""
        try:
            found = msgspec.json.decode(self._path.read_bytes(), type=tuple[Made, ...])
        except (OSError, ValueError, RecursionError):
            return ()
        return tuple(each for each in found if _NAME.fullmatch(each.name))

    def add(self, made: Made) -> None:
        """Note a model.

        Raises:
            OutputError: the note cannot be written.
        """
        write_whole_file(self._path, msgspec.json.encode([*self.all(), made]))

    def remove(self, made: Made) -> None:
        """It is gone."""
        left = [each for each in self.all() if each != made]
        with contextlib.suppress(OSError, TokenroofError):
            if left:
                write_whole_file(self._path, msgspec.json.encode(left))
            else:
                self._path.unlink(missing_ok=True)


def remove_left(notes: Notes) -> int:
    """Remove what a kill left; how many models that were.

    One whose Ollama does not answer stays noted.
    """
    removed = 0
    for made in notes.all():
        with contextlib.suppress(TokenroofError):
            client = client_of(endpoint_of(made.url), _GLANCE)
            with contextlib.suppress(EngineRefused):
                OllamaApi(client).unload(made.name)
            removed += _delete(client, made.name)
            notes.remove(made)
    return removed


@dataclass
class _Model:
    """The model that there is now.

    Attributes:
        size_bytes: of its data, as far as that was not there before.
        is_being_made: nobody knows yet whether it is there.
    """

    made: Made
    digest: str
    size_bytes: int
    is_being_made: bool = False


class OllamaOfFiles:
    """A running Ollama that is given files. See `tokenroof.engines.base.Engine`.

    Args:
        notes: where it is noted what was made.
        options: where it is.
        limits: how long to wait for it.
        patience_seconds: how long it may take to let a model go, or to finish making one.

    Attributes:
        url: where it is, as a message may show it.
        left_bytes: what it keeps of the data although the models are gone.
    """

    promises: Promises = OllamaEngine.promises

    def __init__(
        self,
        notes: Notes,
        options: EngineOptions | None = None,
        limits: Limits | None = None,
        *,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> None:
        endpoint = endpoint_of(options.url if options else None)
        self.left_bytes = 0
        self._patience = patience_seconds
        self.url = endpoint.shown
        self._url = endpoint.url
        self._engine = OllamaEngine(options, limits)
        self._client = client_of(endpoint, limits or Limits())
        self._api = OllamaApi(self._client)
        self._notes = notes
        self._made: _Model | None = None

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return is_local(self._url)

    def identify(self) -> Identity:
        """As Ollama's."""
        return self._engine.identify()

    def load(self, model: Path | ModelRef, settings: Settings) -> Loaded:
        """Make a model of a file and have it loaded; the one before is removed.

        Raises:
            EngineRefused: Ollama makes no model of the file.
            EngineError: as Ollama's.
            OutputError: the note of what was made cannot be written.
        """
        path = ModelRef.of(model).file(NAME)
        self._remove()
        digest, size = _digest(path), path.stat().st_size
        was_there = self._client.has(f"/api/blobs/{digest}")
        made = Made(url=self.url, name=PREFIX + secrets.token_hex(8))
        self._notes.add(made)
        # Data that was there before is somebody else's, or left from before: not ours to count.
        temporary = self._made = _Model(made, digest, 0 if was_there else size)
        if not was_there:
            with path.open("rb") as file:
                upload = Upload(file, size)
                self._client.tell("POST", f"/api/blobs/{digest}", upload, _SLOW_SECONDS)
        self._create(temporary)
        return self._engine.load(ModelRef(path=path, name=f"ollama:{made.name}"), settings)

    def count_tokens(self, text: str) -> int | None:
        """As Ollama's."""
        return self._engine.count_tokens(text)

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        """As Ollama's."""
        return self._engine.run(request, watch)

    def processes(self) -> Sequence[int]:
        """As Ollama's."""
        return self._engine.processes()

    def close(self) -> None:
        """Let the model go and remove it. What cannot be removed now stays noted."""
        self._remove()

    def _create(self, model: _Model) -> None:
        body = {
            "model": model.made.name,
            "files": {"weights.gguf": model.digest},
            "template": TEMPLATE,
            "stream": False,
        }
        model.is_being_made = True
        try:
            self._client.post("/api/create", body, _SLOW_SECONDS)
        except EngineError as problem:
            reason = problem.values.get("why")
            if reason is None or "status" not in problem.values:
                raise
            model.is_being_made = False
            # It is as alive as before: that it failed (500) says something of the file.
            raise EngineRefused("ollama.not_created", why=reason) from problem
        model.is_being_made = False

    def _remove(self) -> None:
        self._engine.close()
        model, self._made = self._made, None
        if model is None:
            return
        with contextlib.suppress(TokenroofError):
            self._wait(lambda: self._api.resident(model.made.name) is None)
            was_there = _delete(self._client, model.made.name)
            if model.is_being_made and not was_there:
                # We left while it was at it; it may finish all the same.
                was_there = self._wait(lambda: _delete(self._client, model.made.name))
                if not was_there:
                    return
            self._notes.remove(model.made)
            if model.size_bytes and self._client.has(f"/api/blobs/{model.digest}"):
                self.left_bytes += model.size_bytes

    def _wait(self, done: Callable[[], bool]) -> bool:
        """Wait for what Ollama does in its own time; whether it came to pass."""
        until = time.monotonic() + self._patience
        while not (is_done := done()) and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
        return is_done


def _delete(client: Client, name: str) -> bool:
    """Remove a model that was made here; whether it was there.

    Raises:
        EngineError: Ollama does not answer, or cannot.
    """
    try:
        client.tell("DELETE", "/api/delete", {"model": name})
    except EngineRefused as problem:
        if problem.values.get("status") != HTTPStatus.NOT_FOUND:
            raise
        return False
    return True


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            found.update(piece)
    return f"sha256:{found.hexdigest()}"
