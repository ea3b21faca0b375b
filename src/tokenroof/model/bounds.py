"""How little a token may read of a model whose architecture is not known.

Its graph may leave out what others use: biases, an output projection (an encoder has no use for
one), in a layer with experts the plain feed-forward network or the experts themselves. What
remains are the matrices of its blocks. The most that it can read is every tensor, all experts
included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction

from tokenroof.model.ledger import Entry

_DENSE = ("ffn_gate.", "ffn_up.", "ffn_down.")


def least_weight_bytes(ledger: Iterable[Entry]) -> Fraction:
    """The bytes of the matrices in blocks; of dense feed-forward and experts the lesser."""
    certain = Fraction()
    dense: defaultdict[int, Fraction] = defaultdict(Fraction)
    experts: defaultdict[int, Fraction] = defaultdict(Fraction)
    for entry in ledger:
        block, part = entry.block, entry.part
        if block is None or not part.endswith(".weight") or len(entry.tensor.shape) < 2:
            continue
        if entry.kind == "expert":
            experts[block] += entry.decode_bytes
        elif part.startswith(_DENSE):
            dense[block] += entry.decode_bytes
        else:
            certain += entry.decode_bytes
    for block in dense.keys() | experts.keys():
        both = block in dense and block in experts
        certain += min(dense[block], experts[block]) if both else dense[block] + experts[block]
    return certain
