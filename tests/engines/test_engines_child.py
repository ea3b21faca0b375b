"""Whatever a child process does, its parent gets an answer or an error, and never waits forever.

The children here are scripts of a line or two that misbehave in one way each.
"""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path

import pytest

from support.gguf_files import write_gguf, write_split_gguf
from tokenroof.engines import embedded
from tokenroof.engines.base import Request
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.engines.llama import likeliest
from tokenroof.errors import EngineDied, EngineMissing, EngineRefused, GGUFError
from tokenroof.records import Settings


def hello(*gpus: str) -> str:
    """What a child says first: a library with these GPUs."""
    facts = {"version": "0", "llama_cpp": None, "backend": "CPU", "cpu": "Some CPU"}
    return json.dumps({"say": "hello", **facts, "gpus": gpus, "system_info": ""})


def loaded(place: str) -> str:
    return json.dumps({"say": "loaded", "seconds": 0.5, "settings": {}, "place": place})


HELLO = hello()
LOADED = loaded("cpu")
METADATA = {"general.architecture": "llama"}
# Says no to the first order and quotes the model that it was asked for.
ECHO = (
    "import json\n"
    "print(hello, flush=True)\n"
    "model = json.loads(sys.stdin.readline())['model']\n"
    "values = {'model': model, 'why': '-'}\n"
    "said = {'say': 'refused', 'message': 'engines.model_refused', 'values': values}\n"
    "print(json.dumps(said), flush=True)\n"
    "sys.stdin.readline()\n"
)


def child(script: str, **limits: float) -> EmbeddedEngine:
    """An engine whose child is a small script."""
    prelude = f"import os, sys, time\nhello = {HELLO!r}\nloaded = {LOADED!r}\n"
    command = (sys.executable, "-S", "-c", prelude + script)
    return EmbeddedEngine(command=command, **limits)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A complete file, so that the child is asked at all."""
    return write_gguf(tmp_path / "m.gguf", METADATA, [("a", (32, 4), "F32"), ("b", (32,), "F32")])


def failure(engine: EmbeddedEngine) -> EngineDied:
    with pytest.raises(EngineDied) as caught:
        engine.identify()
    assert engine.processes() == ()
    return caught.value


@pytest.mark.parametrize(
    "line",
    [
        "garbage",
        "[1, 2]",
        "{}",
        '{"say": "what"}',
        '{"say": "hello"}',
        '{"say": "counted", "tokens": 1}',
        '{"say": "step", "phase": "prefill", "done": "x", "total": 1}',
        "\\xff\\xfe",
    ],
)
def test_a_line_that_is_no_answer_is_an_error_that_quotes_it(line: str) -> None:
    error = failure(child(f"os.write(1, b'{line}\\n'); time.sleep(60)"))
    assert error.message == "engines.babble"
    if line.isascii() and line.isprintable() and "\\" not in line:
        assert line in str(error)


@pytest.mark.parametrize("size", [0, 1, len(HELLO) // 2, len(HELLO) - 1, len(HELLO)])
def test_death_at_any_byte_of_an_answer_is_death_not_an_answer(size: int) -> None:
    # Without its line feed even the whole object may be the beginning of a longer line.
    error = failure(child(f"os.write(1, hello.encode()[:{size}]); sys.exit(3)"))
    assert error.message == "engines.died"
    assert error.values["reason"] == "exit 3"


def test_the_last_line_of_the_log_is_quoted_and_cannot_act_on_the_screen() -> None:
    error = failure(child("os.write(2, b'first\\n\\x1b[2Jlast words\\n\\n'); sys.exit(1)"))
    assert error.values["last"] == "\\x1b[2Jlast words"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_how_it_ended_is_named_by_its_signal() -> None:
    assert failure(child("os.abort()")).values["reason"] == "SIGABRT"
    assert failure(child("os.kill(os.getpid(), 9)")).message == "engines.killed"


def test_silence_ends_at_the_deadline_and_so_does_the_child() -> None:
    error = failure(child("time.sleep(60)", start_deadline_seconds=0.2))
    assert error.message == "engines.silent"


def test_a_child_that_takes_no_order_is_noticed_too(model: Path) -> None:
    # Two megabytes do not fit into a pipe that nobody empties.
    script = "print(hello, flush=True); sys.stdin.readline(); print(loaded, flush=True)"
    engine = child(script + "; time.sleep(60)")
    engine.load(model, Settings(threads=1))
    engine._silence_deadline = 0.3
    with pytest.raises(EngineDied) as caught:
        engine.run(Request(prompt="x" * 2_000_000, output_tokens=1))
    assert caught.value.message == "engines.silent"
    assert engine.processes() == ()


def test_a_child_that_ignores_the_end_of_its_input_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tokenroof.engines.child._GRACE_SECONDS", 0.2)
    engine = child("print(hello, flush=True); time.sleep(60)")
    engine.identify()
    (pid,) = engine.processes()
    engine.close()
    assert engine.processes() == ()
    import psutil

    assert not psutil.pid_exists(pid)


def test_a_refusal_is_raised_as_its_sentence_and_controls_in_it_are_shown(model: Path) -> None:
    refusal = json.dumps(
        {
            "say": "refused",
            "message": "engines.model_refused",
            "values": {"model": "m.gguf", "why": "bad\x1b[0m"},
        }
    )
    script = f"print(hello, flush=True); sys.stdin.readline(); print({refusal!r}, flush=True)"
    engine = child(script + "; sys.stdin.readline()")
    with pytest.raises(EngineRefused, match=r"m\.gguf: bad\\x1b\[0m"):
        engine.load(model, Settings(threads=1))
    assert engine.processes() == ()


@pytest.mark.parametrize(
    ("place", "device"),
    [("cpu", "Some CPU"), ("gpu", "GPU A + GPU B"), ("mixed", "GPU A + GPU B + Some CPU")],
)
def test_the_place_is_open_until_a_model_is_loaded_where_there_are_gpus(
    model: Path, place: str, device: str
) -> None:
    said = (hello("GPU A", "GPU B"), loaded(place))
    engine = child(
        f"print({said[0]!r}, flush=True); sys.stdin.readline()\n"
        f"print({said[1]!r}, flush=True); sys.stdin.readline()"
    )
    assert (engine.identify().place, engine.identify().device) == (None, None)
    engine.load(model, Settings(threads=1))
    assert (engine.identify().place, engine.identify().device) == (place, device)
    engine.close()


def test_half_a_file_is_refused_before_anything_starts(tmp_path: Path) -> None:
    # 32 x 64 floats are 8192 bytes; 2048 of them are cut off.
    tensors = [("a", (32, 64), "F32")]
    size = write_gguf(tmp_path / "whole.gguf", METADATA, tensors).stat().st_size
    part = write_gguf(tmp_path / "part.gguf", METADATA, tensors, present_bytes=size - 2048)
    engine = child(ECHO)
    with pytest.raises(GGUFError, match=r"part\.gguf .* 2\.00 KiB") as caught:
        engine.load(part, Settings(threads=1))
    assert caught.value.exit_code == 3
    assert engine.processes() == ()


def test_a_split_set_is_loaded_by_its_first_part_whichever_is_given(tmp_path: Path) -> None:
    # llama.cpp takes only the first.
    shards = [[("a", (32, 4), "F32")], [("b", (32, 4), "F32")]]
    first, second = write_split_gguf(tmp_path, "m", METADATA, shards)
    for given in (first, second):
        with pytest.raises(EngineRefused) as caught:
            child(ECHO).load(given, Settings(threads=1))
        assert caught.value.values["model"] == str(first)


def test_what_c_prints_to_standard_output_does_not_reach_the_protocol() -> None:
    script = (
        "from tokenroof.engines import embedded_child as c\n"
        "channel = c.Channel()\n"
        "os.write(1, b'ggml prints\\n')\n"
        "print('and python too', flush=True)\n"
        "channel.say('missing', why='on purpose')\n"
    )
    command = (sys.executable, "-c", "import os\n" + script)
    with pytest.raises(EngineMissing, match="on purpose"):
        EmbeddedEngine(command=command).identify()


def test_a_missing_library_is_told_with_the_command_that_installs_it(model: Path) -> None:
    script = (
        "import sys; sys.modules['llama_cpp'] = None\n"
        "from tokenroof.engines import embedded_child; embedded_child.main()"
    )
    engine = EmbeddedEngine(command=(sys.executable, "-c", script))
    with pytest.raises(EngineMissing) as caught:
        engine.load(model, Settings(threads=1))
    assert embedded.INSTALL in str(caught.value)
    assert engine.processes() == ()


def test_cache_types_are_checked_before_anything_starts(model: Path) -> None:
    engine = child("sys.exit(9)")
    with pytest.raises(EngineRefused, match="q3_k is no type"):
        engine.load(model, Settings(kv_type_k="q3_k"))
    # llama.cpp needs flash attention for quantised values, and only for those.
    with pytest.raises(EngineRefused, match="flash attention"):
        engine.load(model, Settings(kv_type_v="q8_0", flash_attention=False))
    with pytest.raises(EngineDied):
        engine.load(model, Settings(kv_type_k="q8_0", flash_attention=False, threads=1))


def test_the_next_token_is_the_likeliest_that_does_not_end_the_text() -> None:
    logits = (ctypes.c_float * 5)(0.5, 9.0, 3.0, 4.0, 8.0)
    assert likeliest(logits, 5, [1, 4]) == 3
