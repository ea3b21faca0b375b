"""Where a model lies, by a loader's log and by the model's own header."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.gguf_files import write_gguf
from tokenroof.engines.base import ModelRef
from tokenroof.engines.llama_programs import Program
from tokenroof.engines.llama_server_start import LoadLog
from tokenroof.engines.residence import Judged, Residence

MIB = 2**20


@pytest.fixture
def small_file(tmp_path: Path) -> Path:
    """A model of one layer, in F32 of 4 bytes.

    A token reads the head, 32 x 100, three norms of 32, attention 4 x 32 x 32, and 3 x 32 x 64 of
    the feed-forward: 13,536 weights, 54,144 bytes. The embedding, 32 x 100, is looked up in.
    """
    metadata: dict[str, str | int] = {
        "general.architecture": "llama",
        "llama.block_count": 1,
        "llama.context_length": 4096,
        "llama.embedding_length": 32,
        "llama.feed_forward_length": 64,
        "llama.attention.head_count": 1,
        "llama.attention.head_count_kv": 1,
    }
    shapes = {
        **dict.fromkeys(("token_embd", "output"), (32, 100)),
        **dict.fromkeys(("output_norm", "blk.0.attn_norm", "blk.0.ffn_norm"), (32,)),
        **{f"blk.0.attn_{part}": (32, 32) for part in ("q", "k", "v", "output")},
        **dict.fromkeys(("blk.0.ffn_gate", "blk.0.ffn_up"), (32, 64)),
        "blk.0.ffn_down": (64, 32),
    }
    tensors = [(f"{name}.weight", shape, "F32") for name, shape in shapes.items()]
    return write_gguf(tmp_path / "m.gguf", metadata, tensors)


# As build 11434 logs at level 4.
LOAD = """\
0.02.954.300 I load_tensors:   CPU_Mapped model buffer size =   235.16 MiB
0.02.954.319 I load_tensors:        CUDA0 model buffer size =    12.66 MiB
0.02.986.872 I llama_context: flash_attn            = auto
0.02.988.061 I resolve_fused_ops: Flash Attention {}
"""


@pytest.mark.parametrize(("word", "used"), [("enabled", True), ("disabled", False)])
def test_a_load_tells_whether_flash_attention_is_used_and_where_the_weights_are(
    word: str, used: bool
) -> None:
    log = LoadLog()
    for line in LOAD.format(word).splitlines():
        log.take(line + "\n")
    log.take("0.07.293.813 I srv  llama_server: listening on http://127.0.0.1:18097\n")
    log.wait()
    assert log.flash_attention is used
    # 235.16 and 12.66 MiB
    assert dict(log.weights) == {"CPU": round(235.16 * MIB), "CUDA0": round(12.66 * MIB)}


def test_a_load_that_says_nothing_leaves_it_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tokenroof.engines.llama_server_start._LAST_LINES_SECONDS", 0.0)
    log = LoadLog()
    log.wait()
    assert log.flash_attention is None
    assert not log.weights


def test_what_is_logged_after_the_load_is_no_part_of_it() -> None:
    log = LoadLog()
    log.take("srv: listening on http://127.0.0.1:1\n")
    log.take("resolve_fused_ops: Flash Attention enabled\n")
    assert log.flash_attention is None


def test_buffers_are_held_against_the_weights_that_a_token_may_need(small_file: Path) -> None:
    residence = Residence(ModelRef(path=small_file), None)
    assert residence.of_buffers({}) == Judged(None)
    assert residence.of_buffers({"CPU": 50_000}) == Judged("cpu")
    assert residence.of_buffers({"CPU": 50_000, "CUDA0": 54_144}).place == "gpu"
    # 99 % of 54,144 is 53,602.56: sizes are printed with two digits of a MiB.
    assert residence.of_buffers({"CPU": 50_000, "CUDA0": 53_602}).place == "mixed"
    assert residence.of_buffers({"CPU": 0, "CUDA0": 27_072, "CUDA1": 27_072}).place == "gpu"


def test_without_a_header_a_device_alone_proves_nothing() -> None:
    unknown = Residence(ModelRef(path=Path("/nowhere/x.gguf")), None)
    assert unknown.of_buffers({"CPU": 1, "CUDA0": 10**9}).place is None


def program(help_text: str) -> Program:
    return Program("llama-server", Path("x"), help_text, frozenset({"-lv", "-v"}), None, ())


def test_a_build_is_told_to_log_its_load_only_where_level_four_is_not_a_line_a_token() -> None:
    new = program("-lv, --verbosity N\n  - 3: info\n  - 4: trace (more info)\n  - 5: debug\n")
    assert new.load_log(()) == ["-lv", "4"]
    assert new.load_log(("-v",)) == []
    assert program("-lv, --verbosity N   Set the verbosity threshold").load_log(()) == []
