"""A machine whose rates are known is learnt, through disturbances, refusals and kills."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from support.known_machine import DECODE, PREFILL, KnownMachine, write_header
from tokenroof.calibrate import measuring
from tokenroof.calibrate.design import ANCHOR, Trial, trials
from tokenroof.calibrate.learning import lessons, model_of
from tokenroof.calibrate.measuring import Calibrator, SilentObserver, Taken
from tokenroof.calibrate.shapes import Shape
from tokenroof.clock import FakeClock
from tokenroof.engines.base import Loaded
from tokenroof.errors import EngineDied, EngineError, EngineMissing, OutputError
from tokenroof.measure.contention import ContentionProbe
from tokenroof.measure.quiet import QuietResult, Tell
from tokenroof.measure.surroundings import Surroundings
from tokenroof.predict.profile import (
    Measured,
    NotLearnt,
    Profile,
    Seconds,
    decode_seconds,
    prefill_seconds,
)
from tokenroof.predict.work import decode_work, prefill_work
from tokenroof.records import Settings


@pytest.fixture(autouse=True)
def _without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """The known machine reads headers only."""
    monkeypatch.setattr(measuring, "write_model", write_header)


class Heard(SilentObserver):
    """What was told."""

    def __init__(self) -> None:
        self.tried: list[str] = []
        self.repeated: list[str] = []
        self.left: list[float | None] = []
        self.deaths: list[str] = []
        self.skips: list[str] = []

    def died(self, name: str, problem: EngineError) -> None:
        self.deaths.append(name)

    def skipped(self, name: str, problem: EngineError) -> None:
        self.skips.append(name)

    def trial(self, number: int, count: int, name: str, seconds_left: float | None) -> None:
        self.tried.append(name)
        self.left.append(seconds_left)

    def again(self, name: str) -> None:
        self.repeated.append(name)


def calibrator(
    engine: KnownMachine, folder: Path, rates: Sequence[float] = (), heard: Heard | None = None
) -> Calibrator:
    """With probes of the cores that give these rates in turn, the last one for ever."""
    left = list(rates)

    def probe() -> float:
        return left.pop(0) if len(left) > 1 else (left[0] if left else 100.0)

    clock = FakeClock()
    surroundings = Surroundings([], clock, ContentionProbe(probe))
    return Calibrator(engine, Settings(), surroundings, clock, folder, heard or SilentObserver())


def learn(engine: KnownMachine, folder: Path) -> Profile:
    design = trials("quick")
    taken = calibrator(engine, folder).measure(design, (), lambda _: None)
    found = lessons(design, taken, 512)
    return Profile(
        id="p", created="", mode="quick", engine={}, settings=Settings(ubatch=512),
        decode=found.decode, prefill=found.prefill, measured=found.measured, drift=found.drift,
        skipped=found.skipped,
    )  # fmt: skip


UNSEEN = [
    Shape("deep", "Q4_K", 30, 768, 2048, 12, 4),
    Shape("mixed", "Q6_K", 9, 1536, 4096, 24, 8, tied=True, vocabulary=50_000),
    Shape("slides", "Q8_0", 12, 1152, 3072, 4, 1, 256, window=1024),
    Shape("sparse", "Q4_K", 10, 768, 768, 12, 4, experts=16, experts_used=2),
]


def test_models_never_seen_are_predicted_where_the_physics_is_right(tmp_path: Path) -> None:
    profile = learn(KnownMachine(), tmp_path)
    for shape in UNSEEN:
        model, engine = model_of(shape), KnownMachine()
        for tokens in (33, 512, 2048):
            writing, reading = decode_seconds(profile, model, tokens), prefill_seconds(
                profile, model, tokens)  # fmt: skip
            assert isinstance(writing, Seconds)
            assert isinstance(reading, Seconds)
            engine.model = model
            # By hand: the works of the step times the rates of the known machine.
            true_writing = sum(n * DECODE[k] for k, n in (decode_work(model, tokens) or {}).items())
            true_reading = sum(
                n * PREFILL.get(k, 0.0) for k, n in (prefill_work(model, tokens) or {}).items()
            )
            assert writing.seconds == pytest.approx(true_writing, rel=0.03)
            assert reading.seconds == pytest.approx(true_reading, rel=0.08)
            assert writing.low < writing.seconds < writing.high
    assert profile.drift == pytest.approx(0.0, abs=1e-9)
    assert not any(each.contended for each in profile.measured)


def test_a_type_that_the_engine_refuses_is_skipped_by_name_and_not_predicted(
    tmp_path: Path,
) -> None:
    profile = learn(KnownMachine(refuses="MXFP4"), tmp_path)
    assert profile.skipped == ("type-MXFP4",)
    answer = decode_seconds(profile, model_of(Shape("m", "MXFP4", 8, 512, 1536, 8, 2)), 10)
    assert answer == NotLearnt(("bytes:MXFP4",))


def test_an_engine_that_runs_none_of_the_models_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError):
        learn(KnownMachine(refuses="F32"), tmp_path)


def test_a_machine_that_slows_down_shows_in_the_model_that_is_repeated(tmp_path: Path) -> None:
    # 23 models of 1 warm-up and 4 runs each: from the 60th run on everything takes a fifth longer.
    profile = learn(KnownMachine(slow=lambda run: 1.2 if run > 60 else 1.0), tmp_path)
    assert profile.drift == pytest.approx(0.2)
    assert profile.decode is not None
    assert profile.decode.spread >= 0.1


ONE = [trials("quick")[0]]


def test_a_disturbed_model_is_measured_again_and_kept_flagged_at_last(tmp_path: Path) -> None:
    heard = Heard()
    engine = KnownMachine()
    # The first probe is the best; all later ones find half of it, as with another job on one core.
    taken = calibrator(engine, tmp_path, (100.0, 50.0), heard).measure(ONE, (), lambda _: None)
    assert heard.repeated == [ANCHOR, ANCHOR]  # three times in all
    assert all(each.contended for each in taken[0].measured)


def test_what_was_slow_from_the_first_probe_on_is_measured_again_at_the_end(
    tmp_path: Path,
) -> None:
    heard = Heard()
    design = [Trial(trials("quick")[0].shape, (64,), 1), trials("quick")[1]]
    # Two probes beside the first model, then the cores are twice as fast.
    rates = (50.0, 50.0, 100.0)
    taken = calibrator(KnownMachine(), tmp_path, rates, heard).measure(design, (), lambda _: None)
    assert heard.tried == [ANCHOR, "type-F16", ANCHOR]
    assert [each.passes_per_second for each in taken] == [100.0, 100.0]


def test_what_was_measured_before_a_kill_is_not_measured_again(tmp_path: Path) -> None:
    design, kept = trials("quick")[:4], list[Taken]()

    def keep(each: Taken) -> None:
        kept.append(each)
        if len(kept) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        calibrator(KnownMachine(), tmp_path).measure(design, (), keep)
    assert list(tmp_path.iterdir()) == []
    before = [msgspec.json.decode(msgspec.json.encode(each), type=Taken) for each in kept]
    engine = KnownMachine()
    taken = calibrator(engine, tmp_path).measure(design, before, lambda _: None)
    assert engine.loaded == ["type-Q8_0", "type-Q6_K"]
    assert [each.number for each in taken] == [0, 1, 2, 3]


def test_no_model_stays_on_the_disk_and_there_is_one_at_a_time(tmp_path: Path) -> None:
    engine = KnownMachine()
    seen = []

    def keep(_: Taken) -> None:
        seen.append(len(list(tmp_path.iterdir())))

    calibrator(engine, tmp_path).measure(trials("quick")[:3], (), keep)
    assert seen == [0, 0, 0]
    assert len(set(engine.files)) == 3


def test_too_small_a_disk_is_refused_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measuring, "ROOM_BYTES", 10**18)
    engine = KnownMachine()
    with pytest.raises(OutputError, match="make room there"):
        calibrator(engine, tmp_path).measure(ONE, (), lambda _: None)
    assert engine.loaded == []


def test_the_time_that_is_left_is_told_from_the_second_model_on(tmp_path: Path) -> None:
    heard = Heard()
    calibrator(KnownMachine(), tmp_path, (), heard).measure(trials("quick")[:3], (), lambda _: None)
    assert heard.left[0] is None
    assert all(each is not None for each in heard.left[1:])


class Mortal(KnownMachine):
    """Raises the problem at the loads of these numbers, counted from one."""

    def __init__(self, loads: set[int], problem: EngineError) -> None:
        super().__init__()
        self.loads, self.problem = loads, problem

    def load(self, model: object, settings: Settings) -> Loaded:
        found = super().load(model, settings)  # type: ignore[arg-type]
        if len(self.loaded) in self.loads:
            raise self.problem
        return found


DIED = EngineDied("engines.killed", engine="embedded")


def test_an_engine_that_dies_is_started_once_more(tmp_path: Path) -> None:
    heard, kept = Heard(), list[Taken]()
    engine = Mortal({2}, DIED)
    taken = calibrator(engine, tmp_path, (), heard).measure(trials("quick")[:3], (), kept.append)
    assert engine.loaded == [ANCHOR, "type-F16", "type-F16", "type-Q8_0"]
    assert heard.deaths == ["type-F16"]
    assert all(each.measured for each in taken)
    assert kept == list(taken)


def test_a_model_beside_which_it_dies_twice_is_skipped_and_not_kept(tmp_path: Path) -> None:
    heard, kept = Heard(), list[Taken]()
    design = trials("quick")[:3]
    taken = calibrator(Mortal({2, 3}, DIED), tmp_path, (), heard).measure(design, (), kept.append)
    assert heard.skips == ["type-F16"]
    assert [bool(each.measured) for each in taken] == [True, False, True]
    assert [each.number for each in kept] == [0, 2]  # so that --resume tries it again


def test_an_engine_that_is_gone_ends_the_calibration(tmp_path: Path) -> None:
    gone = EngineMissing("engines.not_installed", engine="embedded", install="pip")
    with pytest.raises(EngineMissing):
        calibrator(Mortal({2}, gone), tmp_path).measure(trials("quick"), (), lambda _: None)


def test_an_engine_that_runs_none_of_the_first_models_is_not_tried_with_all(
    tmp_path: Path,
) -> None:
    engine = KnownMachine(refuses="F32")
    with pytest.raises(EngineError):
        calibrator(engine, tmp_path).measure(trials("quick"), (), lambda _: None)
    assert len(engine.loaded) == 4


def test_what_fails_when_it_is_measured_again_keeps_its_first_figures(tmp_path: Path) -> None:
    design = [Trial(trials("quick")[0].shape, (64,), 1), trials("quick")[1]]
    # As above: the first model is measured again at the end, and now the engine dies twice.
    engine = Mortal({3, 4}, DIED)
    taken = calibrator(engine, tmp_path, (50.0, 50.0, 100.0)).measure(design, (), lambda _: None)
    assert engine.loaded == [ANCHOR, "type-F16", ANCHOR, ANCHOR]
    assert all(each.measured for each in taken)


class Waits(Surroundings):
    """Counts how often it was waited for a quiet machine."""

    waited = 0

    def wait(self, limit_seconds: float, *, strict: bool, tell: Tell | None = None) -> QuietResult:
        self.waited += 1
        return super().wait(limit_seconds, strict=strict, tell=tell)


def test_a_machine_that_was_watched_until_a_moment_ago_is_not_waited_for_again(
    tmp_path: Path,
) -> None:
    clock = FakeClock()
    # Beside the second model the cores are half as fast, three times over; then as before.
    rates = [100.0] * 2 + [50.0] * 40
    surroundings = Waits([], clock, ContentionProbe(lambda: rates.pop(0) if rates else 100.0))
    calibrator_ = Calibrator(
        KnownMachine(), Settings(), surroundings, clock, tmp_path, SilentObserver()
    )
    calibrator_.measure(trials("quick")[:1], (), lambda _: None)
    assert surroundings.waited == 1
    calibrator_.measure(trials("quick")[:2], (), lambda _: None)
    # The first of them right away; then again after each disturbance.
    assert surroundings.waited > 1


def test_depth_is_learnt_from_the_models_that_are_there_for_it() -> None:
    design = trials("quick")
    numbers = {trial.shape.name: number for number, trial in enumerate(design)}

    def taken(name: str, seconds: tuple[float, ...]) -> Taken:
        trial = design[numbers[name]]
        measured = tuple(
            Measured(shape=name, prompt_tokens=length, depth=length + 15.5, decode_seconds=each,
                     prefill_seconds=1.0)
            for length, each in zip(trial.lengths, seconds, strict=True)
        )  # fmt: skip
        return Taken(number=numbers[name], shape=name, measured=measured)

    short = [taken("anchor", (0.01, 0.02)), taken("type-F16", (0.01, 0.02))]
    assert lessons(design, short, 512).decode == lessons(
        design, [taken("anchor", (0.01, 0.5)), taken("type-F16", (0.01, 0.7))], 512
    ).decode  # fmt: skip
    deep = lessons(design, [*short, taken("heads-2x64", (0.01, 0.02))], 512).decode
    assert deep is not None
    assert deep.longest == 1551
