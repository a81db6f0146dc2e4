"""Memory that is no longer used goes back to the machine."""

from __future__ import annotations

import asyncio

from mazzo_server.serving.memory import keep_memory_small

MIB = 2**20


def test_memory_is_trimmed_after_it_has_grown() -> None:
    """And only then: it costs time, and there is nothing to gain from what is in use."""
    measured = iter([50, 57, 58, 55, 60, 62, 63, 40, 47, 48, 41])  # two of them after a trim
    looked: list[int] = []
    trimmed: list[int] = []

    async def main() -> None:
        done = asyncio.Event()

        def measure() -> int:
            value = next(measured, None)
            if value is None:
                done.set()
                return 0
            looked.append(value)
            return value * MIB

        async with (
            asyncio.timeout(60.0),
            keep_memory_small(
                interval=0.0, measure=measure, trim=lambda: trimmed.append(looked[-1])
            ),
        ):
            await done.wait()

    asyncio.run(main())
    # 58 came down to 55, and 63 to 40; then 48 is 8 more than 40.
    assert trimmed == [58, 63, 48]
