"""The Hugging Face Hub: ``hf:OWNER/REPO/FILE[@REVISION]``, from a cache or over the network.

Without a file, the repository must hold one model, or the name says which as llama.cpp's `-hf`
does: ``hf:OWNER/REPO:Q4_K_M``. What lies in a cache is read from there, without the network.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from tokenroof.closest import SUGGESTIONS, closest
from tokenroof.errors import AmbiguousName, InputError, NotFound
from tokenroof.library import llamacpp
from tokenroof.library.http import Web
from tokenroof.library.hub_cache import cache_folders, files, snapshots
from tokenroof.library.hub_names import PREFIX, HubName, parse
from tokenroof.library.hub_server import (
    at_commit,
    endpoint_of,
    explained,
    file_url,
    list_files,
    token_of,
)
from tokenroof.library.location import LocalModel, Location, with_notices
from tokenroof.library.recipe import CONFIG, RecipeModel, is_type, of_hub
from tokenroof.library.remote import RemoteModel, read_remote_header
from tokenroof.library.splits import models_among, one_of_each
from tokenroof.library.statuses import Absent
from tokenroof.library.system import System
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.clock import Clock
    from tokenroof.gguf import Header


@dataclass(frozen=True, kw_only=True)
class HubModel(RemoteModel):
    """A model on the Hub. If it is not there, the Hub says what is."""

    hub_name: HubName
    endpoint: str

    def header(self, clock: Clock | None = None) -> Header:
        """Read the header over the network, all its parts at one commit; see `Location.header`."""
        pinned = partial(at_commit, self.endpoint, self.hub_name)
        web = Web(self.url, token=self.token, limits=self.limits, clock=clock, at_commit=pinned)
        try:
            with web:
                return with_notices(read_remote_header(web, self.url, clock), self.notices)
        except Absent as error:
            raise self._not_found(error, clock) from error
        except InputError as error:
            raise explained(error, self.hub_name, self.token) from error

    def _not_found(self, error: Absent, clock: Clock | None) -> InputError:
        plain = explained(error, self.hub_name, self.token)
        if plain.message != "library.hub_not_found":
            return plain
        try:
            there = list_files(self.endpoint, self.hub_name, self.token, clock)
        except InputError as failure:
            said = explained(failure, self.hub_name, self.token)
            return said if isinstance(said, NotFound) else plain
        near = closest(self.hub_name.file or "", one_of_each(there))
        if not near:
            return plain
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
        except InputError as error:
            raise explained(error, name, token) from error
        if CONFIG in there and not models_among(there):
            return _recipe(name, system)
        file = _choose(name, there)
    chosen = HubName(name.repo, file, None, name.revision)
    return HubModel(
        name=printable(name.of(file)),
        source="huggingface",
        url=file_url(endpoint, chosen),
        token=token,
        hub_name=chosen,
        endpoint=endpoint,
    )


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
    except InputError as error:
        raise explained(error, config, token) from error


def _cached(name: HubName, system: System) -> LocalModel | None:
    owner, _, repo = name.repo.partition("/")
    for folder in cache_folders(system):
        for snapshot in snapshots(Path(folder, f"models--{owner}--{repo}"), name.revision):
            there = files(snapshot)
            if name.file in there or (name.file is None and there):
                file = name.file or _choose(name, there)
                return _local(name, file, snapshot / file)
    if name.revision not in (None, "main"):
        return None  # the flat cache does not say of which
    if name.file is not None:
        flat = llamacpp.cached(name.repo, name.file, system)
        return _local(name, name.file, flat) if flat else None
    copies = llamacpp.copies(name.repo, system)
    if not copies:
        return None
    file = _choose(name, sorted(copies))
    return _local(name, file, copies[file])


def _local(name: HubName, file: str, path: Path) -> LocalModel:
    return LocalModel(name=printable(name.of(file)), source="huggingface", path=path)


def _of_tag(tag: str, files: Sequence[str]) -> list[str]:
    """The files of a type: those that bear it between dots and dashes, else anywhere.

    F16 does not mean BF16 where both are, and Q4_K means all that begin so.
    """
    whole = re.compile(rf"(?:^|[-./]){re.escape(tag)}(?=[-./])", re.IGNORECASE)
    return [file for file in files if whole.search(file)] or [
        file for file in files if tag.lower() in PurePath(file).name.lower()
    ]


def _choose(name: HubName, there: Sequence[str]) -> str:
    """The one model that a name without a file means.

    Raises:
        AmbiguousName: it could be several.
        NotFound: there is none.
    """
    repo = f"{PREFIX}{name.repo}"
    there = models_among(there)
    if not there:
        raise NotFound("library.hub_no_gguf", name=repo)
    models = _of_tag(name.tag, there) if name.tag else list(there)
    if not models:
        near = closest(name.tag or "", there) or list(map(printable, there[:SUGGESTIONS]))
        raise NotFound(
            "library.hub_no_model",
            name=repo,
            tag=printable(name.tag or ""),
            closest=", ".join(near),
        )
    if len(models) > 1:
        candidates = [printable(name.of(file)) for file in models]
        raise AmbiguousName(
            "library.several_models",
            folder=f"{PREFIX}{name.repo}",
            count=len(candidates),
            candidates=", ".join(candidates),
        )
    return models[0]
