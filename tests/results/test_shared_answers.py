"""Callers who ask the same share one answer, unless it is older than they allow."""

from __future__ import annotations

import asyncio

import pytest

from mazzo_server.results.watching import SharedAnswers


class Source:
    """Answers with how often it was asked, or fails; on a clock that tests set."""

    def __init__(self) -> None:
        self.now = 100.0
        self.asked = 0
        self.fails = False
        self.answers = SharedAnswers[int](now=lambda: self.now)

    async def read(self) -> int:
        self.asked += 1
        await asyncio.sleep(0)
        if self.fails:
            raise ValueError("it is away")
        return self.asked

    async def find(self, key: str = "", *, max_age: float) -> int:
        return await self.answers.find(key, self.read, max_age=max_age)


def test_an_answer_is_shared_until_it_is_older_than_allowed() -> None:
    async def main() -> None:
        source = Source()
        assert await asyncio.gather(*[source.find(max_age=2.0) for _ in range(50)]) == [1] * 50
        source.now += 1.9
        assert await source.find(max_age=2.0) == 1
        assert await source.find(max_age=1.0) == 2
        assert await source.find("another", max_age=9.0) == 3
        for age in (0.0, -1.0, float("nan")):  # what is there now
            before = source.asked
            assert await source.find(max_age=age) == before + 1
        source.now += 3600
        before = source.asked
        assert await source.find(max_age=float("inf")) == before + 1  # none is kept for so long

    asyncio.run(main())


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_a_failure_is_not_kept(is_waited_for: bool) -> None:
    async def main() -> None:
        source = Source()
        source.fails = True
        asking = asyncio.create_task(source.find(max_age=2.0))
        await asyncio.sleep(0)
        if not is_waited_for:
            asking.cancel()
        with pytest.raises(ValueError if is_waited_for else asyncio.CancelledError):
            await asking
        await asyncio.sleep(0.01)
        source.fails = False
        assert await source.find(max_age=2.0) == 2

    asyncio.run(main())


def test_one_who_goes_away_takes_nothing_from_the_others() -> None:
    async def main() -> None:
        source = Source()
        first = asyncio.create_task(source.find(max_age=2.0))
        second = asyncio.create_task(source.find(max_age=2.0))
        await asyncio.sleep(0)
        first.cancel()
        assert (await second, source.asked) == (1, 1)

    asyncio.run(main())
