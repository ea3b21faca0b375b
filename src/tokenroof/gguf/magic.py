"""What a file that is not a GGUF file looks like, from its first bytes."""

from __future__ import annotations

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
