"""Memory that is no longer used goes back to the machine."""

from __future__ import annotations

import asyncio

from mazzo_server.serving.memory import keep_memory_small

MIB = 2**20


def run(measured: list[int]) -> list[int]:
    """What stood before each trim, of a process that is so large at each look, in MiB."""
    sizes, looked, trimmed = iter(measured), [0], list[int]()

    async def main() -> None:
        done = asyncio.Event()

        def measure() -> int:
            size = next(sizes, None)
            if size is None:
                done.set()
                return 0
            looked.append(size)
            return size * MIB

        async with (
            asyncio.timeout(60.0),
            keep_memory_small(
                interval=0.0, measure=measure, trim=lambda: trimmed.append(looked[-1])
            ),
        ):
            await done.wait()

    asyncio.run(main())
    return trimmed


def test_memory_is_trimmed_while_it_is_larger_than_before() -> None:
    """Not once alone: what a flood has taken may still be in use at the first trim."""
    assert run([50, 57, *(58, 57), 51, *(70, 69), *(69, 68), *(68, 52), 57, 40, 47, *(48, 47)]) == [
        *(58, 70, 69, 68, 48)
    ]


def test_memory_that_stays_in_use_is_left_alone() -> None:
    """But for one trim in twelve looks, each of which takes time."""
    assert run([50] * 13) == [50]
    assert run([50, *[80] * 24, *[85] * 12]) == [*[80] * 12, 85]
