"""The first bytes: whether a file is GGUF, and if not, what it is instead."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from tokenroof.errors import GGUFError
from tokenroof.gguf.limits import MIN_HEADER_BYTES
from tokenroof.gguf.problems import shown

if TYPE_CHECKING:
    from tokenroof.gguf.byteorder import ByteOrder
    from tokenroof.gguf.source import Source

LOOKED_AT_BYTES = 512

_STARTS = (
    (b"version https://git-lfs", "gguf.is_git_lfs"),
    (b"PK\x03\x04", "gguf.is_zip"),
    (b"PK\x05\x06", "gguf.is_zip"),
    (b"\x80\x02", "gguf.is_pickle"),
    (b"\x80\x04", "gguf.is_pickle"),
    (b"tjgg", "gguf.is_old_ggml"),
    (b"ggjt", "gguf.is_old_ggml"),
    (b"fmgg", "gguf.is_old_ggml"),
    (b"ggmf", "gguf.is_old_ggml"),
    (b"lmgg", "gguf.is_old_ggml"),
    (b"ggml", "gguf.is_old_ggml"),
    (b"algg", "gguf.is_old_ggml"),
    (b"ggla", "gguf.is_old_ggml"),
    (b"FUGG", "gguf.is_reversed"),
    (b"\x1f\x8b", "gguf.is_compressed"),
    (b"\x28\xb5\x2f\xfd", "gguf.is_compressed"),
    (b"\xfd7zXZ\x00", "gguf.is_compressed"),
    (b"7z\xbc\xaf\x27\x1c", "gguf.is_compressed"),
    (b"BZh", "gguf.is_compressed"),
    (b"Rar!", "gguf.is_compressed"),
    (b"\x89HDF", "gguf.is_hdf5"),
)

# In lower case, after white space.
_TEXT_STARTS = (
    ((b"<!doctype html", b"<html", b"<head", b"<body", b"<!--"), "gguf.is_web_page"),
    ((b"<?xml",), "gguf.is_xml"),
    ((b"{", b"["), "gguf.is_json"),
)


class Preamble(NamedTuple):
    """What the first eight bytes say of a file that is GGUF."""

    version: int
    byte_order: ByteOrder


def read_preamble(source: Source) -> Preamble:
    """Look at the magic and the version.

    Raises:
        GGUFError: it is empty, something else, or of a version that is not read.
    """
    path, size = source.name, source.size
    if size == 0:
        raise GGUFError("gguf.empty", path=path)
    head = source.read(0, min(size, LOOKED_AT_BYTES))
    if not head.startswith(b"GGUF"[: len(head)]):
        start = shown(head[:8].decode("latin-1"))
        raise GGUFError(message_for(head), path=path, start=start)
    too_short = GGUFError("gguf.too_short", path=path, found=size, allowed=MIN_HEADER_BYTES)
    if size < 8:
        raise too_short
    version, byte_order = _version(head)
    # The header of version 1 is shorter, so the version comes before the size.
    if version == 1:
        raise GGUFError("gguf.version_1", path=path)
    if version == 0:
        raise GGUFError("gguf.version_0", path=path)
    if version > 3:
        raise GGUFError("gguf.version_future", path=path, found=version)
    if size < MIN_HEADER_BYTES:
        raise too_short
    return Preamble(version, byte_order)


def message_for(head: bytes) -> str:
    """The message id that names what a file is instead of GGUF.

    Args:
        head: its first bytes, up to `LOOKED_AT_BYTES` of them.
    """
    for start, message in _STARTS:
        if head.startswith(start):
            return message
    # safetensors: the length of a JSON object in eight bytes, then the object.
    if head[8:9] == b"{" and int.from_bytes(head[:8], "little") < 2**32:
        return "gguf.is_safetensors"
    if not head.strip(b"\0"):
        return "gguf.is_zeros"
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    for starts, message in _TEXT_STARTS:
        if text.startswith(starts):
            return message
    return "gguf.is_unknown"


def _version(head: bytes) -> tuple[int, ByteOrder]:
    (version,) = struct.unpack_from("<I", head, 4)
    # 2 or 3 written the other way round are numbers whose lower half is empty.
    if version and version & 0xFFFF == 0:
        (version,) = struct.unpack_from(">I", head, 4)
        return version, "big"
    return version, "little"
