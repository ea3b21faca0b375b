"""Each rule: what it looks at, what it says, and that it says nothing where nothing is known."""

from __future__ import annotations

import msgspec
import pytest

from tokenroof.doctor.findings import Facts, all_findings
from tokenroof.doctor.load import judged
from tokenroof.doctor.records import (
    Finding,
    FoundEngine,
    Load,
    MemoryState,
    Processor,
    SystemState,
)
from tokenroof.hardware.gpu import Gpu, Link
from tokenroof.hardware.memory_modules import MemoryLayout, MemoryModule
from tokenroof.hardware.sources.numa import Node
from tokenroof.notices import Notice

GIB = 2**30
ENGINE = FoundEngine(name="llama-server", version="b1", backend="CPU")


def findings(
    *,
    system: SystemState | None = None,
    cpu: Processor | None = None,
    memory: MemoryState | None = None,
    gpus: tuple[Gpu, ...] = (),
    engines: tuple[FoundEngine, ...] = (ENGINE,),
    load: Load | None = None,
) -> tuple[Finding, ...]:
    return all_findings(
        Facts(
            system=system or SystemState(),
            cpu=cpu or Processor(),
            memory=memory or MemoryState(),
            gpus=gpus,
            engines=engines,
            load=load or Load(),
        )
    )


def ids(found: tuple[Finding, ...]) -> list[str]:
    return [each.problem.id for each in found]


def gpu(**facts: object) -> Gpu:
    return Gpu(name="A GPU", source="test", **facts)  # type: ignore[arg-type]


def test_where_nothing_is_known_nothing_is_said() -> None:
    assert findings() == ()
    assert findings(gpus=(gpu(),), engines=(FoundEngine(name="ollama", version="1"),)) == ()


@pytest.mark.parametrize(
    ("system", "found"),
    [
        (SystemState(on_battery=True), "battery"),
        (SystemState(power_profile="low"), "low_power"),
        (SystemState(governor="powersave"), "governor"),
        (SystemState(governor="performance, powersave"), "governor"),
        (SystemState(boost=False), "boost_off"),
        (SystemState(container="WSL"), "wsl"),
        (SystemState(virtual_machine="?"), "virtual"),
        (SystemState(swap_used_bytes=2 * GIB), "swap"),
        (SystemState(nodes=(Node(cores=8, memory_bytes=1),) * 2), "nodes"),
    ],
)
def test_the_state_of_the_system(system: SystemState, found: str) -> None:
    assert ids(findings(system=system)) == [found]


@pytest.mark.parametrize(
    "system",
    [
        SystemState(on_battery=False, power_profile="balanced", boost=True),
        SystemState(governor="performance"),
        SystemState(governor="schedutil"),
        SystemState(container="Docker"),
        SystemState(swap_used_bytes=0),
        # Cores with no memory of their own make no second node of memory.
        SystemState(nodes=(Node(cores=8, memory_bytes=1), Node(cores=8, memory_bytes=None))),
    ],
)
def test_a_system_in_order_is_left_in_peace(system: SystemState) -> None:
    assert findings(system=system) == ()


def test_others_and_contention() -> None:
    assert ids(findings(load=Load(others_share=0.11))) == ["others"]
    assert findings(load=Load(others_share=0.10)) == ()
    contended = Load(probe_gb_s=(10.0, 20.0), ratio=0.5, contended=True)
    assert ids(findings(load=contended)) == ["contended"]


@pytest.mark.parametrize(
    ("first", "second", "ratio", "contended"),
    [
        (20e9, 19e9, 0.95, False),
        (20e9, 13.2e9, 0.66, False),
        (12e9, 20e9, 0.6, True),
        (20e9, 12e9, 0.6, True),
        (None, 20e9, None, None),
        (20e9, None, None, None),
    ],
)
def test_two_probes_are_held_against_each_other(
    first: float | None, second: float | None, ratio: float | None, contended: bool | None
) -> None:
    load = judged(first, second)
    assert (load.ratio, load.contended) == (ratio, contended)


def test_a_quota_below_the_cores_stops_threads() -> None:
    (found,) = findings(cpu=Processor(quota_cores=1.5, logical_cores=8))
    assert found.problem.id == "quota"
    assert "1.5 of 8 cores" in found.problem.text()
    assert findings(cpu=Processor(quota_cores=8, logical_cores=8)) == ()


def test_empty_channels_and_slow_modules() -> None:
    modules = tuple(
        MemoryModule(channel=f"0/{letter}", size_bytes=1, data_rate_mtps=4800, rated_mtps=6000)
        for letter in "ABCDEFG"
    )
    memory = MemoryState(layout=MemoryLayout(source="test", modules=modules), channels=7)
    found = findings(memory=memory, cpu=Processor(most_channels=8))
    assert ids(found) == ["channels", "slow_modules"]
    assert "7 of the 8 memory channels" in found[0].problem.text()
    assert "4800 MT/s and could do 6000" in found[1].problem.text()


@pytest.mark.parametrize("driver", ["intel_pstate", "amd-pstate-epp"])
def test_powersave_is_no_fault_where_the_processor_sets_its_own_clocks(driver: str) -> None:
    """Linux's drivers for such processors know two governors, and powersave is what all have."""

    def state(preference: str | None, governor: str = "powersave") -> tuple[Finding, ...]:
        return findings(
            system=SystemState(
                governor=governor, frequency_driver=driver, energy_preference=preference
            )
        )

    assert state("balance_performance") == state("balance_power") == state(None) == ()
    assert ids(state("power")) == ids(state("balance_power, power")) == ["saves_energy"]
    passive = SystemState(governor="powersave", frequency_driver="intel_cpufreq")
    assert ids(findings(system=passive)) == ["governor"]


def test_a_measured_bandwidth_far_from_the_claim() -> None:
    def state(measured: float) -> MemoryState:
        return MemoryState(
            measured_gb_s=measured, claimed_gb_s=100.0, measured_share=measured / 100
        )

    assert ids(findings(memory=state(49))) == ["below_claim"]
    # What was in the way now was not when the machine was calibrated.
    calm = msgspec.structs.replace(state(49), calibrated_gb_s=60.0)
    assert calm.best_gb_s == 60.0
    assert findings(memory=calm) == ()
    assert findings(memory=state(51)) == ()
    assert findings(memory=state(95)) == ()
    (above,) = findings(memory=state(110))
    assert (above.problem.id, above.harm, above.fix) == ("above_claim", "falsifies", None)


def test_little_memory() -> None:
    low = MemoryState(total_bytes=32 * GIB, available_bytes=7 * GIB)
    assert ids(findings(memory=low)) == ["little_free"]
    assert ids(findings(memory=MemoryState(limit_bytes=GIB))) == ["memory_limit"]


@pytest.mark.parametrize(
    ("facts", "found"),
    [
        ({"busy": 0.4}, "gpu_busy"),
        ({"memory_total_bytes": 24 * GIB, "memory_free_bytes": 12 * GIB}, "gpu_memory"),
        ({"clocks_held_down": True}, "gpu_held_down"),
        ({"power_limit_watts": 280.0, "default_power_limit_watts": 350.0}, "gpu_power"),
        ({"link": Link(lanes=4, most_lanes=16)}, "gpu_lanes"),
    ],
)
def test_the_state_of_a_gpu(facts: dict[str, object], found: str) -> None:
    engines = (FoundEngine(name="llama-server", backend="CUDA, CPU"),)
    assert ids(findings(gpus=(gpu(**facts),), engines=engines)) == [found]


def test_a_gpu_that_idles_in_a_slower_generation_is_in_order() -> None:
    idle = gpu(
        link=Link(generation=1, lanes=16, most_generation=4, most_lanes=16),
        memory_total_bytes=24 * GIB,
        memory_free_bytes=23 * GIB,
        power_limit_watts=350.0,
        default_power_limit_watts=350.0,
        busy=0.02,
        clocks_held_down=False,
    )
    engines = (FoundEngine(name="llama-server", backend="CUDA, CPU"),)
    assert findings(gpus=(idle,), engines=engines) == ()


@pytest.mark.parametrize(
    ("vendor", "source", "fix"),
    [
        # nine tenths of 64 GiB: 58,982 MiB; in pages of 4 KiB 15,099,494
        ("Apple", "system_profiler", "iogpu.wired_limit_mb=58982"),
        ("AMD", "sysfs", "ttm.pages_limit=15099494"),
        ("AMD", "DXGI", "variable graphics memory"),
    ],
)
def test_unified_memory_names_the_setting_that_raises_the_gpus_part(
    vendor: str, source: str, fix: str
) -> None:
    shared = Gpu(
        name="A GPU",
        vendor=vendor,
        source=source,
        is_unified=True,
        memory_total_bytes=GIB // 2,
        shared_total_bytes=31 * GIB,
    )
    engines = (FoundEngine(name="x", backend="Metal"),)
    memory = MemoryState(total_bytes=64 * GIB)
    (found,) = findings(gpus=(shared,), memory=memory, engines=engines)
    assert "31.5 GiB of 64.0 GiB" in found.problem.text()
    assert found.fix is not None
    assert fix in found.fix.text()


def test_a_gpu_that_no_engine_uses() -> None:
    assert ids(findings(gpus=(gpu(),))) == ["gpu_unused"]
    both = (ENGINE, FoundEngine(name="ollama", backend="CUDA"))
    assert findings(gpus=(gpu(),), engines=both) == ()


def test_no_engine_at_all() -> None:
    broken = FoundEngine(name="x", problem=Notice("engines.not_installed", {}))
    assert ids(findings(engines=(broken,))) == ["no_engine"]


def test_what_falsifies_comes_first_and_all_speak_both_languages() -> None:
    found = findings(
        system=SystemState(boost=False, on_battery=True, governor="powersave"),
        gpus=(gpu(busy=1.0, link=Link(lanes=1, most_lanes=16)),),
        memory=MemoryState(measured_gb_s=110, claimed_gb_s=100, measured_share=1.1),
        engines=(),
        load=Load(others_share=0.5),
    )
    harms = [each.harm for each in found]
    assert harms == ["falsifies"] * 5 + ["limits"] * 3
    for each in found:
        if each.problem.id == "above_claim":
            continue  # of which nobody knows what to do
        english, japanese = each.to_dict("en"), each.to_dict("ja")
        assert english["text"] != japanese["text"]
        assert english["fix"]
        assert japanese["fix"]
