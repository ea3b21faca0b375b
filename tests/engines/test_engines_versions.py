"""Which version of an engine is there now: said where that takes a moment, unknown elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from simulator.server import Simulator
from support.llama_tools import tool
from support.ports import nobody_listens
from tokenroof.engines import llama_programs, versions
from tokenroof.engines.versions import installed_version


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    installed_version.cache_clear()
    yield
    installed_version.cache_clear()


def test_the_package_of_the_embedded_engine_says_its_own() -> None:
    assert installed_version("embedded") == version("llama_cpp_python")


@pytest.mark.parametrize("name", ["llama-server", "llama-bench"])
def test_a_program_says_what_the_engine_says_of_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tool(name)
    monkeypatch.setenv(f"TOKENROOF_{name}_PROGRAM".upper().replace("-", "_"), path)
    # However long this machine takes for it just now.
    monkeypatch.setattr(versions, "MOMENT_SECONDS", 60.0)
    assert installed_version(name) == llama_programs.look_at(name, Path(path)).version


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def write(code: str) -> None:
        path = tmp_path / "llama-server"
        path.write_text(f"#!{sys.executable}\n{code}\n", encoding="utf-8")
        path.chmod(0o755)
        monkeypatch.setenv("TOKENROOF_LLAMA_SERVER_PROGRAM", str(path))

    return write


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are no programs there")
def test_a_program_that_takes_long_is_not_waited_for(program: Callable[[str], None]) -> None:
    program("import time; time.sleep(60)")
    assert installed_version("llama-server") is None


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are no programs there")
@pytest.mark.parametrize("said", ["", "no version", "\\xff"])
def test_a_program_that_says_no_version_has_none(
    program: Callable[[str], None], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(f"print('{said}')")
    monkeypatch.setattr(versions, "MOMENT_SECONDS", 60.0)
    assert installed_version("llama-server") is None


def test_what_is_not_there_has_no_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKENROOF_LLAMA_BENCH_PROGRAM", str(tmp_path / "gone"))
    assert installed_version("llama-bench") is None
    with nobody_listens() as port:
        monkeypatch.setenv("TOKENROOF_OLLAMA_URL", f"http://127.0.0.1:{port}")
        assert installed_version("ollama") is None
    assert installed_version("somebody-elses") is None


def test_a_running_ollama_says_its_own_and_one_elsewhere_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(versions, "MOMENT_SECONDS", 60.0)
    with Simulator() as simulator:
        monkeypatch.setenv("TOKENROOF_OLLAMA_URL", simulator.url)
        assert installed_version("ollama") == simulator.world.version
        installed_version.cache_clear()
        monkeypatch.setattr(versions, "is_local", lambda _: False)
        assert installed_version("ollama") is None
        assert len(simulator.exchanges) == 1
