"""Help in both languages, and usage errors as one sentence with exit code 2."""

from __future__ import annotations

import re

import pytest

from support.commands import Tokenroof
from tokenroof.cli import wide
from tokenroof.cli.help import VERBS

JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")


def test_help_lists_every_verb_with_its_line(tokenroof: Tokenroof) -> None:
    page = tokenroof("--help")
    assert page.code == 0
    assert page.err == ""
    for verb in VERBS:
        assert re.search(rf"^  {verb} +\S", page.out, re.MULTILINE)


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_has_usage_options_and_examples(tokenroof: Tokenroof, verb: str) -> None:
    page = tokenroof(verb, "--help")
    assert page.code == 0
    assert page.out.startswith(f"Usage: tokenroof {verb} [OPTIONS]")
    assert "\nOptions:\n" in page.out
    assert f"\nExamples:\n  tokenroof {verb}" in page.out
    assert not JAPANESE.search(page.out)


@pytest.mark.parametrize("verb", ["", *VERBS])
@pytest.mark.parametrize("language", ["en", "ja"])
def test_help_fits_80_columns(tokenroof: Tokenroof, verb: str, language: str) -> None:
    page = tokenroof("--lang", language, *filter(None, [verb]), "--help")
    assert page.code == 0
    assert max(map(wide.width, page.out.splitlines())) <= 80


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("where", ["before", "after"])
def test_lang_speaks_japanese_before_and_after_the_verb(
    tokenroof: Tokenroof, verb: str, where: str
) -> None:
    arguments = ["--lang", "ja", verb] if where == "before" else [verb, "--lang=ja"]
    page = tokenroof(*arguments, "--help")
    assert page.out.startswith("使い方:")
    # Every option is explained in Japanese too.
    described = re.findall(r"^  --\S+.*(?:\n {10,}\S.*)*", page.out, re.MULTILINE)
    assert len(described) >= 2
    assert all(JAPANESE.search(each) for each in described)


def test_the_locale_chooses_the_language(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "ja_JP.UTF-8")
    assert tokenroof("--help").out.startswith("使い方:")
    assert tokenroof("--lang", "en", "--help").out.startswith("Usage:")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["frobnicate"], ["frobnicate", *VERBS]),
        (["inspct"], ["inspct", "inspect"]),
        (["--verison"], ["--verison", "--version"]),
        (["--nothing-like-it"], ["--nothing-like-it"]),
        (["--lang", "fr", "inspect", "a.gguf"], ["--lang", "en, ja"]),
        (["inspect"], ["MODEL", "inspect --help"]),
        (["inspect", "a.gguf", "--dept", "1"], ["--dept", "--depth"]),
        (["inspect", "a.gguf", "--depth"], ["--depth"]),
        (["inspect", "a.gguf", "--depth", "-1"], ["--depth", "-1"]),
        (["inspect", "a.gguf", "--depth", "1,x"], ["--depth", "x"]),
        (["inspect", "a.gguf", "--depth", "9" * 30], ["--depth"]),
        (["inspect", "a.gguf", "--kv-type", "a,b,c"], ["--kv-type"]),
        (["estimate", "a.gguf", "--bandwidth", "nan"], ["--bandwidth", "nan"]),
        (["estimate", "a.gguf", "--bandwidth", "0"], ["--bandwidth", "0"]),
        (["bench", "a.gguf", "--budget", "soon"], ["--budget", "soon"]),
        (["bench", "a.gguf", "--precision", "0"], ["--precision"]),
        (["report", "--format", "docx"], ["--format", "html"]),
    ],
)
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_usage_error_is_one_sentence_on_stderr(
    tokenroof: Tokenroof, arguments: list[str], words: list[str], language: str
) -> None:
    prefix = [] if "--lang" in arguments else ["--lang", language]
    outcome = tokenroof(*prefix, *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.count("\n") == 1
    assert all(each in outcome.err for each in words)
    assert bool(JAPANESE.search(outcome.err)) == (prefix == ["--lang", "ja"])
    assert "--help" in outcome.err


def test_no_arguments_show_the_help_and_do_nothing(tokenroof: Tokenroof) -> None:
    outcome = tokenroof()
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("Usage: tokenroof")


def test_version_is_the_packages(tokenroof: Tokenroof) -> None:
    import tokenroof as package

    assert tokenroof("--version").out == f"tokenroof {package.__version__}\n"
