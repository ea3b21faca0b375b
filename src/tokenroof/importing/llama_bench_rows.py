"""A row of llama-bench, from any of its formats, as runs.

A row is one test: `n_prompt` tokens read, or `n_gen` steps made, on top of `n_depth` tokens. Rows
are read by the names of their fields, since fields came, went and moved. Each sample that a row
still has is a run of its own; where only the average is left, the run stands for several. Every
step is timed by itself, so steps equal tokens.

`samples_ns` are exact; `samples_ts` have six digits; `avg_ts` is the mean of rates; `stddev_ns`
overflows and is left alone. A row names the backends that a program was built with, which is not
where it ran: only no layer on a device, or no device at all, is certain. Options that were fitted
to the memory are printed as they were asked for, not as they were.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from tokenroof.clock import stamp
from tokenroof.importing.collector import Collector
from tokenroof.importing.figures import finite, scalar, scalars, seconds_at, span, whole
from tokenroof.records import (
    Aggregate,
    Output,
    Prompt,
    RunEngine,
    RunModel,
    Settings,
    Workload,
)

NAME = "llama-bench"

Row = Mapping[str, Any]

_UNKNOWN = {None, "", "unknown"}

_RESULTS = {
    *("n_prompt", "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts"),
    *("samples_ns", "samples_ts"),
}
_IDENTITY = {
    *("build_commit", "build_number", "cpu_info", "gpu_info", "backends", "model_filename"),
    *("model_type", "model_size", "model_n_params"),
}
_SETTINGS = {"n_batch", "n_ubatch", "n_threads", "type_k", "type_v", "n_gpu_layers", "flash_attn"}

_TYPE = re.compile(
    r"(?:^|\s)(?:all |mostly )?"
    r"(?P<name>(?:I?Q|TQ)\d\w*|B?F\d{2}|(?:MX|NV)FP4)(?:\s+-?\s*(?P<size>Small|Medium|Large|MoE))?"
)
_SIZES = {"Small": "_S", "Medium": "_M", "Large": "_L", "MoE": "_MOE", None: ""}
_ARCHITECTURE = re.compile(r"(?P<name>[A-Za-z][\w.-]{0,40}) (?:\?|[\d.]+x)?[\d.?]+[MBT]", re.ASCII)
_FROM_HERE = re.compile(r"[\\/]")


def add_row(collector: Collector, line: int, row: Row, device: str | None = None) -> None:
    """Collect the runs of a row, or refuse it.

    Args:
        collector: where they go.
        line: where the row stands.
        row: its values, as text or as numbers.
        device: a device that was named beside the table; some rows name theirs.
    """
    prompt, output = whole(row.get("n_prompt")), whole(row.get("n_gen"))
    if prompt is None or output is None or not prompt + output:
        collector.refuse(line, "importing.no_test")
        return
    times, aggregate = _times(row, prompt + output)
    if not times:
        collector.refuse(line, "importing.no_time")
        return
    placed = _place(row)
    shared: dict[str, Any] = {
        "source": NAME,
        "started": _started(row.get("test_time")),
        "model": _model(row),
        "engine": _engine(row, placed),
        "device": _device(row, placed, device),
        "settings": settings_of(row),
        "workload": Workload(
            prompt_target=prompt, depth=whole(row.get("n_depth")) or 0, output_target=output or None
        ),
        "aggregate": aggregate,
        "raw": {NAME: _kept(row)},
    }
    both = bool(prompt and output)
    for seconds in times:
        collector.add(
            line,
            prompt=Prompt(tokens=prompt, cached=0, seconds=None if output else seconds),
            output=Output(
                tokens=output,
                steps=None if both else output,
                seconds=None if prompt else seconds,
            ),
            wall_seconds=seconds if both else None,
            flags=("combined_rate",) if both else (),
            **shared,
        )


def settings_of(row: Row) -> Settings:
    """The settings that a row names. -1 stands for what the library chooses."""
    flash = _switch(row.get("flash_attn"))
    layers = row.get("n_gpu_layers")
    if whole(row.get("fit_target")) or whole(row.get("fit_min_ctx")):
        layers = None  # fitting replaces them, and the row keeps those that were asked for
    return Settings(
        kv_type_k=_text(row.get("type_k")),
        kv_type_v=_text(row.get("type_v")),
        flash_attention=flash,
        gpu_layers=whole(layers),
        threads=whole(row.get("n_threads"), 1),
        batch=whole(row.get("n_batch"), 1),
        ubatch=whole(row.get("n_ubatch"), 1),
    )


def samples_of(row: Row) -> list[float]:
    """The exact samples of a row in seconds; those that are no times are none."""
    exact = (
        span(value, 1e9)
        for value in _listed(row.get("samples_ns"))
        if not isinstance(value, str)  # no format of its own quotes them
    )
    return [seconds for seconds in exact if seconds is not None]


def build_version(number: object, commit: object) -> str | None:
    """The name that llama.cpp gives a build, `b<number>-<commit>`; 0 and "unknown" are none."""
    numbered = whole(number, 1)
    known = _text(commit)
    if known is None:
        return f"b{numbered}" if numbered else None
    return f"b{numbered or 0}-{known}"


def file_type(model_type: str) -> str | None:
    """The label of a file in a model's description: `Q4_K - Medium` is Q4_K_M."""
    matches = list(_TYPE.finditer(model_type[:200]))
    if not matches:
        return None
    name, size = matches[-1]["name"], matches[-1]["size"]
    if name == "Q2_K" and size == "Medium":
        return "Q2_K"
    return name.upper() + _SIZES[size]


def base_name(path: str) -> str:
    """The last part of a path of any system: the rest names a person's folders."""
    return _FROM_HERE.split(path)[-1]


def _times(row: Row, tokens: int) -> tuple[list[float], Aggregate | None]:
    """Seconds of each sample, or of their mean with what it stands for."""
    rounded = [seconds_at(tokens, value) for value in _listed(row.get("samples_ts"))]
    found = samples_of(row) or [time for time in rounded if time is not None]
    if found:
        return found, None
    seconds = span(row.get("avg_ns"), 1e9) or seconds_at(tokens, row.get("avg_ts"))
    if seconds is None:
        return [], None
    return [seconds], Aggregate(statistic="mean", stddev_seconds=_deviation(row, seconds))


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _deviation(row: Row, seconds: float) -> float | None:
    """Of the times, by that of the rates: relative deviations are alike where they are small.

    A deviation of 0 is printed for a single sample, and says nothing.
    """
    rate, deviation = finite(row.get("avg_ts")), finite(row.get("stddev_ts"))
    if not rate or not deviation or rate < 0 or deviation < 0:
        return None
    return seconds * deviation / rate


def _model(row: Row) -> RunModel:
    described = _text(row.get("model_type")) or _text(row.get("model"))
    if described is None:
        file = _text(row.get("model_filename"))
        return RunModel(name=None if file is None else base_name(file))
    architecture = _ARCHITECTURE.match(described)
    return RunModel(
        name=described,
        architecture=architecture["name"].lower() if architecture else None,
        file_type=file_type(described),
    )


def _engine(row: Row, place: Literal["cpu"] | None) -> RunEngine:
    flags = {name: _alike(value) for name, value in row.items() if name in _FLAGS}
    return RunEngine(
        name=NAME,
        version=build_version(row.get("build_number"), row.get("build_commit")),
        backend=_text(row.get("backends")),
        place=place,
        flags=scalars(flags),
    )


_FLAGS = {
    *("cpu_mask", "cpu_strict", "poll", "n_cpu_moe", "split_mode", "main_gpu", "no_kv_offload"),
    *("devices", "tensor_split", "tensor_buft_overrides", "load_mode", "lazy_mode", "use_mmap"),
    *("use_direct_io", "embeddings", "no_op_offload", "no_host", "repack", "fit_target"),
    "fit_min_ctx",
}
"""Options that are no setting of a run, and that make unlike what differs in them."""


def _alike(value: object) -> object:
    """The same option is true in one format, 1 in another, and "1" in a third."""
    if isinstance(value, bool):
        return int(value)
    count = whole(value) if isinstance(value, str) and value.isdecimal() else None
    return value if count is None else count


def _place(row: Row) -> Literal["cpu"] | None:
    backends = {each.strip() for each in str(row.get("backends") or "").split(",")} - {""}
    no_device = _text(row.get("devices")) == "none" or backends == {"CPU"}
    return "cpu" if no_device or whole(row.get("n_gpu_layers")) == 0 else None


def _device(row: Row, place: str | None, named: str | None) -> str | None:
    """What held the layers, where that is certain or was asked for."""
    if place == "cpu":
        return _text(row.get("cpu_info"))
    if not whole(row.get("n_gpu_layers")) or "RPC" in str(row.get("backends") or ""):
        return None  # who wants no layers in particular is not told where they went
    return _text(row.get("gpu_info")) or named


def _kept(row: Row) -> dict[str, Any]:
    """What the row said beside what the run says; a remote device's address is nobody's matter."""
    known = _RESULTS | _FLAGS | _SETTINGS | _IDENTITY
    names = {"avg_ts", "stddev_ts", "model_size", "model_n_params", "size", "params"}
    kept = {name: row[name] for name in row if name in names or name not in known}
    if "gpu_info" in row and "RPC" not in str(row.get("backends") or ""):
        kept["gpu_info"] = row["gpu_info"]
    return {name: value for name, value in scalars(kept).items() if value != ""}


def _started(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    return stamp(moment) if moment.tzinfo is not None else None


def _switch(value: object) -> bool | None:
    """On, off, or chosen by the library (-1); older builds wrote true and false."""
    if isinstance(value, bool):
        return value
    return {"0": False, "1": True, "on": True, "off": False}.get(str(value).strip().lower())


def _text(value: object) -> str | None:
    shown = scalar(value) if isinstance(value, str) else None
    return None if shown in _UNKNOWN else str(shown)
