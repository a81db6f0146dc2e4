"""A terminal that tests look at and type on: the far end of a pty."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from support.command import SECONDS, Home

__all__ = ["Terminal", "at_terminal", "open_terminal"]

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(slots=True)
class Terminal:
    """A command that runs at a terminal, and what it has written there."""

    process: subprocess.Popen[bytes]
    master: int
    slave: int
    written: str = ""
    _read: int = field(default=0, repr=False)

    def resize(self, columns: int, rows: int) -> None:
        """Change its size, which the kernel tells the command."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.master, keys.encode())

    @property
    def modes(self) -> list[Any]:
        """What the terminal does with input and output."""
        return termios.tcgetattr(self.slave)

    @property
    def screen(self) -> list[str]:
        """The rows of the last whole screen, without their styles."""
        rows = re.split("\r+\n", self.written.split("\x1b[H")[-1])
        return [_STYLE.sub("", row).removeprefix("\x1b[2K") for row in rows]

    def until(self, text: str) -> list[str]:
        """Wait for a screen with that text; see `wait_for`."""
        self.wait_for(text)
        return self.screen

    def wait_for(self, text: str) -> None:
        """Wait for a text, which is new since the last one waited for."""
        end = time.monotonic() + SECONDS
        while text not in _STYLE.sub("", self.written[self._read :]):
            assert self._more(end), f"waited for {text!r}, got {self.written[self._read :]!r}"
        self._settle()
        self._read = len(self.written)

    def _settle(self) -> None:
        """The rest of a screen comes at once."""
        while self._more(time.monotonic() + 0.02):
            pass

    def _more(self, end: float) -> bool:
        ready, _, _ = select.select([self.master], [], [], max(end - time.monotonic(), 0))
        if not ready:
            return False
        with suppress(OSError):
            data = os.read(self.master, 65536)
            self.written += data.decode()
            return bool(data)
        return False

    def wait(self) -> int:
        """Wait for the end of the command; its status."""
        end = time.monotonic() + SECONDS
        while self.process.poll() is None:
            assert time.monotonic() < end, "waited in vain"
            self._more(time.monotonic() + 0.02)
        self._settle()
        return self.process.returncode


def at_terminal(
    home: Home, arguments: Sequence[str], *, size: tuple[int, int] = (80, 24), **variables: str
) -> AbstractContextManager[Terminal]:
    """Run `mazzo` at a terminal of so many columns and rows."""
    command = [sys.executable, "-m", "mazzo_server", *arguments]
    return open_terminal(command, home.environment() | variables, size=size)


@contextmanager
def open_terminal(
    command: Sequence[str], variables: Mapping[str, str], *, size: tuple[int, int] = (80, 24)
) -> Iterator[Terminal]:
    """Run a command at a terminal of so many columns and rows, with this environment."""
    master, slave = pty.openpty()
    environment = {"TERM": "xterm-256color", "PYTHONUTF8": "1", **variables}
    environment.pop("COLUMNS", None)
    terminal: Terminal | None = None
    try:
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        process = subprocess.Popen(
            # Who leads a session and opens a terminal gets its signals from then on.
            ["sh", "-c", 'exec "$@" <>"$0" >&0 2>&0', os.ttyname(slave), *command],
            env=environment,
            start_new_session=True,
        )
        terminal = Terminal(process, master, slave)
        yield terminal
    finally:
        if terminal is not None and terminal.process.poll() is None:
            os.killpg(terminal.process.pid, signal.SIGKILL)
            terminal.process.wait()
        for number in (master, slave):
            with suppress(OSError):
                os.close(number)
