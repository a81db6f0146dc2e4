"""Real shells at a terminal, in which a person presses TAB."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from support.command import Home
from support.terminal import Terminal, open_terminal

__all__ = ["SHELLS", "Shell", "open_shell"]

SHELLS = {
    "bash": ["bash", "-i"],
    "zsh": ["zsh", "-i"],
    # As fish 4 is by itself: before, a question mark is a wildcard, which TAB expands.
    "fish": ["fish", "--features", "qmark-noglob", "-i"],
}

# Prints each word that it gets, as a command would get it; the last line tells that it is over.
_SHOW = """#!/bin/sh
printf '<%s>\\n' "$@"
printf 'over %s\\n' "$#"
"""
_START = "\x01"  # Ctrl-A: to the beginning of the line


@dataclass(slots=True)
class Shell:
    """A shell that has just been started, in a folder of its own."""

    terminal: Terminal
    name: str

    def press_tab(self, line: str) -> list[str]:
        """Type a line, press TAB, and return the words that a command would get then."""
        self.terminal.type(f"{line}\t")
        self.terminal.type(f"{_START}show-words \r")
        read = len(self.terminal.written)
        self.terminal.wait_for("over ")
        return re.findall(r"<(.*)>\r", self.terminal.written[read:])

    def show_offers(self, line: str, *, until: str) -> str:
        """Type a line, press TAB twice, and return what appears up to some text."""
        read = len(self.terminal.written)
        self.terminal.type(f"{line}\t\t")
        self.terminal.wait_for(until)
        self.terminal.type("\x03")
        return self.terminal.written[read:]

    def run(self, line: str, then: str) -> None:
        """Run a command, and wait for what it prints."""
        self.terminal.type(f"{line}\r")
        self.terminal.wait_for(then)


@contextmanager
def open_shell(name: str, home: Home, folder: Path) -> Iterator[Shell]:
    """Start a shell for which a person has installed completion, as the manual says."""
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    show = programs / "show-words"
    show.write_text(_SHOW)
    show.chmod(0o755)
    (folder / ".zshrc").touch()  # without it zsh asks questions
    path = f"{programs}:{Path(sys.executable).parent}:{home.environment()['PATH']}"
    variables = home.environment() | {"HOME": str(folder), "PATH": path, "PWD": str(folder)}
    command = ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), *SHELLS[name]]
    with open_terminal(command, variables, size=(120, 50)) as terminal:
        Shell(terminal, name).run("mazzo --install-completion", "completion installed in")
    with open_terminal(command, variables, size=(120, 50)) as terminal:
        yield Shell(terminal, name)
