"""A fuzz target for the reader of GGUF headers and the model. Not run by pytest; it takes time.

It needs atheris, which the project does not depend on, in an environment of its own:

    python -m venv /tmp/fuzz && /tmp/fuzz/bin/pip install atheris .
    /tmp/fuzz/bin/python tests/fuzz/fuzz_gguf.py --seeds /tmp/fuzz/corpus
    /tmp/fuzz/bin/python tests/fuzz/fuzz_gguf.py -max_total_time=600 -rss_limit_mb=512 \
        -timeout=5 /tmp/fuzz/corpus

The first run writes the seeds, the second fuzzes for ten minutes. Any exception but our own, a
sentence that is not fit to be shown, figures that contradict each other, an input that takes
longer than 5 s, and memory beyond the limit are findings; atheris writes the input that led to one
as a file. docs/reading.md has the figures of the last run.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


_LONGEST_SEED = 8000


def write_seeds(folder: Path) -> None:
    """Small good files, from which the fuzzer starts."""
    from support.gguf_files import GGUFBuilder, gguf_builder
    from support.gguf_survival import small_file
    from support.oracle.kinds import KINDS, converted

    folder.mkdir(parents=True, exist_ok=True)
    for order in ("little", "big"):
        (folder / f"small-{order}.gguf").write_bytes(small_file(order).build())
    (folder / "empty.gguf").write_bytes(GGUFBuilder(version=2).build())
    words = gguf_builder({"tokens": [f"token {i}" for i in range(300)]})
    (folder / "words.gguf").write_bytes(words.build())
    for kind in KINDS:
        metadata, tensors = converted(kind)
        header = gguf_builder(metadata, tensors).header()
        if len(header) < _LONGEST_SEED:
            (folder / f"{kind.name}.gguf").write_bytes(header)


def main(arguments: list[str]) -> None:
    """Write the seeds, or fuzz with the options of libFuzzer."""
    if arguments[1:2] == ["--seeds"]:
        write_seeds(Path(arguments[2]))
        return
    import atheris

    with atheris.instrument_imports(include=["tokenroof"]):
        from support.gguf_survival import survive
        from support.model_survival import survive_model
        from tokenroof.gguf import Header

    def target(data: bytes) -> None:
        header = survive(data)
        if isinstance(header, Header):
            survive_model(header)

    atheris.Setup(arguments, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv)
