"""Quantities and how they are written.

Inside, everything is in base units: bytes, seconds, tokens, operations. Only here, at the edge,
is it scaled: GB is 1e9 bytes, GiB is 2^30 bytes, and the two are never mixed up. Three
significant digits are what measured speeds deserve; exact counts are written in full.
"""

from __future__ import annotations

import math

GB = 10**9
GIB = 2**30
MIB = 2**20

_DECIMAL = ((10**12, "TB"), (10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
_BINARY = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_PLAIN = ((10**15, "P"), (10**12, "T"), (10**9, "G"), (10**6, "M"), (10**3, "k"))


def significant(value: float, digits: int = 3) -> str:
    """A number in `digits` significant digits, without an exponent: 0.0123, 1.23, 123, 12300."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    # Rounding may have carried into one more digit (9.996 -> 10.0), which needs one decimal less.
    decimals = digits - 1 - math.floor(math.log10(abs(rounded)))
    return f"{rounded:.{max(decimals, 0)}f}"


def _scaled(value: float, scales: tuple[tuple[int, str], ...], base: str) -> str:
    for factor, unit in scales:
        # 999.6 would be written as 1000: it belongs to the next unit already.
        if abs(value) >= factor * 0.9995:
            return f"{significant(value / factor)} {unit}"
    return f"{value:g} {base}"


def size(value_bytes: float) -> str:
    """Bytes in decimal units, as vendors and bandwidths count: ``4.87 GB``."""
    return _scaled(value_bytes, _DECIMAL, "B")


def binary_size(value_bytes: float) -> str:
    """Bytes in binary units, as memory is sold and engines print: ``4.58 GiB``."""
    return _scaled(value_bytes, _BINARY, "B")


def count(value: int) -> str:
    """A whole number with its thousands apart: ``4,869,359,872``."""
    return f"{value:,}"


def rate(tokens_per_second: float) -> str:
    """A speed: ``37.8 tok/s``."""
    return f"{significant(tokens_per_second)} tok/s"


def bandwidth(bytes_per_second: float) -> str:
    """A bandwidth in GB/s: ``187 GB/s``."""
    return f"{significant(bytes_per_second / GB)} GB/s"


def operations(flop_per_second: float) -> str:
    """A rate of floating point operations: ``14.8 TFLOP/s``."""
    for factor, unit in _PLAIN:
        if abs(flop_per_second) >= factor:
            return f"{significant(flop_per_second / factor)} {unit}FLOP/s"
    return f"{significant(flop_per_second)} FLOP/s"


def work(flop: float) -> str:
    """Floating point operations: ``872 TFLOP``."""
    return operations(flop).removesuffix("/s")


def milliseconds(seconds: float) -> str:
    """A short span: ``26.4 ms``."""
    return f"{significant(seconds * 1e3)} ms"


def duration(seconds: float) -> str:
    """A span for a person: ``0.45 s``, ``43 s``, ``2 min 5 s``, ``1 h 2 min``."""
    if seconds < 10:
        return f"{significant(seconds, 2)} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        minutes, rest = divmod(whole, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def percent(share: float) -> str:
    """A share as a whole percentage: ``73 %``."""
    return f"{share * 100:.0f} %"
