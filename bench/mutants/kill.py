"""Runs the tests of mutants."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.mutants.anchors import Anchor
from bench.mutants.checkout import Checkout

__all__ = ["LIMIT", "Outcome", "Runner", "start_runner"]

# Seconds that the tests of a mutant may take on an idle machine, and more on a busy one; a run
# that takes longer is a kill.
LIMIT = 60.0
_OUTPUT = ".mutants-output"
_USAGE, _NO_TESTS = 4, 5  # of pytest; the former also when a conftest cannot be imported


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of running the tests of one mutant."""

    killed: bool
    how: str  # the first test that failed, or "time-out", "died", "no tests"
    seconds: float


class Runner:
    """Runs tests in a copy of a checkout, with one statement changed or with none."""

    def __init__(self, checkout: Checkout, worker: subprocess.Popen[str], limit: float) -> None:
        self._checkout = checkout
        self._worker = worker
        self._limit = limit
        self._turn = 0

    def try_mutant(self, anchor: Anchor, tests: Sequence[str]) -> Outcome:
        """Run tests while the statement of a mutant is changed."""
        path = self._checkout.root / anchor.mutant.file
        before = path.read_text()
        times = path.stat()
        changed = anchor.statement.replace(before, anchor.mutant.after)
        compile(changed, path, "exec")
        self._turn += 1
        try:
            path.write_text(changed)
            # Another time than that of any other version, or Python takes its compiled file.
            os.utime(path, (times.st_atime, times.st_mtime + 10 * self._turn))
            return self._run(tests)
        finally:
            path.write_text(before)
            os.utime(path, (times.st_atime, times.st_mtime))

    def list_failing(self, tests: Sequence[str], *, limit: float) -> list[str]:
        """The tests that fail on the code as it is; all of them where it takes too long."""
        result = self._ask(tests, limit=limit)
        ended = result["status"] in (0, 1)
        return list(result["failed"]) if ended else list(tests)

    def _run(self, tests: Sequence[str]) -> Outcome:
        busy = os.getloadavg()[0] / (os.cpu_count() or 1)
        result = self._ask(["-x", *tests], limit=self._limit * max(1.0, busy))
        status = result["status"]
        if status is None:
            how = "time-out"
        elif status == 0:
            how = ""
        elif status == _NO_TESTS or (status == _USAGE and self._has_missing()):
            how = "no tests"
        else:
            how = next(iter(result["failed"]), "died")
        return Outcome(killed=how not in ("", "no tests"), how=how, seconds=result["seconds"])

    def _has_missing(self) -> bool:
        """Whether the last run found no test of a name."""
        return "ERROR: not found:" in (self._checkout.root / _OUTPUT).read_text(errors="replace")

    def _ask(self, arguments: Sequence[str], *, limit: float) -> dict[str, Any]:
        self._checkout.forget()
        output = str(self._checkout.root / _OUTPUT)
        job = {"arguments": list(arguments), "output": output, "limit": limit}
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.write(json.dumps(job) + "\n")
        self._worker.stdin.flush()
        answer: dict[str, Any] = json.loads(self._worker.stdout.readline())
        return answer


@contextmanager
def start_runner(checkout: Checkout, *, limit: float = LIMIT) -> Iterator[Runner]:
    """Start the process that runs tests in a copy of a checkout."""
    shutil.copy(Path(__file__).parent / "worker.py", checkout.packages / "mutants_worker.py")
    worker = subprocess.Popen(
        [checkout.python, "-m", "mutants_worker"],
        cwd=checkout.root,
        env=checkout.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert worker.stdout is not None
        worker.stdout.readline()  # it has imported what it needs
        yield Runner(checkout, worker, limit)
    finally:
        worker.terminate()
        worker.communicate()
