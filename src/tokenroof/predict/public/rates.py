"""What a processor can compute, by its published figures.

Figures that a prediction takes: its arithmetic, which is the rate of plain FP32 operations; what
units for small numbers (matrix units, dot products of bytes) have over that; how many watts there
are for an operation; and what a card gets from the host. An integrated chip or a laptop's card has
the paper rate of a card on the desk with half of the watts, and cannot hold it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokenroof.predict.memory.parts import LINK_BYTES_PER_SECOND

if TYPE_CHECKING:
    from tokenroof.hardware.device_table import KnownDevice

_UNKNOWN_ARITHMETIC = 25.0
"""Operations a second for each byte a second, of a device whose arithmetic is not known."""

_EIGHT_THREADS = 0.32e12
_GAIN_OF_THREADS = 0.75
"""Operations a second of a processor; further threads add less, as some are of smaller cores or
share one."""

_THREADS_OF_BANDWIDTH = 8.0 / 80e9
"""Eight threads for each 80 GB/s: enough to read memory at its full rate."""

USUAL_JOULES = 6e-12
"""For each operation, of cards of the years 2020 to 2025: a scale, so that 1 is usual."""


def arithmetic(
    known: KnownDevice | None, bandwidth: float, threads: int | None, *, on_cpu: bool
) -> float:
    """Operations a second without matrix units, published or supposed."""
    if on_cpu:
        count = threads if threads is not None else bandwidth * _THREADS_OF_BANDWIDTH
        return float(_EIGHT_THREADS * (max(float(count), 1.0) / 8) ** _GAIN_OF_THREADS)
    if known is not None and known.fp32_tflops is not None:
        return known.fp32_tflops * 1e12
    if known is not None and known.fp16_tflops is not None:
        return known.fp16_tflops * 1e12 / 4
    return bandwidth * _UNKNOWN_ARITHMETIC


def gain(known: KnownDevice | None, plain: float, *, on_cpu: bool) -> float:
    """The highest rate with small numbers over the plain one; 1 where no such unit is known."""
    if on_cpu or known is None:
        return 1.0
    small = max(known.fp16_tflops or 0.0, known.int8_tops or 0.0)
    return max(1.0, small * 1e12 / plain)


def link(known: KnownDevice | None) -> float:
    """Bytes a second between a card and the host; no more than the host is supposed to have."""
    if known is None or known.link_gb_s is None:
        return LINK_BYTES_PER_SECOND
    return min(known.link_gb_s * 1e9, LINK_BYTES_PER_SECOND)


def power(known: KnownDevice | None, plain: float, *, on_cpu: bool) -> float:
    """Watts for each operation over the usual ones; 1 where the watts are not known."""
    if on_cpu or known is None or known.power_w is None:
        return 1.0
    return known.power_w / plain / USUAL_JOULES
