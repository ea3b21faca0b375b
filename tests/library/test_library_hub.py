"""The Hub and its caches: the copy here first, then the network, and the token to the Hub alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import partial
from pathlib import Path, PurePath

import pytest

from simulator.file_server import Exchange, FileServer
from support.gguf_files import TensorSpec, write_gguf, write_split_gguf
from tokenroof.clock import FakeClock
from tokenroof.errors import AmbiguousName, GGUFError, InputError, NotFound, UsageError
from tokenroof.library import LocalModel, locate, open_header
from tokenroof.library.hub_server import endpoint_of, token_of
from tokenroof.library.huggingface import HubModel
from tokenroof.library.system import System
from tokenroof.library.terms import Token

COMMIT = "0123456789abcdef0123456789abcdef01234567"
OTHER = "f" * 40


def gguf(tmp_path: Path, name: str = "Qwen3 8B") -> bytes:
    metadata = {"general.architecture": "qwen3", "general.name": name}
    return write_gguf(tmp_path / "x.gguf", metadata, [("a", (32,), "F32")]).read_bytes()


class Cache:
    """A cache as huggingface_hub makes it."""

    def __init__(self, root: Path, repo: str = "unsloth/Qwen3-8B-GGUF") -> None:
        self.folder = root / f"models--{repo.replace('/', '--')}"

    def add(self, file: str, data: bytes, commit: str = COMMIT, link: bool = True) -> Path:
        path = self.folder / "snapshots" / commit / file
        path.parent.mkdir(parents=True, exist_ok=True)
        if not link:
            path.write_bytes(data)
            return path
        blob = self.folder / "blobs" / f"{hash((file, data)) & 0xFFFFFFFF:064x}"
        blob.parent.mkdir(exist_ok=True)
        blob.write_bytes(data)
        path.symlink_to(os.path.relpath(blob, path.parent))
        return path

    def ref(self, name: str, commit: str) -> None:
        path = self.folder / "refs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(commit)


@pytest.fixture
def cache(system: System) -> Cache:
    return Cache(Path(system.home, ".cache", "huggingface", "hub"))


def at(server: FileServer, system: System, **environment: str) -> System:
    return System("linux", {"HF_ENDPOINT": server.url, **environment}, system.home)


# --- caches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("link", [True, False])
def test_a_file_in_the_cache_is_read_from_there(cache: Cache, tmp_path: Path, link: bool) -> None:
    cache.add("Qwen3-8B-Q4_K_M.gguf", gguf(tmp_path), link=link)
    cache.ref("main", COMMIT)
    found = locate("hf:unsloth/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf")
    assert isinstance(found, LocalModel)
    assert found.header().text("general.name") == "Qwen3 8B"


def test_a_revision_is_a_name_or_a_commit(cache: Cache, tmp_path: Path) -> None:
    cache.add("a.gguf", gguf(tmp_path, "old"), OTHER)
    cache.add("a.gguf", gguf(tmp_path, "new"), COMMIT)
    cache.ref("main", COMMIT)
    cache.ref("refs/pr/1", OTHER)
    for revision, name in (
        ("", "new"),
        ("@main", "new"),
        ("@refs/pr/1", "old"),
        (f"@{OTHER}", "old"),
    ):
        header = open_header(f"hf:unsloth/Qwen3-8B-GGUF/a.gguf{revision}")
        assert header.text("general.name") == name


def test_a_repository_with_one_model_needs_no_file(cache: Cache, tmp_path: Path) -> None:
    cache.add("sub/Qwen3-8B-Q4_K_M.gguf", gguf(tmp_path))
    cache.add("mmproj-F16.gguf", gguf(tmp_path))
    cache.ref("main", COMMIT)
    found = locate("hf:unsloth/Qwen3-8B-GGUF")
    assert found.name == "hf:unsloth/Qwen3-8B-GGUF/sub/Qwen3-8B-Q4_K_M.gguf"


def test_a_tag_chooses_as_llama_cpp_does(cache: Cache, tmp_path: Path) -> None:
    for kind in ("Q4_K_M", "Q8_0"):
        cache.add(f"Qwen3-8B-{kind}.gguf", gguf(tmp_path, kind))
    cache.ref("main", COMMIT)
    assert open_header("hf:unsloth/Qwen3-8B-GGUF:q8_0").text("general.name") == "Q8_0"
    with pytest.raises(AmbiguousName) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF")
    assert "hf:unsloth/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_M.gguf" in str(caught.value)
    with pytest.raises(NotFound) as missing:
        locate("hf:unsloth/Qwen3-8B-GGUF:IQ1_S")
    assert missing.value.message == "library.hub_no_model"


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({}, "home/.cache/huggingface/hub"),
        ({"XDG_CACHE_HOME": "xdg"}, "xdg/huggingface/hub"),
        ({"HF_HOME": "hf"}, "hf/hub"),
        ({"HF_HUB_CACHE": "hub"}, "hub"),
        ({"HUGGINGFACE_HUB_CACHE": "old"}, "old"),
        ({"LLAMA_CACHE": "llama"}, "llama"),
    ],
)
def test_the_variables_say_where_the_cache_is(
    system: System, tmp_path: Path, environment: dict[str, str], folder: str
) -> None:
    Cache(tmp_path / folder).add("a.gguf", gguf(tmp_path))
    named = {key: str(tmp_path / value) for key, value in environment.items()}
    found = locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", System("linux", named, system.home))
    assert isinstance(found, LocalModel)


def test_the_flat_cache_of_older_llama_cpp_builds_is_known(system: System, tmp_path: Path) -> None:
    folder = Path(system.home, ".cache", "llama.cpp")
    folder.mkdir(parents=True)
    (folder / "unsloth_Qwen3-8B-GGUF_sub_a.gguf").write_bytes(gguf(tmp_path))
    found = locate("hf:unsloth/Qwen3-8B-GGUF/sub/a.gguf")
    assert isinstance(found, LocalModel)


def test_a_repository_of_the_flat_cache_needs_no_network(system: System, tmp_path: Path) -> None:
    folder = Path(system.home, ".cache", "llama.cpp")
    folder.mkdir(parents=True)
    for kind in ("Q4_K_M", "Q8_0"):
        (folder / f"unsloth_Qwen3-8B-GGUF_Qwen3-8B-{kind}.gguf").write_bytes(gguf(tmp_path, kind))
    (folder / "unsloth_Qwen3-8B-GGUF_Qwen3-8B-Q8_0.gguf.etag").write_text("x")
    found = locate("hf:unsloth/Qwen3-8B-GGUF:Q8_0")
    assert isinstance(found, LocalModel)
    assert found.name == "hf:unsloth/Qwen3-8B-GGUF/Qwen3-8B-Q8_0.gguf"
    assert found.header().text("general.name") == "Q8_0"
    with pytest.raises(AmbiguousName):
        locate("hf:unsloth/Qwen3-8B-GGUF")


# --- names -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        "owner",
        "owner/",
        "/repo/x.gguf",
        "owner/repo/../../../x.gguf",
        "owner/repo//x.gguf",
        "owner/repo/..",
        "../repo/x.gguf",
        "owner/../x.gguf",
        "owner/re..po/x.gguf",
        "owner/repo/a\\..\\x.gguf",
        "owner/repo/a\nb.gguf",
        "owner/repo/a.gguf@../../main",
        "ow ner/repo/a.gguf",
        "owner/repo?x=1/a.gguf",
    ],
)
def test_a_name_that_could_lead_elsewhere_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        locate(f"hf:{text}")
    assert "\n" not in str(caught.value)


def test_odd_characters_of_a_file_are_quoted(system: System) -> None:
    found = locate("hf:owner/repo/a b#c?d%20é.gguf@refs/pr/1")
    assert isinstance(found, HubModel)
    assert found.url == (
        "https://huggingface.co/owner/repo/resolve/refs%2Fpr%2F1/a%20b%23c%3Fd%2520%C3%A9.gguf"
    )


def test_an_at_sign_within_a_file_is_no_revision() -> None:
    found = locate("hf:owner/repo/a@b.gguf")
    assert isinstance(found, HubModel)
    assert found.url.endswith("/resolve/main/a%40b.gguf")


# --- over the network --------------------------------------------------------------------------

FILE = "/unsloth/Qwen3-8B-GGUF/resolve/main/a.gguf"
TREE = "/api/models/unsloth/Qwen3-8B-GGUF/tree/main"


def tree(*files: str) -> bytes:
    entries = [{"type": "file", "path": file, "size": 1} for file in files]
    return json.dumps([{"type": "directory", "path": "dir.gguf"}, *entries]).encode()


def test_a_file_that_is_not_here_is_read_from_the_hub(
    server: FileServer, system: System, tmp_path: Path
) -> None:
    real = server.add("/cdn/blob", gguf(tmp_path))
    server.add(FILE, b"", lambda e: e.redirect(real + "?X-Amz-Signature=abc"))
    found = locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(server, system))
    assert found.header().text("general.name") == "Qwen3 8B"


def test_a_missing_file_is_answered_with_the_closest_of_its_repository(
    server: FileServer, system: System
) -> None:
    files = ["Qwen3-8B-Q4_K_M.gguf", "Qwen3-8B-Q4_K_S.gguf", "Qwen3-8B-Q5_K_M.gguf", "README.md"]
    server.add(TREE, tree(*files))
    with pytest.raises(NotFound) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF/Qwen3-8B-Q4_K_X.gguf", at(server, system)).header()
    sentence = str(caught.value)
    assert all(file in sentence for file in files[:3])
    assert "README" not in sentence


def test_a_missing_repository_is_said_to_be_missing(server: FileServer, system: System) -> None:
    with pytest.raises(NotFound) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(server, system)).header()
    assert caught.value.message == "library.hub_not_found"


def test_a_repository_is_listed_to_choose_its_one_model(
    server: FileServer, system: System, tmp_path: Path
) -> None:
    server.add(TREE, tree("README.md", "a.gguf", "mmproj-a.gguf"))
    server.add(FILE, gguf(tmp_path))
    found = locate("hf:unsloth/Qwen3-8B-GGUF", at(server, system))
    assert found.name == "hf:unsloth/Qwen3-8B-GGUF/a.gguf"
    assert found.header().text("general.name") == "Qwen3 8B"


def test_a_listing_that_leads_elsewhere_is_not_believed(server: FileServer, system: System) -> None:
    server.add(TREE, tree("../../../other/repo/x.gguf", "/abs.gguf", "a\nb.gguf"))
    with pytest.raises(NotFound):
        locate("hf:unsloth/Qwen3-8B-GGUF", at(server, system))


@pytest.mark.parametrize("status", [401, 403])
def test_what_the_hub_refuses_is_explained(server: FileServer, system: System, status: int) -> None:
    server.add(FILE, b"", lambda e: e.send(status, {}, b"Repository not found"))
    with pytest.raises(InputError) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(server, system)).header()
    assert caught.value.message == "library.hub_forbidden"
    assert "HF_TOKEN" in str(caught.value)


# --- one commit --------------------------------------------------------------------------------

SPLIT = "/unsloth/Qwen3-8B-GGUF/resolve"


def split_set(tmp_path: Path, name: str) -> list[bytes]:
    """Two parts of one model, the first with what is said of the whole."""
    metadata = {"general.architecture": "qwen3", "general.name": name}
    shards: list[list[TensorSpec]] = [[("t0", (32,), "F32")], [("t1", (32,), "F32")]]
    paths = write_split_gguf(tmp_path, "m", metadata, shards)
    return [path.read_bytes() for path in paths]


def serve_repository(
    server: FileServer, parts: list[bytes], commit: str, revisions: tuple[str, ...]
) -> None:
    """The parts under some revisions: the Hub redirects to its storage and says the commit."""
    for number, data in enumerate(parts, 1):
        file = f"m-{number:05d}-of-00002.gguf"
        stored = server.add(f"/cdn/{commit}/{file}", data)
        headers = {"X-Repo-Commit": commit, "Location": stored}
        for revision in revisions:
            server.add(
                f"{SPLIT}/{revision}/{file}",
                b"",
                partial(Exchange.send, status=302, headers=headers),
            )


@pytest.mark.parametrize("revision", ["", "@main", "@v1.0"])
def test_all_parts_come_from_the_commit_of_the_first_answer(
    server: FileServer, system: System, tmp_path: Path, revision: str
) -> None:
    """A push between two requests would mix two models: the second part at `main` is newer."""
    branch = revision.lstrip("@") or "main"
    serve_repository(server, split_set(tmp_path, "new"), OTHER, (branch, OTHER))
    old = split_set(tmp_path, "old")
    serve_repository(server, old, COMMIT, (COMMIT,))
    first = server.pages[f"{SPLIT}/{COMMIT}/m-00001-of-00002.gguf"].script
    server.pages[f"{SPLIT}/{branch}/m-00001-of-00002.gguf"].script = first
    name = f"hf:unsloth/Qwen3-8B-GGUF/m-00001-of-00002.gguf{revision}"
    header = locate(name, at(server, system)).header(FakeClock())
    assert header.text("general.name") == "old"
    assert [tensor.name for tensor in header.tensors] == ["t0", "t1"]
    asked = [r.path for r in server.requests if r.path.startswith(SPLIT)]
    assert asked == [
        f"{SPLIT}/{branch}/m-00001-of-00002.gguf",
        f"{SPLIT}/{COMMIT}/m-00002-of-00002.gguf",
    ]


def test_a_part_of_another_commit_than_the_one_asked_for_is_noticed(
    server: FileServer, system: System, tmp_path: Path
) -> None:
    serve_repository(server, split_set(tmp_path, "old"), COMMIT, ("main", COMMIT))
    serve_repository(server, split_set(tmp_path, "new"), OTHER, (OTHER,))
    newer = server.pages[f"{SPLIT}/{OTHER}/m-00002-of-00002.gguf"].script
    server.pages[f"{SPLIT}/{COMMIT}/m-00002-of-00002.gguf"].script = newer
    with pytest.raises(GGUFError) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF/m-00001-of-00002.gguf", at(server, system)).header()
    assert caught.value.message == "gguf.changed"


def test_a_mirror_that_says_no_commit_is_read_at_the_revision(
    server: FileServer, system: System, tmp_path: Path
) -> None:
    for number, data in enumerate(split_set(tmp_path, "mirrored"), 1):
        server.add(f"{SPLIT}/main/m-{number:05d}-of-00002.gguf", data, X_Repo_Commit="odd")
    header = locate("hf:unsloth/Qwen3-8B-GGUF/m-00002-of-00002.gguf", at(server, system)).header()
    assert header.text("general.name") == "mirrored"


# --- what the Hub says -------------------------------------------------------------------------


def test_a_listing_in_pages_is_read_to_its_end(
    server: FileServer, system: System, tmp_path: Path
) -> None:
    following = f'<{server.url}{TREE}?recursive=true&cursor=abc>; rel="next"'
    first = tree("a-Q4_K_M.gguf")
    server.add(
        TREE,
        b"",
        lambda e: e.send(200, {"Link": following}, first),
        lambda e: e.send(200, {}, tree("a-Q8_0.gguf")),
    )
    with pytest.raises(AmbiguousName) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF", at(server, system))
    assert "a-Q8_0.gguf" in str(caught.value)
    assert server.requests[1].path == f"{TREE}?recursive=true&cursor=abc"


def test_a_listing_that_goes_on_elsewhere_is_not_followed(
    server: FileServer, system: System
) -> None:
    link = {"Link": "<http://127.0.0.2:1/next>; rel=next"}
    server.add(TREE, b"", lambda e: e.send(200, link, tree("a.gguf")))
    with pytest.raises(InputError) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF", at(server, system))
    assert caught.value.message == "library.remote_scheme"


def test_a_listing_without_an_end_is_given_up(server: FileServer, system: System) -> None:
    link = {"Link": f"<{TREE}?again>; rel=next"}
    server.add(TREE, b"", lambda e: e.send(200, link, tree("a.gguf")))
    with pytest.raises(InputError) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF", at(server, system))
    assert caught.value.message == "library.remote_pages"
    assert len(server.requests) == 50


def test_a_type_that_is_not_there_is_answered_with_those_that_are(
    server: FileServer, system: System
) -> None:
    server.add(TREE, tree("a-Q4_K_M.gguf", "a-Q8_0.gguf"))
    with pytest.raises(NotFound) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF:IQ2_XXS", at(server, system))
    assert caught.value.message == "library.hub_no_model"
    assert "a-Q4_K_M.gguf, a-Q8_0.gguf" in str(caught.value)


def test_a_repository_without_gguf_and_config_is_said_to_be_one(
    server: FileServer, system: System
) -> None:
    server.add(TREE, tree("README.md"))
    with pytest.raises(NotFound) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF", at(server, system))
    assert caught.value.message == "library.hub_no_gguf"


@pytest.mark.parametrize(
    ("tag", "file"), [("f16", "a-F16.gguf"), ("BF16", "a-BF16.gguf"), ("Q4_0", "a-Q4_0.gguf")]
)
def test_a_type_is_not_one_that_only_holds_its_letters(
    server: FileServer, system: System, tag: str, file: str
) -> None:
    server.add(TREE, tree("a-F16.gguf", "a-BF16.gguf", "a-Q4_0.gguf", "a-Q4_0_8_8.gguf"))
    found = locate(f"hf:unsloth/Qwen3-8B-GGUF:{tag}", at(server, system))
    assert found.name == f"hf:unsloth/Qwen3-8B-GGUF/{file}"


@pytest.mark.parametrize(
    ("status", "headers", "message"),
    [
        (403, {"X-Error-Code": "GatedRepo"}, "library.hub_gated"),
        (401, {"X-Error-Code": "RepoNotFound"}, "library.hub_forbidden"),
        (404, {"X-Error-Code": "RevisionNotFound"}, "library.hub_no_revision"),
        (404, {"X-Error-Code": "EntryNotFound"}, "library.hub_not_found_but"),
    ],
)
def test_the_hubs_reason_is_passed_on(
    server: FileServer, system: System, status: int, headers: dict[str, str], message: str
) -> None:
    server.add(FILE, b"", lambda e: e.send(status, headers))
    server.add(TREE, tree("b.gguf"))
    with pytest.raises(InputError) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(server, system)).header()
    assert caught.value.message == message


def test_a_token_that_the_hub_refuses_is_named_by_its_place_and_not_shown(
    server: FileServer, system: System
) -> None:
    said = {"X-Error-Message": "Invalid credentials in Authorization header"}
    server.add(FILE, b"", lambda e: e.send(401, said))
    with pytest.raises(InputError) as caught:
        locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(server, system, HF_TOKEN=SECRET)).header()
    assert caught.value.message == "library.hub_token_refused"
    assert "HF_TOKEN" in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("page", "name"),
    [
        ("/o/r/blob/main/a.gguf", "hf:o/r/a.gguf"),
        ("/o/r/resolve/main/sub/a.gguf?download=true", "hf:o/r/sub/a.gguf"),
        ("/o/r/resolve/v1/a%20b.gguf", "hf:o/r/a b.gguf@v1"),
        ("/o/r/blob/refs%2Fpr%2F1/a.gguf", "hf:o/r/a.gguf@refs/pr/1"),
    ],
)
def test_a_files_page_on_the_hub_means_the_file(system: System, page: str, name: str) -> None:
    found = locate(f"https://huggingface.co{page}", system)
    assert isinstance(found, HubModel)
    assert found.name == name


@pytest.mark.parametrize(
    "url", ["https://example.org/o/r/blob/main/a.gguf", "https://huggingface.co/a.gguf"]
)
def test_a_page_that_is_not_the_hubs_stays_a_url(system: System, url: str) -> None:
    found = locate(url, system)
    assert found.source == "web"
    assert found.name == url


# --- the token ---------------------------------------------------------------------------------

SECRET = "hf_" + "s3cret" * 6


def test_the_token_goes_to_the_hub_over_https_and_nowhere_else() -> None:
    token = token_of(System("linux", {"HF_TOKEN": SECRET}, PurePath("/")))
    assert token is not None
    own = {"Authorization": f"Bearer {SECRET}"}
    assert token.headers("https://huggingface.co/a/b/resolve/main/c.gguf") == own
    assert token.headers("https://huggingface.co:443/a") == own
    for other in (
        "http://huggingface.co/a",
        "https://huggingface.co:8443/a",
        "https://cdn.huggingface.co/a",
        "https://huggingface.co.evil.org/a",
        "https://evil.org/huggingface.co",
        "https://huggingface.co@evil.org/a",
        "https://hf.co/a",
    ):
        assert token.headers(other) == {}, other


def test_the_token_belongs_to_the_endpoint_that_is_set() -> None:
    environment = {"HF_TOKEN": SECRET, "HF_ENDPOINT": "https://hub.example.org/"}
    system = System("linux", environment, PurePath("/"))
    token = token_of(system)
    assert token is not None
    assert endpoint_of(system) == "https://hub.example.org"
    assert token.headers("https://hub.example.org/a")
    assert token.headers("https://huggingface.co/a") == {}


@pytest.mark.parametrize(
    ("environment", "file"),
    [
        ({}, "home/.cache/huggingface/token"),
        ({"XDG_CACHE_HOME": "xdg"}, "xdg/huggingface/token"),
        ({"HF_HOME": "hf", "XDG_CACHE_HOME": "xdg"}, "hf/token"),
        ({"HF_TOKEN_PATH": "own/secret", "HF_HOME": "hf"}, "own/secret"),
    ],
)
def test_the_token_of_a_login_is_found_where_the_hubs_library_keeps_it(
    system: System, tmp_path: Path, environment: dict[str, str], file: str
) -> None:
    path = tmp_path / file
    path.parent.mkdir(parents=True)
    path.write_text(f"{SECRET}\r\n")
    there = System("linux", {k: str(tmp_path / v) for k, v in environment.items()}, system.home)
    token = token_of(there)
    assert token is not None
    assert token.headers("https://huggingface.co/a") == {"Authorization": f"Bearer {SECRET}"}
    for other in ("http://huggingface.co/a", "https://cdn.huggingface.co/a", "https://evil.org/"):
        assert token.headers(other) == {}


def test_variables_come_before_the_file_of_a_login(system: System) -> None:
    path = Path(system.home, ".cache", "huggingface", "token")
    path.parent.mkdir(parents=True)
    path.write_text("hf_of_the_file")
    for environment, secret in (
        ({"HF_TOKEN": "hf_new", "HUGGING_FACE_HUB_TOKEN": "hf_old"}, "hf_new"),
        ({"HUGGING_FACE_HUB_TOKEN": "hf_old"}, "hf_old"),
        ({"HF_TOKEN": ""}, "hf_of_the_file"),
    ):
        token = token_of(System("linux", environment, system.home))
        assert token is not None
        assert token.secret == secret
    refusing = {"HF_HUB_DISABLE_IMPLICIT_TOKEN": "YES", "HF_TOKEN": "hf_new"}
    assert token_of(System("linux", refusing, system.home)) is None


@pytest.mark.parametrize("content", ["", " \n", None])
def test_an_empty_or_missing_login_is_none(system: System, content: str | None) -> None:
    path = Path(system.home, ".cache", "huggingface", "token")
    path.parent.mkdir(parents=True)
    if content is not None:
        path.write_text(content)
    assert token_of(system) is None


@pytest.mark.parametrize("content", [b"hf_a\nX-Evil: 1", b"hf a", b"hf_\xff\xfe", "hf_é".encode()])
def test_what_no_header_can_carry_is_no_token_and_is_not_shown(
    system: System, content: bytes
) -> None:
    path = Path(system.home, ".cache", "huggingface", "token")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        token_of(system)
    assert caught.value.message == "library.hub_bad_token"
    assert str(path) in str(caught.value)
    assert "hf_a" not in str(caught.value)


def test_the_token_of_a_login_is_heard_by_the_hub_alone(
    certificate: Path, system: System, tmp_path: Path
) -> None:
    path = Path(system.home, ".cache", "huggingface", "token")
    path.parent.mkdir(parents=True)
    path.write_text(SECRET)
    with FileServer(certificate) as hub, FileServer(certificate) as storage:
        real = storage.add("/blob", gguf(tmp_path))
        hub.add(FILE, b"", lambda e: e.redirect(real))
        locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(hub, system)).header(FakeClock())
        assert [r.headers.get("authorization") for r in hub.requests] == [f"Bearer {SECRET}"]
        assert SECRET not in str(storage.requests[0].headers)


def test_a_secret_is_shown_by_nothing() -> None:
    assert SECRET not in repr(Token("https://huggingface.co:443", SECRET))


def test_an_endpoint_that_is_no_url_is_refused() -> None:
    with pytest.raises(UsageError):
        endpoint_of(System("linux", {"HF_ENDPOINT": "huggingface.co"}, PurePath("/")))


def test_the_token_is_never_sent_in_the_clear(
    server: FileServer, system: System, tmp_path: Path
) -> None:
    server.add(FILE, gguf(tmp_path))
    locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(server, system, HF_TOKEN=SECRET)).header()
    assert len(server.requests) == 1
    assert all("authorization" not in request.headers for request in server.requests)


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A certificate for 127.0.0.1 that this process trusts, with its key."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("needs the command openssl to make a certificate")
    path, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(key), "-out", str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    path.write_bytes(path.read_bytes() + key.read_bytes())
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    return path


def test_the_hub_hears_the_token_and_its_storage_does_not(
    certificate: Path, system: System, tmp_path: Path
) -> None:
    with FileServer(certificate) as hub, FileServer(certificate) as storage:
        real = storage.add("/blob", gguf(tmp_path))
        hub.add(FILE, b"", lambda e: e.redirect("/moved" + FILE))
        hub.add("/moved" + FILE, b"", lambda e: e.redirect(real))
        there = at(hub, system, HF_TOKEN=SECRET)
        header = locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", there).header(FakeClock())
        assert header.text("general.name") == "Qwen3 8B"
        assert [r.headers.get("authorization") for r in hub.requests] == [f"Bearer {SECRET}"] * 2
        assert len(storage.requests) == 1
        assert SECRET not in str(storage.requests[0].headers)


def test_https_never_turns_into_http(certificate: Path, system: System, tmp_path: Path) -> None:
    with FileServer(certificate) as hub, FileServer() as plain:
        real = plain.add("/blob", gguf(tmp_path))
        hub.add(FILE, b"", lambda e: e.redirect(real))
        with pytest.raises(InputError) as caught:
            locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(hub, system)).header(FakeClock())
        assert caught.value.message == "library.remote_scheme"
        assert plain.requests == []


def test_a_certificate_that_nobody_vouches_for_is_not_accepted(
    certificate: Path, system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")
    with FileServer(certificate) as hub:
        hub.add(FILE, b"", Exchange.whole)
        with pytest.raises(InputError) as caught:
            locate("hf:unsloth/Qwen3-8B-GGUF/a.gguf", at(hub, system)).header(FakeClock())
        assert caught.value.message == "library.remote_failed"
        assert hub.requests == []
