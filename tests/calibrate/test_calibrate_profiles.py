"""A profile predicts by its rates, says how far it may be off, and is read with suspicion."""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, strategies as st

from tokenroof.calibrate.design import BASE
from tokenroof.calibrate.learning import model_of
from tokenroof.errors import NotFound, RecordError
from tokenroof.predict.learnt.profile import (
    Learnt,
    Measured,
    NotLearnt,
    Profile,
    Seconds,
    decode_seconds,
    prefill_seconds,
    rates_for,
)
from tokenroof.predict.learnt.profiles import own_profiles, read_profile, save_profile
from tokenroof.records import Settings

MODEL = model_of(BASE)
DECODE = Learnt(
    seconds={"bytes:Q4_K": 3e-11, "layer": 1e-5, "cache_bytes": 1e-10},
    spread=0.05,
    worst=1.1,
    longest=1000,
    not_learnt=("rows", "vectors", "step", "scores", "attention_flop", "logits"),
)


def profile(decode: Learnt | None = DECODE, created: str = "2026-01-01T00:00:00+00:00") -> Profile:
    return Profile(
        id="p-1", created=created, mode="quick", engine={"name": "embedded"},
        settings=Settings(ubatch=512), decode=decode,
    )  # fmt: skip


def test_a_token_takes_the_sum_of_its_works() -> None:
    # BASE reads 24 layers of 11,272,192 - 1,024 x 2 ... : all of its Q4_K bytes, 24 layers, and
    # 100 tokens and the new one of 24 layers x 2 x 256 numbers of f16; F32 norms are under 2 % and
    # cost 3e-11 too.
    found = decode_seconds(profile(), MODEL, 100)
    assert isinstance(found, Seconds)
    assert MODEL.decode_weight_bytes is not None
    cache = 101 * 24 * 2 * 256 * 2
    expected = 3e-11 * float(MODEL.decode_weight_bytes) + 24e-5 + 1e-10 * cache
    assert found.seconds == pytest.approx(expected)
    # A type that stood for another widens the spread: sqrt(0.05^2 + 0.05^2), 1.2816 of them.
    factor = math.exp(1.2816 * math.hypot(0.05, 0.05))
    assert (found.low, found.high) == pytest.approx((expected / factor, expected * factor))


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_more_depth_is_never_faster_nor_surer(one: float, other: float) -> None:
    near, far = (decode_seconds(profile(), MODEL, depth) for depth in sorted((one, other)))
    assert isinstance(near, Seconds)
    assert isinstance(far, Seconds)
    assert near.seconds <= far.seconds
    assert near.high / near.low <= far.high / far.low * (1 + 1e-12)
    assert near.low <= near.seconds <= near.high


def test_a_type_that_was_not_learnt_is_named() -> None:
    learnt = Learnt(seconds={"bytes:Q8_0": 1e-11}, spread=0.1, worst=1.2, longest=1)
    found = decode_seconds(profile(learnt), MODEL, 0)
    assert isinstance(found, NotLearnt)
    assert "bytes:Q4_K" in found.kinds


def test_a_small_part_of_a_type_not_learnt_is_taken_for_the_slowest() -> None:
    learnt = Learnt(seconds={"bytes:A": 1.0, "bytes:B": 2.0}, spread=0.1, worst=1.2, longest=1)
    assert rates_for(learnt, {"bytes:A": 98.1, "bytes:C": 1.9})[0]["bytes:C"] == 2.0
    assert rates_for(learnt, {"bytes:A": 98.0, "bytes:C": 2.0})[1] == ("bytes:C",)


def test_a_phase_that_was_not_learnt_is_not_predicted() -> None:
    assert prefill_seconds(profile(), MODEL, 100) is None
    assert decode_seconds(profile(None), MODEL, 100) is None


def test_what_is_kept_is_found_again_the_newest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path))
    assert own_profiles() == ()
    old, new = profile(created="2026-01-01"), profile(created="2026-02-01")
    new = msgspec.structs.replace(new, id="p-2")
    for each in (new, old):
        assert read_profile(save_profile(each)) == each
    (tmp_path / "profiles" / "broken.json").write_text("{", encoding="utf-8")
    assert own_profiles() == (new, old)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"{}", b"\xff\xfe", b'{"schema": "tokenroof.profile/2"}', b"[" * 100_000,
        msgspec.json.encode(profile()).replace(b'"p-1"', b'"../p"'),
        msgspec.json.encode(profile()).replace(b"0.05", b"-0.05"),
        msgspec.json.encode(profile()).replace(b"3e-11", b"-3e-11"),
        msgspec.json.encode(profile()).replace(b"3e-11", b"1e300"),
        msgspec.json.encode(profile()).replace(b"0.05", b"1e6"),
        msgspec.json.encode(profile()).replace(b"2026", b"<b>"),
        msgspec.json.encode(profile()).replace(b"embedded", b"\\u001b[2J"),
        msgspec.json.encode(profile()).replace(b"rows", b"\\u202erows"),
        # The parser takes as many, and whoever walks through them has no stack left.
        msgspec.json.encode(profile()).replace(
            b'"embedded"', b'"embedded","flags":' + b"[" * 900 + b"]" * 900
        ),
        msgspec.json.encode(profile()).replace(b"1000", b"-1000"),
        msgspec.json.encode(msgspec.structs.replace(profile(), bandwidth_bytes_per_second=0)),
        msgspec.json.encode(
            profile(Learnt(seconds={"bytes:F16": 0.0}, spread=0.1, worst=1.1, longest=1))
        ),
        msgspec.json.encode(
            msgspec.structs.replace(
                profile(),
                measured=(
                    Measured(
                        shape="a", prompt_tokens=1, depth=1, decode_seconds=0, prefill_seconds=1
                    ),
                ),
            )
        ),
    ],
)  # fmt: skip
def test_what_no_calibration_wrote_is_refused_in_a_sentence(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_bytes(data)
    with pytest.raises(RecordError, match="is no profile"):
        read_profile(path)


@pytest.mark.parametrize("wrong", [-1.0, 1e308])
@pytest.mark.parametrize(
    "place",
    [
        "drift", "settings.threads", "settings.ubatch", "decode.worst", "decode.longest",
        "measured.depth", "measured.prompt_tokens", "measured.decode_seconds",
        "measured.prefill_seconds", "measured.decode_fitted", "measured.prefill_fitted",
        "measured.decode_parts.step",
    ],
)  # fmt: skip
def test_a_figure_that_no_machine_has_is_refused_wherever_it_stands(
    place: str, wrong: float, tmp_path: Path
) -> None:
    row = Measured(
        shape="a", prompt_tokens=64, depth=78, decode_seconds=0.01, prefill_seconds=1,
        decode_fitted=0.01, prefill_fitted=1.0, decode_parts={"step": 0.01},
    )  # fmt: skip
    sound = msgspec.to_builtins(msgspec.structs.replace(profile(), measured=(row,), drift=0.1))
    path = tmp_path / "p.json"
    path.write_bytes(msgspec.json.encode(sound))
    read_profile(path)
    *outer, last = place.split(".")
    inner = sound
    for key in outer:
        inner = inner[key][0] if key == "measured" else inner[key]
    # A count is a whole number: 10^18 is one, and none of a machine's.
    is_count = place in {"settings.threads", "settings.ubatch", "decode.longest"} or (
        place == "measured.prompt_tokens"
    )
    inner[last] = int(min(wrong, 1e18)) if is_count else wrong
    path.write_bytes(msgspec.json.encode(sound))
    with pytest.raises(RecordError, match="is no profile"):
        read_profile(path)


def test_a_profile_that_is_not_there_is_said_not_to_be(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="There is no profile"):
        read_profile(tmp_path / "p.json")


def test_a_model_none_of_whose_works_took_any_time_is_not_predicted() -> None:
    free = Learnt(
        seconds={"bytes:Q4_K": 0.0, "bytes:F16": 1e-11}, spread=0.1, worst=1.1, longest=1,
        not_learnt=("rows", "vectors", "step", "scores", "attention_flop", "logits", "layer",
                    "bytes:F32", "cache_bytes"),
    )  # fmt: skip
    assert decode_seconds(profile(free), MODEL, 100) is None
