"""Devices as they are typed: several options, or several names in one with commas between."""

from __future__ import annotations


def devices(texts: tuple[str, ...]) -> list[str]:
    """Every device of all `--on`; a comma separates only what is no name as a whole."""
    if not any("," in text for text in texts):
        return list(texts)
    from tokenroof.hardware.device_text import split_names

    return [name for text in texts for name in split_names(text)]
