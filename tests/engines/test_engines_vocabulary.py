"""Counting with a model's own vocabulary, in a child that loads nothing else."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.article_models import qwen3_8b
from support.fake_world import model_file
from support.small_model import small_model
from tokenroof.engines.embedded import available
from tokenroof.engines.vocabulary import count_tokens
from tokenroof.errors import EngineDied, EngineMissing, EngineRefused


def child(code: str) -> tuple[str, ...]:
    """A child that takes its order and then does something of its own."""
    return (sys.executable, "-c", f"import sys; sys.stdin.readline(); {code}")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return model_file(tmp_path, qwen3_8b, "model.gguf")


def test_the_childs_count_is_the_answer(model: Path) -> None:
    command = child("""print('{"say": "counted", "tokens": 7}')""")
    assert count_tokens(model, "hello", command=command) == 7


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("""print('{"say": "missing", "why": "no library"}')""", EngineMissing),
        (
            """print('{"say": "refused", "message": "engines.model_refused",'"""
            """ ' "values": {"model": "m", "why": "no vocab"}}')""",
            EngineRefused,
        ),
        ("print('hello')", EngineDied),
        ("sys.exit(3)", EngineDied),
    ],
)
def test_what_goes_wrong_has_a_name(model: Path, code: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        count_tokens(model, "hello", command=child(code))


def test_a_child_that_says_nothing_is_not_waited_for(model: Path) -> None:
    command = child("sys.stdin.read()")
    with pytest.raises(EngineDied):
        count_tokens(model, "hello", command=command, deadline_seconds=0.05)


@pytest.mark.skipif(not available(), reason="llama-cpp-python is not installed")
def test_a_real_vocabulary_counts_as_the_loaded_model_does() -> None:
    path = small_model()
    # Gemma: a beginning-of-text token, then "Hello", ",", " world", "!".
    assert count_tokens(path, "Hello, world!") == 5
    assert count_tokens(path, "") == 1
