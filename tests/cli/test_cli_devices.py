"""`tokenroof devices`: a list, one device in full, and the document."""

from __future__ import annotations

import json

import pytest

from support.commands import Tokenroof
from support.schemas import check
from tokenroof.cli import wide
from tokenroof.hardware.device_table import device_table


def found(tokenroof: Tokenroof, *query: str) -> list[str]:
    outcome = tokenroof("devices", *query, "--json")
    assert (outcome.code, outcome.err) == (0, "")
    document = json.loads(outcome.out)
    check(document, "devices")
    return [each["name"] for each in document["devices"]]


def test_a_name_finds_what_it_means(tokenroof: Tokenroof) -> None:
    assert found(tokenroof, "GeForce", "RTX", "3090") == ["GeForce RTX 3090"]
    assert found(tokenroof, "rtx-3090") == ["GeForce RTX 3090"]
    assert set(found(tokenroof, "m4 max")) == {
        "Apple M4 Max (32-core GPU)",
        "Apple M4 Max (40-core GPU)",
    }


def test_words_find_every_device_that_has_them_all(tokenroof: Tokenroof) -> None:
    names = found(tokenroof, "quadro", "gddr6")
    assert "Quadro RTX 8000" in names
    assert all(name.startswith("Quadro") for name in names)
    assert "Quadro P6000" not in names  # GDDR5X


def test_without_words_every_device_is_listed(tokenroof: Tokenroof) -> None:
    assert found(tokenroof) == [each.name for each in device_table().devices]


def test_one_device_is_shown_with_the_source_of_every_figure(tokenroof: Tokenroof) -> None:
    page = tokenroof("devices", "rtx", "3090").out
    assert page.startswith("GeForce RTX 3090\n")
    assert "384 bit x 19504 MT/s = 936.2 GB/s" in page
    assert "techpowerup.com/gpu-specs/geforce-rtx-3090" in page
    assert "tokenroof estimate MODEL --on 'GeForce RTX 3090'" in page


def test_what_nobody_confirmed_is_marked(tokenroof: Tokenroof) -> None:
    assert "300.8 GB/s (not confirmed)" in tokenroof("devices", "RTX Spark (N1X)").out
    (line,) = [
        line
        for line in tokenroof("devices", "rtx", "spark", "lpddr5x").out.splitlines()
        if line.strip().startswith("bandwidth")
    ]
    assert "not confirmed" in line
    assert "300.8?" in tokenroof("devices").out


def test_a_bandwidth_that_nobody_publishes_says_so(tokenroof: Tokenroof) -> None:
    page = tokenroof("devices", "B200").out
    assert "published        by nobody" in page
    assert "up to 8 TB/s" in page


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("query", [[], ["m4", "max"], ["rtx", "3090"], ["EPYC 7282"], ["uhd"]])
def test_every_page_fits_80_columns(tokenroof: Tokenroof, language: str, query: list[str]) -> None:
    lines = tokenroof("devices", *query, "--lang", language).out.splitlines()
    use = [line for line in lines if line.startswith("  tokenroof estimate")]
    assert max(wide.width(line) for line in lines if line not in use) <= 80
    assert not any(line.endswith(" ") for line in lines)


@pytest.mark.parametrize("query", ["rtx 3085", "[bold]x[/bold]", "\x1b[2J", "-"])
def test_what_nobody_knows_is_an_error_and_no_neighbour(tokenroof: Tokenroof, query: str) -> None:
    outcome = tokenroof("devices", "--", query)
    assert (outcome.code, outcome.out) == (2, "")
    assert "unknown: measure it or give --bandwidth" in outcome.err
    assert "\x1b" not in outcome.err
