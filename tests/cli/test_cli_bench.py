"""`bench`, `lab` and `report` through their arguments, on an engine that computes nothing."""

from __future__ import annotations

import json
import re
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from support import fake_world
from support.article_models import qwen3_8b
from support.commands import Tokenroof
from support.fake_bench import FakeSensor
from support.fake_engine import FakeEngine, changed, died
from support.schemas import check
from tokenroof.cli import wide
from tokenroof.engines.base import Reply
from tokenroof.store.journal import CampaignRecord, Journal

LENGTHS = ("--lengths", "600,1200", "--output", "16", "--budget", "1s")


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeEngine:
    monkeypatch.chdir(tmp_path)
    return fake_world.enter(monkeypatch, tmp_path / "data")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return fake_world.model_file(tmp_path)


def test_bench_prints_one_document_of_its_runs(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    outcome = tokenroof("bench", model, *LENGTHS, "--json")
    assert outcome.code == 0
    document = json.loads(outcome.out)
    check(document, "bench")
    assert document["campaign"]["state"] == "finished"
    assert len(document["runs"]) == 2 * 3
    for run in document["runs"]:
        check(run, "run")
    # Weight bytes of qwen3:8b as the article states them.
    assert {run["model"]["weight_bytes"] for run in document["runs"]} == {4_869_359_872}
    assert document["campaign"]["command"][:2] == ["tokenroof", "bench"]
    assert document["campaign"]["versions"]["fake"] == "1.0"
    assert engine.closed


def test_bench_keeps_every_run_in_the_journal(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    document = json.loads(tokenroof("bench", model, *LENGTHS, "--json").out)
    kept = Journal().runs(document["campaign"]["id"])
    assert [run.to_dict() for run in kept] == document["runs"]
    check(Journal().campaign(document["campaign"]["id"]).to_dict(), "campaign")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_bench_shows_a_table_and_how_to_come_back(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, language: str
) -> None:
    outcome = tokenroof("bench", model, *LENGTHS, "--lang", language)
    assert outcome.code == 0
    assert max(map(wide.width, outcome.out.splitlines())) <= 80
    # The fake engine reads at 1,000 and writes at 50 tok/s; the ceiling at about 600 tokens is
    # 256e9 / (4,869,359,872 + 147,456 x ~600) = 51.6.
    assert re.search(r"6\d\d +1000 +50\.0 +51\.6 +97 % +3", outcome.out)
    assert "tokenroof report " in outcome.out
    assert "\r" not in outcome.err
    assert "\x1b" not in outcome.err
    assert len(outcome.err.splitlines()) >= 6


def test_what_is_typed_reaches_the_engine(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    options = ("--context", "4k", "--kv-type", "q8_0,f16", "--threads", "3")
    outcome = tokenroof("bench", model, *LENGTHS, *options, "--flash-attention", "on", "--json")
    settings = json.loads(outcome.out)["runs"][0]["settings"]
    assert settings["context"] == 4096
    assert (settings["kv_type_k"], settings["kv_type_v"]) == ("q8_0", "f16")
    assert (settings["threads"], settings["flash_attention"]) == (3, True)


def test_a_bandwidth_of_the_cpu_is_no_ceiling_of_a_run_elsewhere(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokenroof.engines.base import Identity

    monkeypatch.setattr(
        FakeEngine, "identify", lambda _: Identity(name="fake", version="1.0", place=None)
    )
    outcome = tokenroof("bench", model, *LENGTHS)
    assert outcome.code == 0
    assert "97 %" not in outcome.out
    assert re.search(r"6\d\d +1000 +50\.0 +– +– +3", outcome.out)


def test_a_cpu_is_not_measured_for_an_engine_on_a_gpu(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokenroof.engines.base import Identity

    monkeypatch.setattr(FakeEngine, "identify", lambda _: Identity(name="fake", place="gpu"))
    document = json.loads(tokenroof("bench", model, *LENGTHS, "--json").out)
    assert document["campaign"]["bandwidth"] is None


def test_lab_writes_everything_that_it_names(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    outcome = tokenroof("lab", model, *LENGTHS)
    assert outcome.code == 0
    (folder,) = (tmp_path / "lab").iterdir()
    assert re.fullmatch(r"Qwen3-8B-\d{8}-\d{6}", folder.name)
    assert len((folder / "runs.jsonl").read_text().splitlines()) == 6
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!")
    assert "tokenroof lab" in (folder / "summary.md").read_text(encoding="utf-8")
    charts = {path.suffix for path in (folder / "charts").iterdir()}
    assert charts == {".svg", ".png"}
    assert folder.name in outcome.out
    sentences = outcome.out.split("\n\n")
    assert any("50.0 tok/s" in each for each in sentences)


def test_lab_prints_one_document(tokenroof: Tokenroof, engine: FakeEngine, model: Path) -> None:
    document = json.loads(tokenroof("lab", model, *LENGTHS, "--json").out)
    check(document, "lab")
    check(document["inspect"], "inspect")
    check(document["bench"], "bench")
    check(document["report"], "report")
    assert all(Path(each).is_file() for each in document["files"])


def test_lab_takes_a_bandwidth_for_where_the_layers_are(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    document = json.loads(tokenroof("lab", model, *LENGTHS, "--bandwidth", "512", "--json").out)
    (series,) = document["report"]["series"]
    assert series["peak"]["bandwidth_bytes_per_second"] == 512e9
    assert series["peak"]["bandwidth_basis"] == "given"


def test_report_reads_the_latest_campaign_an_id_a_file_and_a_folder(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    tokenroof("lab", model, *LENGTHS)
    (folder,) = (tmp_path / "lab").iterdir()
    latest = tokenroof("report", "--format", "json")
    assert latest.code == 0
    document = json.loads(latest.out)
    check(document, "report")
    assert document["runs_total"] == 6
    id_ = Journal().campaigns()[0].id
    for source in (id_, id_[:13], folder, folder / "runs.jsonl"):
        again = tokenroof("report", source, "--json")
        assert json.loads(again.out)["series"] == document["series"]


def test_report_writes_a_page_or_a_summary(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    tokenroof("bench", model, *LENGTHS)
    outcome = tokenroof("report", "--out", tmp_path / "mine")
    assert outcome.code == 0
    assert (tmp_path / "mine" / "report.html").is_file()
    summary = tokenroof("report", "--format", "md")
    assert summary.out.startswith("# ")


def test_a_hostile_model_name_stays_in_the_folder_and_off_the_terminal(
    tokenroof: Tokenroof, engine: FakeEngine, tmp_path: Path
) -> None:
    from tokenroof.gguf import Header

    def hostile() -> Header:
        good = qwen3_8b()
        name = "../../\x1b[31m</script>\n=cmd\u202e"
        tensors = [(each.name, each.shape, each.type) for each in good.tensors]
        return Header.build({**good.metadata, "general.name": name}, tensors)

    path = fake_world.model_file(tmp_path, hostile, "hostile.gguf")
    outcome = tokenroof("lab", path, *LENGTHS)
    assert outcome.code == 0
    assert [each.parent for each in (tmp_path / "lab").iterdir()] == [tmp_path / "lab"]
    for text in (outcome.out, outcome.err):
        assert not {"\x1b", "\u202e"} & set(text)
    (folder,) = (tmp_path / "lab").iterdir()
    assert "31m</script>" not in (folder / "report.html").read_text(encoding="utf-8")


def only_campaign() -> CampaignRecord:
    (record,) = Journal().campaigns()
    return record


@pytest.mark.parametrize("verb", ["bench", "lab"])
def test_the_command_that_goes_on_is_said_before_anything_is_measured(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, verb: str
) -> None:
    outcome = tokenroof(verb, model, *LENGTHS)
    lines = outcome.err.splitlines()
    said = lines.index(f"  tokenroof {verb} --resume {only_campaign().id}")
    first = next(at for at, line in enumerate(lines) if line.startswith("Warming up"))
    assert said < first
    assert "1 of at most 5 · 6 runs follow" in lines[first]


# What goes wrong.


def test_resume_last_is_the_newest_campaign_that_did_not_finish(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    engine.script = {7: KeyboardInterrupt()}
    assert tokenroof("bench", model, *LENGTHS).code == 130
    stopped = only_campaign().id
    engine.script = {}
    assert tokenroof("bench", model, *LENGTHS).code == 0
    again = json.loads(tokenroof("bench", "--resume", "last", "--json").out)
    assert (again["campaign"]["id"], again["campaign"]["state"]) == (stopped, "finished")
    nothing = tokenroof("bench", "--resume", "last")
    assert (nothing.code, nothing.err.count("\n")) == (3, 1)


@pytest.mark.parametrize("when", ["results", "report"])
def test_ctrl_c_after_the_last_run_says_that_all_is_kept_and_how_to_see_it(
    tokenroof: Tokenroof,
    engine: FakeEngine,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    when: str,
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    module, name = {
        "results": ("tokenroof.cli.results", "show"),
        "report": ("tokenroof.api.lab", "write_files"),
    }[when]
    monkeypatch.setattr(import_module(module), name, stop)
    outcome = tokenroof("lab", model, *LENGTHS)
    assert outcome.code == 130
    last = outcome.err.splitlines()[-1]
    assert "6 runs are kept" in last
    assert last.endswith(f"tokenroof report {only_campaign().id}")
    assert "no file" not in outcome.err


def test_ctrl_c_before_a_campaign_began_claims_nothing(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tokenroof.api.setup.measure_read_bandwidth", stop)
    outcome = tokenroof("lab", model, *LENGTHS)
    assert outcome.code == 130
    assert outcome.err.splitlines()[-1] == "Interrupted."


def slower(monkeypatch: pytest.MonkeyPatch, gb_per_s: float) -> None:
    """From now on this machine's memory is measured at another speed."""
    import msgspec

    read = msgspec.structs.replace(
        fake_world.read_bandwidth(),
        best_bytes_per_second=gb_per_s * 1e9,
        lowest_bytes_per_second=gb_per_s * 0.5e9,
    )
    monkeypatch.setattr("tokenroof.api.setup.measure_read_bandwidth", lambda: read)


def test_a_runs_file_copied_out_of_the_journal_has_the_bandwidth_measured_after_the_runs(
    tokenroof: Tokenroof,
    engine: FakeEngine,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    after = msgspec.structs.replace(fake_world.read_bandwidth(), best_bytes_per_second=512e9)
    measured = iter([fake_world.read_bandwidth(), after])
    monkeypatch.setattr("tokenroof.api.setup.measure_read_bandwidth", lambda: next(measured))
    document = json.loads(tokenroof("bench", model, *LENGTHS, "--json").out)
    copy = tmp_path / "elsewhere.jsonl"
    copy.write_bytes(Journal().path.read_bytes())
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path / "another machine"))
    (series,) = json.loads(tokenroof("report", copy, "--json").out)["series"]
    # The larger of 256 GB/s before and 512 GB/s after.
    assert series["peak"]["bandwidth_bytes_per_second"] == 512e9
    best = [each["best_bytes_per_second"] for each in series["peak"]["bandwidth_measured"]]
    assert best == [256e9, 512e9]
    # Written once more, and still one run.
    assert sum(len(point["run_ids"]) for point in series["decode"]) == len(document["runs"]) == 6


@pytest.mark.parametrize(
    ("second", "best", "lowest"), [(100, 256e9, 0.9 * 256e9), (300, 300e9, 150e9)]
)
def test_a_resumed_campaign_keeps_the_best_bandwidth_of_all_its_sessions_and_its_spread(
    tokenroof: Tokenroof,
    engine: FakeEngine,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    second: int,
    best: float,
    lowest: float,
) -> None:
    engine.script = {7: KeyboardInterrupt()}
    assert tokenroof("bench", model, *LENGTHS).code == 130  # at 256 GB/s, as the fake world says
    engine.script = {}
    slower(monkeypatch, second)
    document = json.loads(tokenroof("lab", "--resume", "last", "--json").out)
    for device in (
        document["bench"]["campaign"]["bandwidth"]["device"],
        (only_campaign().bandwidth or {})["device"],
    ):
        assert device["bandwidth_bytes_per_second"] == best
        assert device["bandwidth_spread"]["high"] == best
        assert device["bandwidth_spread"]["low"] == lowest
    (series,) = document["report"]["series"]
    assert series["peak"]["bandwidth_bytes_per_second"] == best
    point = series["decode"][0]
    ceiling = best / (4_869_359_872 + 147_456 * point["mean_depth"])
    assert point["ceiling_tokens_per_second"] == pytest.approx(ceiling, rel=1e-6)


def test_a_resumed_campaign_keeps_the_bandwidth_that_was_given_and_the_queue_that_is_watched(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched: list[str | None] = []

    def sensors(*_: object, queue_url: str | None = None, **__: object) -> list[FakeSensor]:
        watched.append(queue_url)
        return [FakeSensor()]

    monkeypatch.setattr("tokenroof.api.setup.available_sensors", sensors)
    engine.script = {7: KeyboardInterrupt()}
    queue = "http://127.0.0.1:8188"
    options = ("--bandwidth", "512", "--watch-queue", queue)
    assert tokenroof("bench", model, *LENGTHS, *options).code == 130
    engine.script = {}
    assert tokenroof("bench", "--resume", "last").code == 0
    device = (only_campaign().bandwidth or {})["device"]
    assert (device["bandwidth_bytes_per_second"], device["bandwidth_basis"]) == (512e9, "given")
    assert watched == [queue, queue]


@pytest.mark.parametrize("verb", ["bench", "lab"])
@pytest.mark.parametrize("url", ["foo", "ftp://here/queue", "http://"])
def test_a_queue_that_is_no_address_is_a_usage_error_before_anything_starts(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, verb: str, url: str
) -> None:
    outcome = tokenroof(verb, model, *LENGTHS, "--watch-queue", url)
    assert (outcome.code, outcome.err.count("\n")) == (2, 1)
    assert "--watch-queue" in outcome.err
    assert engine.loads == 0
    assert not engine.closed  # it was never even taken


@pytest.mark.parametrize(("types", "code"), [("q4_0", 2), ("f16,q8_0", 2), ("q8_0,f16", 0)])
def test_quantised_values_without_flash_attention_are_a_usage_error(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, types: str, code: int
) -> None:
    options = ("--kv-type", types, "--flash-attention", "off")
    outcome = tokenroof("bench", model, *LENGTHS, *options)
    assert outcome.code == code
    if code:
        assert "needs flash attention" in outcome.err
        assert outcome.err.count("\n") == 1
        assert not engine.closed


NEEDED = qwen3_8b().tensor_bytes + 147_456 * 2048
"""Bytes of qwen3:8b's tensors, and of its cache at a context of 2,048: 36 layers x 2 x 8 heads x
128 elements x 2 bytes = 147,456 a token."""


def test_a_context_that_cannot_be_in_memory_is_refused_before_the_engine_loads(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_world.with_free_memory(monkeypatch, 16 * 2**30)
    outcome = tokenroof("bench", model, *LENGTHS, "--context", "10000000000")
    assert (outcome.code, outcome.out, engine.loads) == (4, "", 0)
    assert Journal().campaigns() == []
    (said,) = [line for line in outcome.err.splitlines() if "10,000,000,000" in line]
    # 10^10 tokens x 147,456 bytes are 1.34 PiB.
    assert "16.0 GiB are free" in said
    assert "--context" in said
    assert "--kv-type" in said
    # Half the bytes a value fit twice the tokens, but not these.
    assert tokenroof("bench", model, *LENGTHS, "--context", "8k").code == 0


@pytest.mark.parametrize(("free", "code"), [(NEEDED, 0), (NEEDED - 1, 4), (None, 0)])
def test_weights_and_cache_may_take_what_is_free_and_not_a_byte_more(
    tokenroof: Tokenroof,
    engine: FakeEngine,
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    free: int | None,
    code: int,
) -> None:
    fake_world.with_free_memory(monkeypatch, free)
    outcome = tokenroof("bench", model, *LENGTHS, "--context", "2k")
    assert outcome.code == code


def test_an_engine_that_may_use_another_memory_is_not_refused(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokenroof.engines.base import Identity

    fake_world.with_free_memory(monkeypatch, 2**20)
    monkeypatch.setattr(FakeEngine, "identify", lambda _: Identity(name="fake", place=None))
    assert tokenroof("bench", model, *LENGTHS).code == 0


def test_an_architecture_that_is_not_understood_is_not_refused(
    tokenroof: Tokenroof, engine: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokenroof.gguf import Header

    def strange() -> Header:
        good = qwen3_8b()
        renamed = {key.replace("qwen3.", "mystery."): value for key, value in good.metadata.items()}
        tensors = [(each.name, each.shape, each.type) for each in good.tensors]
        return Header.build({**renamed, "general.architecture": "mystery"}, tensors)

    fake_world.with_free_memory(monkeypatch, 2**20)
    path = fake_world.model_file(tmp_path, strange, "strange.gguf")
    assert tokenroof("bench", path, *LENGTHS).code == 0


@pytest.mark.parametrize(
    ("where", "way_out"), [("lab", "run it from a folder"), ("data", "TOKENROOF_DATA")]
)
@pytest.mark.parametrize("reason", ["No space left on device", "Permission denied"])
def test_a_place_that_cannot_be_written_to_is_refused_before_anything_is_measured(
    tokenroof: Tokenroof,
    engine: FakeEngine,
    model: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    way_out: str,
    reason: str,
) -> None:
    import errno

    from tokenroof.store import files

    number = errno.ENOSPC if "space" in reason else errno.EACCES
    plain = files.write_whole_file

    def refuse(path: Path, data: bytes) -> None:
        if (tmp_path / where) in path.absolute().parents:
            problem = OSError(number, reason)
            raise files.output_error(path, problem) from problem
        plain(path, data)

    monkeypatch.setattr(files, "write_whole_file", refuse)
    outcome = tokenroof("lab", model, *LENGTHS)
    assert (outcome.code, outcome.out, engine.loads) == (3, "", 0)
    assert way_out in outcome.err
    assert reason in outcome.err
    assert "nothing was measured" in outcome.err
    assert not (tmp_path / "lab").exists()


def test_ctrl_c_keeps_what_was_measured_and_says_how_to_go_on(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    engine.script = {7: KeyboardInterrupt()}
    outcome = tokenroof("bench", model, *LENGTHS)
    assert outcome.code == 130
    kept = Journal().runs()
    assert kept
    command = re.search(r"--resume (\S+?)\.?$", outcome.err.strip())
    assert command is not None
    engine.script = {}
    again = tokenroof("bench", "--resume", command[1], "--json")
    assert again.code == 0
    runs = json.loads(again.out)["runs"]
    assert [run["id"] for run in runs[: len(kept)]] == [run.id for run in kept]
    assert len(runs) == 6


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_who_is_asked_to_end_ends_as_by_ctrl_c_however_often(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, name: str
) -> None:
    import signal

    number = getattr(signal, name)
    if signal.getsignal(number) is not signal.SIG_DFL:
        pytest.skip(f"whoever runs the tests ignores {name}")

    def asked(reply: Reply) -> Reply:
        try:
            signal.raise_signal(number)
        finally:
            signal.raise_signal(number)
        return reply

    engine.script = {7: asked}
    outcome = tokenroof("bench", model, *LENGTHS)
    assert outcome.code == 130
    assert "--resume" in outcome.err.splitlines()[-1]
    assert Journal().campaigns()[0].state == "interrupted"
    assert engine.closed
    assert signal.getsignal(number) is signal.SIG_DFL


def test_an_interrupted_lab_goes_on_into_a_whole_report(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    engine.script = {7: KeyboardInterrupt()}
    assert tokenroof("lab", model, *LENGTHS).code == 130
    engine.script = {}
    document = json.loads(tokenroof("lab", "--resume", Journal().campaigns()[0].id, "--json").out)
    copy = Path(document["folder"]) / "runs.jsonl"
    assert len(copy.read_text().splitlines()) == 6


def test_an_engine_that_dies_once_is_a_recorded_row(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    engine.script = {6: died()}
    outcome = tokenroof("bench", model, *LENGTHS, "--json")
    assert outcome.code == 0
    excluded = [run["excluded"] for run in json.loads(outcome.out)["runs"]]
    assert excluded.count("failed") == 1


def test_an_engine_that_always_dies_is_exit_4_and_its_report_is_written(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    engine.always = lambda _request, _tokens: died()
    engine.script = {1: changed(), 2: changed()}  # the warm-up is spared
    outcome = tokenroof("lab", model, *LENGTHS)
    assert (outcome.code, outcome.out) == (4, "")
    assert "the fake engine died" in outcome.err
    assert {run.excluded for run in Journal().runs()} == {"failed"}
    (folder,) = (tmp_path / "lab").iterdir()
    assert (folder / "report.html").is_file()


def test_an_engine_that_dies_before_its_first_run_leaves_no_folder(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, tmp_path: Path
) -> None:
    engine.always = lambda _request, _tokens: died()
    outcome = tokenroof("lab", model, *LENGTHS)
    assert (outcome.code, outcome.out) == (4, "")
    assert not (tmp_path / "lab").exists()


def test_no_engine_is_exit_4_and_says_how_to_get_one(
    tokenroof: Tokenroof, model: Path, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokenroof.engines import registry

    entry = registry.Entry("fake", lambda *_: engine, lambda: False, "pip install fake")
    monkeypatch.setattr(registry, "ENGINES", {"fake": lambda: entry})
    outcome = tokenroof("bench", model, *LENGTHS)
    assert (outcome.code, outcome.out) == (4, "")
    assert "pip install fake" in outcome.err
    assert outcome.err.count("\n") == 1


def test_an_unknown_engine_is_a_usage_error_with_the_choices(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    outcome = tokenroof("bench", model, "--engine", "warp")
    assert outcome.code == 2
    assert "fake" in outcome.err


@pytest.mark.parametrize(
    "arguments",
    [("--lengths", "8k", "--context", "1k"), ("--lengths", "64k")],
)
def test_a_context_too_small_is_refused_before_the_engine_starts(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, arguments: tuple[str, ...]
) -> None:
    outcome = tokenroof("bench", model, *arguments)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert engine.loads == 0


def test_an_engine_that_makes_a_smaller_context_is_exit_4(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    engine.context = 512
    outcome = tokenroof("bench", model, *LENGTHS)
    assert outcome.code == 4
    assert "512" in outcome.err


def test_a_full_disk_is_exit_3_and_keeps_what_was_there(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import errno

    from tokenroof.store import files

    written: list[bytes] = []

    def full(handle: int, data: bytes) -> None:
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        written.append(data)
        plain(handle, data)

    plain = files._write_whole
    monkeypatch.setattr(files, "_write_whole", full)
    outcome = tokenroof("bench", model, *LENGTHS)
    assert outcome.code == 3
    assert "Traceback" not in outcome.err
    assert len(Journal().runs()) == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["bench"], 2),
        (["lab"], 2),
        (["bench", "m.gguf", "--resume", "0192"], 2),
        (["bench", "--resume", "0192", "--rounds", "4"], 2),
        (["bench", "--resume", "0192"], 3),
        (["bench", "m.gguf", "--output", "1"], 2),
        (["bench", "m.gguf", "--rounds", "2"], 2),
        (["bench", "m.gguf", "--kv-type", "zip"], 2),
        (["report"], 3),
        (["report", "0192"], 3),
        (["report", "none.jsonl"], 3),
        (["report", "m.gguf"], 3),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, arguments: list[str], code: int
) -> None:
    outcome = tokenroof(*arguments)
    assert (outcome.code, outcome.out) == (code, "")
    # A bandwidth that was measured before may be said first.
    assert 1 <= outcome.err.count("\n") <= 2
    assert "mistake of its own" not in outcome.err


def test_a_bandwidth_given_later_makes_a_ceiling(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokenroof.engines.base import Identity

    monkeypatch.setattr(FakeEngine, "identify", lambda _: Identity(name="fake", place="gpu"))
    assert tokenroof("bench", model, *LENGTHS).code == 0
    without = json.loads(tokenroof("report", "--json").out)["series"][0]
    given = json.loads(tokenroof("report", "--json", "--bandwidth", "512").out)["series"][0]
    assert without["decode"][0]["ceiling_tokens_per_second"] is None
    depth = given["decode"][0]["mean_depth"]
    ceiling = 512e9 / (4_869_359_872 + 147_456 * depth)
    assert given["decode"][0]["ceiling_tokens_per_second"] == pytest.approx(ceiling, rel=1e-6)


def test_the_engine_that_was_chosen_is_said_and_why(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path
) -> None:
    assert "Measuring with the fake engine, because" in tokenroof("bench", model, *LENGTHS).err
    named = tokenroof("bench", model, *LENGTHS, "--engine", "fake")
    assert named.code == 0
    assert "Measuring with" not in named.err


def test_options_reach_the_engine_that_was_named(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tokenroof.engines import registry
    from tokenroof.engines.base import ModelRef
    from tokenroof.engines.options import EngineOptions

    given: list[EngineOptions] = []

    def make(options: EngineOptions, _: ModelRef | None = None) -> FakeEngine:
        given.append(options)
        return engine

    takes = frozenset({"url", "flags"})
    entry = registry.Entry("fake", make, lambda: True, "-", takes)
    monkeypatch.setattr(registry, "ENGINES", {"fake": lambda: entry})
    flags = ("--engine-flags", "-ot 'exps=CPU' -ngl 99", "--url", "http://here:1")
    outcome = tokenroof("bench", model, *LENGTHS, "--engine", "fake", *flags, "--json")
    expected = EngineOptions(url="http://here:1", flags=("-ot", "exps=CPU", "-ngl", "99"))
    assert given == [expected]
    # A resumed campaign has them from its plan.
    document = json.loads(outcome.out)
    assert document["campaign"]["plan"]["engine_options"] == expected.to_dict()
    assert tokenroof("bench", "--resume", document["campaign"]["id"]).code == 0
    assert given == [expected, expected]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--url", "http://here:1"), "--engine"),
        (("--engine", "fake", "--url", "http://here:1"), "url"),
        (("--engine", "fake", "--engine-flags", "'-x"), "quotation mark"),
    ],
)
def test_options_that_mean_nothing_to_an_engine_are_usage_errors(
    tokenroof: Tokenroof, engine: FakeEngine, model: Path, options: tuple[str, ...], said: str
) -> None:
    outcome = tokenroof("bench", model, *LENGTHS, *options)
    assert outcome.code == 2
    assert said in outcome.err
