"""The identity of a model file without reading its weights."""

from __future__ import annotations

import hashlib
from pathlib import Path

from support.article_models import gpt_oss_20b, qwen3_8b
from support.fake_world import model_file
from tokenroof.gguf import read_header
from tokenroof.library.digest import header_digest


def test_it_is_over_the_headers_bytes_and_the_size(tmp_path: Path) -> None:
    path = model_file(tmp_path)
    header = read_header(path)
    assert header.data_offset is not None
    with path.open("rb") as file:
        start = file.read(header.data_offset)
    ending = f"1 files, {path.stat().st_size} bytes".encode()
    expected = hashlib.sha256(start + ending).hexdigest()
    assert header_digest(header) == f"header-sha256:{expected}"


def test_a_copy_has_the_same_and_another_model_another(tmp_path: Path) -> None:
    first = model_file(tmp_path, name="a.gguf")
    second = model_file(tmp_path, name="b.gguf")
    other = model_file(tmp_path, gpt_oss_20b, "c.gguf")
    digests = [header_digest(read_header(path)) for path in (first, second, other)]
    assert digests[0] == digests[1] != digests[2]


def test_a_header_without_a_file_has_none() -> None:
    assert header_digest(qwen3_8b()) is None
