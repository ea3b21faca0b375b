"""The Hub and its caches: the copy here first, then the network, and the token to the Hub alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path, PurePath

import pytest

from simulator.file_server import Exchange, FileServer
from support.gguf_files import write_gguf
from tokenroof.clock import FakeClock
from tokenroof.errors import AmbiguousName, InputError, NotFound, UsageError
from tokenroof.library import LocalModel, locate, open_header
from tokenroof.library.huggingface import HubModel, endpoint_of, token_of
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
    subprocess.run(command, check=True, capture_output=True, timeout=60)
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
