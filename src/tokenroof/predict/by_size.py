"""The ceiling as many work it out, bandwidth over the size of the model, beside ours.

A file is larger than what a token reads of it: of the input embedding one row is looked up, of the
experts only those are read that the token is sent to, and a vision tower or a block that predicts
further tokens is not passed at all. So the ceiling by the size is lower than the true one; where
the head is tied to the embedding and nothing else is left out, both are the same but for the cache.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tokenroof.predict.records import BySize, Row

if TYPE_CHECKING:
    from tokenroof.model import Model


def with_size(row: Row, model: Model, size_bytes: int) -> Row:
    """A row with the ceiling by a size, and what of it a measured decode speed is.

    Args:
        row: a row about the model.
        model: what a token reads of it must be known.
        size_bytes: what to divide by.
    """
    bandwidth, measured = row.bandwidth_bytes_per_s, row.measured
    ceiling = None if bandwidth is None else bandwidth / size_bytes
    share = None
    if ceiling and measured is not None and measured.phase == "decode":
        share = measured.tokens_per_s / ceiling
    unread = {"lookup": 0.0, "expert": 0.0, "unread": 0.0, "read": 0.0}
    for entry in model.ledger:
        unread[entry.kind] += max(float(entry.tensor.bytes - entry.decode_bytes), 0.0)
    found = BySize(
        bytes=size_bytes,
        tensor_bytes=model.tensor_bytes,
        weight_bytes=round(model.decode_weight_bytes or 0),
        lookup_bytes=round(unread["lookup"]),
        experts_unread_bytes=round(unread["expert"]),
        unread_bytes=round(unread["unread"]),
        ceiling_tokens_per_s=ceiling,
        share=share,
    )
    return msgspec.structs.replace(row, by_size=found)
