"""Whether two headers say the same, by everything that can be read from them."""

from __future__ import annotations

from tokenroof.gguf import GGUFArray, Header


def content(header: Header) -> dict[str, object]:
    """All of a header but where it came from, its arrays decoded."""
    return {
        "version": header.version,
        "alignment": header.alignment,
        "data_offset": header.data_offset,
        "metadata": {
            key: value.values() if isinstance(value, GGUFArray) else value
            for key, value in header.metadata.items()
        },
        "tensors": header.tensors,
        "parts": header.parts,
        "file_bytes": header.file_bytes,
        "tensor_bytes": header.tensor_bytes,
        "promised_bytes": header.promised_bytes,
        "present_bytes": header.present_bytes,
        "problems": header.problems,
    }
