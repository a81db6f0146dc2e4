"""Bar 1 of the main job: `make demo` from a fresh clone, as a newcomer runs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.alone

ROOT = Path(__file__).parents[1]


@pytest.mark.prove
@pytest.mark.timing  # one run: its bars are of minutes
def test_demo_from_a_fresh_clone(tmp_path: Path) -> None:
    """Standings in under 3 minutes, of which the tournament takes under 30 s for 300 deals."""
    clone = tmp_path / "clone"
    subprocess.run([_git(), "clone", "--quiet", str(ROOT), str(clone)], check=True)
    environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    start = time.monotonic()
    demo = subprocess.run(
        ["make", "demo"], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert time.monotonic() - start < 180

    shown = subprocess.run(
        [clone / ".venv/bin/mazzo", "tournament", "show", "1", "--json"],
        env=environment | {"MAZZO_HOME": str(clone / ".demo")},
        capture_output=True,
        text=True,
        check=True,
    )
    tournament: dict[str, Any] = json.loads(shown.stdout)
    took = _time(tournament["end_time"]) - _time(tournament["create_time"])
    assert took.total_seconds() < 30
    assert tournament["isolation"] == "bubblewrap"
    rows = {row["name"]: row for row in tournament["standings"]["rows"]}
    assert sum(row["deals"] for row in rows.values()) / 2 >= 300
    for better in ("greedy", "counting"):
        assert rows[better]["rating"] > rows["random"]["rating"]
        assert rows[better]["score_low"] > rows["random"]["score_high"]


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _git() -> str:
    git = shutil.which("git")
    assert git is not None, "expected git on the PATH, to clone the project"
    return git
