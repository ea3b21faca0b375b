"""An identity for a model file that costs no reading of its weights."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from tokenroof.errors import InputError
from tokenroof.safetext import printable

if TYPE_CHECKING:
    from tokenroof.gguf import Header

_PIECE_BYTES = 2**20


def header_digest(header: Header) -> str | None:
    """``header-sha256:...`` over the header's bytes and the size of all files.

    Two files of one digest store the same tensors in the same types, which is all that speed
    depends on. It is not the digest of the whole file, and its prefix keeps it from being taken
    for one. None for a header without a file.

    Raises:
        InputError: the file cannot be read any more.
    """
    if not header.paths or header.data_offset is None:
        return None
    hasher = hashlib.sha256()
    left = header.data_offset
    try:
        with header.paths[0].open("rb") as file:
            while left and (piece := file.read(min(left, _PIECE_BYTES))):
                hasher.update(piece)
                left -= len(piece)
    except OSError as error:
        name, reason = printable(str(header.paths[0])), error.strerror or str(error)
        raise InputError("library.unreadable", name=name, reason=reason) from error
    hasher.update(f"{len(header.paths)} files, {header.file_bytes} bytes".encode())
    return f"header-sha256:{hasher.hexdigest()}"
