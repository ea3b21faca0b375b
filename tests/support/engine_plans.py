"""llama.cpp's own plans of memory, on files that hold a header and no weights.

`llama-fit-params --fit-print on` builds a model and a context without allocating anything, and
prints in MiB what each device and the host would hold: weights, caches with states, and compute
buffers, those with logits of a whole micro-batch. `llama-server` prints the same of itself before
it loads, with the logits that it needs. A loopback `ggml-rpc-server` is a device with memory of
its own. `--no-repack` keeps all weights of the host in the one row that is printed.

    python -m support.engine_plans    records what the tests compare with (in tests/, PYTHONPATH=.)
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.llama_tools import tool
from support.quantizer import MODELS, write_header
from tokenroof.recipes import blueprint, find

RECORDED = Path(__file__).parents[1] / "predict" / "data" / "engine_plans.jsonl.gz"
TYPE = "Q4_K_M"
DEVICE = "RPC0"

Rows = dict[str, tuple[int, int, int]]
"""Device or host to MiB of weights, of caches and states, and of buffers."""


@dataclass(frozen=True)
class Plan:
    """One plan.

    Attributes:
        model: of the catalogue.
        arguments: the program's, without the model and the device's address.
        has_card: whether there was a device with memory of its own.
        is_server: whether llama-server told of itself.
        rows: what it printed.
    """

    model: str
    arguments: tuple[str, ...]
    has_card: bool
    is_server: bool
    rows: Rows

    def number(self, option: str, default: int) -> int:
        """The value of an option."""
        if option not in self.arguments:
            return default
        return int(self.arguments[self.arguments.index(option) + 1])


@contextlib.contextmanager
def card() -> Iterator[str]:
    """A device with memory of its own on this machine; yields its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with subprocess.Popen(
        [tool("ggml-rpc-server"), "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            _wait_for(port)
            yield f"127.0.0.1:{port}"
        finally:
            server.kill()


def _wait_for(port: int) -> None:
    import time

    for _ in range(600):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 0.1):
            return
        time.sleep(0.05)
    message = "ggml-rpc-server does not answer"
    raise RuntimeError(message)


def planned(path: Path, arguments: Sequence[str], address: str | None = None) -> Rows:
    """What llama-fit-params prints for a file."""
    command = [tool("llama-fit-params"), "-m", str(path), "-fitp", "on", "--no-repack", *arguments]
    if address is not None:
        command += ["--rpc", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines() if line.strip()]
    return {
        name: (int(model), int(context), int(compute)) for name, model, context, compute in rows
    }


def planned_by_server(path: Path, arguments: Sequence[str], address: str | None = None) -> Rows:
    """What llama-server plans for a file, before it loads it."""
    command = [tool("llama-server"), "-m", str(path), "--port", "0", "--no-repack"]
    command += ["--log-jsonl", "-lv", "4", *arguments]
    if address is not None:
        command += ["--rpc", address]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as server:
        timer = threading.Timer(600, server.kill)
        timer.start()
        try:
            assert server.stdout is not None
            line = next(each for each in server.stdout if "fit_memory_breakdown" in each)
        finally:
            timer.cancel()
            server.kill()
    rows: list[dict[str, Any]] = json.loads(line[line.index("{") :])["data"]["rows"]
    return {row["name"]: (row["model"], row["context"], row["compute"]) for row in rows}


def recorded() -> list[Plan]:
    """The recorded plans: a line of explanation, then one object a plan."""
    lines = gzip.decompress(RECORDED.read_bytes()).decode().splitlines()[1:]
    return [
        Plan(
            model=row["model"],
            arguments=tuple(row["arguments"]),
            has_card=row["card"],
            is_server=row["server"],
            rows={name: tuple(values) for name, values in row["rows"].items()},
        )
        for row in map(json.loads, lines)
    ]


def settings(blocks: int) -> list[tuple[tuple[str, ...], bool, bool]]:
    """Arguments, whether there is a card, and whether the server is asked."""
    half = str(blocks // 2)
    short = ("-c", "4096")
    return [
        (short, False, False),
        (("-c", "16384", "-ub", "256"), False, False),
        ((*short, "-fa", "off"), False, False),
        (short, True, False),
        (("-c", "32768"), True, False),
        ((*short, "-ub", "128", "-np", "3"), True, False),
        ((*short, "-ngl", half), True, False),
        ((*short, "-cmoe"), True, False),
        ((*short, "-nkvo"), True, False),
        ((*short, "-np", "1"), False, True),
        ((*short, "-np", "1"), True, True),
        (("-c", "8192"), True, True),
    ]


def _record() -> None:
    about = "llama-fit-params and llama-server of llama.cpp 0.5.0 on header-only files, in MiB"
    lines = [json.dumps({"about": about})]
    with tempfile.TemporaryDirectory() as folder:
        for name in MODELS:
            header = blueprint(find(name)).header(TYPE)
            path = write_header(header, Path(folder, "model.gguf"))
            blocks = header.integer(f"{header.text('general.architecture')}.block_count") or 0
            for arguments, has_card, is_server in settings(blocks):
                ask = planned_by_server if is_server else planned
                rows: Rows | None = None
                # The tool ends in an error for some settings of some models.
                with (
                    contextlib.suppress(AssertionError),
                    card() if has_card else contextlib.nullcontext() as address,
                ):
                    rows = ask(path, arguments, address)
                if rows is None:
                    continue
                row = {"model": name, "arguments": arguments, "card": has_card}
                row |= {"server": is_server, "rows": rows}
                lines.append(json.dumps(row, separators=(",", ":")))
    RECORDED.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


if __name__ == "__main__":
    _record()
