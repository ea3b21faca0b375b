"""The caches that programs keep of the Hugging Face Hub.

    ROOT/models--OWNER--REPO/refs/REVISION           a commit
    ROOT/models--OWNER--REPO/snapshots/COMMIT/FILE   a link to ../../blobs/DIGEST, or the file

ROOT is HF_HUB_CACHE, else HF_HOME/hub, else huggingface/hub in the cache folder. llama.cpp keeps
the same layout, in LLAMA_CACHE if that is set; for its older builds see `llamacpp`.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path, PurePath

from tokenroof.library.hub_names import HubName
from tokenroof.library.location import Installed
from tokenroof.library.looking import entries, is_folder, start_of
from tokenroof.library.splits import is_gguf, one_of_each
from tokenroof.library.system import System

_COMMIT = re.compile(r"[0-9a-f]{40}")
_MOST_FILES = 10_000


def cache_folders(system: System) -> list[PurePath]:
    """Where copies in the Hub's layout may lie, the person's own choice first."""
    home = system.folder("HF_HOME")
    standard = system.folder("XDG_CACHE_HOME") or system.home / ".cache"
    found = [
        system.folder("LLAMA_CACHE"),
        system.folder("HF_HUB_CACHE"),
        system.folder("HUGGINGFACE_HUB_CACHE"),
        home / "hub" if home else None,
        standard / "huggingface" / "hub",
    ]
    return list(dict.fromkeys(each for each in found if each is not None))


def installed(system: System) -> Iterator[Installed]:
    """Every model in the caches, a split set once."""
    for folder in cache_folders(system):
        for repo_folder in entries(Path(folder)):
            owner, _, repo = repo_folder.name.removeprefix("models--").partition("--")
            if not (repo_folder.name.startswith("models--") and repo):
                continue
            main = _commit(repo_folder / "refs" / "main")
            for snapshot in entries(repo_folder / "snapshots"):
                revision = None if snapshot.name == main else snapshot.name
                name = HubName(f"{owner}/{repo}", None, None, revision)
                for file in one_of_each(files(snapshot)):
                    full = name.of(file)
                    yield Installed(name=full, source="huggingface", path=snapshot / file)


def snapshots(folder: Path, revision: str | None) -> list[Path]:
    """States of a repository that are here and that a revision means.

    Without a revision: what `main` was when it was fetched; any, where there is no `main`.
    """
    wanted = revision or "main"
    commit = _commit(folder / "refs" / wanted) or wanted
    snapshot = folder / "snapshots" / commit
    if is_folder(snapshot):
        return [snapshot]
    return [] if revision else entries(folder / "snapshots")


def files(folder: Path) -> list[str]:
    """The GGUF files under a snapshot, as the Hub names them."""
    found: list[str] = []
    for root, _, names in itertools.islice(os.walk(folder), _MOST_FILES):
        models = filter(is_gguf, names)
        found += (Path(root, name).relative_to(folder).as_posix() for name in models)
    return sorted(found)


def _commit(path: Path) -> str | None:
    """The commit that a revision's file names."""
    named = start_of(path, 100).decode("ascii", "replace").strip()
    return named if _COMMIT.fullmatch(named) else None
