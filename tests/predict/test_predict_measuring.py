"""What is proposed can be run: a model that is elsewhere is fetched before it is measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tokenroof.gguf import Header
from tokenroof.predict.measuring import measuring

HEADER = Header.build({"general.architecture": "llama"}, [("a", (32,), "F32")])


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("a model.gguf", "tokenroof bench 'a model.gguf'"),
        ("ollama:qwen3:8b", "tokenroof bench ollama:qwen3:8b"),
        ("ollama://host:11434/qwen3:8b", "tokenroof bench ollama://host:11434/qwen3:8b"),
        ("hf:O/R/sub/a.gguf", "hf download O/R sub/a.gguf && tokenroof bench hf:O/R/sub/a.gguf"),
        ("hf:O/R/a.gguf@v2",
         "hf download O/R a.gguf --revision v2 && tokenroof bench hf:O/R/a.gguf@v2"),
        ("hf:O/R/a-00001-of-00003.gguf",
         "hf download O/R --include 'a-*-of-00003.gguf'"
         " && tokenroof bench hf:O/R/a-00001-of-00003.gguf"),
        ("hf:O/R:Q4_K_M",
         "hf download O/R --include '*Q4_K_M*.gguf' && tokenroof bench hf:O/R:Q4_K_M"),
        ("hf:O/R", "hf download O/R --include '*.gguf' && tokenroof bench hf:O/R"),
        ("https://host/x/a.gguf?download=true",
         "curl -fLO 'https://host/x/a.gguf?download=true' && tokenroof bench a.gguf"),
    ],
)  # fmt: skip
def test_a_model_elsewhere_is_fetched_before_it_is_measured(name: str, command: str) -> None:
    assert measuring(name, HEADER, None) == command


def test_the_length_is_that_of_the_estimate() -> None:
    assert measuring("a.gguf", HEADER, 470) == "tokenroof bench a.gguf --lengths 470"


def test_a_model_in_a_cache_of_the_hub_is_here() -> None:
    here = replace(HEADER, paths=(Path("a.gguf"),))
    assert measuring("hf:O/R/a.gguf", here, None) == "tokenroof bench hf:O/R/a.gguf"


def test_a_recipe_cannot_be_measured() -> None:
    assert measuring("qwen3-8b", replace(HEADER, recipe="qwen3-8b@Q4_K_M"), None) is None
