"""A machine whose rates are known is learnt, through disturbances, refusals and kills."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from support.known_machine import DECODE, PREFILL, THREADS, KnownMachine, write_header
from tokenroof.calibrate import measuring
from tokenroof.calibrate.design import ANCHOR, Mode, Trial, trials
from tokenroof.calibrate.learning import lessons, merged, model_of
from tokenroof.calibrate.measuring import Calibrator, Taken
from tokenroof.calibrate.observer import Observer
from tokenroof.calibrate.shapes import Shape
from tokenroof.clock import FakeClock
from tokenroof.engines.base import Identity, Loaded, Place, Reply, Request, Step
from tokenroof.errors import EngineDied, EngineError, EngineMissing, OutputError, UsageError
from tokenroof.measure.contention import ContentionProbe
from tokenroof.measure.quiet import QuietResult, Tell
from tokenroof.measure.sensors.base import Reading
from tokenroof.measure.surroundings import Surroundings
from tokenroof.notices import Notice
from tokenroof.predict.learnt.profile import (
    Measured,
    NotLearnt,
    Profile,
    Seconds,
    decode_seconds,
    prefill_seconds,
)
from tokenroof.predict.learnt.work import decode_work, prefill_work
from tokenroof.records import Flag, Settings


@pytest.fixture(autouse=True)
def _without_data(monkeypatch: pytest.MonkeyPatch) -> None:
    """The known machine reads headers only."""
    monkeypatch.setattr(measuring, "write_model", write_header)


class Heard(Observer):
    """What was told."""

    def __init__(self) -> None:
        self.notices: list[Notice] = []
        self.tried: list[str] = []
        self.repeated: list[str] = []
        self.left: list[float | None] = []
        self.deaths: list[str] = []
        self.skips: list[str] = []

    def notice(self, notice: Notice) -> None:
        self.notices.append(notice)

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
    return Calibrator(engine, Settings(), surroundings, clock, folder, heard or Observer())


def learn(engine: KnownMachine, folder: Path, mode: Mode = "quick") -> Profile:
    design = trials(mode)
    taken = calibrator(engine, folder).measure(design, (), lambda _: None)
    found = lessons(design, taken, threads=THREADS, ubatch=512)
    return Profile(
        id="p", created="", mode=mode, engine={"place": "cpu"},
        settings=Settings(ubatch=512, threads=THREADS),
        decode=found.decode, prefill=found.prefill, measured=found.measured, drift=found.drift,
        skipped=found.skipped,
    )  # fmt: skip


UNSEEN = [
    Shape("deep", "Q4_K", 30, 768, 2048, 12, 4),
    Shape("mixed", "Q6_K", 9, 1536, 4096, 24, 8, tied=True, vocabulary=50_000),
    Shape("slides", "Q8_0", 12, 1152, 3072, 4, 1, 256, window=1024),
    Shape("sparse", "Q4_K", 10, 768, 768, 12, 4, experts=16, experts_used=2),
]


@pytest.mark.parametrize(("mode", "decode_off"), [("full", 0.03), ("quick", 0.06)])
def test_models_never_seen_are_predicted_where_the_physics_is_right(
    tmp_path: Path, mode: Mode, decode_off: float
) -> None:
    # The quick design cannot tell rows from the rest; what they take is missed where they are few.
    profile = learn(KnownMachine(), tmp_path, mode)
    for shape in UNSEEN:
        model, engine = model_of(shape), KnownMachine()
        for tokens in (33, 512, 2048):
            writing, reading = decode_seconds(profile, model, tokens), prefill_seconds(
                profile, model, tokens)  # fmt: skip
            assert isinstance(writing, Seconds)
            assert isinstance(reading, Seconds)
            engine.model = model
            # By hand: the works of the step times the rates of the known machine.
            works = (
                decode_work(model, tokens, threads=THREADS) or {},
                prefill_work(model, tokens, threads=THREADS) or {},
            )
            true_writing = sum(amount * DECODE[kind] for kind, amount in works[0].items())
            true_reading = sum(amount * PREFILL.get(kind, 0.0) for kind, amount in works[1].items())
            assert writing.seconds == pytest.approx(true_writing, rel=decode_off)
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
    # 22 models a turn, each with a warm-up and 2 runs: all of the second turn takes a fifth longer.
    profile = learn(KnownMachine(slow=lambda run: 1.2 if run > 66 else 1.0), tmp_path)
    assert profile.drift == pytest.approx(0.2)
    assert profile.decode is not None
    # The standard deviation of two logarithms is their distance over the square root of two.
    assert profile.decode.spread >= math.log(1.2) / math.sqrt(2)


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
    design = [Trial(trials("quick")[0].shape, (64,)), trials("quick")[1]]
    # Two probes beside the first model, then the cores are twice as fast.
    rates = (50.0, 50.0, 100.0)
    taken = calibrator(KnownMachine(), tmp_path, rates, heard).measure(design, (), lambda _: None)
    assert heard.tried == [ANCHOR, "type-F16", ANCHOR]
    (notice,) = heard.notices
    assert notice == Notice("calibrate.faster_since", {"count": 1})
    assert "1 model was measured, so it is measured again" in notice.text()
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
    asked = calibrator(engine, tmp_path)
    asked.known_as = Path("a folder")
    with pytest.raises(OutputError, match=r"^a folder has .* make room there"):
        asked.measure(ONE, (), lambda _: None)
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
    design = [Trial(trials("quick")[0].shape, (64,)), trials("quick")[1]]
    # As above: the first model is measured again at the end, and now the engine dies twice.
    engine = Mortal({3, 4}, DIED)
    taken = calibrator(engine, tmp_path, (50.0, 50.0, 100.0)).measure(design, (), lambda _: None)
    assert engine.loaded == [ANCHOR, "type-F16", ANCHOR, ANCHOR]
    assert all(each.measured for each in taken)


class Elsewhere(KnownMachine):
    """Says where it computes only once a model is loaded."""

    def __init__(self, place: Place | None) -> None:
        super().__init__()
        self.place = place

    def identify(self) -> Identity:
        return Identity(name="embedded", place=self.place if self.loaded else None)


@pytest.mark.parametrize("place", ["gpu", "mixed", None])
def test_an_engine_that_does_not_compute_on_the_processor_is_refused_at_its_first_model(
    tmp_path: Path, place: Place | None
) -> None:
    engine = Elsewhere(place)
    with pytest.raises(UsageError, match="embedded"):
        calibrator(engine, tmp_path).measure(trials("quick"), (), lambda _: None)
    assert engine.loaded == [ANCHOR]
    on_cpu = Elsewhere("cpu")
    assert calibrator(on_cpu, tmp_path).measure(ONE, (), lambda _: None)[0].measured


class Flagged(KnownMachine):
    """Puts a flag on its runs of these numbers, counted from one."""

    def __init__(self, flag: Flag, runs: set[int]) -> None:
        super().__init__()
        self.flag, self.flagged = flag, runs
        self.prompts: list[str] = []

    def run(self, request: Request, watch: Callable[[Step], None] | None = None) -> Reply:
        self.prompts.append(request.prompt)
        reply = super().run(request, watch)
        flags = (self.flag,) if self.runs in self.flagged else ()
        return msgspec.structs.replace(reply, flags=flags)


@pytest.mark.parametrize("flag", ["prefill_may_be_cached", "prefill_implausible", "truncated"])
def test_a_prompt_that_was_not_read_anew_teaches_nothing(tmp_path: Path, flag: Flag) -> None:
    heard, design = Heard(), trials("quick")[:2]
    # A warm-up and two runs a model: the third run of the first one.
    engine = Flagged(flag, {3})
    taken = calibrator(engine, tmp_path, (), heard).measure(design, (), lambda _: None)
    assert [bool(each.measured) for each in taken] == [False, True]
    assert heard.skips == [ANCHOR]


def test_a_run_that_waited_for_somebody_elses_is_measured_again_with_other_prompts(
    tmp_path: Path,
) -> None:
    heard, engine = Heard(), Flagged("contended", {3})
    taken = calibrator(engine, tmp_path, (), heard).measure(ONE, (), lambda _: None)
    assert heard.repeated == [ANCHOR]
    assert not any(each.contended for each in taken[0].measured)
    # An engine that keeps what it read would else not read it a second time.
    assert len(set(engine.prompts)) == len(engine.prompts) == 1 + 2 + 2


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
    calibrator_ = Calibrator(KnownMachine(), Settings(), surroundings, clock, tmp_path, Observer())
    calibrator_.measure(trials("quick")[:1], (), lambda _: None)
    assert surroundings.waited == 1
    calibrator_.measure(trials("quick")[:2], (), lambda _: None)
    # The first of them right away; then again after each disturbance.
    assert surroundings.waited > 1


def test_that_it_is_waited_and_why_is_told_until_it_is_over(tmp_path: Path) -> None:
    class Busy:
        name = "cpu"

        def __init__(self) -> None:
            self.looks = 0

        def read(self, *, ours_running: bool) -> Reading:
            self.looks += 1
            return Reading(busy=0.5 if self.looks <= 2 else 0.0)

    class Waiting(Observer):
        told: list[tuple[float, tuple[str, ...]]] = []

        def waiting(self, seconds_left: float, reasons: tuple[Notice, ...]) -> None:
            self.told.append((seconds_left, tuple(each.message for each in reasons)))

        def measuring(self) -> None:
            self.told.append((0.0, ("measuring",)))

    clock, heard = FakeClock(), Waiting()
    surroundings = Surroundings([Busy()], clock, None)
    Calibrator(KnownMachine(), Settings(), surroundings, clock, tmp_path, heard).measure(
        trials("quick")[:1], (), lambda _: None
    )
    # Twice others are seen, half a second apart; from then on it has to stay quiet for 3 seconds.
    assert heard.told[:3] == [(20.0, ("quiet.busy",)), (19.5, ("quiet.busy",)), (19.0, ())]
    assert heard.told[-1] == (0.0, ("measuring",))
    assert len(heard.told) == 2 + 6 + 1


def one(name: str, decode: float, *, contended: bool = False, prefill: float = 1.0) -> Taken:
    """A model of the design, measured once."""
    number = next(n for n, each in enumerate(trials("quick")) if each.shape.name == name)
    measured = Measured(
        shape=name, prompt_tokens=64, depth=79.5, decode_seconds=decode, prefill_seconds=prefill,
        contended=contended,
    )  # fmt: skip
    return Taken(number=number, shape=name, measured=(measured,))


def test_the_median_over_the_turns_counts() -> None:
    found = merged([one("anchor", 0.01), one("window", 0.5), one("anchor", 0.03)])
    assert [(each.shape, each.decode_seconds) for each in found] == [
        ("anchor", pytest.approx(0.02)),
        ("window", 0.5),
    ]


def test_a_disturbed_turn_counts_only_where_there_is_no_other() -> None:
    turns = [one("anchor", 0.01), one("anchor", 0.09, contended=True)]
    assert [(each.decode_seconds, each.contended) for each in merged(turns)] == [(0.01, False)]
    assert merged(turns[1:])[0].contended


def test_drift_is_how_far_a_later_turn_is_from_the_first() -> None:
    # Three anchors a turn: means of 0.010, then of 0.012 by their geometric mean.
    turns = [one("anchor", 0.01)] * 3 + [one("anchor", each) for each in (0.012, 0.010, 0.0144)]
    found = lessons(trials("quick"), turns, threads=None, ubatch=512)
    assert found.drift == pytest.approx(0.2)
    # One turn only: each of its anchors counts.
    found = lessons(trials("quick"), turns[3:], threads=None, ubatch=512)
    assert found.drift == pytest.approx(0.2)  # 0.0144 / 0.012


def test_every_model_is_measured_in_every_turn_but_for_the_longest_prompt() -> None:
    turns_of: dict[Mode, int] = {"quick": 2, "full": 4}
    for mode, turns in turns_of.items():
        counts = Counter(each.shape.name for each in trials(mode))
        assert counts.pop(ANCHOR) == 3 * turns
        if mode == "full":
            assert counts.pop("heads-4x64") == 2
        assert set(counts.values()) == {turns}


def test_a_model_that_was_refused_is_not_tried_in_the_next_turn(tmp_path: Path) -> None:
    engine = KnownMachine(refuses="MXFP4")
    calibrator(engine, tmp_path).measure(trials("quick"), (), lambda _: None)
    assert engine.loaded.count("type-MXFP4") == 1
    assert engine.loaded.count("type-Q4_0") == 2
