"""The README's examples are what the program prints, in both languages.

Only blocks marked ``console`` are run: they depend on the small model and
on the pastes and runs in `docs/example`, and on nothing else. What
was measured here stands in ``text`` blocks, since no two machines print the same.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.small_model import small_model
from tokenroof.cli import main
from tokenroof.library import ollama

ROOT = Path(__file__).parents[1]
PASTES = ROOT / "docs" / "example" / "pastes"
RUNS = ROOT / "docs" / "example" / "runs.jsonl"
BLOCK = re.compile(r"^```console\n\$ tokenroof (?P<command>.+)\n(?P<output>(?:.*\n)*?)```$", re.M)


def examples() -> list[tuple[str, str, str]]:
    found = []
    for page in ("README.md", "README.ja.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        found += [(page, each["command"], each["output"]) for each in BLOCK.finditer(text)]
    return found


def test_both_pages_show_the_same_commands() -> None:
    commands = {
        page: [
            command.replace(" --lang ja", "") for where, command, _ in examples() if where == page
        ]
        for page in ("README.md", "README.ja.md")
    }
    assert commands["README.md"] == commands["README.ja.md"] != []


@pytest.mark.parametrize(("page", "command", "output"), examples())
def test_an_example_prints_what_the_page_shows(
    page: str,
    command: str,
    output: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    for file in (small_model(), RUNS, *PASTES.glob("*.*")):
        (tmp_path / file.name).symlink_to(file)
    monkeypatch.chdir(tmp_path)
    # Names mean the same to whoever has models of Ollama's, and to whoever has none.
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.setattr(ollama, "_SERVICE_STORES", ())
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("LANG", "C.UTF-8")
    monkeypatch.setenv("COLUMNS", "80")
    assert main(command.split()) == 0
    printed = "".join(line.rstrip() + "\n" for line in capsys.readouterr().out.splitlines())
    assert printed == output
