"""A plugin of pytest, copied into a throw-away environment: says which test is running.

It names the context of the coverage after the test and writes the name to a file, where
processes that the test starts find it. At the end it writes how long each test took, and
which failed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import coverage
import pytest

_FOLDER = Path(os.environ["MUTANTS_FOLDER"])
_seconds: dict[str, float] = {}
_failed: set[str] = set()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Name the context after the test; tests that differ in parameters share it."""
    name = item.nodeid.partition("[")[0]
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(name)
    (_FOLDER / "context").write_text(name)
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up the seconds of a test and note whether it failed."""
    name = report.nodeid.partition("[")[0]
    _seconds[name] = _seconds.get(name, 0.0) + report.duration
    if report.failed:
        _failed.add(name)


def pytest_sessionfinish() -> None:
    """Write the results."""
    (_FOLDER / "context").unlink(missing_ok=True)
    (_FOLDER / "results.json").write_text(
        json.dumps({"seconds": _seconds, "failed": sorted(_failed)})
    )
