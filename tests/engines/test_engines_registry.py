"""Which engine is taken, and what is said when there is none."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

from tokenroof.engines import embedded, registry
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.engines.options import EngineOptions
from tokenroof.errors import EngineMissing, UsageError


def absent(name: str, package: str | None = None) -> None:
    return None


def test_without_a_name_the_first_engine_that_is_installed_is_taken() -> None:
    pytest.importorskip("llama_cpp")
    assert isinstance(registry.pick(), EmbeddedEngine)
    assert isinstance(registry.pick("embedded"), EmbeddedEngine)


@pytest.mark.parametrize("name", [None, "embedded"])
def test_a_missing_engine_is_told_with_the_command_that_installs_it(
    name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", absent)
    with pytest.raises(EngineMissing) as caught:
        registry.pick(name)
    assert embedded.INSTALL in str(caught.value)
    assert "embedded" in str(caught.value)
    assert caught.value.exit_code == 4


def test_an_unknown_name_is_a_usage_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match=r"\\x1b.*embedded"):
        registry.pick("mine\x1b[2J")


def offered(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Let another package offer an engine called `other`."""
    point = EntryPoint("other", value, registry.GROUP)

    def entry_points(**select: Any) -> EntryPoints:
        return EntryPoints([point]).select(**select)

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_other_packages_can_add_engines(monkeypatch: pytest.MonkeyPatch) -> None:
    offered(monkeypatch, "tokenroof.engines.embedded:EmbeddedEngine")
    assert registry.names() == (*registry.ENGINES, "other")
    assert isinstance(registry.pick("other"), EmbeddedEngine)


def test_an_engine_of_another_package_that_cannot_be_imported_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    offered(monkeypatch, "no_such_package_at_all:Engine")
    with pytest.raises(EngineMissing, match=r"other.*no_such_package_at_all"):
        registry.pick("other")


def test_options_reach_only_an_engine_that_takes_them() -> None:
    options = EngineOptions(url="http://127.0.0.1:1", flags=("-x",))
    with pytest.raises(UsageError, match=r"embedded.*flags"):
        registry.pick("embedded", options)
    with pytest.raises(UsageError, match="choose one of embedded"):
        registry.pick(None, options)
    assert EngineOptions().given == frozenset()
    assert options.given == {"url", "flags"}
