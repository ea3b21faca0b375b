"""The firmware's tables: as root reads them, and as udev tells everybody."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from support.recorded import recorded, write
from tokenroof.hardware.memory_modules import claimed_bandwidth
from tokenroof.hardware.sources import dmi

GIB = 2**30


def structure(kind: int, body: bytes, *strings: str) -> bytes:
    """One structure as SMBIOS 3 lays it out: head, fixed part, strings, two zeros."""
    head = struct.pack("<BBH", kind, 4 + len(body), kind)
    text = b"".join(each.encode() + b"\0" for each in strings) or b"\0"
    return head + body + text + b"\0"


def memory_device(
    slot: str,
    bank: str,
    size: int,
    *,
    extended_mib: int = 0,
    kind: int = 0x22,
    speed: int = 6000,
    configured: int = 4800,
) -> bytes:
    """Type 17 up to the extended size and the configured speed (SMBIOS 2.8)."""
    body = struct.pack(
        "<HHHHHBBBBBHHBBBBBIH",
        0x1000,  # array
        0xFFFE,  # no error
        72,  # with error correction
        64,
        size,
        9,
        0,
        1,
        2,
        kind,
        0x80,
        speed,
        3,
        4,
        5,
        6,
        2,
        extended_mib,
        configured,
    )
    return structure(17, body, slot, bank, "Maker", "SERIAL-10", "Tag", "Part")


END = structure(127, b"")


def test_udev_tells_everybody_the_modules(tmp_path: Path) -> None:
    write(tmp_path, {"run/udev/data/+dmi:id": recorded("udev_dmi.txt")})
    found = dmi.memory_layout(tmp_path)
    assert found is not None
    assert (found.source, found.slots, len(found.modules)) == ("udev", 4, 2)
    first = found.modules[0]
    assert (first.slot, first.channel, first.size_bytes) == ("DIMM 1", "0/A", 32 * GIB)
    assert (first.type, first.data_rate_mtps, first.width_bits) == ("DDR5", 6000, 64)
    claim = claimed_bandwidth(found)
    assert claim is not None
    # 2 x 8 bytes x 6000
    assert claim.bytes_per_second == pytest.approx(96e9)
    assert "SERIAL" not in str(found)


def test_root_reads_the_tables_themselves(tmp_path: Path) -> None:
    tables = (
        structure(0, bytes(20), "Maker of the firmware")
        + memory_device("DIMM_A1", "BANK 0", 0x7FFF, extended_mib=64 * 1024)
        + memory_device("DIMM_A2", "BANK 1", 0)
        + memory_device("DIMM_B1", "BANK 2", 16 * 1024)
        + END
        + memory_device("after the end", "BANK 3", 1024)
    )
    path = tmp_path / "sys/firmware/dmi/tables/DMI"
    path.parent.mkdir(parents=True)
    path.write_bytes(tables)
    found = dmi.memory_layout(tmp_path)
    assert found is not None
    assert (found.source, found.slots) == ("SMBIOS", 3)
    assert [module.size_bytes for module in found.modules] == [64 * GIB, 16 * GIB]
    assert [module.channel for module in found.modules] == ["A", "B"]
    first = found.modules[0]
    assert (first.type, first.data_rate_mtps, first.rated_mtps) == ("DDR5", 4800, 6000)
    assert first.width_bits == 64
    assert "SERIAL" not in str(found)


def test_a_size_in_kibibytes_and_a_rate_that_nobody_knows() -> None:
    tables = memory_device("A", "", 0x8000 | 512, kind=0x18, speed=0, configured=0) + END
    found = dmi.layout_in_tables(tables)
    assert found is not None
    (module,) = found.modules
    assert (module.size_bytes, module.type, module.data_rate_mtps) == (512 * 1024, "DDR3", None)


def test_a_module_of_unknown_size_does_not_count_as_one_of_any_size() -> None:
    found = dmi.layout_in_tables(memory_device("A", "", 0xFFFF) + END)
    assert found is not None
    assert (found.slots, found.modules) == (1, ())


def test_an_old_short_structure_tells_what_it_has() -> None:
    """SMBIOS 2.1 ends after the type; there is no speed yet."""
    body = struct.pack("<HHHHHBBBBBH", 1, 1, 64, 64, 1024, 9, 0, 1, 2, 0x13, 0x80)
    found = dmi.layout_in_tables(structure(17, body, "DIMM0", "BANK0") + END)
    assert found is not None
    (module,) = found.modules
    assert (module.type, module.data_rate_mtps, module.size_bytes) == ("DDR2", None, GIB)


@given(st.binary(max_size=400))
def test_any_bytes_give_a_layout_or_none(tables: bytes) -> None:
    found = dmi.layout_in_tables(tables)
    assert found is None or (found.slots or 0) >= len(found.modules)


@given(st.integers(0, 60), st.binary(min_size=1, max_size=8))
def test_a_broken_table_never_raises(at: int, noise: bytes) -> None:
    tables = memory_device("DIMM_A1", "BANK 0", 16 * 1024) + END
    dmi.layout_in_tables(tables[:at] + noise + tables[at + len(noise) :])


def test_where_nobody_tells_nothing_is_known(tmp_path: Path) -> None:
    assert dmi.memory_layout(tmp_path) is None
    assert dmi.board(tmp_path) is None
    write(tmp_path, {"run/udev/data/+dmi:id": "I:1\nE:ID_VENDOR=QEMU\n"})
    assert dmi.memory_layout(tmp_path) is None


@pytest.mark.parametrize(
    ("system", "board", "expected"),
    [
        (("Framework", "Desktop (AMD Ryzen AI Max 300 Series)"), ("Framework", "FRANMFCP06"),
         "Framework Desktop (AMD Ryzen AI Max 300 Series)"),
        (("To Be Filled By O.E.M.", "To Be Filled By O.E.M."), ("ASRock", "B650M PG Riptide"),
         "ASRock B650M PG Riptide"),
        (("ASUS", "System Product Name"), ("ASUSTeK COMPUTER INC.", "ROG STRIX X670E-E"),
         "ASUSTeK COMPUTER INC. ROG STRIX X670E-E"),
        (("Default string", "Default string"), ("Default string", "Default string"), None),
    ],
)  # fmt: skip
def test_the_machines_name_is_not_a_filling(
    tmp_path: Path, system: tuple[str, str], board: tuple[str, str], expected: str | None
) -> None:
    folder = "sys/class/dmi/id"
    files = {
        f"{folder}/sys_vendor": f"{system[0]}\n",
        f"{folder}/product_name": f"{system[1]}\n",
        f"{folder}/board_vendor": f"{board[0]}\n",
        f"{folder}/board_name": f"{board[1]}\n",
        f"{folder}/product_serial": "SERIAL-11\n",
    }
    assert dmi.board(write(tmp_path, files)) == expected
