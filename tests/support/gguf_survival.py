"""The invariant of the reader: any bytes give a header or one of our errors, within bounds."""

from __future__ import annotations

from contextlib import suppress

from support.clocks import TickingClock
from support.gguf_files import Array, GGUFBuilder, Typed
from support.text import is_safe
from tokenroof.errors import GGUFError
from tokenroof.gguf import GGUFArray, Header
from tokenroof.gguf.problems import Problems
from tokenroof.gguf.reader import parse
from tokenroof.gguf.source import BytesSource
from tokenroof.gguf.split import join


def survive(data: bytes) -> Header | GGUFError:
    """Read bytes and use all that comes of them.

    The clock ticks 1 ms each time it is looked at, so a walk that would take too long ends by
    the deadline and not by the patience of the person who runs this.
    """
    clock = TickingClock()
    try:
        part = parse(BytesSource(data), clock=clock)
    except GGUFError as error:
        shown = error.text("en") + error.text("ja")
        if not is_safe(shown):
            raise AssertionError(shown) from error
        return error
    header = join([part], [], Problems("", strict=False))
    for notice in header.problems:
        assert is_safe(notice.text("en") + notice.text("ja"))
    for key, value in header.metadata.items():
        if isinstance(value, GGUFArray):
            assert len(value.values()) == len(value)
        for accessor in (header.integer, header.integers, header.number, header.text):
            with suppress(GGUFError):
                accessor(key)
    assert 0 <= header.tensor_bytes <= sum(t.bytes for t in header.tensors)
    assert header.missing_bytes >= 0
    assert header.alignment > 0
    assert clock.seconds <= 1.0 + 2 * clock.step
    return header


def small_file(byte_order: str = "little") -> GGUFBuilder:
    """Every kind of entry there is, in under 600 bytes."""
    builder = GGUFBuilder(byte_order="big" if byte_order == "big" else "little")
    builder.add("general.architecture", "llama").add("general.alignment", 32)
    builder.add("llama.block_count", Typed("u64", 2)).add("b", True).add("f", 1.5)
    builder.add("tokens", ["<s>", "", "a"]).add("kinds", Array("i32", [1, 2, 3]))
    builder.add("nested", Array("array", [Array("u8", [1]), Array("string", ["x"])]))
    builder.add("none", Array("f64"))
    builder.tensor("token_embd.weight", (32, 3), "Q4_0").tensor("norm", (4,))
    return builder.tensor("odd", (2,), 99)
