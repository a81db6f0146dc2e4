"""Running hostile bots in a sandbox of any kind, and looking at what they report."""

from __future__ import annotations

import asyncio
import json
import os
import textwrap
from pathlib import Path
from typing import Any

from mazzo_server.sandbox import Exit, Launch, Limits, Sandbox, SandboxedProcess

SECONDS = 60.0  # no wait in these tests is longer, even on a busy machine
MIB = 1024 * 1024
# Leaves two processes behind, each with a mark in its command line.
DAEMON = """
    import os, subprocess, sys, time
    mark = sys.argv[1]
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", mark])
    if os.fork() == 0:
        {session}
        if os.fork() == 0:
            os.execv(sys.executable, ["python", "-c", "import time; time.sleep(600)", mark])
        os._exit(0)
    print("ready", flush=True)
    {then}
    """


def write(launch: Launch, code: str) -> None:
    (launch.bundle / "bot.py").write_text(textwrap.dedent(code))


async def started(way: Sandbox, launch: Launch, limits: Limits | None = None) -> SandboxedProcess:
    async with asyncio.timeout(SECONDS):
        return await way.start(launch, limits or Limits())


def run(
    way: Sandbox, launch: Launch, code: str, limits: Limits | None = None
) -> tuple[Exit, SandboxedProcess]:
    """Run a bot to its end."""

    async def main() -> tuple[Exit, SandboxedProcess]:
        process = await started(way, launch, limits)
        try:
            async with asyncio.timeout(SECONDS):
                return await process.wait(), process
        finally:
            await process.kill()

    write(launch, code)
    return asyncio.run(main())


def reported(way: Sandbox, launch: Launch, code: str, limits: Limits | None = None) -> Any:
    """What a bot that ends well prints last, as JSON."""
    exit, process = run(way, launch, code, limits)
    assert exit == Exit(code=0, signal=None), process.read_log()
    return json.loads(process.read_log().splitlines()[-1])


async def line(process: SandboxedProcess, text: str) -> str:
    """Wait for a line of the log that holds `text`."""
    async with asyncio.timeout(SECONDS):
        while True:
            for found in process.read_log().splitlines(True):
                if text in found and found.endswith("\n"):
                    return found.strip()
            await asyncio.sleep(0.01)


def alive(mark: str) -> list[int]:
    """The other processes of this machine with `mark` in their command line."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and folder.name != str(os.getpid()):
            try:
                if mark.encode() in (folder / "cmdline").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found
