"""Keeps every processor busy for as long as it lives."""

from __future__ import annotations

import os

from attacks.bots.attempt import play, say
from attacks.bots.kernel import SIGCHLD, call


def spin() -> None:
    spinners = 2 * (os.cpu_count() or 1)
    for _ in range(spinners):
        if call("clone", SIGCHLD, 0, 0, 0, 0) == 0:
            while True:
                pass
    say("spinners", str(spinners))


if __name__ == "__main__":
    play(spin)
