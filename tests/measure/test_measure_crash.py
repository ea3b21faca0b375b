"""A campaign that is killed loses nothing that was measured, and goes on where it stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import support
from support.fake_bench import fake, make_bench, small_plan
from tokenroof.measure.campaign import resume_campaign
from tokenroof.store.journal import Journal, RunsFile

SUPPORT = Path(support.__file__).parent

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs kill and /proc")


@pytest.mark.parametrize(
    ("moment", "n", "kept"),
    [
        ("start", 1, 0),
        ("start", 3, 2),
        ("start", 6, 5),
        ("journal", 1, 1),
        ("journal", 4, 4),
        ("torn", 1, 0),
        ("torn", 3, 2),
    ],
)
def test_after_kill_9_no_run_is_lost_or_doubled(
    tmp_path: Path, moment: str, n: int, kept: int
) -> None:
    process = subprocess.run(
        [sys.executable, SUPPORT / "crashing_campaign.py", tmp_path, moment, str(n)],
        env=os.environ | {"PYTHONPATH": str(SUPPORT.parent)},
        check=False,
    )
    assert process.returncode == -signal.SIGKILL
    journal = Journal(tmp_path)
    before = journal.runs()
    assert len(before) == kept

    (record,) = journal.campaigns()
    assert record.state == "running"
    copy = RunsFile(tmp_path / "copy.jsonl")
    result = resume_campaign(record.id, make_bench(tmp_path, fake(), sinks=[copy]))

    assert result.runs[:kept] == tuple(before)
    done = [(run.workload.prompt_target, run.workload.round) for run in journal.runs()]
    assert done == [(unit.length, unit.round) for unit in small_plan().units()]
    assert copy.runs() == journal.runs()
    assert journal.campaign(record.id).state == "finished"
