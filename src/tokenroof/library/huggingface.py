"""The Hugging Face Hub: ``hf:OWNER/REPO/FILE[@REVISION]``, from a cache or over the network.

Without a file, the repository must hold one model, or the name says which as llama.cpp's `-hf`
does: ``hf:OWNER/REPO:Q4_K_M``. What lies in a cache is read from there, without the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from tokenroof.closest import closest
from tokenroof.errors import AmbiguousName, InputError, NotFound
from tokenroof.library import llamacpp
from tokenroof.library.addresses import check_url, origin
from tokenroof.library.http import Web
from tokenroof.library.hub_cache import cache_folders, files, snapshots
from tokenroof.library.hub_names import PREFIX, HubName, is_safe, parse
from tokenroof.library.location import LocalModel, Location
from tokenroof.library.recipe import CONFIG, RecipeModel, is_type, of_hub
from tokenroof.library.remote import RemoteModel
from tokenroof.library.splits import models_among, one_of_each
from tokenroof.library.system import System
from tokenroof.library.terms import Limits, Token
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.clock import Clock
    from tokenroof.gguf import Header

HUB: Final = "https://huggingface.co"

_LISTING_BYTES = 8 * 2**20


@dataclass(frozen=True, kw_only=True)
class HubModel(RemoteModel):
    """A model on the Hub. If it is not there, the Hub says what is."""

    hub_name: HubName
    endpoint: str

    def header(self, clock: Clock | None = None) -> Header:
        """Read the header over the network; see `Location.header`."""
        try:
            return super().header(clock)
        except NotFound as error:
            raise self._not_found(clock) from error
        except InputError as error:
            raise _explained(error, self.name) from error

    def _not_found(self, clock: Clock | None) -> NotFound:
        try:
            there = list_files(self.endpoint, self.hub_name, self.token, clock)
        except InputError:
            there = []
        near = closest(self.hub_name.file or "", one_of_each(there))
        if not near:
            return NotFound("library.hub_not_found", name=self.name)
        return NotFound("library.hub_not_found_but", name=self.name, closest=", ".join(near))


def locate(text: str, system: System) -> Location:
    """The model of a name, in a cache or on the Hub.

    Raises:
        UsageError: that is no name of the Hub's.
        AmbiguousName: the repository holds several models.
        NotFound: it holds none.
        InputError: the Hub cannot be asked.
    """
    name = parse(text)
    if _is_config(name):
        return _recipe(name, system)
    cached = _cached(name, system)
    if cached is not None:
        return cached
    endpoint, token = endpoint_of(system), token_of(system)
    file = name.file
    if file is None:
        try:
            there = list_files(endpoint, name, token)
            if CONFIG in there and not models_among(there):
                return _recipe(name, system)
            file = _choose(name, there)
        except NotFound as error:
            raise NotFound("library.hub_not_found", name=name.of("")) from error
        except AmbiguousName:
            raise
        except InputError as error:
            raise _explained(error, f"{PREFIX}{name.repo}") from error
    chosen = HubName(name.repo, file, None, name.revision)
    return HubModel(
        name=printable(name.of(file)),
        source="huggingface",
        url=file_url(endpoint, chosen),
        token=token,
        hub_name=chosen,
        endpoint=endpoint,
    )


def endpoint_of(system: System) -> str:
    """The Hub that is asked: HF_ENDPOINT, or the Hub itself.

    Raises:
        UsageError: HF_ENDPOINT is not a URL.
    """
    endpoint = (system.variable("HF_ENDPOINT") or HUB).rstrip("/")
    check_url(endpoint)
    return endpoint


def token_of(system: System) -> Token | None:
    """HF_TOKEN, for the Hub alone."""
    secret = system.variable("HF_TOKEN")
    return Token(origin(endpoint_of(system)), secret) if secret else None


def file_url(endpoint: str, name: HubName) -> str:
    """Where the Hub serves a file."""
    revision, file = quote(name.revision or "main", safe=""), quote(name.file or "")
    return f"{endpoint}/{name.repo}/resolve/{revision}/{file}"


def list_files(
    endpoint: str, name: HubName, token: Token | None, clock: Clock | None = None
) -> list[str]:
    """What files a repository holds, as the Hub says.

    Raises:
        NotFound: there is no such repository or revision.
        InputError: the Hub cannot be asked.
    """
    revision = quote(name.revision or "main", safe="")
    url = f"{endpoint}/api/models/{name.repo}/tree/{revision}?recursive=true"
    with Web(url, token=token, limits=Limits(seconds=20), clock=clock) as web:
        tree: Any = web.json(url, _LISTING_BYTES)
    entries = tree if isinstance(tree, list) else []
    paths = (e.get("path") for e in entries if isinstance(e, dict) and e.get("type") == "file")
    return [path for path in paths if isinstance(path, str) and path and is_safe(path)]


def _is_config(name: HubName) -> bool:
    """Whether a name asks for a recipe: it names a config, or a type and no file."""
    if name.file is not None:
        return name.file.lower().endswith(".json")
    return name.revision is not None and is_type(name.revision)


def _recipe(name: HubName, system: System) -> RecipeModel:
    """What follows from a repository's config; the type may stand for revision or tag."""
    is_kind = name.revision is not None and is_type(name.revision)
    revision = None if is_kind else name.revision
    kind = name.revision if is_kind else name.tag
    config = HubName(name.repo, name.file or CONFIG, None, revision)
    owner, _, repo = name.repo.partition("/")
    copies = (
        snapshot / (config.file or CONFIG)
        for folder in cache_folders(system)
        for snapshot in snapshots(Path(folder, f"models--{owner}--{repo}"), revision)
    )
    endpoint, token = endpoint_of(system), token_of(system)
    cached = next((copy for copy in copies if copy.is_file()), None)
    try:
        return of_hub(file_url(endpoint, config), name.repo, kind, token, cached)
    except NotFound as error:
        raise NotFound("library.hub_not_found", name=printable(config.of(CONFIG))) from error
    except InputError as error:
        raise _explained(error, f"{PREFIX}{name.repo}") from error


def _cached(name: HubName, system: System) -> LocalModel | None:
    owner, _, repo = name.repo.partition("/")
    for folder in cache_folders(system):
        for snapshot in snapshots(Path(folder, f"models--{owner}--{repo}"), name.revision):
            there = files(snapshot)
            if name.file in there or (name.file is None and there):
                file = name.file or _choose(name, there)
                return _local(name, file, snapshot / file)
    flat = llamacpp.cached(name.repo, name.file, system) if name.file else None
    return _local(name, name.file or "", flat) if flat else None


def _local(name: HubName, file: str, path: Path) -> LocalModel:
    return LocalModel(name=printable(name.of(file)), source="huggingface", path=path)


def _choose(name: HubName, there: Sequence[str]) -> str:
    """The one model that a name without a file means.

    Raises:
        AmbiguousName: it could be several.
        NotFound: there is none.
    """
    models = models_among(there)
    if name.tag:
        models = [f for f in models if name.tag.lower() in PurePath(f).name.lower()]
    if not models:
        raise NotFound("library.hub_no_model", name=f"{PREFIX}{name.repo}", tag=name.tag or "gguf")
    if len(models) > 1:
        candidates = [printable(name.of(file)) for file in models]
        raise AmbiguousName(
            "library.several_models",
            folder=f"{PREFIX}{name.repo}",
            count=len(candidates),
            candidates=", ".join(candidates),
        )
    return models[0]


def _explained(error: InputError, name: str) -> InputError:
    """The Hub answers "not allowed" also for what does not exist."""
    if error.message != "library.remote_forbidden":
        return error
    return InputError("library.hub_forbidden", name=name)
