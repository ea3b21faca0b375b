"""The message catalogue is complete in both languages, and it and the source agree."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from importlib import import_module

import pytest

from support.source import PACKAGE, modules
from tokenroof import words

ROOMS = sorted(path.stem for path in (PACKAGE / "words").glob("*.py") if path.stem != "__init__")

CATALOGUE: dict[str, tuple[str, str]] = {
    message: sentences
    for room in ROOMS
    for message, sentences in import_module(f"tokenroof.words.{room}").MESSAGES.items()
}

AN_ID = re.compile(rf"(?:{'|'.join(ROOMS)})\.[a-z][a-z0-9_]*")
"""What a message id looks like."""

JAPANESE = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")

A_FILE = re.compile(r".*\.(css|html|js|json|jsonl|md)")
"""What looks like an id and is the name of a file."""


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def of_source() -> dict[str, ast.Module]:
    """The modules outside the catalogue."""
    return {name: tree for name, tree in modules().items() if ".words" not in name}


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Every call whose first argument is written as an id: module, call and id."""
    for name, tree in of_source().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                message = node.args[0].value
                if isinstance(message, str) and AN_ID.fullmatch(message):
                    yield name, node, message


def strings() -> set[str]:
    """Every text that the source writes out, but for docstrings, which are longer than an id."""
    return {
        node.value
        for tree in of_source().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("room", ROOMS)
def test_ids_begin_with_the_name_of_their_room(room: str) -> None:
    messages = import_module(f"tokenroof.words.{room}").MESSAGES
    assert [each for each in messages if not re.fullmatch(rf"{room}\.[a-z][a-z0-9_]*", each)] == []


@pytest.mark.parametrize("message", sorted(CATALOGUE))
def test_both_languages_say_something_with_the_same_placeholders(message: str) -> None:
    english, japanese = CATALOGUE[message]
    assert english.strip()
    assert japanese.strip()
    assert placeholders(english) == placeholders(japanese)
    assert "" not in placeholders(english), "placeholders have names"


COUNTED = re.compile(
    r"\{(\w+)\} (?:further |more |stated |other )?"
    r"(?:blocks|bytes|combinations|conditions|cores|devices|experts|files|heads|layers|lengths|"
    r"lines|means|models|modules|nodes|numbers|options|pairs|parts|records|rounds|runs|slots|"
    r"steps|tensors|threads|times|tokens|values|weights)\b"
)
"""A count and what is counted, in the plural whatever the count."""

NEVER_ONE = {"block", "least", "limit", "minimum", "most", "name", "need", "ratio", "row", "rows"}
"""Bounds and factors that are greater than one, and what is no count."""


@pytest.mark.parametrize("message", sorted(CATALOGUE))
def test_what_is_counted_has_a_form_for_one_and_one_for_many(message: str) -> None:
    plain = {name for name in COUNTED.findall(CATALOGUE[message][0]) if name not in NEVER_ONE}
    assert plain == set(), "write {count} {count:run|runs}"


def test_one_is_said_in_the_singular_and_the_rest_in_the_plural() -> None:
    def said(count: object) -> str:
        return words.text("report.title_runs", counted=count, excluded="1,024")

    assert said(1) == said("1") == "1 run counts, 1,024 are excluded"
    assert said(0).startswith("0 runs count,")
    assert said("11").startswith("11 runs count,")


OTHER_TERMS = {
    "測定": "計測",
    "機械": "マシン",
    "機材": "デバイス",
    "装置": "デバイス",
    "待ち行列": "キュー",
    "準備運転": "ウォームアップ",
    "フォルダー": "フォルダ",
    "ヘッダー": "ヘッダ",
    "報告書": "レポート",
    "プレフィル": "プロンプト処理(prefill)",
    "除外": "除いた",
    "深さ": "読み込み済みの長さ(depth)",
    "（": "(",
    "）": ")",
}
"""Words that would be a second term for what the catalogue calls otherwise."""


def test_one_thing_has_one_name_in_japanese() -> None:
    found = {
        f"{message}: {other} -> {term}"
        for message, (_, japanese) in CATALOGUE.items()
        for other, term in OTHER_TERMS.items()
        if other in japanese
    }
    assert found == set()


@pytest.mark.parametrize("message", sorted(CATALOGUE))
def test_english_is_written_without_japanese(message: str) -> None:
    assert not JAPANESE.search(CATALOGUE[message][0])


def test_every_id_that_the_source_writes_is_in_the_catalogue() -> None:
    used = {each for each in strings() if AN_ID.fullmatch(each) and not A_FILE.fullmatch(each)}
    assert used - set(CATALOGUE) == set()


def test_every_sentence_of_the_catalogue_is_used() -> None:
    assert set(CATALOGUE) - strings() == set()


def test_errors_notices_and_texts_are_given_every_value_that_their_sentence_needs() -> None:
    wrong = []
    for name, call, message in calls():
        given = given_values(call)
        if given is None or message not in CATALOGUE:
            continue
        needed = placeholders(CATALOGUE[message][0])
        if not needed <= given:
            wrong.append(f"{name}:{call.lineno} {message} lacks {sorted(needed - given)}")
    assert wrong == []


def given_values(call: ast.Call) -> set[str] | None:
    """The names of the values that a call gives; None where they cannot be read off the source."""
    function = ast.unparse(call.func)
    if function == "Notice":
        values = call.args[1] if len(call.args) > 1 else None
        values = next((each.value for each in call.keywords if each.arg == "values"), values)
        if values is None:
            return set()
        if not isinstance(values, ast.Dict):
            return None
        keys = [key.value for key in values.keys if isinstance(key, ast.Constant)]
        return {str(key) for key in keys} if len(keys) == len(values.keys) else None
    if not (function == "words.text" or function in error_names()):
        return None
    if any(each.arg is None for each in call.keywords):
        return None
    return {each.arg for each in call.keywords if each.arg is not None}


def error_names() -> set[str]:
    from tokenroof import errors

    found = vars(errors).values()
    return {each.__name__ for each in found if isinstance(each, type)}


def test_a_message_without_a_value_is_a_mistake_that_is_seen() -> None:
    with pytest.raises(KeyError):
        words.text("library.not_found")


def test_an_unknown_id_is_a_mistake_that_is_seen() -> None:
    with pytest.raises(KeyError):
        words.text("library.no_such_sentence")
