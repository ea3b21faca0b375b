"""The whole examination on this machine, and its parts on recorded ones."""

from __future__ import annotations

import getpass
import json
import platform
from collections.abc import Sequence
from pathlib import Path

import pytest

from support import fake_world
from support.recorded import programs, recorded, write
from support.schemas import check
from tokenroof.clock import FakeClock
from tokenroof.doctor import Doctor, engines, examine, load, models, privacy, system
from tokenroof.doctor.records import Load, Processor
from tokenroof.engines import registry
from tokenroof.errors import EngineMissing
from tokenroof.hardware import gpus
from tokenroof.hardware.gpu import Gpu
from tokenroof.hardware.machine import Machine
from tokenroof.inventory import Listing, ModelRow
from tokenroof.measure.sensors.base import Reading
from tokenroof.notices import Notice
from tokenroof.predict.learnt.profile import Profile
from tokenroof.records import Settings

GIB = 2**30


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is measured, no engine is started, nobody's models are read."""
    fake_world.enter(monkeypatch, tmp_path)
    module = "tokenroof.doctor.examination"
    monkeypatch.setattr(f"{module}.measure_read_bandwidth", fake_world.read_bandwidth)
    monkeypatch.setattr(f"{module}.probe", lambda: 250e9)
    monkeypatch.setattr(f"{module}.others_share", lambda *_: 0.01)
    monkeypatch.setattr(f"{module}.found_models", lambda _: ())
    monkeypatch.setattr(f"{module}._models", tuple)


@pytest.mark.usefixtures("quick")
def test_the_document_follows_its_schema_in_both_languages() -> None:
    found = examine(clock=FakeClock())
    for language in ("en", "ja"):
        document = json.loads(json.dumps(found.to_dict(language)))
        check(document, "doctor")
    assert document["schema"] == "tokenroof.doctor/1"
    assert document["memory"]["measured_gb_s"] == 256
    assert document["load"]["contended"] is False


@pytest.mark.usefixtures("quick")
def test_nothing_in_it_names_a_person_or_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "node", lambda: "host-of-alice")
    monkeypatch.setattr(getpass, "getuser", lambda: "alice-in-test")
    monkeypatch.setattr(Path, "home", lambda: Path("/home/alice-in-test"))
    problem = EngineMissing(
        "llama_programs.not_there", engine="x", path="/home/alice-in-test/bin/llama-server"
    )

    def refuse(*_: object) -> object:
        raise problem

    monkeypatch.setattr(registry, "pick", refuse)
    public = json.dumps(examine(clock=FakeClock()).to_dict())
    assert "alice" not in public
    assert "~/bin/llama-server" in public
    private = examine(private=True, clock=FakeClock()).to_dict()["private"]
    assert private == {
        "host": "host-of-alice",
        "user": "alice-in-test",
        "home": str(Path("/home/alice-in-test")),
    }


@pytest.mark.usefixtures("quick")
def test_it_says_what_it_does_next() -> None:
    said: list[str] = []
    examine(clock=FakeClock(), tell=said.append)
    assert said == [
        "doctor.looking",
        "doctor.reading",
        "doctor.gpus_looking",
        "doctor.engines_looking",
        "doctor.models_looking",
    ]


@pytest.mark.usefixtures("quick")
def test_a_part_that_fails_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> object:
        raise RuntimeError

    for name in ("find_gpus", "others_share", "_models"):
        monkeypatch.setattr(f"tokenroof.doctor.examination.{name}", fail)
    found = examine(clock=FakeClock())
    assert isinstance(found, Doctor)
    assert (found.gpus, found.models, found.load.others_share) == ((), (), None)
    assert found.memory.measured_gb_s == 256


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/bob/models/x.gguf", "/home/…/models/x.gguf"),
        ("/Users/bob/x", "/Users/…/x"),
        (r"C:\Users\bob\x", r"C:\Users\…\x"),
        ("no path at all", "no path at all"),
        ("at http://alices-box.lan:11434 (refused)", "at http://…:11434 (refused)"),
        ("http://bob:secret@192.168.1.5/v1", "http://…/v1"),
        ("http://bob:secret@localhost:80/v1", "http://localhost:80/v1"),
        ("http://[bob:secret@alices-box:11434] is not", "http://… is not"),
        ("at http://127.0.0.1:11434 (refused)", "at http://127.0.0.1:11434 (refused)"),
        ("at http://[::1]:11434", "at http://[::1]:11434"),
        ("get it: https://github.com/a/b", "get it: https://github.com/a/b"),
        ("https://github.com.alices-box.lan/a", "https://…/a"),
    ],
)
def test_other_peoples_folders_and_machines_lose_their_names(text: str, expected: str) -> None:
    assert privacy.shareable(text) == expected


def test_values_of_sentences_are_made_shareable_too() -> None:
    notice = privacy.shareable_notice(Notice("x.y", {"path": "/home/bob/x", "count": 3}))
    assert notice.values == {"path": "/home/…/x", "count": 3}


def test_a_linux_machine_from_its_files(tmp_path: Path) -> None:
    node = "sys/devices/system/node"
    root = write(
        tmp_path,
        {
            "run/udev/data/+dmi:id": recorded("udev_dmi.txt"),
            "sys/class/dmi/id/sys_vendor": "Gigabyte Technology Co., Ltd.\n",
            "sys/class/dmi/id/product_name": "X670E AORUS MASTER\n",
            "sys/firmware/acpi/platform_profile": "low-power\n",
            f"{node}/node0/cpulist": "0-31\n",
            f"{node}/node0/meminfo": "Node 0 MemTotal: 65536 kB\n",
        },
    )
    machine = Machine(
        cpu_name="AMD Ryzen 9 7950X 16-Core Processor",
        memory_total_bytes=64 * GIB,
        memory_available_bytes=60 * GIB,
        governor="powersave",
    )
    state = system.system_state(machine, "Linux", root, programs({}))
    assert state.board == "Gigabyte Technology Co., Ltd. X670E AORUS MASTER"
    assert (state.power_profile, state.governor, len(state.nodes)) == ("low", "powersave", 1)
    cpu = system.processor(machine, root)
    assert (cpu.device, cpu.rated_gb_s, cpu.most_channels) == ("Ryzen 9 7950X", 83.2, 2)
    layout = system.memory_layout("Linux", root)
    memory = system.memory_state(machine, cpu, layout, fake_world.read_bandwidth(), root)
    # 2 channels x 8 bytes x 6000
    assert (memory.channels, memory.claimed_gb_s) == (2, 96.0)
    # The fake world reads 256
    assert memory.measured_share == pytest.approx(256 / 96, abs=0.001)
    assert memory.limit_bytes is None
    assert memory.calibrated_gb_s is None


def test_on_a_board_of_two_the_channels_of_both_processors_count(tmp_path: Path) -> None:
    """24 modules of 4800 MT/s in slots that tell of no channel: 24 x 8 B x 4800 = 921.6 GB/s."""
    slots = {
        f"E:MEMORY_DEVICE_{n}_{key}={value}"
        for n in range(24)
        for key, value in (
            ("LOCATOR", f"DIMM {n}"),
            ("SIZE", str(32 * GIB)),
            ("TYPE", "DDR5"),
            ("CONFIGURED_SPEED_MTS", "4800"),
            ("DATA_WIDTH", "64"),
        )
    }
    packages = {
        f"sys/devices/system/cpu/cpu{n}/topology/physical_package_id": f"{n}\n" for n in range(2)
    }
    root = write(tmp_path, {"run/udev/data/+dmi:id": "\n".join(sorted(slots)), **packages})
    machine = Machine(cpu_name="AMD EPYC 9654 96-Core Processor")
    pair = system.processor(machine, root)
    assert (pair.sockets, pair.most_channels, pair.rated_gb_s) == (2, 24, 2 * 460.8)
    layout = system.memory_layout("Linux", root)
    memory = system.memory_state(machine, pair, layout, None, root)
    assert (memory.claimed_gb_s, memory.claimed_is_bound) == (921.6, True)
    # Where nobody tells how many there are, no bound is put on them
    unknown = system.processor(machine, tmp_path / "nowhere")
    assert (unknown.device, unknown.sockets, unknown.most_channels) == ("EPYC 9654", None, None)
    assert unknown.rated_gb_s is None


def test_a_windows_machine_from_what_it_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    run = programs(
        {
            "powershell": recorded("cim.json"),
            "powercfg": "GUID: a1841308-3541-4fab-bc81-f71556f20b4a  (Power saver)",
        }
    )
    state = system.system_state(Machine(), "Windows", run=run)
    assert state.board == "Micro-Star International Co., Ltd. MS-7D91"
    assert state.power_profile == "low"
    layout = system.memory_layout("Windows", run=run)
    memory = system.memory_state(Machine(), system.processor(Machine()), layout, None)
    assert memory.claimed_gb_s == 76.8
    adapters = (
        Gpu(
            name="NVIDIA GeForce RTX 4070",
            vendor="NVIDIA",
            source="DXGI",
            memory_total_bytes=12 * GIB,
            shared_total_bytes=16 * GIB,
        ),
        Gpu(
            name="Intel(R) UHD Graphics 770",
            vendor="Intel",
            source="DXGI",
            memory_total_bytes=128 * 2**20,
            shared_total_bytes=16 * GIB,
        ),
    )
    monkeypatch.setattr(gpus, "dxgi_gpus", lambda: adapters)
    smi = "NVIDIA GeForce RTX 4070, 12282, 11000, 576.52, 4, 16, 4, 16, 200.00, 200.00, 1\n"
    both = programs({"powershell": recorded("cim.json"), "nvidia-smi": smi})
    card, integrated = gpus.find_gpus(system="Windows", run=both)
    # The vendor's own program knows more, and the system adds what it does not.
    assert (card.source, card.driver, card.shared_total_bytes) == (
        "nvidia-smi",
        "576.52",
        16 * GIB,
    )
    assert (integrated.source, integrated.driver) == ("DXGI", "31.0.101.5590")


def test_a_mac_from_what_it_prints() -> None:
    run = programs(
        {
            "system_profiler": recorded("system_profiler_m4_max.json"),
            "pmset": " lowpowermode 1\n",
        }
    )
    state = system.system_state(Machine(), "Darwin", run=run)
    assert (state.board, state.power_profile) == ("MacBook Pro Mac16,6", "low")
    assert system.memory_layout("Darwin", run=run) is None


def test_soldered_memory_is_claimed_by_the_table_and_sockets_are_not() -> None:
    spark = system.processor(Machine(cpu_name="Raspberry Pi 5"))
    assert system.memory_state(Machine(), spark, None, None).claimed_gb_s == 17.1
    desktop = system.processor(Machine(cpu_name="AMD Ryzen 9 7950X 16-Core Processor"))
    assert system.memory_state(Machine(), desktop, None, None).claimed_gb_s is None


def test_an_ambiguous_processor_is_no_device_of_the_table() -> None:
    cpu = system.processor(Machine(cpu_name="12th Gen Intel(R) Core(TM) i5-12400"))
    assert (cpu.device, cpu.rated_gb_s, cpu.most_channels) == (None, None, None)


class Sensor:
    name = "CPU"

    def __init__(self, shares: Sequence[float | None]) -> None:
        self._shares = list(shares)

    def read(self, *, ours_running: bool) -> Reading:
        assert not ours_running
        return Reading(busy=self._shares.pop(0))


def test_others_share_is_what_the_processor_tells_over_a_second() -> None:
    clock = FakeClock()
    assert load.others_share([Sensor([0.9, 0.25])], clock) == 0.25
    assert clock.monotonic() >= 1
    assert load.others_share([], FakeClock()) is None


def test_the_probes_are_held_against_the_fastest_reading_between_them() -> None:
    """Both probes slow and the loop between them fast: something was there twice."""
    probes = iter([100e9, 110e9])
    read, found = load.probed_around(fake_world.read_bandwidth, lambda: next(probes))
    assert read == fake_world.read_bandwidth()
    # 100 of 256
    assert found == Load(probe_gb_s=(100.0, 110.0), ratio=0.391, contended=True)


def test_an_engine_that_breaks_when_asked_is_named_and_the_others_are_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fake_world.enter(monkeypatch, tmp_path)
    (found,) = engines.found_engines()
    assert (found.name, found.problem) == ("fake", None)

    def break_down(*_: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(registry, "pick", break_down)
    (found,) = engines.found_engines()
    assert found.problem is not None
    assert "ZeroDivisionError" in found.problem.text()


def test_models_are_counted_by_store_and_not_named() -> None:
    rows = [
        ModelRow(name="ollama:secret", source="ollama", path="/home/a/x", file_bytes=5),
        ModelRow(name="ollama:other", source="ollama", path=None, file_bytes=None),
        ModelRow(name="/home/a/y.gguf", source="huggingface", path="/home/a/y", file_bytes=9),
    ]
    found = models.found_models(Listing(models=tuple(rows)))
    assert [(each.source, each.count, each.bytes) for each in found] == [
        ("huggingface", 1, 9),
        ("ollama", 2, 5),
    ]


@pytest.mark.parametrize(
    ("cpu", "cores", "expected"), [("This 1", 4, 80.0), ("Other 2", 4, None), ("This 1", 8, None)]
)
def test_what_a_calibration_of_this_processor_read_stands_beside_what_is_read_now(
    cpu: str, cores: int, expected: float | None
) -> None:
    machine = Machine(cpu_name="This 1", usable_cores=4)
    profile = Profile(
        id="p",
        created="2026-03-04T05:06:07+00:00",
        mode="full",
        engine={"name": "embedded"},
        settings=Settings(),
        machine={"cpu_name": cpu, "usable_cores": cores},
        bandwidth_bytes_per_second=80e9,
    )
    read = fake_world.read_bandwidth()
    memory = system.memory_state(machine, Processor(), None, read, profiles=(profile,))
    assert memory.calibrated_gb_s == expected
    assert memory.calibrated_on == (None if expected is None else "2026-03-04")
    assert memory.measured_gb_s == 256.0
    assert memory.best_gb_s == 256.0
