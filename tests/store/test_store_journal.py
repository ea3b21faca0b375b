"""The journal keeps what was measured, whatever happens while it writes."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from tokenroof.errors import AmbiguousName, NotFound, OutputError, RecordError, UsageError
from tokenroof.notices import Notice
from tokenroof.records import Output, Prompt, Run, RunConditions, RunEngine, RunModel
from tokenroof.store.files import check_writable, make_new_folder, write_whole_file
from tokenroof.store.journal import CampaignRecord, Journal, RunsFile, data_folder
from tokenroof.store.lock import held, is_held, locked
from tokenroof.store.runs import load_runs, read_runs


def a_run(id_: str = "r1", campaign: str | None = "c1") -> Run:
    return Run(
        id=id_,
        campaign=campaign,
        started="2026-01-01T00:00:00.000Z",
        source="fake",
        model=RunModel(name="tiny", weight_bytes=1.5e9),
        engine=RunEngine(name="fake"),
        prompt=Prompt(tokens=512, cached=0, seconds=0.5),
        output=Output(tokens=128, steps=127, seconds=2.0),
        raw={"text": '</script>\x1b[31m\n{"id": 1}\u202e', "big": 2**60},
    )


def a_campaign(id_: str) -> CampaignRecord:
    return CampaignRecord(
        id=id_,
        state="running",
        started="2026-01-01T00:00:00.000Z",
        plan={"lengths": [512]},
        model=RunModel(name="tiny"),
        notices=(Notice("store.torn_line", {"path": "x"}),),
    )


def test_a_run_comes_back_as_it_was_written(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "not" / "yet" / "there")
    journal.append(a_run())
    assert journal.runs() == [a_run()]


def test_odd_text_stays_inside_its_one_line(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(a_run())
    journal.append(a_run("r2"))
    assert journal.path.read_bytes().count(b"\n") == 2


def test_runs_are_found_by_their_campaign(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for id_, campaign in (("r1", "c1"), ("r2", "c2"), ("r3", "c1")):
        journal.append(a_run(id_, campaign))
    assert [run.id for run in journal.runs(campaign="c1")] == ["r1", "r3"]
    assert [run.id for run in journal.runs()] == ["r1", "r2", "r3"]


def test_a_torn_last_line_is_ignored_and_said(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(a_run())
    whole = journal.path.read_bytes()
    journal.path.write_bytes(whole + whole[:100])
    read = journal.read()
    assert [run.id for run in read.runs] == ["r1"]
    assert [notice.id for notice in read.notices] == ["torn_line"]


def test_a_run_appended_after_a_torn_line_is_not_swallowed_by_it(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.append(a_run())
    with journal.path.open("ab") as file:
        file.write(b'{"schema": "tokenroof.run/1", "id": "to')
    journal.append(a_run("r2"))
    read = journal.read()
    assert [run.id for run in read.runs] == ["r1", "r2"]
    assert [(notice.id, notice.values["line"]) for notice in read.notices] == [
        ("unreadable_line", 2)
    ]


@pytest.mark.parametrize("cut", [1, 50, 200])
def test_any_cut_of_the_file_leaves_the_runs_before_it(tmp_path: Path, cut: int) -> None:
    journal = Journal(tmp_path)
    journal.append(a_run("r1"))
    journal.append(a_run("r2"))
    journal.path.write_bytes(journal.path.read_bytes()[:-cut])
    # A line that only lost its end mark is still a whole run.
    expected = ["r1", "r2"] if cut == 1 else ["r1"]
    assert [run.id for run in journal.runs()] == expected


def test_a_full_disk_is_one_plain_sentence_and_everything_before_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.append(a_run("r1"))
    before = journal.path.read_bytes()
    real = os.write

    def half(handle: int, data: bytes) -> int:
        if len(data) < 300:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data[: len(data) - 200])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(OutputError) as caught:
        journal.append(a_run("r2"))
    monkeypatch.undo()
    assert caught.value.message == "store.disk_full"
    assert str(journal.path) in str(caught.value)
    assert caught.value.exit_code == 3
    assert journal.path.read_bytes() == before
    journal.append(a_run("r2"))
    assert [run.id for run in journal.runs()] == ["r1", "r2"]


def test_a_line_that_did_not_reach_the_disk_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.append(a_run("r1"))

    def failing(_handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OutputError) as caught:
        journal.append(a_run("r2"))
    monkeypatch.undo()
    assert caught.value.message == "store.not_writable"
    assert [run.id for run in journal.runs()] == ["r1"]


def test_each_line_is_synced_before_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = Journal(tmp_path)
    journal.append(a_run("r1"))
    synced: list[int] = []
    real = os.fsync

    def noting(handle: int) -> None:
        synced.append(os.fstat(handle).st_size)
        real(handle)

    monkeypatch.setattr(os, "fsync", noting)
    journal.append(a_run("r2"))
    assert synced == [journal.path.stat().st_size]


def test_a_read_only_folder_is_refused_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(*_: object, **__: object) -> int:
        raise OSError(errno.EROFS, "Read-only file system")

    journal = Journal(tmp_path)
    monkeypatch.setattr(os, "open", refusing)
    with pytest.raises(OutputError) as caught:
        journal.append(a_run())
    assert caught.value.message == "store.not_allowed"


def test_a_folder_below_a_file_is_refused_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(OutputError) as caught:
        Journal(tmp_path / "file" / "data").append(a_run())
    assert caught.value.message == "store.not_a_folder"


def test_several_writers_lose_nothing(tmp_path: Path) -> None:
    writer = """
import sys, msgspec
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tokenroof.records import Run, RunModel, RunEngine
from tokenroof.store.journal import Journal
journal = Journal(Path(sys.argv[1]))
for n in range(25):
    journal.append(Run(id=f"{sys.argv[2]}-{n}", started=None, source="fake",
                       model=RunModel(name="m" * 9000), engine=RunEngine(name="e")))
"""
    writers = [
        subprocess.Popen([sys.executable, "-c", writer, str(tmp_path), name]) for name in "abc"
    ]
    assert [process.wait() for process in writers] == [0, 0, 0]
    read = Journal(tmp_path).read()
    assert read.notices == []
    assert {run.id for run in read.runs} == {f"{name}-{n}" for name in "abc" for n in range(25)}


@pytest.mark.skipif(sys.platform == "win32", reason="asks for the lock as POSIX does")
def test_only_one_writer_at_a_time_holds_the_lock(tmp_path: Path) -> None:
    import fcntl

    path = tmp_path / "lock"
    with (
        path.open("ab") as one,
        path.open("r+b") as other,
        locked(one.fileno()),
        pytest.raises(BlockingIOError),
    ):
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with path.open("r+b") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_a_newer_schema_is_refused_politely(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    RunsFile(path).append(a_run())
    newer = msgspec.to_builtins(a_run("r2")) | {"schema": "tokenroof.run/2", "prompt": "other"}
    with path.open("ab") as file:
        file.write(msgspec.json.encode(newer) + b"\n")
    with pytest.raises(RecordError) as caught:
        load_runs(path)
    assert caught.value.message == "store.newer_schema"
    assert "tokenroof.run/2" in str(caught.value)
    assert "line 2" in str(caught.value).lower()


@pytest.mark.parametrize(
    "content",
    [
        b"<html>not runs</html>\n",
        b"\x00\xff\xfe" * 100 + b"\n",
        b"[" * 100_000 + b"\n",
        b'{"schema": "tokenroof.run/1", "id": 5}\n',
        b'{"schema": "other/1"}\n',
        b"null\n",
    ],
)
def test_a_file_of_another_kind_is_refused_with_its_first_line(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "some.jsonl"
    path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        load_runs(path)
    assert caught.value.message == "store.not_runs"
    assert caught.value.values["line"] == 1


def test_an_endless_line_is_not_kept_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tokenroof.store.runs.MAX_LINE_BYTES", 2000)
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b'"' + b"x" * 9000 + b'"\n')
    RunsFile(path).append(a_run())
    read = read_runs(path)
    assert [run.id for run in read.runs] == ["r1"]
    assert "2000" in read.notices[0].text()


def test_an_empty_file_holds_no_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.touch()
    assert load_runs(path) == []


def test_a_folder_stands_for_its_runs_file(tmp_path: Path) -> None:
    RunsFile(tmp_path / "runs.jsonl").append(a_run("r1"))
    RunsFile(tmp_path / "copy.jsonl").append(a_run("r9"))
    assert [run.id for run in load_runs(tmp_path)] == ["r1"]


def test_a_folder_without_one_stands_for_all_its_jsonl_files_each_run_once(tmp_path: Path) -> None:
    RunsFile(tmp_path / "a.jsonl").append(a_run("r1"))
    RunsFile(tmp_path / "b.jsonl").append(a_run("r1"))
    RunsFile(tmp_path / "b.jsonl").append(a_run("r2"))
    assert [run.id for run in load_runs(str(tmp_path))] == ["r1", "r2"]


def test_conditions_written_again_belong_to_the_run_that_is_there(tmp_path: Path) -> None:
    file = RunsFile(tmp_path / "runs.jsonl")
    first, last = a_run("r1"), a_run("r2")
    late = RunConditions(remarks=("known at the end",))
    for run in (first, last, msgspec.structs.replace(last, conditions=late), last):
        file.append(run)
    assert file.runs() == [first, msgspec.structs.replace(last, conditions=late)]


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        load_runs(tmp_path / "nothing.jsonl")
    with pytest.raises(NotFound):
        load_runs(tmp_path)
    with pytest.raises(RecordError):
        load_runs("x" * 5000)


def test_a_journal_that_was_never_written_is_empty(tmp_path: Path) -> None:
    assert Journal(tmp_path).runs() == []
    assert Journal(tmp_path).campaigns() == []


def test_campaigns_come_newest_first_and_by_the_beginning_of_their_id(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    for id_ in ("0192-aa", "0194-cc", "0193-bb"):
        journal.save_campaign(a_campaign(id_))
    assert [record.id for record in journal.campaigns()] == ["0194-cc", "0193-bb", "0192-aa"]
    assert journal.campaign("0193") == a_campaign("0193-bb")
    with pytest.raises(AmbiguousName) as caught:
        journal.campaign("019")
    assert "0192-aa" in caught.value.values["candidates"]  # type: ignore[operator]


@pytest.mark.parametrize("name", ["", "../runs", "0199", "a/b", "..", "x" * 100])
def test_a_campaign_that_is_not_there_is_not_found(tmp_path: Path, name: str) -> None:
    journal = Journal(tmp_path)
    journal.save_campaign(a_campaign("0192-aa"))
    with pytest.raises(NotFound):
        journal.campaign(name)


def test_a_damaged_campaign_is_refused_by_name_and_skipped_in_the_list(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.save_campaign(a_campaign("0192-aa"))
    (tmp_path / "campaigns" / "0193-bb.json").write_text("{")
    with pytest.raises(RecordError):
        journal.campaign("0193-bb")
    assert [record.id for record in journal.campaigns()] == ["0192-aa"]


def test_a_whole_file_is_replaced_at_once_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "c.json"
    write_whole_file(path, b"old")

    def failing(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OutputError):
        write_whole_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["c.json"]


def test_the_data_folder_can_be_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TOKENROOF_DATA", str(tmp_path / "mine"))
    assert data_folder() == tmp_path / "mine"
    monkeypatch.delenv("TOKENROOF_DATA")
    assert data_folder().name == "tokenroof"


def test_all_who_want_the_same_new_folder_at_once_get_one_each(tmp_path: Path) -> None:
    wanted = tmp_path / "lab" / "m-20260101-000000"
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: make_new_folder(wanted), range(24)))
    assert len(set(made)) == 24
    names = {wanted.name, *(f"{wanted.name}-{number}" for number in range(2, 25))}
    assert {path.name for path in wanted.parent.iterdir()} == names


def test_a_place_is_tried_without_leaving_a_trace(tmp_path: Path) -> None:
    check_writable(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OutputError):
        check_writable(tmp_path / "nowhere")


def test_last_is_the_newest_campaign_that_did_not_finish(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    with pytest.raises(NotFound, match="no campaign to go on with"):
        journal.resumable("last")
    for id_, state in (("01", "failed"), ("02", "interrupted"), ("03", "finished")):
        journal.save_campaign(msgspec.structs.replace(a_campaign(id_), state=state))
    assert journal.resumable("last").id == "02"
    assert journal.resumable("03").id == "03"


HOLDER = """
import sys
from pathlib import Path
from tokenroof.store.journal import Journal
with Journal(Path(sys.argv[1])).carrying_out(sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_what_another_process_carries_out_is_not_resumed_until_that_process_is_gone(
    tmp_path: Path,
) -> None:
    journal = Journal(tmp_path)
    for id_ in ("01", "02"):
        journal.save_campaign(a_campaign(id_))
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path), "02"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == b"held"
        # Not the newest, but the newest that nobody works on.
        assert journal.resumable("last").id == "01"
        with pytest.raises(UsageError, match="02 is still being measured"):
            journal.resumable("02")
        with pytest.raises(UsageError, match="02"), journal.carrying_out("02"):
            pass
        with journal.carrying_out("01"), pytest.raises(UsageError, match="02"):
            journal.resumable("last")
        other.kill()  # it cannot tidy up
    assert journal.resumable("last").id == "02"
    with journal.carrying_out("02"):
        pass
    assert sorted(path.name for path in (tmp_path / "campaigns").iterdir()) == [
        "01.json",
        "02.json",
    ]


def test_a_folder_that_takes_no_lock_refuses_nobody(tmp_path: Path) -> None:
    with held(tmp_path / "nowhere" / "c.lock") as ours:
        assert ours
    assert not is_held(tmp_path / "nowhere" / "c.lock")
