"""What is published about the command line is what it does."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

from support.schemas import FOLDER
from support.source import ROOT
from tokenroof import words
from tokenroof.cli import wide
from tokenroof.cli.help import VERBS
from tokenroof.errors import TokenroofError


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def differing(folder: Path, contents: dict[str, str]) -> list[str]:
    return [
        name
        for name, content in contents.items()
        if not (folder / name).is_file() or (folder / name).read_text(encoding="utf-8") != content
    ]


def test_the_reference_of_the_command_line_is_in_step() -> None:
    assert differing(ROOT / "docs", tool("make_docs").pages()) == [], "run tools/make_docs.py"


def test_the_schemas_are_in_step() -> None:
    assert differing(FOLDER, tool("make_schemas").schemas()) == [], "run tools/make_schemas.py"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_each_schema_is_one_and_names_its_documents_schema(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    root = schema["$defs"][schema["$ref"].rpartition("/")[2]]
    assert root["properties"]["schema"]["enum"] == [f"tokenroof.{path.stem}/1"]


@pytest.mark.parametrize("page", ["cli.md", "cli.ja.md"])
def test_the_reference_tells_every_exit_code(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    told = set(map(int, re.findall(r"^\| (\d+) \|", text, re.MULTILINE)))
    kinds, known = [TokenroofError], {0}
    for kind in kinds:
        known.add(kind.exit_code)
        kinds.extend(kind.__subclasses__())
    assert told == known


@pytest.mark.parametrize("page", ["cli.md", "cli.ja.md"])
def test_help_on_the_page_fits_80_columns(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"```text\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 1 + len(VERBS)
    assert max(wide.width(line) for block in blocks for line in block.splitlines()) <= 80


def test_english_and_japanese_pages_show_the_same_options() -> None:
    pages = [(ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("cli.md", "cli.ja.md")]
    english, japanese = (re.findall(r"^  (--\S+)", page, re.MULTILINE) for page in pages)
    assert english == japanese != []
    assert words.LANGUAGES == ("en", "ja")


MANUALS = ["man/tokenroof.1", "man/ja/tokenroof.1"]


@pytest.mark.parametrize("manual", MANUALS)
def test_the_manual_names_every_verb_and_option(manual: str) -> None:
    """Against the reference, whose help blocks are another rendering of the same commands."""
    text = (ROOT / "docs" / manual).read_text(encoding="utf-8").replace(r"\-", "-")
    reference = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    blocks = re.findall(r"## tokenroof (\w+)\n\n```text\n(.*?)```", reference, re.DOTALL)
    assert [verb for verb, _ in blocks] == list(VERBS)
    for verb, block in blocks:
        section = text.partition(f".SS tokenroof {verb} ")[2].partition("\n.S")[0]
        for option in re.findall(r"^  (--\S+)", block, re.MULTILINE):
            assert f".B {option}" in section, f"{verb} {option}"
    assert "\n130\n" in text.replace(".B ", "\n")
    assert "TOKENROOF_DATA" in text
    for kind in ("ollama:NAME", "hf:OWNER/REPO[:TYPE]", "https://HOST/FILE", "Nx NAME"):
        assert f"\n.B {kind}" in text, kind


@pytest.mark.parametrize("manual", MANUALS)
def test_the_manual_is_read_without_a_warning(manual: str) -> None:
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("needs groff")
    command = [groff, "-K", "utf8", "-man", "-Tutf8", "-ww", "-z"]
    if "ja" in manual:
        command.append("-mja")  # as man does for Japanese: lines break between any two characters
    path = str(ROOT / "docs" / manual)
    done = subprocess.run([*command, path], capture_output=True, text=True, check=True, timeout=300)
    assert done.stderr == ""
