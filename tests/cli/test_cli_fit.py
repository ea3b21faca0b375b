"""`estimate` about placements, as a person sees it and as a script does."""

from __future__ import annotations

import json
import shlex

import pytest

from support.commands import Tokenroof
from support.schemas import check
from tokenroof.cli import wide

FITTED = ("estimate", "gpt-oss-20b", "--on", "RTX 3070 + ddr4-3200 x2", "--context", "16k")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_fit_shows_where_it_goes_and_what_to_paste(tokenroof: Tokenroof, language: str) -> None:
    outcome = tokenroof(*FITTED, "--fit", "--lang", language)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert all(
        wide.width(line) <= 80
        for line in lines
        if "llama-server" not in line and "bench" not in line
    )
    (command,) = [line.strip() for line in lines if line.strip().startswith("llama-server")]
    words = shlex.split(command)
    assert words[words.index("-c") + 1] == "16384"
    assert int(words[words.index("--n-cpu-moe") + 1]) > 0
    assert "PARAMETER num_ctx 16384" in outcome.out
    assert "lms load MODEL --gpu max --context-length 16384" in outcome.out
    assert "GeForce RTX 3070" in outcome.out
    assert "DDR4-3200 x2" in outcome.out


def test_a_placement_is_a_part_of_the_document(tokenroof: Tokenroof) -> None:
    outcome = tokenroof(*FITTED, "--fit", "--json")
    document = json.loads(outcome.out)
    check(document, "estimate")
    (row,) = document["rows"]
    placement = row["placement"]
    assert placement["chosen"] is True
    assert placement["gpu_layers"] == placement["layers"] == 25
    assert row["fits"]["verdict"] == "fits"
    assert row["fits"]["capacity_bytes"] - row["fits"]["resident_bytes"] >= 2**30
    assert [part["place"] for part in placement["parts"]] == ["gpu", "cpu"]
    seconds = sum(part["seconds"] for part in placement["parts"]) + placement["transfer_seconds"]
    assert row["ceiling_tokens_per_s"] == pytest.approx(1 / seconds, rel=1e-4)


def test_the_flags_that_are_printed_are_options_that_are_taken(tokenroof: Tokenroof) -> None:
    found = json.loads(tokenroof(*FITTED, "--fit", "--json").out)["rows"][0]
    placement = found["placement"]
    options = ["--gpu-layers", str(placement["gpu_layers"])]
    options += ["--cpu-moe", str(placement["cpu_moe"])]
    if placement["override_tensor"]:
        options += ["--override-tensor", ",".join(placement["override_tensor"])]
    again = json.loads(tokenroof(*FITTED, *options, "--json").out)["rows"][0]
    assert again["fits"] == found["fits"]
    assert again["ceiling_tokens_per_s"] == found["ceiling_tokens_per_s"]


def test_what_does_not_fit_is_told_the_way_to_a_placement(tokenroof: Tokenroof) -> None:
    outcome = tokenroof(*FITTED)
    assert outcome.code == 0
    (command,) = [line.strip() for line in outcome.out.splitlines() if line.endswith("--fit")]
    followed = tokenroof(*shlex.split(command)[1:])
    assert followed.code == 0
    assert "llama-server" in followed.out


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (("--fit", "--gpu-layers", "3"), "--fit"),
        (("--override-tensor", "blk"), "blk"),
        (("--tensor-split", "1,2"), "2"),
        (("--cpu-moe", "few"), "few"),
        (("--split-mode", "column"), "row"),
    ],
)
def test_a_placement_that_cannot_be_is_one_sentence(
    tokenroof: Tokenroof, options: tuple[str, ...], word: str
) -> None:
    outcome = tokenroof(*FITTED, *options)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.count("\n") == 1
    assert word in outcome.err
