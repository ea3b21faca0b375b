"""Files of questions: each line is a question or says why it is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tokenroof.errors import InputError, TokenroofError
from tokenroof.predict.cases import MAX_LINE_BYTES, Case, read_cases


def read(path: Path, *lines: str) -> list[Case | TokenroofError]:
    path.write_text("\n".join(lines), encoding="utf-8")
    return list(read_cases(path))


def test_every_key_of_the_contract_is_known(tmp_path: Path) -> None:
    line = (
        '{"model": "m", "device": "d", "host": "h", "depth": 1, "prompt": 2, "output": 3,'
        ' "cached": 4, "thinking": 5, "cold": true, "backend": "b", "engine": "e",'
        ' "engine_version": "1", "date": "2026-01-01", "flash_attention": true,'
        ' "kv_type": "q8_0", "gpu_layers": 6, "cpu_moe": 7, "batch": 8, "ubatch": 9,'
        ' "threads": 10, "context": 11, "parallel": 12, "bandwidth": 13.5, "memory": 14,'
        ' "tflops": 15, "weight_bytes": 16, "override_tensor": "a=CPU", "split_mode": "row",'
        ' "tensor_split": "3,1", "kv_offload": false, "projector": "p", "fit": true,'
        ' "turns": 17, "agent": 18, "prompt_low": 19, "prompt_high": 20}'
    )
    (case,) = read(tmp_path / "c.jsonl", line)
    assert isinstance(case, Case)
    assert None not in case.to_dict().values()


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"bandwith": 1}', "bandwith"),
        ('{"depth": "deep"}', "depth"),
        ('{"depth": 1.5}', "depth"),
        ("{", "truncated"),
        ("[1]", "object"),
        ("[" * 100_000, ""),
        ('{"model": "' + "x" * MAX_LINE_BYTES + '"}', "longer"),
        ('{"model": "\\ud800"}', ""),
    ],
)
def test_a_line_that_is_no_question_says_which_and_why(
    tmp_path: Path, line: str, word: str
) -> None:
    first, second = read(tmp_path / "c.jsonl", '{"model": "m"}', line)
    assert isinstance(first, Case)
    assert isinstance(second, TokenroofError)
    assert "Line 2" in str(second)
    assert word in str(second)


def test_empty_lines_are_passed_over(tmp_path: Path) -> None:
    cases = read(tmp_path / "c.jsonl", "", '{"model": "m"}', "  ", "")
    assert cases == [Case(model="m")]


def test_a_missing_file_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        list(read_cases(tmp_path / "none.jsonl"))
    assert caught.value.message == "predict.no_cases"
