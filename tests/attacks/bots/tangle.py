"""Leaves in its scratch what is hard to clear away, and ways out of it."""

from __future__ import annotations

import os

from attacks.bots.attempt import PLAN, play, say


def main() -> None:
    scratch = os.environ["TMPDIR"]
    os.symlink(PLAN["outside"], f"{scratch}/folder")
    os.symlink(f"{PLAN['outside']}/kept", f"{scratch}/file")
    os.mkdir(f"{scratch}/shut")
    os.symlink(PLAN["outside"], f"{scratch}/shut/folder")
    os.mkfifo(f"{scratch}/pipe")
    os.chmod(f"{scratch}/shut", 0)
    with open(os.fsencode(scratch) + b"/\xff\n\x1b[2J", "w") as file:
        file.write("odd")
    os.chdir(scratch)
    for _ in range(PLAN["deep"]):
        os.mkdir("d")
        os.chdir("d")
    os.chdir("/")
    say("tangle", "left")
    os.chmod(scratch, 0o500)
    play()


if __name__ == "__main__":
    main()
