"""Trials that many people watch cost the platform no more than one does."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from starlette.responses import StreamingResponse

from mazzo_server.serving.web.bot_pages import LiveTrials
from mazzo_server.serving.web.rendering import OVER, render_event
from mazzo_server.serving.web.visitors import send_parts


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


def test_only_a_change_is_sent_and_the_end_only_when_it_is_one() -> None:
    """Promise: a page is loaded anew at the end, and comes again when the platform was away."""

    async def list_parts(*parts: str) -> AsyncGenerator[str, None]:
        for part in parts:
            if part == "away":
                raise TimeoutError
            yield part

    async def send(*parts: str) -> list[str]:
        answer = send_parts(list_parts(*parts), ignored=re.compile(r"\d+ s"))
        assert isinstance(answer, StreamingResponse)
        return [str(event) async for event in answer.body_iterator]

    first, other = render_event(0, "a 5 s"), render_event(2, "b 3 s")
    still = ": still here\n\n"
    assert asyncio.run(send("a 5 s", "a 4 s", "b 3 s")) == [first, still, other, OVER]
    assert asyncio.run(send("a 5 s", "away")) == [first]
