"""LM Studio's folder: PUBLISHER/MODEL/FILE.gguf below ``~/.lmstudio/models``.

Names are ``lmstudio:`` and that path, or as much of its end as means one model: the folder MODEL,
or the file's name without its ending. Where LM Studio lives is written in a pointer file beside it,
and where its models are in its settings, for whoever moved them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Final

import msgspec

from tokenroof.closest import closest
from tokenroof.errors import AmbiguousName, NotFound
from tokenroof.library.folders import models_below
from tokenroof.library.location import Installed, LocalModel
from tokenroof.library.looking import start_of
from tokenroof.library.splits import is_projector
from tokenroof.library.system import System
from tokenroof.safetext import printable

PREFIX: Final = "lmstudio:"

_SMALL_FILE_BYTES = 2**20


class _Settings(msgspec.Struct):
    downloads_folder: str = msgspec.field(name="downloadsFolder", default="")


def folders(system: System) -> list[PurePath]:
    """Where LM Studio's models may lie: where it says, then where it puts them by itself."""
    found: list[PurePath] = []
    homes = [system.home / ".lmstudio", system.home / ".cache" / "lm-studio"]
    pointed = (
        start_of(Path(system.home, ".lmstudio-home-pointer"), _SMALL_FILE_BYTES)
        .decode("utf-8", "replace")
        .strip()
    )
    if pointed:
        homes.insert(0, system.path(pointed))
    for home in homes:
        try:
            data = start_of(Path(home, "settings.json"), _SMALL_FILE_BYTES)
            settings = msgspec.json.decode(data, type=_Settings)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            settings = _Settings()
        if settings.downloads_folder:
            found.append(system.path(settings.downloads_folder))
        found.append(home / "models")
    return list(dict.fromkeys(found))


def locate(text: str, system: System) -> LocalModel:
    """The model that a name, without the prefix, means.

    Raises:
        AmbiguousName: it could mean several.
        NotFound: none; the error names the closest.
    """
    models = list(installed(system))
    wanted = text.strip("/").lower()
    found = [model for model in models if wanted and wanted in _names(model)]
    # A projector lies beside its model and is only meant when it is named in full.
    found = [m for m in found if not is_projector(m.name)] or found
    if len(found) > 1:
        candidates = ", ".join(printable(model.name) for model in found)
        raise AmbiguousName(
            "library.several_models",
            folder=printable(PREFIX + text),
            count=len(found),
            candidates=candidates,
        )
    if found:
        assert found[0].path is not None
        return LocalModel(name=found[0].name, source="lmstudio", path=found[0].path)
    near = closest(text, [model.name for model in models])
    name = printable(PREFIX + text)
    if near:
        raise NotFound("library.lmstudio_not_found_but", name=name, closest=", ".join(near))
    raise NotFound("library.lmstudio_not_found", name=name)


def installed(system: System) -> Iterator[Installed]:
    """Every model in LM Studio's folders, a split set once."""
    for folder in folders(system):
        root = Path(folder)
        for path in models_below(root):
            name = PREFIX + path.relative_to(root).as_posix()
            yield Installed(name=name, source="lmstudio", path=path)


def _names(model: Installed) -> set[str]:
    """All that means this model, in small letters."""
    path = model.name.removeprefix(PREFIX).lower()
    folder, _, file = path.rpartition("/")
    stem = file.removesuffix(".gguf")
    return {path, path.removesuffix(".gguf"), file, stem, folder, folder.rpartition("/")[2]}
