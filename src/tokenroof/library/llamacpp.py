"""llama.cpp's own cache, as builds before March 2026 kept it.

`-hf OWNER/REPO` put files into one flat folder as OWNER_REPO_FILE, the slashes of FILE being
underscores too. Newer builds keep the Hugging Face Hub's layout, see `huggingface`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePath

from tokenroof.library.location import Installed
from tokenroof.library.looking import entries, is_file
from tokenroof.library.splits import is_gguf, one_of_each
from tokenroof.library.system import System


def folders(system: System) -> list[PurePath]:
    """Where the flat cache may lie."""
    return [system.folder("LLAMA_CACHE") or system.cache / "llama.cpp"]


def cached(repo: str, file: str, system: System) -> Path | None:
    """The copy of a file of the Hub; None if there is none."""
    flat = f"{repo}/{file}".replace("/", "_")
    paths = (Path(folder, flat) for folder in folders(system))
    return next((path for path in paths if is_file(path)), None)


def copies(repo: str, system: System) -> dict[str, Path]:
    """The copies of a repository's models, by what is left of their names."""
    start = repo.replace("/", "_") + "_"
    return {
        path.name.removeprefix(start): path
        for folder in folders(system)
        for path in entries(Path(folder))
        if path.name.startswith(start) and is_gguf(path.name)
    }


def installed(system: System) -> Iterator[Installed]:
    """Every model in the flat cache. Which repository it came from, its name does not tell."""
    for folder in folders(system):
        for file in one_of_each(path.name for path in entries(Path(folder))):
            path = Path(folder, file)
            yield Installed(name=str(path), source="llama.cpp", path=path)
