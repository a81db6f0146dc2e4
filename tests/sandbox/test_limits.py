"""Sandboxes: what a hostile bot may use up."""

from __future__ import annotations

import asyncio
from pathlib import Path

from mazzo_server.sandbox import Launch, Limits, Sandbox, open_sandbox
from mazzo_server.settings import Isolation
from support.sandboxed_runs import MIB, line, reported, started, write


def test_limits_hold_from_the_first_instruction(bubblewrap: Sandbox, launch: Launch) -> None:
    """Memory, files, their number and size: each bound, each hard."""
    code = """
        import json, os, resource
        limits = [resource.getrlimit(getattr(resource, "RLIMIT_" + name))
                  for name in ("DATA", "NPROC", "NOFILE", "FSIZE", "CORE")]
        def fails(action):
            try:
                action()
            except (MemoryError, OSError, ValueError) as error:
                return type(error).__name__
        def hoard():
            files = [open("/dev/null") for _ in range(100)]
        def grow():
            with open("/tmp/big", "wb", buffering=0) as file:
                for _ in range(10):
                    file.write(bytes(1 << 18))
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        def allow_no_core():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        hungry = [fails(lambda: bytearray(200 << 20)), fails(hoard), fails(grow)]
        print(json.dumps([limits, *hungry, fails(allow_no_core)]))
        """
    limits = Limits(memory_bytes=100 * MIB, processes=20, open_files=50, file_bytes=MIB)
    found, memory, files, size, core = reported(bubblewrap, launch, code, limits)
    assert found == [[n, n] for n in (100 * MIB, 20, 50, MIB, 1)]
    assert (memory, files, size) == ("MemoryError", "OSError", "OSError")
    # With 0 a crash would be handed to a program of the host, where the kernel is told to.
    assert core == "ValueError"  # as Python calls it


def test_forks_are_bounded_for_each_instance(bubblewrap: Sandbox, launch: Launch) -> None:
    """Also where the platform is root; one instance's processes do not count for another."""
    write(
        launch,
        """
        import os, time
        made = 0
        try:
            for _ in range(200):
                if os.fork() == 0:
                    time.sleep(600)
                made += 1
        except OSError:
            pass
        print("made", made, flush=True)
        time.sleep(600)
        """,
    )

    async def main() -> list[str]:
        limits = Limits(processes=30)
        both = [await started(bubblewrap, launch, limits) for _ in range(2)]
        try:
            return [await line(process, "made") for process in both]
        finally:
            for process in both:
                await process.kill()

    # The others of the 30 are the bot itself, its first process and, as root, bwrap outside.
    assert set(asyncio.run(main())) <= {"made 27", "made 28"}


def test_locks_are_not_counted_by_the_kernel(bubblewrap: Sandbox, launch: Launch) -> None:
    """Bug: with a hundred thousand of them on a common file, nobody could close it fast."""
    write(
        launch,
        """
        import fcntl, os, time
        file = os.open("/usr/bin/env", os.O_RDONLY)
        fcntl.lockf(file, fcntl.LOCK_SH)
        for hole in range(2000, 0, -2):
            fcntl.lockf(file, fcntl.LOCK_UN, 1, hole)
        print("ready", flush=True)
        time.sleep(600)
        """,
    )

    inode = Path("/usr/bin/env").stat().st_ino

    async def list_locks(way: Sandbox) -> list[str]:
        process = await started(way, launch)
        try:
            await line(process, "ready")
            locks = await asyncio.to_thread(Path("/proc/locks").read_text)
            return [lock for lock in locks.splitlines() if f":{inode} " in lock]
        finally:
            await process.kill()

    assert asyncio.run(list_locks(bubblewrap)) == []
    # Or the attack would be none.
    assert len(asyncio.run(list_locks(open_sandbox(Isolation.NONE)))) > 900
