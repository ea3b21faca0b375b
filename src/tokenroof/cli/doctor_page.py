"""The doctor's page as a person reads it: facts first, then what is wrong and what to do."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tokenroof import words
from tokenroof.cli import gpu_facts
from tokenroof.cli.screen import Screen
from tokenroof.doctor.records import Doctor, Harm
from tokenroof.hardware.memory_modules import MemoryLayout
from tokenroof.safetext import printable
from tokenroof.units import binary_size, count, percent, significant, size

if TYPE_CHECKING:
    from tokenroof.doctor import Tell

_PROFILES = {
    "low": "doctor.profile_low",
    "balanced": "doctor.profile_balanced",
    "high": "doctor.profile_high",
}

Facts = list[tuple[str, str]]


def show(found: Doctor, language: str) -> None:
    """Print the page."""
    page = _Page(found, language)
    page.machine()
    page.memory()
    page.gpus()
    page.engines()
    page.models()
    page.load()
    page.findings()


@contextmanager
def progress(language: str) -> Iterator[Tell]:
    """Says on a terminal what is done next, and leaves no trace; says nothing elsewhere."""
    from rich.console import Console

    console = Console(file=sys.stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal or console.is_dumb_terminal:
        yield lambda _: None
        return
    with console.status("") as status:
        yield lambda message: status.update(words.text(message, language))


class _Page:
    """The parts of the page, in their order."""

    def __init__(self, found: Doctor, language: str) -> None:
        self.found = found
        self.language = language
        self.screen = Screen()

    def text(self, message: str, **values: object) -> str:
        return words.text(message, self.language, **values)

    def machine(self) -> None:
        """Machine, system, processor."""
        system, cpu = self.found.system, self.found.processor
        self.screen.title(self.text("doctor.heading_machine"))
        facts: Facts = []
        private = self.found.private
        if private is not None:
            facts += [
                (self.text("doctor.host"), self._or_unknown(private.host)),
                (self.text("doctor.user"), self._or_unknown(private.user)),
                (self.text("doctor.home"), self._or_unknown(private.home)),
            ]
        if system.board is not None:
            facts.append((self.text("doctor.board"), printable(system.board)))
        facts.append((self.text("doctor.os"), self._system()))
        runs_in = self._runs_in()
        if runs_in:
            facts.append((self.text("doctor.runs_in"), self._joined(runs_in)))
        facts.append((self.text("doctor.processor"), self._several(self._or_unknown(cpu.name))))
        facts.append((self.text("doctor.cores"), self._cores()))
        if cpu.cache_bytes is not None:
            facts.append((self.text("doctor.cache"), binary_size(cpu.cache_bytes)))
        if len(system.nodes) > 1:
            facts.append((self.text("doctor.nodes_fact"), self._nodes()))
        power = self._power()
        if power:
            facts.append((self.text("doctor.power"), self._joined(power)))
        self.screen.facts(facts)

    def memory(self) -> None:
        """Size, modules, bandwidth claimed and measured."""
        memory, cpu = self.found.memory, self.found.processor
        self.screen.heading(self.text("doctor.heading_memory"))
        facts: Facts = [
            (self.text("doctor.size"), self._memory_size()),
            (self.text("doctor.modules"), self._modules(memory.layout)),
        ]
        if memory.channels is not None:
            channels = count(memory.channels)
            if cpu.most_channels is not None:
                most = count(cpu.most_channels)
                channels = self.text("doctor.channels_of", populated=channels, most=most)
            facts.append((self.text("doctor.channels_fact"), channels))
        facts.append((self.text("doctor.claimed"), self._claimed()))
        facts.append((self.text("doctor.measured"), self._measured()))
        if memory.calibrated_gb_s is not None and memory.calibrated_on is not None:
            values = {"bandwidth": _gb_s(memory.calibrated_gb_s), "date": memory.calibrated_on}
            facts.append(
                (self.text("doctor.calibrated"), self.text("doctor.calibrated_on", **values))
            )
        self.screen.facts(facts)

    def gpus(self) -> None:
        """Each GPU, or that there is none."""
        self.screen.heading(self.text("doctor.heading_gpus"))
        if not self.found.gpus:
            self.screen.say(self.text("doctor.none"), indent=2)
        for gpu in self.found.gpus:
            self.screen.say(printable(gpu.name), indent=2)
            facts = gpu_facts.facts(gpu, self.language)
            if facts:
                self.screen.facts([(f"  {name}", meaning) for name, meaning in facts])

    def engines(self) -> None:
        """Each engine, or why it cannot be used."""
        self.screen.heading(self.text("doctor.heading_engines"))
        facts: Facts = []
        for engine in self.found.engines:
            if engine.problem is not None:
                meaning = engine.problem.text(self.language)
            elif engine.backend is None:
                meaning = self._or_unknown(engine.version)
            else:
                version = self._or_unknown(engine.version)
                values = {"version": version, "backend": engine.backend}
                meaning = self.text("doctor.engine_versions", **values)
            facts.append((printable(engine.name), meaning))
        self.screen.facts(facts)

    def models(self) -> None:
        """How many models there are in each store."""
        self.screen.heading(self.text("doctor.heading_models"))
        if not self.found.models:
            self.screen.say(self.text("doctor.none"), indent=2)
            return
        self.screen.facts(
            [
                (
                    printable(each.source),
                    self.text(
                        "doctor.model_counts", count=count(each.count), size=size(each.bytes)
                    ),
                )
                for each in self.found.models
            ]
        )

    def load(self) -> None:
        """What else runs now."""
        load = self.found.load
        self.screen.heading(self.text("doctor.heading_load"))
        share = self.text("doctor.unknown")
        if load.others_share is not None:
            share = self.text("doctor.of_all_cores", share=percent(load.others_share))
        facts = [(self.text("doctor.others_fact"), share)]
        if load.contended is not None and None not in load.probe_gb_s:
            verdict = "doctor.disturbed" if load.contended else "doctor.undisturbed"
            first, second = (significant(each or 0) for each in load.probe_gb_s)
            values = {"first": first, "second": second, "verdict": self.text(verdict)}
            facts.append((self.text("doctor.probes"), self.text("doctor.probe_pair", **values)))
        self.screen.facts(facts)

    def findings(self) -> None:
        """What is wrong, each with what to do about it."""
        self._findings("falsifies", "doctor.heading_falsifies")
        self._findings("limits", "doctor.heading_limits")
        if not any(each.harm == "falsifies" for each in self.found.findings):
            self.screen.gap()
            self.screen.say(self.text("doctor.nothing_found"))

    def _findings(self, harm: Harm, heading: str) -> None:
        found = [each for each in self.found.findings if each.harm == harm]
        if not found:
            return
        self.screen.heading(self.text(heading))
        for each in found:
            self.screen.say(each.problem.text(self.language), indent=2)
            if each.fix is not None:
                fix = each.fix.text(self.language)
                self.screen.say(self.text("doctor.fix", fix=fix), indent=4)

    def _system(self) -> str:
        system = self.found.system
        name = self._or_unknown(system.os)
        if system.kernel is None or system.kernel in name:
            return name
        return self.text("doctor.kernel", os=name, kernel=printable(system.kernel))

    def _runs_in(self) -> list[str]:
        system, found = self.found.system, []
        if system.container is not None:
            found.append(self.text("doctor.container", kind=printable(system.container)))
        if system.virtual_machine == "?":
            found.append(self.text("doctor.virtual_machine_of"))
        elif system.virtual_machine is not None:
            kind = printable(system.virtual_machine)
            found.append(self.text("doctor.virtual_machine", kind=kind))
        return found

    def _several(self, name: str) -> str:
        sockets = self.found.processor.sockets or 1
        if sockets == 1:
            return name
        return self.text("doctor.sockets", name=name, count=count(sockets))

    def _cores(self) -> str:
        cpu = self.found.processor
        numbers = {
            name: self.text("doctor.unknown") if value is None else count(value)
            for name, value in (
                ("physical", cpu.physical_cores),
                ("logical", cpu.logical_cores),
                ("usable", cpu.usable_cores),
            )
        }
        cores = self.text("doctor.core_counts", **numbers)
        if cpu.quota_cores is None:
            return cores
        return self.text("doctor.quota_of", cores=cores, quota=f"{cpu.quota_cores:g}")

    def _nodes(self) -> str:
        unknown = self.text("doctor.unknown")
        nodes = [
            self.text(
                "doctor.node",
                cores=unknown if node.cores is None else count(node.cores),
                memory=unknown if node.memory_bytes is None else binary_size(node.memory_bytes),
            )
            for node in self.found.system.nodes
        ]
        return self._joined([f"{times} x {node}" for node, times in Counter(nodes).items()])

    def _power(self) -> list[str]:
        system, found = self.found.system, []
        if system.on_battery is not None:
            message = "doctor.on_battery" if system.on_battery else "doctor.plugged"
            found.append(self.text(message))
        if system.governor is not None:
            governor = printable(system.governor, 60)
            found.append(self.text("doctor.governor_fact", governor=governor))
        if system.power_profile is not None:
            found.append(self.text(_PROFILES[system.power_profile]))
        if system.boost is not None:
            found.append(self.text("doctor.boost_on" if system.boost else "doctor.boost_is_off"))
        return found

    def _memory_size(self) -> str:
        memory = self.found.memory
        if memory.total_bytes is None:
            return self.text("doctor.unknown")
        total = binary_size(memory.total_bytes)
        if memory.available_bytes is None:
            return total
        message = "doctor.size_free" if memory.limit_bytes is None else "doctor.size_limited"
        return self.text(message, total=total, free=binary_size(memory.available_bytes))

    def _modules(self, layout: MemoryLayout | None) -> str:
        if layout is None:
            is_linux = (self.found.system.container, sys.platform) == (None, "linux")
            return self.text("doctor.modules_unknown" if is_linux else "doctor.modules_untold")
        kinds = Counter(
            (module.size_bytes, module.type, module.data_rate_mtps) for module in layout.modules
        )
        unknown = self.text("doctor.unknown")
        modules = [
            self.text(
                "doctor.module",
                count=count(times),
                size=unknown if size_bytes is None else binary_size(size_bytes),
                type=printable(kind or unknown, 20),
                rate=unknown if rate is None else self.text("doctor.rate", rate=f"{rate:g}"),
            )
            for (size_bytes, kind, rate), times in kinds.items()
        ]
        if layout.slots is not None and layout.slots > len(layout.modules):
            populated, slots = count(len(layout.modules)), count(layout.slots)
            modules.append(self.text("doctor.slots", populated=populated, slots=slots))
        listed = self._joined(modules)
        return self.text("doctor.module_list", modules=listed, source=layout.source)

    def _claimed(self) -> str:
        memory, cpu = self.found.memory, self.found.processor
        if memory.claimed_gb_s is not None:
            bandwidth = _gb_s(memory.claimed_gb_s)
            if memory.claimed_is_bound:
                return self.text("doctor.at_most", bandwidth=bandwidth)
            return bandwidth
        if cpu.device is not None and cpu.rated_gb_s is not None:
            values = {"device": self._several(cpu.device), "bandwidth": _gb_s(cpu.rated_gb_s)}
            return self.text("doctor.rated", **values)
        return self.text("doctor.unknown")

    def _measured(self) -> str:
        memory = self.found.memory
        if memory.measured_gb_s is None:
            return self.text("doctor.unknown")
        values = {
            "bandwidth": _gb_s(memory.measured_gb_s),
            "threads": count(memory.measured_threads or 0),
        }
        if memory.measured_share is None:
            return self.text("doctor.measured_read", **values)
        share = percent(memory.measured_share)
        return self.text("doctor.measured_of_claimed", share=share, **values)

    def _joined(self, parts: list[str]) -> str:
        return self.text("cli.comma").join(parts)

    def _or_unknown(self, value: str | None) -> str:
        return self.text("doctor.unknown") if value is None else printable(value)


def _gb_s(value: float) -> str:
    return f"{value:.1f} GB/s"
