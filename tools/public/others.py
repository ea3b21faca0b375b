"""The same rows under what other tools use: one constant, or a table of them.

Each is the tool's own formula (llmfit 1.1, whichllm 0.5) for what one card or chip holds: bandwidth
over bytes, times an efficiency. `one constant` takes tokenroof's exact bytes and llmfit's 0.55, so
that what differs is the constant alone. None of them predicts prefill, or knows of depth.
"""

from __future__ import annotations

from collections.abc import Callable

from public.measured import Row

_BYTES_PER_PARAMETER = {"F16": 2.0, "BF16": 2.0, "Q8_0": 1.0, "Q6_K": 0.75, "low_K": 0.375}
_EFFICIENCY = {"F16": 0.40, "BF16": 0.40, "Q8_0": 0.45, "Q6_K": 0.50, "low_K": 0.50, "IQ": 0.44}
_BACKEND = {"nv": 1.0, "amd": 0.78, "apple": 0.82, "intel": 0.65}


def one_constant(row: Row) -> float:
    """0.55 of the ceiling."""
    return 0.55 / row.ceiling_seconds


def llmfit(row: Row) -> float:
    """Bandwidth over parameters times bytes for each, times 0.55; 0.5 of it with a host."""
    size = row.tool_facts["active"] * _BYTES_PER_PARAMETER.get(_most(row), 0.5)
    factor = 0.55 * (0.5 if row.is_partial else 1.0) * (0.3 if _on_cpu(row) else 1.0)
    return row.tool_facts["bandwidth"] / size * factor


def whichllm(row: Row) -> float:
    """Bandwidth over the file's active part, times an efficiency by type and by vendor."""
    read = row.tool_facts["file_bytes"] * row.tool_facts["active"] / row.tool_facts["parameters"]
    vendor = row.steps[0].levels["vendor"].partition(" ")[0]
    factor = _EFFICIENCY.get(_most(row), 0.55) * _BACKEND.get(vendor, 0.7)
    return row.tool_facts["bandwidth"] / read * factor * (0.45 if row.is_partial else 1.0)


OTHERS: dict[str, Callable[[Row], float]] = {
    "one constant (0.55)": one_constant,
    "llmfit's formula": llmfit,
    "whichllm's formula": whichllm,
}


def _most(row: Row) -> str:
    read: dict[str, float] = {}
    for step in row.steps:
        for kind, amount in step.asked.read_bytes.items():
            read[kind] = read.get(kind, 0.0) + amount
    return max(read, key=lambda kind: read[kind])


def _on_cpu(row: Row) -> bool:
    return all(step.place == "cpu" for step in row.steps)
