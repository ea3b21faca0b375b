"""The embedded engine on the real model: its settings, its death, its hanging, its end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from support.gguf_files import write_gguf
from support.small_model import digits, small_model
from tokenroof.engines.base import Request, Step, Threaded
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.errors import EngineDied, EngineRefused
from tokenroof.records import Settings

pytestmark = pytest.mark.engine

SMALL = Settings(context=512, threads=1)
LONG = Request(prompt=digits(10), output_tokens=450)

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


@pytest.fixture
def engine() -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(silence_deadline_seconds=120)
    yield engine
    engine.close()


def gone(pid: int, within_seconds: float = 120.0) -> bool:
    """Whether a process ends within a time; a zombie has ended."""
    until = time.monotonic() + within_seconds
    while time.monotonic() < until:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def test_threads_are_set_while_a_model_is_loaded(engine: EmbeddedEngine) -> None:
    assert isinstance(engine, Threaded)
    before = engine.load(small_model(), SMALL).settings
    assert (before.threads, before.threads_batch) == (1, None)
    text = Request(prompt=digits(30), output_tokens=8)
    ids = engine.run(text).raw["output_ids"]
    after = engine.set_threads(2, 3)
    assert (after.threads, after.threads_batch) == (2, 3)
    assert after.context == before.context
    assert engine.run(text).raw["output_ids"] == ids
    loaded = engine.load(small_model(), Settings(context=512, threads=1, threads_batch=2)).settings
    assert (loaded.threads, loaded.threads_batch) == (1, 2)


def test_what_may_be_reused_is_not_read_again_and_changes_nothing(engine: EmbeddedEngine) -> None:
    # Longer than the model's window of 512, whose cells are then gone.
    engine.load(small_model(), Settings(context=1024, threads=1))
    request = Request(prompt=digits(700), output_tokens=8)
    again = Request(prompt=digits(700), output_tokens=8, reuse=True)
    longer = Request(prompt=digits(700) + digits(30), output_tokens=8, reuse=True)
    other = Request(prompt="x" + digits(699), output_tokens=8, reuse=True)
    read = engine.run(request)
    assert read.prompt_cached == 0
    reused = engine.run(again)
    assert (reused.prompt_tokens, reused.prompt_cached) == (701, 700)  # one is always read
    assert reused.raw["output_ids"] == read.raw["output_ids"]
    more = engine.run(longer)
    # What was written then may go on as the longer text does.
    assert more.prompt_tokens == 731
    assert more.prompt_cached in range(701, 710)
    assert (
        engine.run(Request(prompt=longer.prompt, output_tokens=8)).raw["output_ids"]
        == (more.raw["output_ids"])
    )
    # Another text has nothing in common but the mark before it.
    assert engine.run(other).prompt_cached in {0, 1}
    # Without leave, everything is read.
    assert engine.run(request).prompt_cached == 0


class At:
    """A watcher that acts once, when the first decode step is told."""

    def __init__(self, engine: EmbeddedEngine, what: int) -> None:
        self.engine, self.what, self.acted = engine, what, False

    def __call__(self, step: Step) -> None:
        if step.phase == "decode" and not self.acted:
            self.acted = True
            os.kill(self.engine.processes()[0], self.what)


def test_a_prompt_is_read_in_batches_as_large_as_set(engine: EmbeddedEngine) -> None:
    # 1 + 199 tokens in batches of 64: 64 + 64 + 64 + 8.
    engine.load(small_model(), Settings(context=512, batch=64, ubatch=32, threads=1))
    reply = engine.run(Request(prompt=digits(199), output_tokens=1))
    assert reply.raw["prompt_batches"] == 4


def test_quantised_values_turn_flash_attention_on_by_themselves(engine: EmbeddedEngine) -> None:
    types = Settings(context=512, kv_type_k="q8_0", kv_type_v="q4_0", threads=1)
    settings = engine.load(small_model(), types).settings
    assert (settings.kv_type_k, settings.kv_type_v) == ("q8_0", "q4_0")
    assert settings.flash_attention is True


def test_flash_attention_off_is_off(engine: EmbeddedEngine) -> None:
    settings = engine.load(
        small_model(), Settings(context=512, flash_attention=False, threads=1)
    ).settings
    assert settings.flash_attention is False


def test_a_library_without_gpu_backends_states_the_cpu(engine: EmbeddedEngine) -> None:
    identity = engine.identify()
    if identity.backend == "CPU":
        assert identity.place == "cpu"
    engine.load(small_model(), Settings(context=512, threads=1, gpu_layers=0))
    assert engine.identify().place == "cpu"


def test_a_file_that_llama_cpp_cannot_run_is_refused_with_its_own_words(
    engine: EmbeddedEngine, tmp_path: Path
) -> None:
    odd = write_gguf(tmp_path / "odd.gguf", {"general.architecture": "no-such-architecture"})
    with pytest.raises(EngineRefused, match=r"odd\.gguf: .*no-such-architecture"):
        engine.load(odd, SMALL)
    assert engine.processes() == ()


@needs_signals
@pytest.mark.parametrize(
    ("what", "message", "said"),
    [("SIGKILL", "engines.killed", "memory"), ("SIGSEGV", "engines.died", "SIGSEGV")],
)
def test_death_amid_a_run_is_told_and_the_engine_can_be_loaded_again(
    engine: EmbeddedEngine, what: str, message: str, said: str
) -> None:
    engine.load(small_model(), SMALL)
    with pytest.raises(EngineDied, match=said) as caught:
        engine.run(LONG, watch=At(engine, getattr(signal, what)))
    assert caught.value.message == message
    assert engine.processes() == ()
    engine.load(small_model(), SMALL)
    assert engine.run(Request(prompt="1", output_tokens=2)).output_tokens == 2


@needs_signals
def test_a_hanging_child_is_noticed_and_ended() -> None:
    engine = EmbeddedEngine(silence_deadline_seconds=1.5)
    engine.load(small_model(), SMALL)
    (pid,) = engine.processes()
    with pytest.raises(EngineDied) as caught:
        engine.run(LONG, watch=At(engine, signal.SIGSTOP))
    assert caught.value.message == "engines.silent"
    assert gone(pid)


def test_an_interrupted_run_takes_the_child_with_it(engine: EmbeddedEngine) -> None:
    engine.load(small_model(), SMALL)
    (pid,) = engine.processes()

    def interrupt(step: Step) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        engine.run(LONG, watch=interrupt)
    assert gone(pid)


PARENT = """
import sys
from pathlib import Path
from tokenroof.engines.base import Request
from tokenroof.engines.embedded import EmbeddedEngine
from tokenroof.records import Settings

engine = EmbeddedEngine()
engine.load(Path(sys.argv[1]), Settings(context=8192, threads=1))
print(engine.processes()[0], flush=True)
engine.run(Request(prompt="7" * 1000, output_tokens=7000))
"""


def test_a_child_does_not_outlive_its_parent_even_amid_a_run() -> None:
    command = [sys.executable, "-c", PARENT, str(small_model())]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        assert psutil.pid_exists(pid)
        parent.kill()
    assert gone(pid)
