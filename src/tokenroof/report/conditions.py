"""Under which conditions the figures hold, and where each of them comes from."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any

from tokenroof import units
from tokenroof.analysis import RUNS_FOR_AN_INTERVAL, Analysis, Peak, Series
from tokenroof.report.tables import NOTHING, Table, Text, text_in
from tokenroof.safetext import printable

MACHINE: dict[str, tuple[str, Callable[[Any], str]]] = {
    "os": ("report.machine_os", str),
    "kernel": ("report.machine_kernel", str),
    "cpu_name": ("report.machine_cpu", str),
    "physical_cores": ("report.machine_physical_cores", str),
    "logical_cores": ("report.machine_logical_cores", str),
    "usable_cores": ("report.machine_usable_cores", str),
    "memory_total_bytes": ("report.machine_memory", units.binary_size),
    "cache_bytes": ("report.machine_cache", units.binary_size),
    "governor": ("report.machine_governor", str),
    "on_battery": ("report.machine_on_battery", str),
}
"""What is shown of a machine: the label of each field, and how its value is written."""

SETTINGS: dict[str, str] = {
    "context": "report.setting_context",
    "kv_type_k": "report.setting_kv_k",
    "kv_type_v": "report.setting_kv_v",
    "flash_attention": "report.setting_flash_attention",
    "gpu_layers": "report.setting_gpu_layers",
    "threads": "report.setting_threads",
    "threads_batch": "report.setting_threads_batch",
    "batch": "report.setting_batch",
    "ubatch": "report.setting_ubatch",
}

BASES = {
    "given": "report.basis_given",
    "measured": "report.basis_measured",
    "public": "report.basis_public",
    "spec": "report.basis_spec",
}


def command_line(analysis: Analysis) -> str | None:
    """The command that makes these runs again."""
    command = [printable(part) for part in analysis.conditions.command]
    return shlex.join(command) if command else None


def conditions_table(analysis: Analysis, language: str) -> Table:
    """Machine, versions, engine, settings and dates: one column for each series."""
    text = text_in(language)
    count = max(len(analysis.series), 1)
    rows: list[tuple[str, ...]] = []
    machine = analysis.conditions.machine
    for key, (label, write) in MACHINE.items():
        if machine.get(key) is not None:
            rows.append((text(label), *[printable(write(machine[key]))] * count))
    rows += [
        (printable(name), *[printable(version)] * count)
        for name, version in sorted(analysis.conditions.versions.items())
    ]
    columns = [_series_conditions(series, text) for series in analysis.series]
    for label in columns[0] if columns else ():
        cells = [column[label] for column in columns]
        if any(cell != NOTHING for cell in cells):
            rows.append((label, *cells))
    heads = [printable(series.label) for series in analysis.series] or [""]
    return Table(text("report.conditions"), ("", *heads), tuple(rows), numbers=False)


def _series_conditions(series: Series, text: Text) -> dict[str, str]:
    """Label to value; the same labels, in the same order, for every series."""
    settings = series.settings.to_dict()
    flags = [f"{key}={_written(value)}" for key, value in sorted(series.engine.flags.items())]
    names = (series.engine.name, series.engine.version, series.engine.backend)
    dates = dict.fromkeys(each[:16] for each in (series.first_started, series.last_started) if each)
    cells: dict[str, str | None] = {
        text("report.condition_device"): series.device,
        text("report.condition_engine"): " ".join(filter(None, names)),
        text("report.condition_flags"): " ".join(flags),
        text("report.condition_file"): series.model.file_type,
        text("report.condition_digest"): series.model.digest,
        **{text(label): _written(settings[key]) for key, label in SETTINGS.items()},
        text("report.condition_dates"): " – ".join(dates),
        text("report.condition_source"): ", ".join(series.sources),
    }
    return {label: printable(value, _WHOLE) if value else NOTHING for label, value in cells.items()}


_WHOLE = 2000
"""Characters of a cell at most: every feature of a processor that an engine lists, in full."""


def _written(value: object) -> str | None:
    """A value as people say it: switches are on or off, and options stand as they were typed."""
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list | tuple):
        return shlex.join(map(str, value))
    return None if value is None else str(value)


def sources_table(analysis: Analysis, language: str) -> Table:
    """Where each kind of figure comes from."""
    text = text_in(language)
    rows = [
        (text("report.source_times"), text("report.source_times_said")),
        (
            text("report.source_interval"),
            text("report.source_interval_said", need=RUNS_FOR_AN_INTERVAL),
        ),
    ]
    costs = {series.cost_source for series in analysis.series if _has_bytes(series)}
    for series in analysis.series:
        if series.cost_source is not None:
            label = text("report.source_bytes_of", model=printable(series.label))
            rows.append((label, printable(series.cost_source)))
    if None in costs:
        rows.append((text("report.source_bytes"), text("report.source_bytes_said")))
    if any(point.flop is not None for series in analysis.series for point in series.prefill):
        rows.append((text("report.source_flop"), text("report.source_flop_said")))
    peaks = [series.peak for series in analysis.series if series.peak is not None]
    for peak in peaks:
        rows += [row for row in _peak_rows(peak, text) if row not in rows]
    if not any(peak.bandwidth_bytes_per_second for peak in peaks):
        two = all(
            any(each.message == "analysis.ceiling_of_two" for each in series.sentences)
            for series in analysis.series
        )
        said = "report.source_bandwidth_of_two" if two else "report.source_bandwidth_unknown"
        rows.append((text("report.source_bandwidth"), text(said)))
    columns = (text("report.col_figure"), text("report.col_source"))
    return Table(text("report.sources"), columns, tuple(rows), numbers=False)


def _has_bytes(series: Series) -> bool:
    return any(point.read_bytes is not None for point in series.decode)


def _peak_rows(peak: Peak, text: Text) -> list[tuple[str, str]]:
    rows = []
    if peak.bandwidth_bytes_per_second is not None:
        said = text(
            "report.source_peak_said",
            value=units.bandwidth(peak.bandwidth_bytes_per_second),
            basis=text(BASES[peak.bandwidth_basis]),
        )
        said = _with(said, peak.bandwidth_source)
        rows.append((text("report.source_bandwidth"), said + _measured(peak, text)))
    if peak.flop_per_second is not None:
        said = text(
            "report.source_peak_said",
            value=units.operations(peak.flop_per_second),
            basis=text(BASES[peak.flop_basis]),
        )
        rows.append((text("report.source_arithmetic"), _with(said, peak.flop_source)))
    return rows


def _measured(peak: Peak, text: Text) -> str:
    """How the repeats lay and how often it was measured; nothing where it was not."""
    each = [
        text(
            "report.source_measured_range",
            value=units.bandwidth(one.best_bytes_per_second),
            repeats=one.repeats,
            threads=one.threads,
            median=units.bandwidth(one.median_bytes_per_second),
            lowest=units.bandwidth(one.lowest_bytes_per_second),
        )
        for one in peak.bandwidth_measured
    ]
    if len(each) > 1:
        listed = text("report.source_measured_often", times=len(each), each="; ".join(each))
    else:
        listed = "".join(each)
    return f"; {listed}" if listed else ""


def _with(said: str, source: str | None) -> str:
    return said if source is None else f"{said}: {printable(source)}"
