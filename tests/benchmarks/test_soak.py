"""A short soak: what `make soak` measures for minutes, without its bars of time and memory."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from bench.soak import soak

pytestmark = [pytest.mark.alone, pytest.mark.prove]

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_match_is_lost_or_doubled_under_load(
    monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """Bar 2: 100 matches in flight among 40 instances, each stored once and whole."""
    paths = [str(ROOT), str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    report = asyncio.run(soak(matches=100, instances=40, seconds=5.0, workers=workers))
    assert report.lost == 0
    assert max(report.in_flight) == 100
    assert report.matches >= 100
