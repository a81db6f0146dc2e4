"""Fills its scratch, with few large files or with many empty ones."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from attacks.bots.attempt import PLAN, play, say

MIB = 1024 * 1024
SCRATCH = Path(os.environ["TMPDIR"])


def large_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    written, largest, block = 0, 0, bytes(MIB // 4)
    for number in range(PLAN["files"]):
        size = 0
        try:
            with open(SCRATCH / str(number), "wb", buffering=0) as file:
                while (size + written) < PLAN["goal"]:
                    size += file.write(block)
        except OSError as error:
            outcome = type(error).__name__
        else:
            outcome = "all of it"
        written += size
        largest = max(largest, size)
    say("largest file", str(largest))
    say("written", f"{written}: {outcome}")


def many_files() -> None:
    made = 0
    try:
        for made in range(PLAN["files"]):
            os.close(os.open(SCRATCH / f"{made}", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except OSError as error:
        say("files", f"{made}: {type(error).__name__}")
    else:
        say("files", f"{made + 1}: all of them")


if __name__ == "__main__":
    play({"large": large_files, "many": many_files}[PLAN["way"]])
