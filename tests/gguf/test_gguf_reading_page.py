"""docs/reading.md names tests that exist, and every test of bad files is named there."""

from __future__ import annotations

import re
from pathlib import Path

from support.oracle.kinds import KINDS
from support.oracle.recorded import ORACLE

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "reading.md").read_text(encoding="utf-8")
A_TEST = re.compile(r"\btest_[a-z0-9_]+\b")


def defined(*files: str) -> set[str]:
    """The tests of some files, or of all."""
    paths = [TESTS / file for file in files] or sorted(TESTS.rglob("test_*.py"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in paths)
    return set(re.findall(r"^def (test_[a-z0-9_]+)\(", text, re.M))


def test_every_test_that_the_page_names_exists() -> None:
    named = {name for name in A_TEST.findall(PAGE) if name != Path(__file__).stem}
    assert len(named) > 80
    assert named - defined() == set()


def test_every_fault_that_is_tested_is_on_the_page() -> None:
    faults = defined("gguf/test_gguf_bad_files.py", "gguf/test_gguf_problems.py")
    details = {
        "test_names_have_a_budget_together",
        "test_a_path_to_nothing_is_not_found",
        "test_a_path_that_no_system_takes_is_refused",
        "test_a_file_may_end_with_its_last_tensor_without_padding",
        "test_tensors_without_bytes_need_no_data_section",
        "test_a_split_name_without_a_split_is_said",
        "test_problems_beyond_a_hundred_are_counted",
    }
    assert faults - set(A_TEST.findall(PAGE)) == details


def test_the_counts_of_the_page_are_those_of_the_data() -> None:
    architectures = {entry["metadata"]["general.architecture"] for entry in ORACLE.values()}
    assert f"**{len(ORACLE)} recorded models** of {len(architectures)} architectures" in PAGE
    assert f"**{len(KINDS)} kinds" in PAGE
