"""The command line as a person uses it: arguments in, exit code, output and errors out."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import Outcome, Tokenroof
from tokenroof.cli import main


@pytest.fixture(autouse=True)
def _own_world(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No test reads or writes this person's data, locale or terminal."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "NO_COLOR", "FORCE_COLOR", "TOKENROOF_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path / "data"))


@pytest.fixture
def tokenroof(capsys: pytest.CaptureFixture[str]) -> Tokenroof:
    """Run the command in this process."""

    def run(*arguments: str | Path) -> Outcome:
        code = main([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return Outcome(code, out, err)

    return run
