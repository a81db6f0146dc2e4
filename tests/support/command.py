"""The `mazzo` command as a process, in a home of its own."""

from __future__ import annotations

import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from mazzo_server.cli.app import app

__all__ = ["SECONDS", "Home", "Result", "kill", "standstill", "until"]

SECONDS = 120.0  # no wait in these tests is longer, even on a busy machine
_INHERITED = ("PATH", "LANG", "HOME", "TMPDIR")


@dataclass(frozen=True, slots=True)
class Result:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as a JSON value."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class Home:
    """A `MAZZO_HOME`, and the command that works on it."""

    path: Path
    variables: dict[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """What the command inherits: nothing of this machine that it could lean on."""
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        return inherited | {"COLUMNS": "80", "MAZZO_HOME": str(self.path)} | self.variables

    def start(self, *arguments: str | Path, stdin: Any = subprocess.DEVNULL) -> subprocess.Popen:  # type: ignore[type-arg]
        """Start a command; it leads a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "mazzo_server", *map(str, arguments)],
            env=self.environment(),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def __call__(self, *arguments: str | Path, data: bytes = b"", status: int | None = 0) -> Result:
        """Run a command to its end, which must be `status` unless that is None."""
        process = self.start(*arguments, stdin=subprocess.PIPE)
        try:
            out, err = process.communicate(data, timeout=SECONDS)
        except BaseException:
            kill(process)
            raise
        return _ended(Result(process.returncode, out.decode(), err.decode()), status)

    def inside(self, *arguments: str | Path, data: bytes = b"", status: int | None = 0) -> Result:
        """The same in this process: starting one takes longer than most commands do.

        For whatever is no matter of the process itself: its start and end, signals, terminals.
        """
        with _as_it_was():
            ran = CliRunner().invoke(
                app,
                [*map(str, arguments)],
                input=data,
                env=dict.fromkeys(_foreign_variables()) | self.environment(),
            )
        if ran.exception is not None and not isinstance(ran.exception, SystemExit):
            raise ran.exception
        return _ended(Result(ran.exit_code, ran.stdout, ran.stderr), status)

    def stored_matches(self, tournament: int = 1) -> list[tuple[int, int]]:
        """The group and seating of every finished match, looked up in the store itself."""
        path = self.path / "mazzo.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as store:
            return store.execute(
                "SELECT mirror_group, seating FROM matches WHERE tournament = ?", (tournament,)
            ).fetchall()

    def status_of(self, tournament: int = 1) -> str | None:
        """The status of a tournament in the store; None when there is no such tournament."""
        path = self.path / "mazzo.db"
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)) as store:
            found = store.execute(
                "SELECT status FROM tournaments WHERE id = ?", (tournament,)
            ).fetchone()
        return None if found is None else str(found[0])

    def files(self) -> dict[str, bytes]:
        """Every file of the home with its content; locks, which hold nothing, left out."""
        return {
            str(file.relative_to(self.path)): file.read_bytes()
            for file in sorted(self.path.rglob("*"))
            if file.is_file() and file.suffix != ".lock"
        }


def _ended(result: Result, status: int | None) -> Result:
    """A result that no command may come short of."""
    assert "Traceback" not in result.err, result.err
    assert "\x1b" not in result.out + result.err, result
    if status is not None:
        assert result.status == status, result
    return result


def _foreign_variables() -> list[str]:
    """What the command may not inherit from this process; gRPC has read its own already."""
    return [name for name in os.environ if not name.startswith("GRPC_")]


@contextmanager
def _as_it_was() -> Iterator[None]:
    """Let a command in this process neither last too long nor change how it logs."""
    loggers = [logging.getLogger(name) for name in (None, "mazzo_server")]
    before = [(logger, logger.level, logger.handlers[:]) for logger in loggers]
    # Interrupted, it ends by itself, with a status that nobody expects.
    alarm = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, alarm)
        for logger, level, handlers in before:
            logger.handlers[:] = handlers
            logger.setLevel(level)


def until(true: Callable[[], bool], process: subprocess.Popen[bytes] | None = None) -> None:
    """Wait until `true`; fails when it takes too long, or when the process ends before."""
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end, "waited in vain"
        if process is not None and process.poll() is not None:
            assert process.stderr is not None
            raise AssertionError(f"ended too early: {process.stderr.read().decode()}")
        time.sleep(0.02)


def kill(process: subprocess.Popen[bytes], number: signal.Signals = signal.SIGKILL) -> Result:
    """Signal a command's process group and wait for its end."""
    if process.poll() is None:
        os.killpg(process.pid, number)
    out, err = process.communicate(timeout=SECONDS)
    return Result(process.returncode, out.decode(), err.decode())


@contextmanager
def standstill(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Hold a process still, as a busy machine would; whatever it has locked stays so."""
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)
