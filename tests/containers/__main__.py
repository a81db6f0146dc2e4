"""`make test-docker`: an engine of its own, every image built, every bot attacked inside."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from containers.images import ROOT, build_all
from containers.private_engine import private_engine

_MOST = 250_000_000  # bytes of the Python runtime, without its base
_TESTS = ("tests/containers", "tests/attacks", "tests/playing/test_fair_cpu.py")
_MEGABYTE = 1_000_000


def main() -> int:
    """Returns the exit status: 2 where it cannot run, 1 when a test fails."""
    if os.geteuid() != 0:
        print("test-docker needs root, as it starts a container engine: sudo make test-docker")
        return 2
    missing = [program for program in ("dockerd", "debootstrap") if shutil.which(program) is None]
    if missing:
        print(
            f"test-docker expected {' and '.join(missing)}, got none: install them, on Debian with "
            "`apt-get install docker.io debootstrap`"
        )
        return 2
    with private_engine() as (client, address):
        sizes = build_all(client, ROOT / ".containers")
        for tag, (whole, base) in sizes.items():
            own = (whole - base) / _MEGABYTE
            print(f"{tag}: {own:.0f} MB, and its base {base / _MEGABYTE:.0f} MB", flush=True)
        whole, base = sizes["mazzo-bot-python"]
        if whole - base >= _MOST:
            print(f"expected mazzo-bot-python to be under {_MOST / _MEGABYTE:.0f} MB")
            return 1
        return subprocess.run(
            [sys.executable, "-m", "pytest", *_TESTS, *sys.argv[1:]],
            cwd=ROOT,
            env=os.environ | {"DOCKER_HOST": address, "MAZZO_TEST_ISOLATION": "docker"},
            check=False,
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
