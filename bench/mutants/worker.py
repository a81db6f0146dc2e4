"""Runs tests for one mutant after the other; copied into a throw-away environment.

It imports once what takes long to import and belongs to others, and forks for every run. It
reads one job a line from standard input, and writes one result a line.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import pytest

_PRELOADED = (
    "hypothesis",
    "numpy",
    "scipy.stats",
    "sqlalchemy.dialects.sqlite",
    "alembic.command",
    "networkx",
    "rich.console",
    "rich.table",
    "typer.testing",
    "prometheus_client",
    "trueskill",
    "google.protobuf.descriptor",
    "asyncio",
    "xml.etree.ElementTree",
)
_OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-m", "not prove"),
    *("-W", "ignore:Module already imported so cannot be rewritten"),
)
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what runs leave behind becomes a child of this process


class _Failures:
    """A plugin of pytest that remembers which tests failed."""

    def __init__(self) -> None:
        self.tests: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the test."""
        if report.failed:
            self.tests.append(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember the file, which could not be imported."""
        if report.failed:
            self.tests.append(report.nodeid)


def _run(arguments: list[str], output: str, result: int) -> None:
    """Run tests in a process of their own and write how they ended."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.setsid()
    target = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(target, stream)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    failures = _Failures()
    status = int(pytest.main([*_OPTIONS, *arguments], plugins=[failures]))
    sys.stdout.flush()
    with os.fdopen(result, "wb") as pipe:
        pipe.write(json.dumps({"status": status, "failed": failures.tests}).encode())
    os._exit(0)


def _children(process: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def _clear() -> None:
    """Kill what a run left behind."""
    while left := _children(os.getpid()):
        for child in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, 0)


def _on_stop(*_: object) -> None:
    """End with all that runs."""
    _clear()
    os._exit(0)


def _do(job: dict[str, Any]) -> dict[str, Any]:
    started = time.monotonic()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            _run(job["arguments"], job["output"], writing)
        finally:
            os._exit(1)
    os.close(writing)
    ended = 0
    while not ended and time.monotonic() < started + job["limit"]:
        ended, _ = os.waitpid(child, os.WNOHANG)
        if not ended:
            time.sleep(0.01)
    _clear()
    with os.fdopen(reading, "rb") as pipe:
        written = pipe.read()
    # Without a word from it, a run took too long or its process died.
    result = json.loads(written) if written else {"status": -1 if ended else None, "failed": []}
    return {**result, "seconds": time.monotonic() - started}


def main() -> None:
    """Do the jobs."""
    ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, _on_stop)
    for name in _PRELOADED:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    print(json.dumps({}), flush=True)
    for line in sys.stdin:
        print(json.dumps(_do(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
