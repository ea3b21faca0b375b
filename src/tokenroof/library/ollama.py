"""Ollama's store, read as it lies on the disk, with no daemon running.

    manifests/HOST/NAMESPACE/MODEL/TAG    JSON: a configuration and layers, each a digest
    blobs/sha256-HEX                      the layers; that of media type `...image.model` is the
                                          GGUF file as it was

Other layers are templates, licences and parameters; a projector, an adapter or a draft model is a
file of its own and never counted as part of the model. A model that runs in Ollama's cloud has a
manifest without a model, and a configuration that names the other machine.

Where the store is: OLLAMA_MODELS, else ``~/.ollama/models``. On Linux the installer makes a user
`ollama` whose home is /usr/share/ollama; some distributions give it /var/lib/ollama.
"""

from __future__ import annotations

import itertools
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Final

import msgspec

from tokenroof.closest import closest
from tokenroof.errors import InputError, NotFound, UsageError
from tokenroof.library.location import Companion, CompanionKind, Installed, LocalModel
from tokenroof.library.ollama_names import OllamaName, from_parts, parse
from tokenroof.library.ollama_remote import ServedModel, server_of, server_url
from tokenroof.library.system import System
from tokenroof.notices import Notice
from tokenroof.safetext import printable
from tokenroof.units import size

if TYPE_CHECKING:
    from tokenroof.library.recipe import BuiltModel

PREFIX: Final = "ollama:"

_KIND = "application/vnd.ollama.image."
_COMPANIONS: dict[str, CompanionKind] = {
    _KIND + "projector": "projector",
    _KIND + "adapter": "adapter",
    _KIND + "draft": "draft",
}
_APART: dict[CompanionKind, str] = {
    "projector": "library.projector_apart",
    "adapter": "library.adapter_apart",
    "draft": "library.draft_apart",
}
_DIGEST = re.compile(r"sha256[:-]([0-9a-fA-F]{64})")

_SERVICE_STORES = (
    "/usr/share/ollama/.ollama/models",
    "/var/lib/ollama/.ollama/models",
    "/var/lib/ollama/models",
    "/var/lib/ollama",
)
_MANIFEST_BYTES = 16 * 2**20
"""Models of another format have a layer for each tensor, which makes manifests of a megabyte."""
_MOST_MANIFESTS = 10_000


class _Layer(msgspec.Struct):
    digest: str = ""
    media_type: str = msgspec.field(name="mediaType", default="")


class _Manifest(msgspec.Struct):
    config: _Layer | None = None
    layers: list[_Layer] | None = None


class _Config(msgspec.Struct):
    model_format: str = ""
    remote_host: str = ""
    remote_model: str = ""


@dataclass(frozen=True)
class Store:
    """One folder that Ollama keeps models in."""

    folder: Path

    def names(self) -> list[OllamaName]:
        """All models of the store; empty where it may not be listed."""
        try:
            found = itertools.islice((self.folder / "manifests").glob("*/*/*/*"), _MOST_MANIFESTS)
            named = [from_parts(*path.parts[-4:]) for path in sorted(found)]
        except OSError:
            return []
        return [name for name in named if name is not None]

    def holds(self, name: OllamaName) -> OllamaName | None:
        """The name as the store writes it; None if it does not have that model.

        Raises:
            PermissionError: this person may not look into the store.
        """
        if _is_file(self._manifest_path(name)):
            return name
        return next((each for each in self.names() if each.is_same(name)), None)

    def model(self, name: OllamaName) -> LocalModel:
        """A model that the store holds.

        Raises:
            InputError: its manifest is damaged or its file gone; or it runs elsewhere, or is of a
                format that this cannot read.
        """
        manifest = self._manifest(name)
        digest, companions = "", []
        for layer in manifest.layers or ():
            if layer.media_type == _KIND + "model":
                digest = layer.digest
            elif kind := _COMPANIONS.get(layer.media_type):
                companions.append(Companion(kind, self._blob(name, layer.digest)))
        if not digest:
            raise self._no_model(name, manifest)
        path = self._blob(name, digest)
        if not _is_file(path):
            raise InputError("library.ollama_no_blob", name=name, path=printable(str(path)))
        return LocalModel(
            name=f"{PREFIX}{name}",
            source="ollama",
            path=path,
            companions=tuple(companions),
            notices=tuple(map(_apart, companions)),
        )

    def _manifest_path(self, name: OllamaName) -> Path:
        return self.folder.joinpath("manifests", *name.parts)

    def _manifest(self, name: OllamaName) -> _Manifest:
        path = self._manifest_path(name)
        try:
            with path.open("rb") as file:
                # One that is longer is cut off, and so not JSON.
                return msgspec.json.decode(file.read(_MANIFEST_BYTES), type=_Manifest)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise InputError(
                "library.ollama_manifest", name=name, path=printable(str(path))
            ) from error

    def _blob(self, name: OllamaName, digest: str) -> Path:
        """The file of a digest. Only real digests are paths: a manifest may say anything."""
        found = _DIGEST.fullmatch(digest)
        if found is None:
            path = printable(str(self._manifest_path(name)))
            raise InputError("library.ollama_manifest", name=name, path=path)
        return self.folder / "blobs" / f"sha256-{found[1].lower()}"

    def _no_model(self, name: OllamaName, manifest: _Manifest) -> InputError:
        config = self._config(name, manifest)
        if config.remote_host or config.remote_model:
            return InputError("library.ollama_cloud", name=name)
        if any(layer.media_type == _KIND + "tensor" for layer in manifest.layers or ()):
            return InputError("library.ollama_not_gguf", name=name)
        return InputError("library.ollama_no_model", name=name)

    def _config(self, name: OllamaName, manifest: _Manifest) -> _Config:
        if manifest.config is None:
            return _Config()
        try:
            with self._blob(name, manifest.config.digest).open("rb") as file:
                return msgspec.json.decode(file.read(_MANIFEST_BYTES), type=_Config)
        except (InputError, OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return _Config()


def folders(system: System) -> list[PurePath]:
    """Where Ollama's models may lie: the person's store, then those of a service."""
    own = system.folder("OLLAMA_MODELS") or system.home / ".ollama" / "models"
    service = [PurePosixPath(each) for each in _SERVICE_STORES] if system.kind == "linux" else []
    return [own, *(each for each in service if each != own)]


def locate(text: str, system: System) -> LocalModel | ServedModel | BuiltModel:
    """The model of a name, without the prefix, here or where OLLAMA_HOST points to.

    Where it is not here and Ollama's own build of it is known, that is answered with.

    Raises:
        UsageError: that is no name of Ollama's.
        NotFound: no store holds it.
        InputError: a store holds it, and it cannot be read from there.
    """
    name = parse(text)
    if name is None:
        raise UsageError("library.ollama_name", name=printable(text))
    server = server_of(system)
    if server is not None:
        return ServedModel.of(server, name)
    model, closed = _search(name, system)
    if model is not None:
        return model
    if closed is not None:
        raise InputError("library.ollama_closed", name=name, folder=printable(str(closed)))
    known = _known_build(name)
    if known is not None:
        return known
    near = closest(
        text, [str(each) for folder in folders(system) for each in Store(Path(folder)).names()]
    )
    if near:
        raise NotFound("library.ollama_not_found_but", name=name, closest=", ".join(near))
    daemon = ServedModel.of(server_url(system.variable("OLLAMA_HOST") or "127.0.0.1"), name)
    raise NotFound("library.ollama_not_found", name=name, daemon=daemon.name)


def _known_build(name: OllamaName) -> BuiltModel | None:
    """Ollama's own build of a model that is not here, if somebody has read it."""
    from tokenroof.library.recipe import BuiltModel
    from tokenroof.recipes import ollama_build

    built = ollama_build(str(name))
    return None if built is None else BuiltModel(name=f"{PREFIX}{name}", built=built)


def find(text: str, system: System) -> LocalModel | None:
    """The model that a bare name means in Ollama's stores; None if none of them has it.

    Raises:
        InputError: a store holds it, and it cannot be read from there.
    """
    name = parse(text)
    return None if name is None else _search(name, system)[0]


def installed(system: System) -> Iterator[Installed]:
    """Everything that the stores know, also what cannot be read, with the reason."""
    for folder in folders(system):
        store = Store(Path(folder))
        for name in store.names():
            yield _installed(store, name)


def _installed(store: Store, name: OllamaName) -> Installed:
    full = f"{PREFIX}{name}"
    try:
        model = store.model(name)
    except InputError as error:
        why_not = Notice(error.message, error.values)
        return Installed(name=full, source="ollama", path=None, why_not=why_not)
    return Installed(name=full, source="ollama", path=model.path, companions=model.companions)


def _search(name: OllamaName, system: System) -> tuple[LocalModel | None, PurePath | None]:
    """The model, or the store that may not be looked into."""
    closed = None
    for folder in folders(system):
        store = Store(Path(folder))
        try:
            found = store.holds(name)
        except PermissionError:
            closed = closed or folder
            continue
        if found is not None:
            return store.model(found), None
    return None, closed


def _is_file(path: Path) -> bool:
    """Whether a file is there. Unlike `Path.is_file` it tells "no" from "may not look"."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except PermissionError:
        raise
    except OSError:
        return False


def _apart(companion: Companion) -> Notice:
    try:
        bytes_ = size(companion.path.stat().st_size)
    except OSError:
        bytes_ = "?"
    return Notice(_APART[companion.kind], {"size": bytes_})
