"""Pages that change while a tournament is played: one stream of the platform for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

from mazzo.v1 import tournament_pb2
from mazzo_server.serving.web import make_app
from mazzo_server.serving.web.standing_pages import LiveTournaments, live
from support.web_pages import Page, check_page, open_browser

RUNNING = tournament_pb2.TOURNAMENT_STATE_RUNNING


class Played:
    """Services of a platform that plays one tournament, match after match, as a test says."""

    token = ""

    def __init__(self, *, state: tournament_pb2.TournamentState = RUNNING) -> None:
        self.state = state
        self.streams = 0
        self.looks = 0
        self._played = 0
        self._news: asyncio.Queue[bool] = asyncio.Queue()

    def play(self, *, last: bool = False) -> None:
        self._played += 1
        self._news.put_nowait(last)

    async def watch_tournament(
        self, _: int
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        self.streams += 1
        try:
            while True:
                last = await self._news.get()
                yield tournament_pb2.WatchTournamentResponse(matches_played=self._played)
                if last:
                    return
        finally:
            self.streams -= 1

    async def get_tournament(self, number: int) -> tournament_pb2.Tournament:
        self.looks += 1
        return tournament_pb2.Tournament(
            id=number,
            name="Live",
            variant="briscola/2",
            state=self.state,
            matches_played=self._played,
            matches_total=10,
        )


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_PAUSE", 0.01)


def tell(tournament: tournament_pb2.Tournament) -> str:
    return f"played\n{tournament.matches_played}"


async def listen(
    hub: LiveTournaments, services: Any, got: list[str], *, after: str | None = None
) -> None:
    async for event in hub.watch(services, 1, tell, after=after):
        got.append(event)


def test_all_watchers_share_one_stream_and_each_change_is_rendered_once() -> None:
    async def work() -> None:
        hub, services = LiveTournaments(), Played()
        got: list[list[str]] = [[] for _ in range(50)]
        tasks = [asyncio.create_task(listen(hub, services, one)) for one in got]
        await asyncio.sleep(0.05)
        assert services.streams == 1
        services.play()
        await asyncio.sleep(0.1)
        services.play(last=True)
        async with asyncio.timeout(10):
            await asyncio.gather(*tasks)
        assert got == [got[0]] * 50
        assert got[0][0] == "id: 1\nevent: standing\ndata: played\ndata: 1\n\n"
        assert got[0][-2:] == [
            "id: 2\nevent: standing\ndata: played\ndata: 2\n\n",
            "event: over\ndata: \n\n",
        ]
        assert services.looks == 2
        assert services.streams == 0

    asyncio.run(work())


def test_who_comes_back_is_told_what_it_has_missed_and_nothing_twice() -> None:
    async def work() -> None:
        hub, services = LiveTournaments(), Played()
        stays: list[str] = []
        staying = asyncio.create_task(listen(hub, services, stays))
        await asyncio.sleep(0.01)
        services.play()
        await asyncio.sleep(0.1)
        for after, count in ((None, 1), ("0", 1), ("1", 0), ("nonsense", 1)):
            back: list[str] = []
            coming = asyncio.create_task(listen(hub, services, back, after=after))
            await asyncio.sleep(0.05)
            coming.cancel()
            assert len(back) == count, after
        assert not staying.done()
        staying.cancel()

    asyncio.run(work())


def test_what_nobody_watches_is_not_followed() -> None:
    async def work() -> None:
        hub, services = LiveTournaments(), Played()
        async with aclosing(hub.watch(services, 1, tell, after=None)) as events:  # type: ignore[arg-type]
            services.play()
            await anext(events)
            assert services.streams == 1
        async with asyncio.timeout(10):
            while services.streams:  # noqa: ASYNC110
                await asyncio.sleep(0.01)

    asyncio.run(work())


def test_a_broken_page_ends_the_events_of_all() -> None:
    def fail(_: tournament_pb2.Tournament) -> str:
        raise ValueError

    async def work() -> None:
        hub, services = LiveTournaments(), Played()
        services.play()
        async with asyncio.timeout(10):
            got = [event async for event in hub.watch(services, 1, fail, after=None)]  # type: ignore[arg-type]
        assert got == ["event: over\ndata: \n\n"]

    asyncio.run(work())


def test_a_page_is_told_where_its_events_are_and_only_while_it_is_played() -> None:
    async def work() -> None:
        services = Played()
        async with open_browser(make_app(services)) as client:  # type: ignore[arg-type]
            page = Page((await client.get("/tournaments/1")).text)
            check_page(page)
            (address,) = (at["data-events"] for _, at in page.elements if "data-events" in at)
            assert address == "/tournaments/1/events"
            services.play(last=True)
            answer = await client.get(address)
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            assert 'data: <p class="lead">' in answer.text
            assert "1 of 10 matches" in answer.text
            assert answer.text.endswith("event: over\ndata: \n\n")
            services.state = tournament_pb2.TOURNAMENT_STATE_FINISHED
            assert "data-events" not in (await client.get("/tournaments/1")).text
            assert (await client.get(address)).status_code == 204

    asyncio.run(work())
