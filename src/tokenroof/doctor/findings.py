"""What is in the way of a true or a fast measurement here, and what to do about it.

One rule is one small function: it looks at the facts and gives findings, or none. A rule says
nothing where a figure is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tokenroof.doctor.records import (
    Finding,
    FoundEngine,
    Harm,
    Load,
    MemoryState,
    Processor,
    SystemState,
)
from tokenroof.hardware.gpu import Gpu
from tokenroof.measure.quiet import THRESHOLD
from tokenroof.notices import Notice
from tokenroof.safetext import printable
from tokenroof.units import GIB, binary_size, count, percent

LOW_SHARE = 0.5
"""Of what is claimed; machines that nothing disturbs read 60 to 95 % of it."""

HIGH_SHARE = 1.02
LITTLE_FREE_SHARE = 0.25
SWAP_BYTES = GIB
POWER_SHARE = 0.98
CHOOSE_THEMSELVES = {"intel_pstate", "amd-pstate-epp"}
"""Drivers under which a processor sets its own clocks."""
DESKTOP_BYTES = 2 * GIB
"""A desktop and a browser keep less than this on a GPU."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found out about a machine."""

    system: SystemState
    cpu: Processor
    memory: MemoryState
    gpus: tuple[Gpu, ...]
    engines: tuple[FoundEngine, ...]
    load: Load


def all_findings(facts: Facts) -> tuple[Finding, ...]:
    """Every finding: what falsifies first, then what limits."""
    found = [finding for rule in RULES for finding in rule(facts)]
    return tuple(sorted(found, key=lambda each: each.harm != "falsifies"))


def _others(facts: Facts) -> Iterator[Finding]:
    share = facts.load.others_share
    if share is not None and share > THRESHOLD:
        problem = Notice("doctor.others", {"share": percent(share)})
        yield _falsifies(problem, Notice("doctor.others_fix"))


def _contended(facts: Facts) -> Iterator[Finding]:
    load = facts.load
    if load.contended and load.ratio is not None:
        problem = Notice("doctor.contended", {"ratio": percent(load.ratio)})
        yield _falsifies(problem, Notice("doctor.contended_fix"))


def _battery(facts: Facts) -> Iterator[Finding]:
    if facts.system.on_battery:
        yield _falsifies(Notice("doctor.battery"), Notice("doctor.battery_fix"))


def _power_profile(facts: Facts) -> Iterator[Finding]:
    if facts.system.power_profile == "low":
        yield _falsifies(Notice("doctor.low_power"), Notice("doctor.low_power_fix"))


def _governor(facts: Facts) -> Iterator[Finding]:
    governor, preference = facts.system.governor, facts.system.energy_preference
    if facts.system.frequency_driver in CHOOSE_THEMSELVES:
        # There `powersave` is what everybody has, and no bound on the clocks.
        if preference is not None and "power" in preference.split(", "):
            yield _falsifies(Notice("doctor.saves_energy"), Notice("doctor.saves_energy_fix"))
    elif governor is not None and governor not in {"performance", "schedutil"}:
        problem = Notice("doctor.governor", {"governor": printable(governor, 60)})
        yield _falsifies(problem, Notice("doctor.governor_fix"))


def _quota(facts: Facts) -> Iterator[Finding]:
    quota, cores = facts.cpu.quota_cores, facts.cpu.logical_cores
    if quota is not None and cores is not None and quota < cores:
        values = {"quota": f"{quota:g}", "cores": count(cores)}
        yield _falsifies(Notice("doctor.quota", values), Notice("doctor.quota_fix", values))


def _memory_limit(facts: Facts) -> Iterator[Finding]:
    limit = facts.memory.limit_bytes
    if limit is not None:
        problem = Notice("doctor.memory_limit", {"limit": binary_size(limit)})
        yield _limits(problem, Notice("doctor.memory_limit_fix"))


def _wsl(facts: Facts) -> Iterator[Finding]:
    if facts.system.container == "WSL":
        yield _limits(Notice("doctor.wsl"), Notice("doctor.wsl_fix"))


def _virtual_machine(facts: Facts) -> Iterator[Finding]:
    if facts.system.virtual_machine is not None and facts.system.container != "WSL":
        yield _falsifies(Notice("doctor.virtual"), Notice("doctor.virtual_fix"))


def _little_free(facts: Facts) -> Iterator[Finding]:
    total, free = facts.memory.total_bytes, facts.memory.available_bytes
    if total and free is not None and free < LITTLE_FREE_SHARE * total:
        values = {"free": binary_size(free), "total": binary_size(total)}
        yield _falsifies(Notice("doctor.little_free", values), Notice("doctor.little_free_fix"))


def _swap(facts: Facts) -> Iterator[Finding]:
    used = facts.system.swap_used_bytes
    if used is not None and used > SWAP_BYTES:
        problem = Notice("doctor.swap", {"used": binary_size(used)})
        yield _falsifies(problem, Notice("doctor.swap_fix"))


def _memory_nodes(facts: Facts) -> Iterator[Finding]:
    nodes = [node for node in facts.system.nodes if node.memory_bytes]
    if len(nodes) > 1:
        problem = Notice("doctor.nodes", {"nodes": count(len(nodes))})
        yield _falsifies(problem, Notice("doctor.nodes_fix"))


def _empty_channels(facts: Facts) -> Iterator[Finding]:
    populated, most = facts.memory.channels, facts.cpu.most_channels
    if populated is not None and most is not None and populated < most:
        values = {"populated": count(populated), "most": count(most)}
        yield _limits(Notice("doctor.channels", values), Notice("doctor.channels_fix"))


def _slow_modules(facts: Facts) -> Iterator[Finding]:
    """Modules below what they could do: a profile that was never switched on, or unlike ones."""
    layout = facts.memory.layout
    for module in () if layout is None else layout.modules:
        rate, rated = module.data_rate_mtps, module.rated_mtps
        if rate is not None and rated is not None and rate < rated:
            values = {"rate": f"{rate:g}", "rated": f"{rated:g}"}
            yield _limits(Notice("doctor.slow_modules", values), Notice("doctor.slow_modules_fix"))
            return


def _measured_share(facts: Facts) -> Iterator[Finding]:
    best, claimed = facts.memory.best_gb_s, facts.memory.claimed_gb_s
    if best is None or not claimed:
        return
    share = best / claimed
    values = {
        "measured": f"{best:.1f} GB/s",
        "claimed": f"{claimed:.1f} GB/s",
        "share": percent(share),
    }
    if share > HIGH_SHARE:
        yield _falsifies(Notice("doctor.above_claim", values), None)
    elif share < LOW_SHARE:
        problem = Notice("doctor.below_claim", values)
        yield _limits(problem, Notice("doctor.below_claim_fix"))


def _boost(facts: Facts) -> Iterator[Finding]:
    if facts.system.boost is False:
        yield _limits(Notice("doctor.boost_off"), Notice("doctor.boost_off_fix"))


def _gpu_in_use(facts: Facts) -> Iterator[Finding]:
    for gpu in facts.gpus:
        busy = gpu.busy is not None and gpu.busy > THRESHOLD
        total, free = gpu.memory_total_bytes, gpu.memory_free_bytes
        used = None if total is None or free is None else total - free
        name = printable(gpu.name, 60)
        if busy:
            values = {"gpu": name, "share": percent(gpu.busy or 0)}
            yield _falsifies(Notice("doctor.gpu_busy", values), Notice("doctor.gpu_busy_fix"))
        if used is not None and used > DESKTOP_BYTES and not gpu.is_unified:
            values = {"gpu": name, "used": binary_size(used)}
            yield _falsifies(Notice("doctor.gpu_memory", values), Notice("doctor.gpu_busy_fix"))
        if gpu.clocks_held_down:
            problem = Notice("doctor.gpu_held_down", {"gpu": name})
            yield _falsifies(problem, Notice("doctor.gpu_held_down_fix"))


def _gpu_limits(facts: Facts) -> Iterator[Finding]:
    for gpu in facts.gpus:
        limit, default = gpu.power_limit_watts, gpu.default_power_limit_watts
        name = printable(gpu.name, 60)
        if limit is not None and default is not None and limit < POWER_SHARE * default:
            values = {"gpu": name, "limit": f"{limit:g}", "default": f"{default:g}"}
            yield _limits(Notice("doctor.gpu_power", values), Notice("doctor.gpu_power_fix"))
        link = gpu.link
        # The generation drops while a GPU idles; the lanes do not.
        if link is not None and link.lanes and link.most_lanes and link.lanes < link.most_lanes:
            values = {"gpu": name, "lanes": count(link.lanes), "most": count(link.most_lanes)}
            yield _limits(Notice("doctor.gpu_lanes", values), Notice("doctor.gpu_lanes_fix"))


def _unified_memory(facts: Facts) -> Iterator[Finding]:
    """A GPU on the system's memory that may use less of it than there is."""
    total = facts.memory.total_bytes
    for gpu in facts.gpus:
        own, shared = gpu.memory_total_bytes or 0, gpu.shared_total_bytes
        if not gpu.is_unified or shared is None or total is None or shared + own >= 0.9 * total:
            continue
        values = {
            "gpu": printable(gpu.name, 60),
            "usable": binary_size(shared + own),
            "total": binary_size(total),
        }
        fix = None
        if gpu.vendor == "Apple":
            fix = Notice("doctor.unified_apple_fix", {"mib": str(total * 9 // 10 // 2**20)})
        elif gpu.source == "sysfs":
            fix = Notice("doctor.unified_amd_fix", {"pages": str(total * 9 // 10 // 4096)})
        elif gpu.source == "DXGI":
            fix = Notice("doctor.unified_windows_fix")
        yield _limits(Notice("doctor.unified", values), fix)


def _gpu_without_engine(facts: Facts) -> Iterator[Finding]:
    backends = [each.backend for each in facts.engines if each.problem is None]
    if not facts.gpus or not backends or None in backends:
        return
    if all(backend == "CPU" for backend in backends):
        values = {"gpu": printable(facts.gpus[0].name, 60)}
        yield _limits(Notice("doctor.gpu_unused", values), Notice("doctor.gpu_unused_fix"))


def _no_engine(facts: Facts) -> Iterator[Finding]:
    if all(each.problem is not None for each in facts.engines):
        yield _limits(Notice("doctor.no_engine"), Notice("doctor.no_engine_fix"))


RULES: tuple[Callable[[Facts], Iterator[Finding]], ...] = (
    _others,
    _contended,
    _battery,
    _power_profile,
    _governor,
    _quota,
    _virtual_machine,
    _little_free,
    _swap,
    _memory_nodes,
    _gpu_in_use,
    _no_engine,
    _gpu_without_engine,
    _empty_channels,
    _slow_modules,
    _measured_share,
    _boost,
    _memory_limit,
    _wsl,
    _gpu_limits,
    _unified_memory,
)
"""In the order in which they are shown."""


def _falsifies(problem: Notice, fix: Notice | None) -> Finding:
    return _finding("falsifies", problem, fix)


def _limits(problem: Notice, fix: Notice | None) -> Finding:
    return _finding("limits", problem, fix)


def _finding(harm: Harm, problem: Notice, fix: Notice | None) -> Finding:
    return Finding(harm=harm, problem=problem, fix=fix)
