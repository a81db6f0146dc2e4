"""Sandboxes: what a hostile bot may use up."""

from __future__ import annotations

import asyncio

from mazzo_server.sandbox import Launch, Limits, Sandbox
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
            except (MemoryError, OSError) as error:
                return type(error).__name__
        def hoard():
            files = [open("/dev/null") for _ in range(100)]
        def grow():
            with open("/tmp/big", "wb", buffering=0) as file:
                for _ in range(10):
                    file.write(bytes(1 << 18))
        import signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        print(json.dumps([limits, fails(lambda: bytearray(200 << 20)), fails(hoard), fails(grow)]))
        """
    limits = Limits(memory_bytes=100 * MIB, processes=20, open_files=50, file_bytes=MIB)
    found, memory, files, size = reported(bubblewrap, launch, code, limits)
    assert found == [[n, n] for n in (100 * MIB, 20, 50, MIB, 0)]
    assert (memory, files, size) == ("MemoryError", "OSError", "OSError")


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
