"""`tokenroof doctor`: a page of 80 columns in both languages, and one document."""

from __future__ import annotations

import json

import pytest

from support.commands import Tokenroof
from support.schemas import check
from tokenroof.cli import wide
from tokenroof.doctor.findings import Facts, all_findings
from tokenroof.doctor.records import (
    Doctor,
    FoundEngine,
    FoundModels,
    Load,
    MemoryState,
    Private,
    Processor,
    SystemState,
)
from tokenroof.hardware.gpu import Gpu, Link
from tokenroof.hardware.memory_modules import MemoryLayout, MemoryModule
from tokenroof.hardware.sources.numa import Node
from tokenroof.notices import Notice

GIB = 2**30


def sick(**changes: object) -> Doctor:
    """A machine with everything, and something wrong with most of it."""
    modules = tuple(
        MemoryModule(
            slot=f"P0 CHANNEL {letter}",
            channel=f"0/{letter}",
            size_bytes=64 * GIB,
            type="DDR5",
            data_rate_mtps=4400,
            rated_mtps=4800,
            width_bits=64,
        )
        for letter in "ABCDEFG"
    )
    facts = Facts(
        system=SystemState(
            os="Ubuntu 24.04.1 LTS",
            kernel="6.8.0-51-generic",
            board="Supermicro Super Server",
            container="Docker",
            virtual_machine="QEMU/KVM",
            governor="powersave",
            power_profile="low",
            boost=False,
            on_battery=True,
            swap_used_bytes=3 * GIB,
            nodes=(Node(cores=32, memory_bytes=224 * GIB), Node(cores=32, memory_bytes=None)),
        ),
        cpu=Processor(
            name="AMD EPYC 7302 16-Core Processor",
            device="EPYC 7302",
            sockets=2,
            rated_gb_s=409.6,
            most_channels=16,
            physical_cores=16,
            logical_cores=32,
            usable_cores=8,
            quota_cores=8.5,
            cache_bytes=128 * 2**20,
        ),
        memory=MemoryState(
            total_bytes=448 * GIB,
            available_bytes=40 * GIB,
            limit_bytes=448 * GIB,
            layout=MemoryLayout(source="SMBIOS", modules=modules, slots=16),
            channels=7,
            claimed_gb_s=246.4,
            measured_gb_s=69.8,
            measured_threads=8,
            measured_share=0.283,
            calibrated_gb_s=71.2,
            calibrated_on="2026-03-04",
        ),
        gpus=(
            Gpu(
                name="NVIDIA GeForce RTX 3090",
                vendor="NVIDIA",
                source="NVML",
                device="GeForce RTX 3090",
                memory_total_bytes=24 * GIB,
                memory_free_bytes=10 * GIB,
                bandwidth_gb_s=936.2,
                bandwidth_source="table",
                driver="570.86.15",
                link=Link(generation=1, lanes=8, most_generation=4, most_lanes=16),
                power_limit_watts=280,
                default_power_limit_watts=350,
                busy=0.4,
                clocks_held_down=True,
                api=("CUDA", "Vulkan"),
            ),
            Gpu(
                name="AMD Radeon 8060S Graphics",
                vendor="AMD",
                source="sysfs",
                is_unified=True,
                memory_total_bytes=GIB // 2,
                shared_total_bytes=62 * GIB,
            ),
        ),
        engines=(
            FoundEngine(name="llama-server", version="b6789-abc1234", backend="CPU"),
            FoundEngine(
                name="ollama", problem=Notice("doctor.engine_broke", {"engine": "x", "kind": "y"})
            ),
        ),
        load=Load(others_share=0.42, probe_gb_s=(69.8, 31.0), ratio=0.444, contended=True),
    )
    found = Doctor(
        version="0",
        system=facts.system,
        processor=facts.cpu,
        memory=facts.memory,
        gpus=facts.gpus,
        engines=facts.engines,
        models=(FoundModels(source="ollama", count=12, bytes=82 * 10**9),),
        load=facts.load,
        findings=all_findings(facts),
    )
    return Doctor(**{**{name: getattr(found, name) for name in found.__struct_fields__}, **changes})


def bare() -> Doctor:
    """A machine that tells nothing."""
    return Doctor(
        version="0",
        system=SystemState(),
        processor=Processor(),
        memory=MemoryState(),
        gpus=(),
        engines=(FoundEngine(name="embedded"),),
        models=(),
        load=Load(),
        findings=(),
    )


def show(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch, found: Doctor, *arguments: str
) -> str:
    monkeypatch.setattr("tokenroof.api.examine", lambda **_: found)
    outcome = tokenroof("doctor", *arguments)
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("found", [sick(), bare()], ids=["sick", "bare"])
def test_the_page_fits_80_columns(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch, found: Doctor, language: str
) -> None:
    lines = show(tokenroof, monkeypatch, found, "--lang", language).splitlines()
    assert max(map(wide.width, lines)) <= 80
    assert not any(line.endswith(" ") for line in lines)


def test_the_page_has_the_facts_that_matter(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = show(tokenroof, monkeypatch, sick())
    for fact in (
        "Ubuntu 24.04.1 LTS, kernel 6.8.0-51-generic",
        "a container (Docker), a virtual machine (QEMU/KVM)",
        "16, 32 threads, 8 usable; a quota of 8.5",
        "7 x 64.0 GiB DDR5 at 4400 MT/s, 7 of 16 slots (SMBIOS)",
        "AMD EPYC 7302 16-Core Processor, 2 of them",
        "7 of 16",
        "246.4 GB/s",
        "69.8 GB/s read by 8 threads, 28 % of it",
        "936.2 GB/s by the table",
        "24.0 GiB, 10.0 GiB free",
        "PCIe 1 x8 now, 4 x16 at most",
        "280 W of 350 W",
        "carve-out 512 MiB, usable of the system's 62.0 GiB",
        "unknown: measure it or give --bandwidth",
        "71.2 GB/s on 2026-03-04",
        "b6789-abc1234 on CPU",
        "12, 82.0 GB",
        "42 % of all cores",
        "69.8 and 31.0 GB/s: unlike",
    ):
        assert fact in page, fact
    falsifies, limits = page.index("Would falsify"), page.index("Holds this machine back")
    assert falsifies < page.index("runs on its battery") < limits
    assert limits < page.index("7 of the 16 memory channels")


def test_a_healthy_machine_is_told_so(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = show(tokenroof, monkeypatch, bare())
    assert "Nothing was found that would falsify a measurement." in page
    assert "unknown" in page


def test_names_are_shown_only_where_they_are_asked_for(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = Private(host="tower", user="alice", home="/home/alice")
    page = show(tokenroof, monkeypatch, sick(private=private), "--private")
    assert "tower" in page
    assert "/home/alice" in page


def test_the_document_is_one_and_follows_its_schema(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch
) -> None:
    for found in (sick(), bare(), sick(private=Private(host="h", user="u", home=None))):
        document = json.loads(show(tokenroof, monkeypatch, found, "--json"))
        check(document, "doctor")
    findings = {each["id"]: each for each in document["findings"]}
    assert findings["channels"]["harm"] == "limits"
    assert findings["governor"]["fix"] == "sudo cpupower frequency-set -g performance"


def test_without_root_linux_says_how_the_modules_are_told(
    tokenroof: Tokenroof, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    page = show(tokenroof, monkeypatch, bare())
    assert "sudo tokenroof doctor" in page
