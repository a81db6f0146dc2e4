"""Signalling, watching and tracing other processes, and living on after the end."""

from __future__ import annotations

import os
import subprocess
import sys
from ast import literal_eval
from collections.abc import Iterator

import pytest

from attacks.battle import Battlefield, denied

pytestmark = pytest.mark.alone


@pytest.fixture
def victim(field: Battlefield) -> Iterator[subprocess.Popen[bytes]]:
    """A process of the host with nobody's protection but the sandbox's."""
    code = "import time; time.sleep(600)"
    with subprocess.Popen(
        [sys.executable, "-c", code, field.secret], start_new_session=True
    ) as process:
        yield process
        process.kill()


def test_no_process_of_the_host_is_touched_and_none_outlives(
    field: Battlefield, victim: subprocess.Popen[bytes]
) -> None:
    """It names them by their numbers; it kills all that it can reach; its daemons end with it."""
    pids = [victim.pid, os.getpid(), os.getppid()]
    battle = field.fight("processes", pids=pids, victim=field.secret)
    assert battle.terminations == set()
    assert victim.poll() is None
    report = dict(battle.report)
    assert report.pop("victims that it sees") == "[]"
    assert report.pop("daemons") == "started"
    assert report.pop("everybody") == "killed"
    taken = report.pop("files of the first process", "done: []")
    assert denied(taken, "ENOENT") or literal_eval(taken.removeprefix("done: ")) == [], taken
    assert len(report) == 9 * len(pids) + 5
    for name, outcome in report.items():
        assert denied(outcome, "ESRCH"), (name, outcome)
