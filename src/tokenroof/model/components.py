"""Where the bytes of a file are: what its tensors are for, told by their names.

Groups (`ledger.Entry.group`) say how a tensor is read; components say what for. Both sum to the
file.
"""

from __future__ import annotations

from typing import Literal

from tokenroof.model.blocks import place
from tokenroof.model.ledger import Entry

Component = Literal[
    "embedding",
    "output",
    "attention",
    "state",
    "feed_forward",
    "experts",
    "other",
    "modality",
    "prediction",
    "encoder",
    "shared",
    "idle",
]
"""The last five are why nothing of them is read (`unread.Reason`)."""

_BY_PREFIX: tuple[tuple[str, Component], ...] = (
    ("ffn_norm", "other"),
    ("attn_norm", "other"),
    ("attn_post_norm", "other"),
    ("ffn_", "feed_forward"),
    ("channel_mix_", "feed_forward"),
    ("attn_", "attention"),
    ("cross_attn_", "attention"),
    ("indexer", "attention"),
    ("ssm_", "state"),
    ("time_mix_", "state"),
    ("shortconv.", "state"),
)


def component(entry: Entry) -> Component:
    """What a tensor is for."""
    if entry.reason is not None:
        return entry.reason
    if entry.group == "embedding":
        return "embedding"
    if entry.kind == "expert":
        return "experts"
    block, part = entry.block, entry.part
    if entry.name.startswith("enc."):
        block, part = place(entry.name.removeprefix("enc."))
    if block is None:
        return "output" if entry.name.startswith("output.") else "other"
    return next((found for prefix, found in _BY_PREFIX if part.startswith(prefix)), "other")
