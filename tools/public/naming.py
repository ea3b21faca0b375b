"""From what publishers call a model and its type to a recipe of the catalogue.

`models.csv` has the spellings that the catalogue does not know, fine-tunes by the model that they
were tuned from, since what is stored and read is the same. Publishers' own mixes are taken as the
plain type of their name; their stated size then says how many bytes there really are.
"""

from __future__ import annotations

import csv
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tokenroof.errors import TokenroofError
from tokenroof.recipes.catalogue import lookup
from tokenroof.recipes.quantise import file_type

_ENDINGS = re.compile(
    r"[-_.](i1|q4_k_m.*|q8_0|4bit|8bit|gguf|mlx.*|fp16|mxfp4.*|ud.*|instruct|thinking|pt|exp|tool|"
    r"2507|2501|2506|v1|0414|2512|hf|it)(\.gguf)?$"
)
_OWNER = re.compile(r"^[a-z0-9]+(-ai|-org)?_")
_MIX = re.compile(r"(?:UD-)?(I?Q\d_[A-Z0-9_]+?)(?:_XL|_L|_P)?(?:-[\d.]+bpw|_R8)?")
_PLAIN = {
    "Q8_K": "Q8_0",
    "Q6_K_L": "Q6_K",
    "FP16": "F16",
    "8bit": "Q8_0",
    "MLX-8bit": "Q8_0",
    "6bit": "Q6_K",
    "4bit": "Q4_0",
    "MLX-4bit": "Q4_0",
    "Q4": "Q4_0",
    "": "Q4_K_M",
    "NVFP4": "Q4_K_M",
}
_LIKE = (
    ("MXFP4", "MXFP4_MOE"),
    ("IQ4_XS", "IQ4_XS"),
    ("IQ3_K", "IQ3_S"),
    ("IQ6_K", "Q6_K"),
    ("APEX", "Q4_K_M"),
)


class Type(NamedTuple):
    """A file type that the quantiser makes, and whether that is what was published."""

    name: str
    is_exact: bool


def model_id(published: str) -> str | None:
    """The catalogue's name of a model; None where it has none."""
    found = lookup(published)
    if found is not None:
        return found.id
    name = published.lower()
    for pattern, model in _spellings():
        match = pattern.search(name)
        entry = lookup(match.expand(model)) if match else None
        if entry is not None:
            return entry.id
    for _ in range(4):
        entry = lookup(name)
        if entry is not None:
            return entry.id
        name = _ENDINGS.sub("", _OWNER.sub("", name))
    return None


def plain_type(published: str) -> Type | None:
    """The file type that a published one is, or is nearest to; None where nothing is near."""
    name = published.strip().removeprefix("i1-")
    if _is_made(name):
        return Type(name, True)
    if name in _PLAIN:
        return Type(_PLAIN[name], name in ("FP16", "Q6_K_L"))
    for part, made in _LIKE:
        if part in name:
            return Type(made, name == "MXFP4")
    match = _MIX.fullmatch(name)
    if match is None:
        return None
    base = match[1]
    for made in (base, f"{base}_M", _PLAIN.get(base, ""), base.removesuffix("_K") + "_K_M"):
        if made and _is_made(made):
            return Type(made, False)
    return None


@cache
def _spellings() -> list[tuple[re.Pattern[str], str]]:
    with (Path(__file__).with_name("models.csv")).open(encoding="utf-8", newline="") as file:
        return [(re.compile(row["pattern"]), row["model"]) for row in csv.DictReader(file)]


@cache
def _is_made(name: str) -> bool:
    try:
        return file_type(name).name == name
    except TokenroofError:
        return False
