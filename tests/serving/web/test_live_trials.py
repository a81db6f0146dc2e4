"""Trials that many people watch cost the platform no more than one does."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from mazzo_server.serving.web.bot_pages import LiveTrials


class Looks:
    """What is found at a trial, look after look, and how often somebody looked."""

    def __init__(self, *found: str) -> None:
        self._found = found
        self.count = 0

    async def look(self) -> str:
        await asyncio.sleep(0)
        self.count += 1
        found = self._found[self.count - 1]
        if found == "away":
            raise TimeoutError
        return found


async def watch(live: LiveTrials, looks: Looks, token: str = "") -> list[str]:
    return [part async for part in live.watch(token, "ann", 1, looks.look)]


def test_one_look_is_for_all_who_watch() -> None:
    async def work() -> None:
        live, looks = LiveTrials(pause=0.01), Looks("begins", "half of it", "half of it", "")
        seen = await asyncio.gather(*(watch(live, looks) for _ in range(50)))
        assert seen == [["begins", "half of it", "half of it"]] * 50
        assert looks.count == 4

    asyncio.run(work())


def test_other_rights_are_other_looks() -> None:
    """Promise: nobody is shown what the platform told somebody else."""

    async def work() -> None:
        live, alice, stranger = LiveTrials(pause=0.01), Looks("all", ""), Looks("a part", "")
        seen = await asyncio.gather(watch(live, alice, "alice"), watch(live, stranger))
        assert list(seen) == [["all"], ["a part"]]

    asyncio.run(work())


def test_who_leaves_takes_nothing_from_the_others() -> None:
    async def work() -> None:
        live, looks = LiveTrials(pause=0.01), Looks("begins", "half of it", "")
        staying = asyncio.create_task(watch(live, looks))
        leaving = asyncio.create_task(watch(live, looks))
        while looks.count < 1:  # noqa: ASYNC110
            await asyncio.sleep(0)
        leaving.cancel()
        assert await staying == ["begins", "half of it"]

    asyncio.run(work())


def test_what_nobody_watches_is_not_looked_at() -> None:
    async def work() -> None:
        live, looks = LiveTrials(pause=0.01), Looks("begins", "never")
        async with aclosing(live.watch("", "ann", 1, looks.look)) as parts:
            assert await anext(parts) == "begins"
        await asyncio.sleep(0.03)
        assert looks.count == 1
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(work())


def test_a_platform_that_is_away_ends_it_for_all_and_the_next_look_is_a_new_one() -> None:
    async def work() -> None:
        live, looks = LiveTrials(pause=0.01), Looks("away", "begins", "")
        with pytest.raises(TimeoutError):
            await watch(live, looks)
        assert await watch(live, looks) == ["begins"]

    asyncio.run(work())
