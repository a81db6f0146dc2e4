"""Whose requests are read when more come without a token than may be read at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from mazzo_server.errors import LimitReachedError
from mazzo_server.serving.hosting.unread import UnreadRequests


def find_sent_away(most: int, addresses: Sequence[str]) -> list[int]:
    """Return which of the requests were sent away; they come one by one, and none is ever whole."""

    async def main() -> list[int]:
        unread = UnreadRequests(most)
        sent_away: list[int] = []

        async def read(index: int) -> None:
            try:
                async with unread.hold(addresses[index]):
                    await asyncio.Event().wait()
            except LimitReachedError:
                sent_away.append(index)

        async with asyncio.TaskGroup() as group:
            tasks = []
            for index in range(len(addresses)):
                tasks.append(group.create_task(read(index)))
                for _ in range(5):
                    await asyncio.sleep(0)
                assert len(unread) <= most
            for task in tasks:
                task.cancel()
        assert len(unread) == 0
        return sent_away

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("addresses", "sent_away"),
    [
        ("aaa", []),
        ("aaaa", [0]),
        ("aaab", [0]),
        ("aabc", [0]),
        ("abca", [0]),
        ("abcd", [0]),
        ("aaabbb", [0, 1, 3]),
        ("baaa", [1]),
    ],
)
def test_the_oldest_of_the_address_that_has_most_has_to_go(
    addresses: str, sent_away: list[int]
) -> None:
    """Bug: 16 requests that never ended shut out all others that had no token for 10 s."""
    assert find_sent_away(3, addresses) == sent_away


def test_a_request_that_is_whole_leaves_its_place() -> None:
    async def main() -> None:
        unread = UnreadRequests(1)
        for _ in range(3):
            async with unread.hold("a"):
                assert len(unread) == 1
            assert len(unread) == 0

    asyncio.run(main())


def test_who_is_sent_away_is_told_when_to_come_again() -> None:
    unread = UnreadRequests(1)

    async def read() -> None:
        async with unread.hold("a"):
            await asyncio.sleep(0.01)

    async def main() -> None:
        first = asyncio.create_task(read())
        await asyncio.sleep(0)
        await read()
        with pytest.raises(LimitReachedError) as refused:
            await first
        assert refused.value.retry_seconds == 1.0
        assert str(refused.value) == (
            "expected at most 1 requests without a token on their way, got one more: "
            "try again in 1 s, and send it whole at once"
        )

    asyncio.run(main())
