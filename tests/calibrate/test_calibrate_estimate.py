"""`estimate --on here` answers from the profile of this machine, where its conditions are those."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import msgspec
import pytest

from tokenroof.calibrate.design import BASE, trials
from tokenroof.calibrate.learning import model_of
from tokenroof.hardware.device import Device, given_device
from tokenroof.hardware.machine import Machine, this_machine
from tokenroof.predict.ask import Asker
from tokenroof.predict.cases import Case
from tokenroof.predict.learnt import calibrated
from tokenroof.predict.learnt.calibrated import Learned
from tokenroof.predict.learnt.profile import (
    Learnt,
    Measured,
    Profile,
    Seconds,
    decode_seconds,
    prefill_seconds,
)
from tokenroof.predict.learnt.profile_device import device_of, with_bandwidth_of
from tokenroof.predict.learnt.unlearnt import TYPES_OF_FULL, why_not
from tokenroof.predict.records import Row
from tokenroof.records import Settings

MODEL = model_of(BASE)
REST = (
    "rows", "vectors", "step", "scores", "attention_flop", "bytes:F32", "flop:F32", "logits",
)  # fmt: skip
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
        not_learnt=(*REST, "activations", "batch", "batch_layer", "token_layer", "unpack:Q4_K"),
    ),
)  # fmt: skip


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The version of llama-cpp-python that is there now."""
    monkeypatch.setattr(calibrated, "version", {"llama_cpp_python": "1.2"}.__getitem__)


def here() -> Device:
    return given_device(100, 64)


def ask(profile: Profile | None = PROFILE, /, **asked: object) -> Row:
    case = Case(**{"model": "m", "device": "here", **asked})  # type: ignore[arg-type]
    return (
        Asker(lambda _: MODEL, here, lambda: Learned(() if profile is None else (profile,)))
        .estimate([case])
        .rows[0]
    )


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
    ("asked", "key", "message"),
    [
        ({"engine": "llama-server"}, "engine", "profile.unlike"),
        ({"engine_version": "1.3"}, "engine_version", "profile.unlike"),
        ({"threads": 8}, "threads", "profile.unlike"),
        # No calibration can be made with another one of these, so none is advised.
        ({"ubatch": 256}, "ubatch", "profile.beyond"),
        ({"kv_type": "q8_0"}, "kv_type", "profile.beyond"),
        ({"backend": "Vulkan"}, "backend", "profile.beyond"),
    ],
)
def test_other_conditions_are_named_and_not_answered_by_it(
    asked: dict[str, object], key: str, message: str
) -> None:
    row = ask(**asked)
    assert row.basis != "calibrated"
    said = [each for each in row.assumes if each.message.startswith("profile.")]
    assert [(each.message, each.values["key"]) for each in said] == [(message, key)]


def test_the_conditions_that_were_measured_may_be_named() -> None:
    asked = {"engine": "embedded", "engine_version": "1.2", "threads": 4, "ubatch": 512}
    assert ask(**asked, kv_type="f16", backend="CPU").basis == "calibrated"


def test_micro_batches_down_to_the_shortest_prompt_that_was_measured_are_answered() -> None:
    assert PROFILE.prefill is not None
    rates = {"flop:Q4_K": 3e-12, "unpack:Q4_K": 1e-9}
    prefill = msgspec.structs.replace(PROFILE.prefill, seconds=rates)
    short = Measured(
        shape="anchor", prompt_tokens=64, depth=79.5, decode_seconds=1.0, prefill_seconds=1.0
    )
    profile = msgspec.structs.replace(PROFILE, prefill=prefill, measured=(short,))
    seconds = []
    for ubatch in (512, 128):
        row = ask(profile, prompt=512, ubatch=ubatch)
        assert row.prefill is not None
        assert row.prefill.tokens_per_s is not None
        assert row.prefill.basis == "calibrated"
        seconds.append(512 / row.prefill.tokens_per_s)
    # Four micro-batches instead of one: the weights of 24 layers are unpacked three times more.
    weights = 24 * (2 * 1024 * 1024 + 2 * 1024 * 256 + 3 * 1024 * 2816)
    assert seconds[1] - seconds[0] == pytest.approx(3 * weights * 1e-9)
    for beyond in (32, 1024):
        assert ask(profile, prompt=512, ubatch=beyond).basis != "calibrated"


def test_another_device_is_not_answered_by_it() -> None:
    assert ask(device="rtx-3090").basis != "calibrated"
    assert ask(device=None, bandwidth=100).basis != "calibrated"


def test_a_machine_that_was_not_learnt_is_not_said_to_be() -> None:
    assert ask(None).basis != "calibrated"


def test_a_type_that_was_not_learnt_is_named() -> None:
    profile = without("bytes:Q4_K", "flop:Q4_K", mode="quick")
    row = ask(profile, prompt=512)
    assert row.basis != "calibrated"
    said = [each for each in row.assumes if each.message == "profile.not_learnt"]
    assert said[0].values == {"kinds": "Q4_K", "phases": "decode, prefill"}
    assert len(said) == 1


def without(*kinds: str, **changed: object) -> Profile:
    """The profile without rates for some kinds of work."""

    def rest(learnt: Learnt | None) -> Learnt | None:
        assert learnt is not None
        seconds = {kind: rate for kind, rate in learnt.seconds.items() if kind not in kinds}
        left = tuple(kind for kind in learnt.not_learnt if kind not in kinds)
        return msgspec.structs.replace(learnt, seconds=seconds or {"x": 1.0}, not_learnt=left)

    return msgspec.structs.replace(
        PROFILE, decode=rest(PROFILE.decode), prefill=rest(PROFILE.prefill), **changed
    )


@pytest.mark.parametrize("kind", ["logits", "unpack:Q4_K"])
def test_a_profile_of_before_a_kind_of_work_was_known_is_said_to_be_older(kind: str) -> None:
    said = {each.message: each.values for each in ask(without(kind), prompt=512).assumes}
    # A prompt takes both of them, a token only the vocabulary.
    phases = {"logits": "decode, prefill", "unpack:Q4_K": "prefill"}
    assert said["profile.older"]["phases"] == phases[kind]
    assert ("profile.used" in said) == (kind == "unpack:Q4_K")
    assert not {"profile.not_learnt", "profile.never_learnt"} & said.keys()


@pytest.mark.parametrize(
    ("kinds", "changed", "said"),
    [
        # What --full measures is learnt by it, unless the engine does not know it.
        (("bytes:Q2_K",), {"mode": "quick"}, "profile.not_learnt"),
        (("bytes:Q2_K",), {"mode": "full"}, "profile.never_learnt"),
        (("bytes:IQ1_S",), {"mode": "quick"}, "profile.never_learnt"),
        (("bytes:MXFP4",), {"mode": "quick", "skipped": ("type-MXFP4",)}, "profile.never_learnt"),
        (("flop:Q2_K", "unpack:Q2_K"), {"mode": "quick"}, "profile.not_learnt"),
        (("expert_bytes",), {"skipped": ("experts-4",)}, "profile.skipped"),
        (("expert_bytes",), {}, "profile.older"),
        (("expert_bytes", "logits"), {"skipped": ("experts-4",)}, "profile.older"),
    ],
)
def test_what_is_advised_would_help(
    kinds: tuple[str, ...], changed: dict[str, object], said: str
) -> None:
    profile = msgspec.structs.replace(PROFILE, **changed)
    assert [each.message for each in why_not(profile, {"decode": kinds})] == [said]


def test_the_types_of_full_are_those_of_its_design() -> None:
    assert {each.shape.type_name for each in trials("full")} == TYPES_OF_FULL


def test_a_wait_here_is_added_up_from_the_profile() -> None:
    row = ask(prompt=512, output=4)
    assert row.wait is not None
    assert (row.wait.basis, row.basis) == ("calibrated", "calibrated")
    steps = [decode_seconds(PROFILE, MODEL, depth) for depth in (512, 513, 514)]
    prefill = prefill_seconds(PROFILE, MODEL, 512)
    assert isinstance(prefill, Seconds)
    read, answer = row.wait.parts
    assert read.seconds == pytest.approx(prefill.seconds, rel=1e-12)
    known = [each for each in steps if isinstance(each, Seconds)]
    assert answer.seconds == pytest.approx(sum(each.seconds for each in known), rel=1e-12)
    assert answer.low == pytest.approx(sum(each.low for each in known), rel=1e-12)
    assert answer.high == pytest.approx(sum(each.high for each in known), rel=1e-12)


def test_steps_beyond_what_was_calibrated_are_less_certain() -> None:
    def width(prompt: int) -> float:
        row = ask(prompt=prompt, output=9)
        assert row.wait is not None
        answer = row.wait.parts[1]
        return answer.high / answer.low

    assert width(16_384) > width(2_048)


def asked_of(learned: Learned, device: Device | None = None) -> Row:
    case = Case(model="m", device="here")
    return (
        Asker(lambda _: MODEL, lambda: device or here(), lambda: learned).estimate([case]).rows[0]
    )


def with_version(version: str) -> Profile:
    engine = {**PROFILE.engine, "version": version}
    return msgspec.structs.replace(PROFILE, engine=engine)


def test_a_profile_of_another_version_than_is_installed_is_named_and_not_used() -> None:
    row = asked_of(Learned([with_version("1.1")]))
    assert row.basis != "calibrated"
    said = [each for each in row.assumes if each.message == "profile.stale"]
    assert [each.values for each in said] == [
        {"engine": "embedded", "measured": "1.1", "installed": "1.2"}
    ]


def test_a_version_that_nobody_can_tell_is_not_held_against_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(calibrated, "version", missing)
    assert asked_of(Learned([with_version("1.1")])).basis == "calibrated"
    server = msgspec.structs.replace(PROFILE, engine={"name": "llama-server", "version": "b1"})
    row = asked_of(Learned([server]))
    assert row.basis == "calibrated"
    assert "not checked whether llama-server is still b1" in [each.text() for each in row.assumes]


@pytest.mark.parametrize(
    ("installed", "program", "expected"),
    [
        ("b1", None, None),
        ("b2", None, "profile.stale"),
        (None, None, "profile.unchecked"),
        ("b2", "named", "profile.unchecked"),
    ],
)
def test_the_version_of_any_engine_is_held_against_the_one_that_is_there(
    installed: str | None, program: str | None, expected: str | None
) -> None:
    engine = {"name": "llama-server", "version": "b1", "program": program}
    server = msgspec.structs.replace(PROFILE, engine=engine)
    row = asked_of(Learned([server], installed=lambda _: installed))
    assert (row.basis == "calibrated") == (expected != "profile.stale")
    said = [each.message for each in row.assumes]
    assert [each for each in said if each in {"profile.stale", "profile.unchecked"}] == (
        [] if expected is None else [expected]
    )


def test_a_profile_that_a_person_names_is_used_though_it_is_older() -> None:
    assert asked_of(Learned([with_version("1.1")], is_given=True)).basis == "calibrated"


def test_of_several_the_newest_that_was_made_under_the_conditions_answers() -> None:
    server = msgspec.structs.replace(PROFILE, engine={"name": "llama-server", "version": "b1"})
    learned = Learned([server, with_version("1.1"), PROFILE])
    row = Asker(lambda _: MODEL, here, lambda: learned).estimate(
        [Case(model="m", device="here", engine="embedded")]
    ).rows[0]  # fmt: skip
    assert row.basis == "calibrated"
    assert "calibrated with embedded 1.2 on 2026-03-04" in [each.text() for each in row.assumes]


def test_a_profile_of_another_processor_is_used_only_where_a_person_names_it() -> None:
    other = msgspec.structs.replace(
        PROFILE, machine={"cpu_name": "Other 9"}, bandwidth_bytes_per_second=50e9
    )
    row = asked_of(Learned([other]))
    said = [each for each in row.assumes if each.message == "profile.unlike"]
    assert [each.values["key"] for each in said] == ["processor"]
    named = asked_of(Learned([other], is_given=True), device_of(other))
    assert (named.basis, named.device) == ("calibrated", "Other 9")
    assert named.bandwidth_bytes_per_s == 50e9
    assert named.fits is not None
    assert named.fits.capacity_bytes is None  # nobody told how much memory is there
    said = [each for each in named.assumes if each.message == "predict.assumes_profile_bandwidth"]
    assert said[0].text() == (
        "50.0 GB/s, as measured on the CPU when it was calibrated: the most there was"
    )


@pytest.mark.parametrize(
    ("then", "cores", "expected"),
    [(120e9, 4, 120e9), (80e9, 4, 100e9), (120e9, 8, 100e9), (None, 4, 100e9)],
)
def test_the_better_of_both_bandwidths_counts_where_the_machine_is_the_same(
    then: float | None, cores: int, expected: float
) -> None:
    machine: Machine = msgspec.structs.replace(this_machine(), cpu_name="This 1", usable_cores=4)
    profile = msgspec.structs.replace(
        PROFILE,
        machine={"cpu_name": "This 1", "usable_cores": cores},
        bandwidth_bytes_per_second=then,
    )
    device = with_bandwidth_of(profile, here(), machine)  # `here` has 100 GB/s
    assert device.bandwidth_bytes_per_second == expected
    assert (device.source == "hardware.source_profile") == (expected == then)
