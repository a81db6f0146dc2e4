"""A terminal whose whole screen a command uses, and every key as it is pressed."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

__all__ = ["KeyDecoder", "Screen", "has_screen", "take_screen"]

_ENTER = "\x1b[?1049h\x1b[?25l"  # the other screen, without a cursor
_LEAVE = "\x1b[?25h\x1b[?1049l"
_ESCAPE_SECONDS = 0.05  # seconds, after which an escape character is a key by itself
_MOST = 1024  # bytes that are read at once
_SEQUENCE = re.compile(r"\x1b(?:\[[0-9;?]*[@-~]|O[@-~])")
_BEGUN = re.compile(r"\x1b(?:\[[0-9;?]*|O)?")
_NAMES: Final = {
    "[A": "up",
    "[B": "down",
    "[C": "right",
    "[D": "left",
    "[H": "home",
    "[F": "end",
    "OA": "up",
    "OB": "down",
    "OC": "right",
    "OD": "left",
    "OH": "home",
    "OF": "end",
    "[1~": "home",
    "[4~": "end",
    "[5~": "page up",
    "[6~": "page down",
    "[7~": "home",
    "[8~": "end",
    "[Z": "back tab",
    "\t": "tab",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\b": "backspace",
    "\x04": "end of input",  # Ctrl-D
}


class KeyDecoder:
    """Decodes keys from a terminal's bytes: characters, or names such as "page up"."""

    def __init__(self) -> None:
        """Begin without bytes."""
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="ignore").decode
        self._begun = ""  # of an incomplete sequence

    @property
    def waits(self) -> bool:
        """Whether the bytes so far may be the beginning of a key."""
        return bool(self._begun)

    def feed(self, data: bytes) -> list[str]:
        """Return the keys that are complete now; unknown sequences are dropped."""
        text, keys = self._begun + self._decode(data), list[str]()
        self._begun = ""
        while text:
            if found := _SEQUENCE.match(text):
                name = _NAMES.get(found[0][1:])
                keys += [name] if name else []
                text = text[found.end() :]
            elif _BEGUN.fullmatch(text):
                self._begun = text
                break
            else:
                keys.append(_NAMES.get(text[0], "escape" if text[0] == "\x1b" else text[0]))
                text = text[1:]
        return keys

    def flush(self) -> list[str]:
        """Return the keys of an incomplete sequence that goes no further."""
        begun, self._begun = self._begun, ""
        return ["escape"] if begun else []


class Screen:
    """The whole terminal, while a command uses it."""

    def __init__(self, news: int) -> None:
        """`news` is a file descriptor that becomes readable when the size changes."""
        self._news = news
        self._decoder = KeyDecoder()
        self._clear = "\x1b[2J"

    @property
    def size(self) -> tuple[int, int]:
        """Return columns and rows, at least one of each."""
        columns, rows = os.get_terminal_size(sys.stdout.fileno())
        return columns or 80, rows or 24

    def draw(self, rows: Sequence[str]) -> None:
        """Show the rows: as many as the screen has."""
        # Erase a row before writing: afterwards, a full row would lose its last letter.
        sys.stdout.write(self._clear + "\x1b[H" + "\r\n".join(f"\x1b[2K{row}" for row in rows))
        sys.stdout.flush()
        self._clear = ""

    def read_keys(self) -> list[str]:
        """Wait for keys and return them; none when the size has changed.

        The end of the input is the key "end of input".
        """
        stdin = sys.stdin.fileno()
        wait = _ESCAPE_SECONDS if self._decoder.waits else None
        ready, _, _ = select.select([stdin, self._news], [], [], wait)
        if self._news in ready:
            os.read(self._news, _MOST)
            self._clear = "\x1b[2J"
        if stdin in ready:
            try:
                data = os.read(stdin, _MOST)
            except OSError:  # the terminal is gone
                data = b""
            return self._decoder.feed(data) if data else ["end of input"]
        return [] if ready else self._decoder.flush()


def has_screen() -> bool:
    """Tell whether a person sits at a terminal that can show a screen and send keys."""
    terminal = sys.stdin.isatty() and sys.stdout.isatty()
    return terminal and os.environ.get("TERM", "dumb") not in ("", "dumb", "unknown")


@contextmanager
def take_screen() -> Iterator[Screen]:
    """Use the whole terminal, and restore it at the end, whatever happens.

    Raises `KeyboardInterrupt` at Ctrl-C, and when the terminal goes away.
    """
    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    news, tell = os.pipe()
    os.set_blocking(tell, False)
    resized = signal.signal(signal.SIGWINCH, lambda *_: None)
    wakeup = signal.set_wakeup_fd(tell, warn_on_full_buffer=False)
    try:
        tty.setcbreak(stdin, termios.TCSADRAIN)  # keys that were pressed before count
        _ignore_stop_keys(stdin)
        sys.stdout.write(_ENTER)
        yield Screen(news)
    finally:
        interrupt = signal.signal(
            signal.SIGINT, signal.SIG_IGN
        )  # only after everything is restored
        with suppress(OSError, ValueError):  # the terminal may be gone
            sys.stdout.write(_LEAVE)
            sys.stdout.flush()
        with suppress(termios.error):
            termios.tcsetattr(stdin, termios.TCSADRAIN, before)
        signal.set_wakeup_fd(wakeup)
        signal.signal(signal.SIGWINCH, resized)
        signal.signal(signal.SIGINT, interrupt)
        os.close(news)
        os.close(tell)


def _ignore_stop_keys(stdin: int) -> None:
    """Ignore Ctrl-Z and Ctrl-backslash, which would leave the screen to a shell as it is."""
    attributes = termios.tcgetattr(stdin)
    for key in (termios.VSUSP, termios.VQUIT):
        attributes[6][key] = bytes([os.fpathconf(stdin, "PC_VDISABLE")])
    termios.tcsetattr(stdin, termios.TCSADRAIN, attributes)
