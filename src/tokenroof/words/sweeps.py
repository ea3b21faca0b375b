"""Sentences about counts and sweeps as they are typed."""

from __future__ import annotations

from tokenroof.words import Catalogue

MESSAGES: Catalogue = {
    "sweeps.not_one": (
        "'{value}' is neither a whole number from {least} on (4k is 4,096) nor a sweep such as "
        "512-2048+512 or 4k-32k*2",
        "「{value}」は {least} 以上の整数(4k は 4,096)でも、512-2048+512 や 4k-32k*2 のような"
        "範囲でもありません",
    ),
    "sweeps.too_large": (
        "'{value}' is more than any count of tokens can be",
        "「{value}」はトークン数としては大きすぎます",
    ),
    "sweeps.goes_nowhere": (
        "'{value}' never gets from its first number to its second one",
        "「{value}」は最初の数から次の数に届きません",
    ),
    "sweeps.too_many": (
        "'{value}' means more than {most} values",
        "「{value}」は {most} を超える数の値になります",
    ),
}
