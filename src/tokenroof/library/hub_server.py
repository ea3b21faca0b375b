"""The Hugging Face Hub as a server: its addresses, its listings, its reasons, and its token.

The token is found where the Hub's own library finds it: HF_TOKEN (or its older name), else the
file that `hf auth login` writes. It belongs to one origin, the Hub that is asked.
"""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

from tokenroof.errors import InputError, NotFound
from tokenroof.library.addresses import check_url, origin
from tokenroof.library.documents import read_pages
from tokenroof.library.http import Web
from tokenroof.library.hub_names import PREFIX, HubName, is_safe
from tokenroof.library.looking import start_of
from tokenroof.library.statuses import Absent, Refused
from tokenroof.library.terms import Limits, Token
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.clock import Clock
    from tokenroof.library.system import System

HUB: Final = "https://huggingface.co"

_LISTING_BYTES = 8 * 2**20
_TOKEN_VARIABLES = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
_TOKEN_BYTES = 4096
_YES = frozenset({"1", "on", "yes", "true"})


def endpoint_of(system: System) -> str:
    """The Hub that is asked: HF_ENDPOINT, or the Hub itself.

    Raises:
        UsageError: HF_ENDPOINT is not a URL.
    """
    endpoint = (system.variable("HF_ENDPOINT") or HUB).rstrip("/")
    check_url(endpoint)
    return endpoint


def token_of(system: System) -> Token | None:
    """The person's token, for the Hub alone; none where HF_HUB_DISABLE_IMPLICIT_TOKEN says so.

    Raises:
        InputError: it is none that can be sent.
    """
    if (system.variable("HF_HUB_DISABLE_IMPLICIT_TOKEN") or "").lower() in _YES:
        return None
    for name in _TOKEN_VARIABLES:
        secret = system.variable(name)
        if secret is not None:
            return _token(secret, name, system)
    path = token_file(system)
    secret = start_of(Path(path), _TOKEN_BYTES).decode("utf-8", "replace").strip()
    return _token(secret, printable(str(path)), system) if secret else None


def token_file(system: System) -> PurePath:
    """Where `hf auth login` keeps the token."""
    home = system.folder("HF_HOME")
    if home is None:
        cache = system.folder("XDG_CACHE_HOME") or system.home / ".cache"
        home = cache / "huggingface"
    return system.folder("HF_TOKEN_PATH") or home / "token"


def _token(secret: str, where: str, system: System) -> Token:
    if not (secret.isascii() and secret.isprintable()) or " " in secret:
        raise InputError("library.hub_bad_token", where=where)
    return Token(origin(endpoint_of(system)), secret, where)


def file_url(endpoint: str, name: HubName) -> str:
    """Where the Hub serves a file."""
    return _folder_url(endpoint, name.repo, name.revision or "main") + quote(name.file or "")


def at_commit(endpoint: str, name: HubName, url: str, commit: str) -> str:
    """Where a file of the revision of a name lies, by the commit that the revision stands for."""
    folder = _folder_url(endpoint, name.repo, name.revision or "main")
    if not url.startswith(folder):
        return url  # where the Hub sent us on to
    return _folder_url(endpoint, name.repo, commit) + url.removeprefix(folder)


def _folder_url(endpoint: str, repo: str, revision: str) -> str:
    return f"{endpoint}/{repo}/resolve/{quote(revision, safe='')}/"


def name_of(url: str, endpoint: str) -> str | None:
    """The name of what a page or a download link of the Hub shows; None for any other URL."""
    parts = urlsplit(url)
    path = unquote(parts.path).strip("/").split("/")
    ours = origin(url) in (origin(endpoint), origin(HUB))
    if not ours or len(path) < 5 or path[2] not in ("blob", "resolve"):
        return None
    # What stands between is a revision without slashes, or one of the two kinds that have them.
    length = 3 if path[3] == "refs" and len(path) > 6 else 1
    revision, file = "/".join(path[3 : 3 + length]), "/".join(path[3 + length :])
    return f"{path[0]}/{path[1]}/{file}" + ("" if revision == "main" else f"@{revision}")


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
    found: list[str] = []
    with Web(url, token=token, limits=Limits(seconds=20), clock=clock) as web:
        for page in read_pages(web, url, _LISTING_BYTES):
            found += _files(page)
    return found


def _files(page: Any) -> list[str]:
    entries = page if isinstance(page, list) else []
    paths = (e.get("path") for e in entries if isinstance(e, dict) and e.get("type") == "file")
    return [path for path in paths if isinstance(path, str) and path and is_safe(path)]


def explained(error: InputError, name: HubName, token: Token | None) -> InputError:
    """What the Hub's refusal means. Without a reason it is that also for what does not exist."""
    full = printable(name.of(name.file) if name.file else f"{PREFIX}{name.repo}")
    if isinstance(error, Refused):
        if error.code == "GatedRepo":
            return InputError("library.hub_gated", name=full, page=f"{HUB}/{name.repo}")
        if token is not None and "invalid credentials" in error.said.lower():
            return InputError("library.hub_token_refused", where=token.where)
        return InputError("library.hub_forbidden", name=full)
    if isinstance(error, Absent) and error.code == "RevisionNotFound":
        revision = printable(name.revision or "main")
        return NotFound("library.hub_no_revision", name=f"{PREFIX}{name.repo}", revision=revision)
    if isinstance(error, Absent):
        return NotFound("library.hub_not_found", name=full)
    return error
