"""Whatever happens, a person reads one sentence and a script gets the right exit code."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest

from support.commands import Tokenroof
from tokenroof import cli
from tokenroof.cli import failure, streams
from tokenroof.errors import (
    AnswerIsNo,
    EngineDied,
    GGUFError,
    Interrupted,
    NotFound,
    TokenroofError,
    UsageError,
)


@pytest.mark.parametrize(
    ("kind", "code"),
    [(AnswerIsNo, 1), (UsageError, 2), (NotFound, 3), (GGUFError, 3), (EngineDied, 4)],
)
def test_our_errors_bring_their_own_exit_code(
    capsys: pytest.CaptureFixture[str], kind: type[TokenroofError], code: int
) -> None:
    assert failure.tell(kind("library.no_name"), "en") == code
    assert capsys.readouterr().err == "The model's name is empty; give the path of a GGUF file.\n"


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), click.Abort(), Interrupted("cli.interrupted")]
)
def test_an_interrupt_is_130_and_says_what_became_of_files(
    capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    assert failure.tell(error, "en") == 130
    assert capsys.readouterr().err == "Interrupted.\n"


def test_what_the_system_refuses_names_the_place(capsys: pytest.CaptureFixture[str]) -> None:
    error = PermissionError(errno.EACCES, "Permission denied", "/x/\x1b[2Jy")
    assert failure.tell(error, "en") == 3
    err = capsys.readouterr().err
    assert err.startswith("/x/\\x1b[2Jy: ")
    assert "Permission denied" in err


def test_our_own_mistake_is_no_traceback(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "_run", lambda *_: 1 / 0)
    outcome = tokenroof("--help")
    assert outcome.code == 3
    assert "ZeroDivisionError: division by zero" in outcome.err
    assert "TOKENROOF_DEBUG=1" in outcome.err
    assert outcome.err.count("\n") == 1


def test_debug_shows_the_traceback(tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli, "_run", lambda *_: 1 / 0)
    monkeypatch.setenv("TOKENROOF_DEBUG", "1")
    assert "Traceback" in tokenroof("--help").err


def test_a_closed_pipe_is_quiet() -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [sys.executable, "-m", "tokenroof", "--help"],
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(write)
    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.skipif(os.name != "posix", reason="streams are closed with a POSIX shell")
@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        (">&-", 3, "The system said no: Bad file descriptor.\n"),
        ("2>&-", 0, ""),
        (">&- 2>&-", 3, ""),
        ("<&-", 0, ""),
    ],
)
def test_streams_that_were_closed_before_we_began_are_no_mistake_of_ours(
    closed: str, code: int, said: str
) -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", f'"$0" -m tokenroof --version {closed}', sys.executable],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, said)


@pytest.mark.skipif(os.name != "posix", reason="streams are closed with a POSIX shell")
def test_an_error_has_its_code_where_nobody_can_be_told() -> None:
    done = subprocess.run(
        ["/bin/sh", "-c", '"$0" -m tokenroof inspect nope.gguf 2>&-', sys.executable],
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_standard_output_is_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tokenroof", "--help"],
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=60,
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_terminal_that_knows_only_ascii_gets_english_and_no_crash(language: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tokenroof", "--lang", language, "--help"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.startswith(b"Usage:")


def test_json_on_an_ascii_stream_loses_no_character(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    streams.prepare()
    streams.write_json({"text": "実測"})
    sys.stdout.flush()
    assert json.loads(raw.getvalue()) == {"text": "実測"}


def test_json_refuses_numbers_that_json_does_not_know() -> None:
    with pytest.raises(ValueError, match="JSON"):
        streams.write_json({"rate": float("nan")})


@pytest.mark.parametrize("module", ["tokenroof.cli", "click", "tokenroof.cli.root"])
def test_ctrl_c_while_the_program_still_loads_is_one_line_and_exit_130(module: str) -> None:
    code = f"""
import sys

class Impatient:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

from tokenroof.__main__ import entry_point
sys.meta_path.insert(0, Impatient())
sys.argv = ["tokenroof", "devices"]
entry_point()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LANG": "C.UTF-8"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_nothing_of_weight_is_imported_before_ctrl_c_is_dealt_with() -> None:
    code = (
        "import sys; before = set(sys.modules); import tokenroof.__main__; "
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['__future__', 'tokenroof', 'tokenroof.__main__']"
