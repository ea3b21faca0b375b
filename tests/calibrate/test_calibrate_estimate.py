"""`estimate --on here` answers from the profile of this machine, where its conditions are those."""

from __future__ import annotations

import msgspec
import pytest

from tokenroof.calibrate.design import BASE
from tokenroof.calibrate.learning import model_of
from tokenroof.hardware.device import Device, given_device
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.profile import Learnt, Profile, Seconds, decode_seconds, prefill_seconds
from tokenroof.predict.records import Row
from tokenroof.records import Settings

MODEL = model_of(BASE)
REST = ("rows", "vectors", "step", "scores", "attention_flop", "bytes:F32", "flop:F32")
PROFILE = Profile(
    id="p-1",
    created="2026-03-04T05:06:07+00:00",
    mode="full",
    engine={"name": "embedded", "version": "1.2"},
    settings=Settings(ubatch=512, threads=4),
    decode=Learnt(
        seconds={"bytes:Q4_K": 1e-10, "layer": 1e-5, "cache_bytes": 1e-10},
        spread=0.05, worst=1.1, longest=4096, not_learnt=REST,
    ),
    prefill=Learnt(
        seconds={"flop:Q4_K": 3e-12}, spread=0.1, worst=1.2, longest=4096,
        not_learnt=(*REST, "activations", "batch", "batch_layer", "batch_bytes", "token_layer"),
    ),
)  # fmt: skip


def here() -> Device:
    return given_device(100, 64)


def ask(profile: Profile | None = PROFILE, /, **asked: object) -> Row:
    case = Case(**{"model": "m", "device": "here", **asked})  # type: ignore[arg-type]
    return Asker(lambda _: MODEL, here, lambda: profile).estimate([case]).rows[0]


def test_the_answer_is_the_profiles_to_the_last_digit() -> None:
    row = ask(depth=1000, prompt=512)
    decode = decode_seconds(PROFILE, MODEL, 1000)
    prefill = prefill_seconds(PROFILE, MODEL, 512, 1000)
    assert isinstance(decode, Seconds)
    assert isinstance(prefill, Seconds)
    assert row.basis == "calibrated"
    assert row.decode is not None
    assert row.prefill is not None
    assert row.decode.tokens_per_s == 1 / decode.seconds
    assert (row.decode.low, row.decode.high) == (1 / decode.high, 1 / decode.low)
    assert row.prefill.tokens_per_s == 512 / prefill.seconds
    assert "calibrated with embedded 1.2 on 2026-03-04" in [each.text() for each in row.assumes]


def test_no_prediction_lies_above_the_ceiling() -> None:
    assert PROFILE.decode is not None
    free = {**PROFILE.decode.seconds, "bytes:Q4_K": 0.0}
    faster = msgspec.structs.replace(PROFILE.decode, seconds=free)
    row = ask(msgspec.structs.replace(PROFILE, decode=faster))
    assert row.decode is not None
    assert row.decode.tokens_per_s == row.decode.high == row.ceiling_tokens_per_s


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        ({"engine": "llama-server"}, "engine"),
        ({"engine_version": "1.3"}, "engine_version"),
        ({"threads": 8}, "threads"),
        ({"ubatch": 256}, "ubatch"),
        ({"kv_type": "q8_0"}, "kv_type"),
        ({"backend": "Vulkan"}, "backend"),
    ],
)
def test_other_conditions_are_named_and_not_answered_by_it(
    asked: dict[str, object], key: str
) -> None:
    row = ask(**asked)
    assert row.basis != "calibrated"
    said = [each for each in row.assumes if each.message == "profile.unlike"]
    assert [each.values["key"] for each in said] == [key]


def test_the_conditions_that_were_measured_may_be_named() -> None:
    asked = {"engine": "embedded", "engine_version": "1.2", "threads": 4, "ubatch": 512}
    assert ask(**asked, kv_type="f16", backend="CPU").basis == "calibrated"


def test_another_device_is_not_answered_by_it() -> None:
    assert ask(device="rtx-3090").basis != "calibrated"
    assert ask(device=None, bandwidth=100).basis != "calibrated"


def test_a_machine_that_was_not_learnt_is_not_said_to_be() -> None:
    assert ask(None).basis != "calibrated"


def test_a_type_that_was_not_learnt_is_named() -> None:
    assert PROFILE.decode is not None
    other = msgspec.structs.replace(PROFILE.decode, seconds={"bytes:Q8_0": 1e-11})
    row = ask(msgspec.structs.replace(PROFILE, decode=other))
    assert row.basis != "calibrated"
    said = [each for each in row.assumes if each.message == "profile.not_learnt"]
    assert "bytes:Q4_K" in said[0].values["kinds"]
