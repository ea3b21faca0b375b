"""Which engine is taken, and what is said when there is none."""

from __future__ import annotations

import contextlib
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest

from simulator.server import Simulator
from tokenroof.engines import embedded, registry
from tokenroof.engines.base import ModelRef
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.engines.llama_bench import LlamaBenchEngine
from tokenroof.engines.llama_server import LlamaServerEngine
from tokenroof.engines.ollama import OllamaEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineMissing, UsageError
from tokenroof.notices import Notice


def absent(name: str, package: str | None = None) -> None:
    return None


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with nothing on its PATH, where no Ollama answers."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("LLAMA_SERVER", "LLAMA_BENCH"):
        monkeypatch.delenv(f"TOKENROOF_{name}_PROGRAM", raising=False)
    monkeypatch.setenv("TOKENROOF_OLLAMA_URL", "http://127.0.0.1:9")


FILE = ModelRef(path=Path("m.gguf"))
NAMED = ModelRef(path=Path("blob"), name="ollama:sim:latest")


@pytest.mark.parametrize("model", [FILE, NAMED])
def test_with_nothing_else_the_embedded_engine_is_taken_and_said(model: ModelRef) -> None:
    pytest.importorskip("llama_cpp")
    choice = registry.choose(model)
    assert isinstance(choice.engine, EmbeddedEngine)
    assert choice.notice == Notice("engines.chosen_installed", {"engine": "embedded"})
    assert isinstance(registry.pick("embedded"), EmbeddedEngine)


@pytest.mark.skipif(sys.platform == "win32", reason="programs are told by other names there")
def test_a_program_on_the_path_comes_before_it_and_the_server_before_the_bench(
    tmp_path: Path,
) -> None:
    bench = tmp_path / "llama-bench"
    for path, kind in ((bench, LlamaBenchEngine), (tmp_path / "llama-server", LlamaServerEngine)):
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
        choice = registry.choose(FILE)
        assert isinstance(choice.engine, kind)
        assert choice.notice is not None
        assert choice.notice.message == "engines.chosen_on_path"
        assert choice.notice.values["path"] == str(path)


def test_a_running_ollama_is_taken_for_a_model_that_it_has_and_for_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("llama_cpp")
    with Simulator() as simulator:
        monkeypatch.setenv("TOKENROOF_OLLAMA_URL", simulator.url)
        choice = registry.choose(NAMED)
        assert isinstance(choice.engine, OllamaEngine)
        assert choice.notice is not None
        assert choice.notice.values["model"] == "sim:latest"
        assert isinstance(registry.choose(FILE).engine, EmbeddedEngine)
        other = ModelRef(name="ollama:other:latest")
        assert isinstance(registry.choose(other).engine, EmbeddedEngine)


def test_an_ollama_that_a_name_says_is_asked_there_and_nowhere_else() -> None:
    with Simulator() as simulator:
        place = simulator.url.removeprefix("http://")
        model = ModelRef(name=f"ollama://{place}/sim")
        for choice in (registry.choose(model).engine, registry.pick("ollama", None, model)):
            # The environment's address answers nobody, and is asked for nothing.
            assert choice.identify().version == simulator.world.version


def test_a_served_model_is_reached_at_the_address_that_is_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TOKENROOF_OPENAI_URL", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with Simulator() as simulator:
        choice = registry.choose(ModelRef(name="openai:sim"), EngineOptions(url=simulator.url))
        assert choice.name == "openai"
        assert choice.engine.identify().flags["server"] == "llama.cpp"


def test_a_llama_server_of_the_environment_needs_no_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Simulator() as simulator:
        monkeypatch.setenv("TOKENROOF_LLAMA_SERVER_URL", simulator.url)
        assert registry.pick("llama-server").identify().flags == {"server": "running"}
        choice = registry.choose(FILE)
        assert isinstance(choice.engine, LlamaServerEngine)
        assert choice.notice is not None
        assert choice.notice.values["url"] == simulator.url


@pytest.mark.parametrize("name", ["openai", "llama-server", "ollama"])
def test_an_address_is_understood_without_its_scheme(name: str) -> None:
    with Simulator() as simulator:
        options = EngineOptions(url=simulator.url.removeprefix("http://"))
        assert registry.pick(name, options).identify().name == name


@pytest.mark.parametrize("name", ["openai", "llama-server", "llama-bench"])
def test_an_engine_that_is_reached_or_started_says_itself_how(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for variable in ("TOKENROOF_OPENAI_URL", "OPENAI_BASE_URL", "TOKENROOF_LLAMA_SERVER_URL"):
        monkeypatch.delenv(variable, raising=False)
    with pytest.raises(EngineMissing, match=r"--url|--engine-program"):
        registry.pick(name).identify()


def test_a_missing_engine_is_told_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", absent)
    for ask in (lambda: registry.choose(FILE), lambda: registry.pick("embedded")):
        with pytest.raises(EngineMissing) as caught:
            ask()
        assert embedded.INSTALL in str(caught.value)
        assert "embedded" in str(caught.value)
        assert caught.value.exit_code == 4


def test_every_name_makes_an_engine_or_says_what_is_missing() -> None:
    for name in registry.names():
        entry = registry.ENGINES[name]()
        assert entry.name == name
        with contextlib.suppress(EngineMissing):
            assert registry.pick(name).promises


def test_an_unknown_name_is_a_usage_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"\\x1b.*embedded"):
        registry.pick("mine\x1b[2J")


def offered(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Let another package offer an engine called `other`."""
    point = EntryPoint("other", value, registry.GROUP)

    def entry_points(**select: Any) -> EntryPoints:
        return EntryPoints([point]).select(**select)

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_other_packages_can_add_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    offered(monkeypatch, "tokenroof.engines.embedded:EmbeddedEngine")
    assert registry.names() == (*registry.ENGINES, "other")
    assert isinstance(registry.pick("other"), EmbeddedEngine)


def test_an_engine_of_another_package_that_cannot_be_imported_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offered(monkeypatch, "no_such_package_at_all:Engine")
    with pytest.raises(EngineMissing, match=r"other.*no_such_package_at_all"):
        registry.pick("other")


def test_options_reach_only_an_engine_that_takes_them() -> None:
    options = EngineOptions(url="http://127.0.0.1:1", flags=("-x",))
    with pytest.raises(UsageError, match=r"embedded.*--engine-flags"):
        registry.pick("embedded", options)
    assert EngineOptions().given == frozenset()
    assert options.given == {"url", "flags"}
