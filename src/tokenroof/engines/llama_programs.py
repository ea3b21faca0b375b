"""llama.cpp's own programs: where they are, and what this build of them understands.

Their options come and go from month to month, so nothing is passed to a program before its own
`--help` was read: an option that is ours is left out where the build does not know it, and one
that a person gave is refused with its name, instead of a program that ends after printing its help.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from tokenroof import units
from tokenroof.engines.base import Place
from tokenroof.engines.options import from_environment
from tokenroof.errors import EngineDied, EngineMissing, EngineRefused, UsageError
from tokenroof.importing.llama_bench_rows import build_version
from tokenroof.library.addresses import shown
from tokenroof.notices import Notice
from tokenroof.safetext import printable

_LOOK_SECONDS = 120.0
"""A build with a GPU library initialises it even for `--help`."""

_OPTION_LINE = re.compile(r"\s*(-[A-Za-z-][\w-]*(?:(?:,\s*|\s+)-[A-Za-z-][\w-]*)*)", re.ASCII)
_VERSION = re.compile(r"build (\d+), commit (\w+)|version: (\d+) \((\w+)\)", re.ASCII)
_DEVICES = "Available devices:"

LOG_LEVELS = frozenset(
    {"-lv", "--verbosity", "--log-verbosity", "-v", "--verbose", "--log-verbose"}
)


@dataclass(frozen=True, slots=True)
class Program:
    """One build of one program.

    Attributes:
        name: of the engine that it is.
        path: its file.
        help: what it says of itself.
        options: every spelling of every option that its help names.
        version: `b<number>-<commit>`; None where the build does not know its own.
        devices: what it could offload to, by the program's own names; empty where it runs on the
            CPU alone; None where it does not say.
    """

    name: str
    path: Path
    help: str
    options: frozenset[str]
    version: str | None
    devices: tuple[str, ...] | None

    def knows(self, *spellings: str) -> str | None:
        """The first of these spellings that this build understands; None where it knows none."""
        return next((each for each in spellings if each in self.options), None)

    def flash_attention(self, wanted: bool | None) -> list[str]:
        """How this build is told to use flash attention or not; nothing where it may choose."""
        name = self.knows("-fa", "--flash-attn")
        if wanted is None or name is None:
            return []
        values = re.search(r"--flash-attn\s+[<\[{](\S+)[>\]}]", self.help)
        if values is None:
            return [name] if wanted else []  # before it had a value
        words = ("on", "off") if "on" in values[1].split("|") else ("1", "0")
        return [name, words[0 if wanted else 1]]

    def load_log(self, flags: Sequence[str]) -> list[str]:
        """How this build is told to log what it decided while loading; nothing where it does.

        From 2026 on that is level 4 of 5, a few lines a request. Level 5 would be lines a token.
        """
        level = self.knows("-lv", "--verbosity", "--log-verbosity")
        if level is None or not re.search(r"- 4: trace\b", self.help):
            return []
        return [] if LOG_LEVELS & {*flags} else [level, "4"]

    def place(self, arguments: Sequence[str]) -> Place | None:
        """Where the layers certainly are: on the CPU of a program that has nothing else to use.

        With a device, only the program knows how much it put there, so None.
        """
        if flag_value(arguments, "-rpc", "--rpc") is not None:
            return None
        barred = flag_value(arguments, "-dev", "--device") == "none"
        return "cpu" if self.devices == () or barred else None

    def backend(self) -> str | None:
        """What computes, by the names of the devices; None where it does not say."""
        if self.devices is None:
            return None
        kinds = [re.sub(r"\d*:.*", "", device) for device in self.devices]
        return ", ".join(dict.fromkeys([*kinds, "CPU"]))

    def check(self, flags: Sequence[str], ours: Sequence[str]) -> None:
        """Refuse flags that would not reach the program as they are meant.

        Args:
            flags: what a person gave.
            ours: spellings of options that we set ourselves.

        Raises:
            UsageError: one of them is ours to set.
            EngineRefused: this build has no such option.
        """
        for flag in flags:
            if not re.match(r"--?[A-Za-z]", flag, re.ASCII):
                continue  # a value, or a negative number
            shown_flag = printable(flag, 60)
            if flag in ours:
                raise UsageError("llama_programs.flag_is_ours", engine=self.name, flag=shown_flag)
            if flag not in self.options:
                raise EngineRefused(
                    "llama_programs.flag_unknown",
                    engine=self.name,
                    flag=shown_flag,
                    version=self.version or "?",
                )


def flag_value(flags: Sequence[str], *spellings: str) -> str | None:
    """The value that follows the last of these spellings; None where none was given."""
    found = None
    for flag, value in pairwise(flags):
        if flag in spellings:
            found = value
    return found


def whole(value: str | None) -> int | None:
    """A flag's value as a whole number; None where it is none, as `auto`."""
    return int(value) if value is not None and re.fullmatch(r"\d{1,9}", value, re.ASCII) else None


def on_path(name: str) -> bool:
    """Whether a program of this name could be started without being told where it is."""
    return shutil.which(from_environment(name, "program") or name) is not None


def why(name: str) -> Notice:
    """Why a program is taken for a model when nobody named an engine."""
    url = from_environment(name, "url")
    if url is not None:
        values = {"engine": name, "url": shown(url)}
        return Notice("engines.chosen_url", values)
    path = shutil.which(from_environment(name, "program") or name)
    values = {"engine": name, "path": printable(str(path or "-"))}
    return Notice("engines.chosen_on_path", values)


def find(name: str, given: str | None = None) -> Path:
    """The file of a program: the given one, else that of the environment, else that on the PATH.

    Raises:
        EngineMissing: there is none.
    """
    asked = given or from_environment(name, "program")
    found = shutil.which(asked or name)
    if found is None and asked is not None:
        raise EngineMissing("llama_programs.not_there", engine=name, path=printable(asked))
    if found is None:
        variable = f"TOKENROOF_{name}_PROGRAM".upper().replace("-", "_")
        raise EngineMissing("llama_programs.not_on_path", engine=name, variable=variable)
    return Path(found).absolute()


def look_at(name: str, path: Path) -> Program:
    """Read a program's help, version and devices; once for each state of its file.

    Raises:
        EngineMissing: it cannot be started.
        EngineRefused: it is no such program.
        EngineDied: it does not end.
    """
    try:
        changed = path.stat().st_mtime_ns
    except OSError as problem:
        raise _unstartable(name, path, problem) from problem
    return _look_at(name, path, changed)


@cache
def _look_at(name: str, path: Path, changed: int) -> Program:
    del changed
    help_text = _output(name, path, "--help")
    options = options_in(help_text)
    if not {"-m", "--model"} & options:
        raise EngineRefused("llama_programs.not_one", engine=name, path=printable(str(path)))
    version = None
    if "--version" in options:
        version = version_in(_output(name, path, "--version"))
    devices = None
    if "--list-devices" in options:
        devices = devices_in(_output(name, path, "--list-devices"))
    return Program(name, path, help_text, options, version, devices)


def options_in(help_text: str) -> frozenset[str]:
    """Every spelling of an option at the beginning of a line of a help text."""
    found: set[str] = set()
    for line in help_text.splitlines():
        match = _OPTION_LINE.match(line)
        if match:
            found.update(re.split(r",\s*|\s+", match[1]))
    return frozenset(found)


def version_in(text: str) -> str | None:
    """`b<number>-<commit>` of what `--version` prints; None where the build knows neither."""
    match = _VERSION.search(text)
    if match is None:
        return None
    number, commit = match[1] or match[3], match[2] or match[4]
    return build_version(int(number), commit)


def devices_in(text: str) -> tuple[str, ...] | None:
    """The devices that `--list-devices` prints; None where it prints no list."""
    before, header, after = text.partition(_DEVICES)
    del before
    if not header:
        return None
    lines = (line.strip() for line in after.splitlines())
    return tuple(line for line in lines if re.match(r"\w+: ", line))


def _output(name: str, path: Path, option: str) -> str:
    """What a program prints, to either output."""
    try:
        done = subprocess.run(
            [str(path), option],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_LOOK_SECONDS,
            check=False,
        )
    except OSError as problem:
        raise _unstartable(name, path, problem) from problem
    except subprocess.TimeoutExpired as problem:
        duration = units.duration(_LOOK_SECONDS)
        raise EngineDied("engines.silent", engine=name, duration=duration) from problem
    return done.stdout.decode("utf-8", "replace")


def _unstartable(name: str, path: Path, problem: OSError) -> EngineMissing:
    reason = problem.strerror or type(problem).__name__
    return EngineMissing(
        "llama_programs.cannot_start", engine=name, path=printable(str(path)), reason=reason
    )


def cpu_name() -> str | None:
    """What this machine's processor is called."""
    from tokenroof.hardware.machine import this_machine

    return this_machine().cpu_name
