"""llama.cpp's own programs, which are compiled once per machine, and stand-ins for them."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools" / "engine.py"
NO_BUILD = 4
"""What the tool ends with where it cannot build: no compiler, no network."""


@cache
def tool(name: str) -> str:
    """The path of one of llama.cpp's programs, compiled now if this machine has none.

    `make test` compiles them before and says so; without it, this takes minutes once.
    """
    where = [sys.executable, str(TOOLS), "where", name]
    found = subprocess.run(where, capture_output=True, text=True, check=False)
    if found.returncode == NO_BUILD:
        made = subprocess.run([sys.executable, str(TOOLS), "tools"], check=False)
        if made.returncode == NO_BUILD:
            pytest.skip(f"{name} cannot be compiled here")
        found = subprocess.run(where, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout.strip()


NEW_BENCH_HELP = """\
usage: llama-bench [options]

options:
  -h, --help
  --version                                   show version and build info
  -r, --repetitions <n>                       number of times (default: 5)
  -o, --output <csv|json|jsonl|md|sql>        output format (default: md)
  --list-devices                              list available devices and exit
  --no-warmup                                 skip warmup runs
  -fitt, --fit-target <MiB>                   fit model (default: off)
  -rpc, --rpc <rpc_servers>                   register RPC devices

test parameters:
  -m, --model <filename>                            (default: models/7B/ggml-model-q4_0.gguf)
  -p, --n-prompt <n>                                (default: 512)
  -n, --n-gen <n>                                   (default: 128)
  -d, --n-depth <n>                                 (default: 0)
  -b, --batch-size <n>                              (default: 2048)
  -ub, --ubatch-size <n>                            (default: 512)
  -t, --threads <n>                                 (default: 2)
  -ngl, --n-gpu-layers <n>                          (default: -1)
  -fa, --flash-attn <on|off|auto>                   (default: auto)
  -dev, --device <dev0/dev1/...>                    (default: auto)
  -ot --override-tensor <tensor name pattern>=<buffer type>;...
                                                    (default: disabled)
Multiple values can be given for each parameter by separating them with ','
"""
"""The form of the help of builds of 2026, shortened."""

OLD_BENCH_HELP = """\
usage: llama-bench [options]
options:
  -h, --help
  -m, --model <filename>            (default: models/7B/ggml-model-q4_0.gguf)
  -p, --n-prompt <n>                (default: 512)
  -n, --n-gen <n>                   (default: 128)
  -t, --threads <n>                 (default: 8)
  -fa, --flash-attn <0|1>           (default: 0)
  -mmp, --mmap <0|1>                (default: 1)
"""
"""The same of a build of 2024: no depth, no version, no list of devices."""

_BENCH = """\
#!{python}
import json, os, sys
script = json.loads({script!r})
arguments = sys.argv[1:]
if arguments == ["--help"]:
    print(script["help"])
    sys.exit(0)
if arguments == ["--version"]:
    print(script["version"])
    sys.exit(0)
if arguments == ["--list-devices"]:
    print(script["devices"])
    sys.exit(0)
with open({log!r}, "a") as log:
    print(json.dumps(arguments), file=log)
given = dict(zip(arguments, arguments[1:]))
prompt, output, depth = (int(given.get(name, 0)) for name in ("-p", "-n", "-d"))
for answer in script["answers"]:
    if [prompt, output, depth] != answer["of"]:
        continue
    sys.stderr.write(answer.get("stderr", ""))
    for row in answer.get("rows", []):
        known = {{"n_prompt": prompt, "n_gen": output, "n_depth": depth}}
        print(row if isinstance(row, str) else json.dumps(script["row"] | known | row), flush=True)
    if answer.get("signal"):
        os.kill(os.getpid(), answer["signal"])
    sys.exit(answer.get("code", 0))
sys.exit(77)
"""


class FakeBench:
    """A program that answers as llama-bench does: `answers` are looked up by -p, -n and -d.

    `path` is its file; `asked()` what it was started with.
    """

    def __init__(self, folder: Path, answers: list[dict[str, object]], **script: object) -> None:
        self.path = folder / "llama-bench"
        self._log = folder / "asked.jsonl"
        whole = {
            "help": NEW_BENCH_HELP,
            "version": "version: 0.6.0-dev (build 0, commit unknown)",
            "devices": "Available devices:\n  (none)",
            "row": {"n_threads": 3, "n_batch": 2048, "n_ubatch": 512, "flash_attn": -1},
            "answers": answers,
        }
        text = _BENCH.format(
            python=sys.executable, script=json.dumps(whole | script), log=str(self._log)
        )
        self.path.write_text(text, encoding="utf-8")
        self.path.chmod(0o755)

    def asked(self) -> list[list[str]]:
        """The arguments of each measurement."""
        return [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]
