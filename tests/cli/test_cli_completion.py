"""Real shells complete verbs, options and model names, colons and all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import Tokenroof
from support.source import PACKAGE
from tokenroof.cli.help import VERBS


@pytest.fixture
def world(tmp_path: Path) -> dict[str, str]:
    """An environment in which `tokenroof` is a command and Ollama has three models."""
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "tokenroof"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tokenroof "$@"\n')
    command.chmod(0o755)
    home = tmp_path / "home"
    store = home / ".ollama" / "models" / "manifests" / "registry.ollama.ai" / "library"
    for name, tag in (("qwen3", "8b"), ("qwen3", "8b-q8_0"), ("mistral", "latest")):
        (store / name).mkdir(parents=True, exist_ok=True)
        layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{'0' * 64}"}
        (store / name / tag).write_text(json.dumps({"layers": [layer]}))
    return {
        "PATH": f"{folder}:{os.environ['PATH']}",
        "HOME": str(home),
        "PYTHONPATH": str(PACKAGE.parent),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
    }


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """The folder that the person is in."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "local model.gguf").touch()
    (work / "notes.txt").touch()
    (work / "folder").mkdir()
    (work / "folder" / "deep.gguf").touch()
    return work


def run(shell: str, script: str, world: dict[str, str], work: Path) -> list[str]:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"needs {shell}")
    flags = {"bash": ["--norc"], "zsh": ["-f"], "fish": ["--no-config"]}[shell]
    done = subprocess.run(
        [program, *flags, "-c", script],
        env=world,
        cwd=work,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def bash(line: str, world: dict[str, str], work: Path) -> list[str]:
    """What bash would put in place of the last piece of a line, as its own rules break it."""
    # readline breaks words at COMP_WORDBREAKS; the function under test is called as it would be.
    return bash_of(repr(line), world, work)


def bash_of(line: str, world: dict[str, str], work: Path) -> list[str]:
    """The same of a line as bash is to read it."""
    script = f"""
        eval "$(tokenroof completion bash)"
        COMP_LINE={line}; COMP_POINT=${{#COMP_LINE}}
        _tokenroof tokenroof
        for reply in "${{COMPREPLY[@]}}"; do printf '%s\\n' "$reply"; done
    """
    return run("bash", script, world, work)


def test_bash_completes_verbs(world: dict[str, str], work: Path) -> None:
    assert bash("tokenroof in", world, work) == ["inspect"]
    assert bash("tokenroof ", world, work) == list(VERBS)


def test_bash_completes_options_and_their_values(world: dict[str, str], work: Path) -> None:
    assert "--depth" in bash("tokenroof inspect --d", world, work)
    assert bash("tokenroof inspect --lang ", world, work) == ["en", "ja"]
    assert bash("tokenroof inspect --lang=j", world, work) == ["ja"]
    assert bash("tokenroof estimate --on ", world, work) == ["here"]
    assert "folder/" in bash("tokenroof report --out fo", world, work)


@pytest.mark.parametrize(
    ("typed", "replies"),
    [
        # bash puts a reply in the place of what follows the last colon
        ("ollama:", ["mistral:latest", "qwen3:8b", "qwen3:8b-q8_0"]),
        ("ollama:qw", ["qwen3:8b", "qwen3:8b-q8_0"]),
        ("ollama:qwen3:", ["8b", "8b-q8_0"]),
        ("ollama:qwen3:8b-", ["8b-q8_0"]),
        ("qwen3:8b-", ["8b-q8_0"]),
        ("mistral:", ["latest"]),
        ("oll", ["ollama:mistral:latest", "ollama:qwen3:8b", "ollama:qwen3:8b-q8_0"]),
        ("zzz", []),
    ],
)
def test_bash_completes_names_with_colons(
    world: dict[str, str], work: Path, typed: str, replies: list[str]
) -> None:
    assert bash(f"tokenroof inspect {typed}", world, work) == replies


@pytest.fixture
def studio(world: dict[str, str]) -> Path:
    """LM Studio has a model, and one whose name is an order to a terminal."""
    folder = Path(world["HOME"]) / ".lmstudio" / "models" / "org" / "Repo"
    folder.mkdir(parents=True)
    (folder / "a.gguf").touch()
    (folder / "b\x1b[31m\nc.gguf").touch()
    return folder


def test_bash_completes_names_with_slashes_and_offers_no_hostile_one(
    world: dict[str, str], work: Path, studio: Path
) -> None:
    assert bash("tokenroof inspect lmstudio:org/", world, work) == ["org/Repo/a.gguf"]


@pytest.mark.parametrize(
    ("typed", "reply"),
    [
        ('"lo', "local model.gguf"),
        ("'lo", "local model.gguf"),
        (r"local\ ", r"local\ model.gguf"),
        ('"local ', "local model.gguf"),
        ("lo", r"local\ model.gguf"),
    ],
)
def test_bash_completes_within_quotes_as_they_need_it(
    world: dict[str, str], work: Path, typed: str, reply: str
) -> None:
    world = {**world, "TYPED": f"tokenroof inspect {typed}"}
    assert bash_of('"$TYPED"', world, work) == [reply]


@pytest.mark.parametrize("typed", ["rtx 309", "GeForce RTX 309"])
def test_a_device_is_completed_with_and_without_its_family(
    world: dict[str, str], work: Path, typed: str
) -> None:
    world = {**world, "TYPED": f'tokenroof devices "{typed}'}
    found = bash_of('"$TYPED"', world, work)
    family = "GeForce " if typed.startswith("G") else ""
    assert f"{family}RTX 3090" in found
    assert f"{family}RTX 3090 Ti" in found


def test_bash_completes_files_and_folders(world: dict[str, str], work: Path) -> None:
    assert bash("tokenroof inspect lo", world, work) == [r"local\ model.gguf"]
    assert bash("tokenroof inspect folder/", world, work) == ["folder/deep.gguf"]
    assert bash("tokenroof inspect fol", world, work) == ["folder/"]
    assert bash("tokenroof inspect no", world, work) == []  # notes.txt is no model
    assert bash("tokenroof models ", world, work) == ["folder/"]


def test_bash_completes_when_tab_is_pressed(world: dict[str, str], work: Path) -> None:
    """The whole way, on a terminal: readline, its word breaks and all."""
    pty = pytest.importorskip("pty")
    program = shutil.which("bash")
    if program is None:
        pytest.skip("needs bash")
    script = 'eval "$(tokenroof completion bash)"\nbind "set bell-style none"\nPS1="ready> "\n'
    rc = work / "rc"
    rc.write_text(script)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(work)
        os.execve(program, ["bash", "--noprofile", "--rcfile", str(rc), "-i"], world)
    try:
        expect(terminal, b"ready> ")
        os.write(terminal, b"tokenroof inspect ollama:qwen3:8b-\t")
        assert b"ollama:qwen3:8b-q8_0 " in expect(terminal, b"q8_0 ")
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


def expect(terminal: int, wanted: bytes) -> bytes:
    """Read a terminal until something stands there."""
    import select

    seen = b""
    while wanted not in seen:
        ready, _, _ = select.select([terminal], [], [], 30)
        assert ready, seen
        seen += os.read(terminal, 4096)
    return seen


def fish(line: str, world: dict[str, str], work: Path) -> dict[str, str]:
    script = f"tokenroof completion fish | source\ncomplete -C {line!r}"
    entries = [entry.partition("\t") for entry in run("fish", script, world, work)]
    return {value: meaning for value, _, meaning in entries}


def test_fish_completes_with_meanings(world: dict[str, str], work: Path) -> None:
    verbs = fish("tokenroof ", world, work)
    assert set(verbs) == set(VERBS)
    assert all(verbs.values())
    assert set(fish("tokenroof inspect ollama:qwen3:", world, work)) == {
        "ollama:qwen3:8b",
        "ollama:qwen3:8b-q8_0",
    }
    assert set(fish("tokenroof inspect --lang=", world, work)) == {"--lang=en", "--lang=ja"}
    assert set(fish("tokenroof inspect fol", world, work)) == {"folder/"}
    assert "--depth" in fish("tokenroof inspect --d", world, work)


ZSH = """
autoload -Uz compinit && compinit -u -d {dump}
eval "$(tokenroof completion zsh)"
compadd() {{
    # Stands in for the builtin: shows what would be offered.
    local -a names
    zparseopts -D -E -a ignored l d: S: M: a:=names
    print -rl -- ${{(P)names[2]}}
}}
words=({words}); CURRENT={current}; PREFIX={prefix}
_tokenroof
"""


def zsh(typed: list[str], world: dict[str, str], work: Path) -> list[str]:
    quoted = " ".join(f"'{word}'" for word in ["tokenroof", *typed])
    script = ZSH.format(
        dump=work / "dump", words=quoted, current=len(typed) + 1, prefix=f"'{typed[-1]}'"
    )
    return run("zsh", script, world, work)


def test_zsh_completes_names_with_colons(world: dict[str, str], work: Path) -> None:
    assert set(zsh([""], world, work)) == set(VERBS)
    names = zsh(["inspect", "ollama:qwen3:"], world, work)
    assert names == ["ollama:qwen3:8b", "ollama:qwen3:8b-q8_0"]
    assert zsh(["inspect", "lo"], world, work) == ["local model.gguf"]
    assert zsh(["inspect", "fol"], world, work) == ["folder/"]
    assert zsh(["inspect", "--lang=j"], world, work) == ["--lang=ja"]


@pytest.mark.parametrize(
    ("typed", "wanted"),
    [
        (b"tokenroof inspect ollama:qwen3:8b-", b"q8_0"),
        (b'tokenroof inspect "lo', b'cal model.gguf"'),
        (b"tokenroof inspect OLLAMA:QWEN3:8B-", b"ollama:qwen"),
    ],
)
def test_zsh_completes_when_tab_is_pressed(
    world: dict[str, str], work: Path, typed: bytes, wanted: bytes
) -> None:
    """The whole way, on a terminal."""
    pty = pytest.importorskip("pty")
    program = shutil.which("zsh")
    if program is None:
        pytest.skip("needs zsh")
    home = Path(world["HOME"])
    (home / ".zshrc").write_text(
        f"autoload -Uz compinit && compinit -u -d {work / 'dump'}\n"
        'eval "$(tokenroof completion zsh)"\nPS1="ready> "\nunsetopt beep\n'
    )
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(work)
        os.execve(program, ["zsh", "-d", "-i"], {**world, "TERM": "xterm"})
    try:
        expect(terminal, b"ready> ")
        os.write(terminal, typed + b"\t")
        expect(terminal, wanted)
    finally:
        os.close(terminal)
        os.waitpid(child, 0)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_is_accepted_by_its_shell(
    tokenroof: Tokenroof, shell: str, world: dict[str, str], work: Path
) -> None:
    script = tokenroof("completion", shell)
    assert script.code == 0
    assert script.err == ""
    (work / "script").write_text(script.out)
    run(shell, f"{shell} -n script", world, work)


def test_an_unknown_shell_is_refused_with_the_known_ones(tokenroof: Tokenroof) -> None:
    done = tokenroof("completion", "tcsh")
    assert done.code == 2
    assert "bash, zsh, fish" in done.err
