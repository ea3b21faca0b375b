"""What a build of llama.cpp understands is read from the build itself."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.llama_tools import NEW_BENCH_HELP, OLD_BENCH_HELP, FakeBench
from tokenroof.engines import llama_programs
from tokenroof.engines.llama_programs import (
    Program,
    devices_in,
    flag_value,
    options_in,
    version_in,
)
from tokenroof.errors import EngineMissing, EngineRefused, UsageError
from tokenroof.importing.llama_bench_rows import build_version

posix = pytest.mark.skipif(sys.platform == "win32", reason="starts a script by its first line")

# The form of llama-server's help: three columns, several spellings, text that goes on below.
SERVER_HELP = """\
-h,    --help, --usage                  print usage and exit
-t,    --threads N                      number of CPU threads (default: -1)
                                        (env: LLAMA_ARG_THREADS)
--perf, --no-perf                       whether to enable timings (default:
                                        false)
-kvo,  --kv-offload, -nkvo, --no-kv-offload
                                        whether to enable KV cache offloading
-fa,   --flash-attn [on|off|auto]       set Flash Attention use ('on', 'off', or 'auto')
-lm,   --load-mode MODE                 model loading mode (default: auto)
                                        - auto: mmap, unless a device does not support it
                                        -1 = infinity
"""


def program(help_text: str, devices: tuple[str, ...] | None = ()) -> Program:
    return Program("llama-bench", Path("x"), help_text, options_in(help_text), "b1-abc", devices)


def test_every_spelling_of_an_option_is_found_and_nothing_else() -> None:
    assert options_in(SERVER_HELP) == {
        *("-h", "--help", "--usage", "-t", "--threads", "--perf", "--no-perf"),
        *("-kvo", "--kv-offload", "-nkvo", "--no-kv-offload", "-fa", "--flash-attn"),
        *("-lm", "--load-mode"),
    }
    bench = options_in(NEW_BENCH_HELP)
    assert {"-ot", "--override-tensor", "-rpc", "--no-warmup", "--n-depth"} <= bench
    assert "-d" not in options_in(OLD_BENCH_HELP)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("version: 0.5.0-dev (build 1, commit 0c1e570)\nbuilt with GNU", "b1-0c1e570"),
        ("version: 6123 (abc12de)\nbuilt with cc", "b6123-abc12de"),
        # No git when it was built: that is no old build, but an unknown one.
        ("version: 0.6.0-dev (build 0, commit unknown)", None),
        ("version: 6123 (unknown)", "b6123"),
        ("something else", None),
    ],
)
def test_a_build_is_named_as_llama_cpp_names_it_and_unknown_stays_unknown(
    text: str, version: str | None
) -> None:
    assert version_in(text) == version


def test_number_and_commit_make_a_version_only_where_one_is_known() -> None:
    assert build_version(0, "unknown") is None
    assert build_version(None, None) is None
    assert build_version(0, "abc") == "b0-abc"


def test_devices_are_listed_none_or_not_told() -> None:
    none = "Available devices:\n  (none)\n"
    gpu = "ggml_cuda_init: found 1\nAvailable devices:\n  CUDA0: NVIDIA H200 (143771 MiB, 9 free)\n"
    assert devices_in(none) == ()
    assert devices_in(gpu) == ("CUDA0: NVIDIA H200 (143771 MiB, 9 free)",)
    assert devices_in("error: invalid argument") is None


def test_layers_are_on_the_cpu_only_where_nothing_else_could_hold_them() -> None:
    gpu = program(NEW_BENCH_HELP, ("CUDA0: NVIDIA H200 (1 MiB, 1 MiB free)", "RPC0: here (1 MiB)"))
    assert program(NEW_BENCH_HELP).place([]) == "cpu"
    # Another machine's device is named by a flag and by no list.
    assert program(NEW_BENCH_HELP).place(["-rpc", "far:1"]) is None
    assert gpu.place([]) is None
    # No layer is offloaded, but large batches still are.
    assert gpu.place(["-ngl", "0"]) is None
    assert gpu.place(["-ngl", "0", "-dev", "none"]) == "cpu"
    assert program(NEW_BENCH_HELP, None).place([]) is None
    assert gpu.backend() == "CUDA, RPC, CPU"
    assert program(NEW_BENCH_HELP, None).backend() is None


@pytest.mark.parametrize(
    ("help_text", "on", "off"),
    [
        (NEW_BENCH_HELP, ["-fa", "on"], ["-fa", "off"]),
        (SERVER_HELP, ["-fa", "on"], ["-fa", "off"]),
        (OLD_BENCH_HELP, ["-fa", "1"], ["-fa", "0"]),
        ("-fa,   --flash-attn     enable Flash Attention (default: disabled)", ["-fa"], []),
        ("-x", [], []),
    ],
)
def test_flash_attention_is_asked_for_in_the_words_of_the_build(
    help_text: str, on: list[str], off: list[str]
) -> None:
    assert program(help_text).flash_attention(True) == on
    assert program(help_text).flash_attention(False) == off
    assert program(help_text).flash_attention(None) == []


def test_a_flag_that_this_build_does_not_know_is_named_before_anything_starts() -> None:
    build = program(NEW_BENCH_HELP)
    build.check(["-ngl", "-1", "-ot", "exps=CPU", "--no-warmup"], ["-m"])
    with pytest.raises(EngineRefused, match=r"b1-abc.* -mmp"):
        build.check(["-ngl", "9", "-mmp", "0"], ["-m"])
    with pytest.raises(UsageError, match="-m"):
        build.check(["-m", "other.gguf"], ["-m"])


def test_the_last_value_of_a_flag_counts() -> None:
    assert flag_value(["-b", "1", "-x", "--batch", "2", "-b"], "-b", "--batch") == "2"
    assert flag_value(["-b"], "-b") is None


def test_a_program_is_looked_for_where_it_was_said_to_be_and_then_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TOKENROOF_LLAMA_BENCH_PROGRAM", raising=False)
    assert not llama_programs.on_path("llama-bench")
    with pytest.raises(EngineMissing, match="TOKENROOF_LLAMA_BENCH_PROGRAM"):
        llama_programs.find("llama-bench")
    with pytest.raises(EngineMissing, match=r"no program /x/y"):
        llama_programs.find("llama-bench", "/x/y")
    there = FakeBench(tmp_path, []).path
    assert llama_programs.find("llama-bench") == there
    monkeypatch.setenv("TOKENROOF_LLAMA_BENCH_PROGRAM", "/x/z")
    assert not llama_programs.on_path("llama-bench")
    with pytest.raises(EngineMissing, match=r"no program /x/z"):
        llama_programs.find("llama-bench")
    assert llama_programs.find("llama-bench", str(there)) == there


@posix
def test_a_program_that_is_something_else_is_refused(tmp_path: Path) -> None:
    for name, text in {
        "no_help": "#!/bin/sh\necho hello\n",
        "no_program": "\x7fELF nonsense",
    }.items():
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o755)
        with pytest.raises((EngineRefused, EngineMissing), match=name):
            llama_programs.look_at("llama-bench", path)
    with pytest.raises(EngineMissing, match="gone"):
        llama_programs.look_at("llama-bench", tmp_path / "gone")


@posix
def test_a_program_is_looked_at_anew_once_its_file_changed(tmp_path: Path) -> None:
    path = FakeBench(tmp_path, []).path
    assert llama_programs.look_at("llama-bench", path).version is None
    import os

    changed = FakeBench(tmp_path, [], version="version: 7 (abc)").path
    os.utime(changed, ns=(1, 1))
    assert llama_programs.look_at("llama-bench", changed).version == "b7-abc"
