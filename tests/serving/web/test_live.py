"""Pages that change while a tournament is played: one stream of the platform for all of them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import grpc

from mazzo.v1 import standings_pb2, tournament_pb2
from mazzo_server.serving.web import make_app
from mazzo_server.serving.web.rendering import OVER
from mazzo_server.serving.web.standing_pages import LiveTournaments
from support.web_pages import Page, check_page, open_browser

RUNNING = tournament_pb2.TOURNAMENT_STATE_RUNNING


def make_error(code: grpc.StatusCode) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, grpc.aio.Metadata(), grpc.aio.Metadata(), "refused")


class Played:
    """Services of a platform that plays one tournament, match after match, as a test says."""

    def __init__(self, *, token: str = "", refuses: bool = False) -> None:
        self.token = token
        self.state: tournament_pb2.TournamentState = RUNNING
        self.is_revoked = False
        self.streams = self.most_streams = 0
        self.rendered = 0
        self._refuses = refuses  # to be watched, as another process plays it
        self._played = 0
        self._news: asyncio.Queue[bool] = asyncio.Queue()

    def play(self, *, last: bool = False) -> None:
        self._played += 1
        if last:
            self.state = tournament_pb2.TOURNAMENT_STATE_FINISHED
        self._news.put_nowait(last)

    def tell(self, tournament: tournament_pb2.Tournament) -> str:
        self.rendered += 1
        return f"played\n{tournament.matches_played}"

    async def watch_tournament(
        self, _: int
    ) -> AsyncIterator[tournament_pb2.WatchTournamentResponse]:
        if self._refuses:
            raise make_error(grpc.StatusCode.FAILED_PRECONDITION)
        self.streams += 1
        self.most_streams = max(self.most_streams, self.streams)
        try:
            while True:
                last = await self._news.get()
                yield tournament_pb2.WatchTournamentResponse(matches_played=self._played)
                if last:
                    return
        finally:
            self.streams -= 1

    async def get_course(self, number: int) -> standings_pb2.GetCourseResponse:
        return standings_pb2.GetCourseResponse()

    async def get_tournament(self, number: int) -> tournament_pb2.Tournament:
        if self.is_revoked:
            raise make_error(grpc.StatusCode.UNAUTHENTICATED)
        return tournament_pb2.Tournament(
            id=number,
            name="Live",
            variant="briscola/2",
            state=self.state,
            matches_played=self._played,
            matches_total=10,
        )


def make_hub() -> LiveTournaments:
    return LiveTournaments(pause=0.01, look=0.01, beat=60.0)


async def until(true: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def listen(
    hub: LiveTournaments, services: Any, got: list[str], *, after: str | None = None
) -> None:
    async for event in hub.watch(services, 1, services.tell, after=after):
        got.append(event)


def test_all_watchers_share_one_stream_and_each_change_is_rendered_once() -> None:
    async def work() -> None:
        hub, services = make_hub(), Played()
        got: list[list[str]] = [[] for _ in range(50)]
        tasks = [asyncio.create_task(listen(hub, services, one)) for one in got]
        await until(lambda: services.streams)
        services.play()
        await until(lambda: all(got))
        assert services.streams == services.most_streams == 1
        assert services.rendered == 1
        services.play(last=True)
        async with asyncio.timeout(20):
            await asyncio.gather(*tasks)
        assert got == [got[0]] * 50
        assert got[0][0] == "id: 1\nevent: part\ndata: played\ndata: 1\n\n"
        last = f"id: {len(got[0]) - 1}\nevent: part\ndata: played\ndata: 2\n\n"
        assert got[0][-2:] == [last, OVER]
        assert services.streams == 0

    asyncio.run(work())


def test_who_comes_back_is_told_what_it_has_missed_and_nothing_twice() -> None:
    async def work() -> None:
        hub, services = make_hub(), Played()
        stays: list[str] = []
        staying = asyncio.create_task(listen(hub, services, stays))
        services.play()
        await until(lambda: stays)
        for after in (None, "0", "nonsense"):
            async with aclosing(hub.watch(services, 1, services.tell, after=after)) as events:  # type: ignore[arg-type]
                assert await anext(events) == stays[0]
        async with aclosing(hub.watch(services, 1, services.tell, after="1")) as events:  # type: ignore[arg-type]
            waiting = asyncio.ensure_future(anext(events))
            services.play()
            async with asyncio.timeout(20):
                assert (await waiting).startswith("id: 2\n")
        staying.cancel()

    asyncio.run(work())


def test_what_nobody_watches_is_not_followed() -> None:
    async def work() -> None:
        hub, services = make_hub(), Played()
        async with aclosing(hub.watch(services, 1, services.tell, after=None)) as events:  # type: ignore[arg-type]
            services.play()
            await anext(events)
            assert services.streams == 1
        await until(lambda: not services.streams)

    asyncio.run(work())


def test_a_broken_page_ends_the_events_of_all() -> None:
    """A browser asks again, later; it is not told that the tournament is over."""

    def fail(_: tournament_pb2.Tournament) -> str:
        raise ValueError

    async def work() -> None:
        hub, services = make_hub(), Played()
        services.play()
        async with asyncio.timeout(20):
            assert [event async for event in hub.watch(services, 1, fail, after=None)] == []  # type: ignore[arg-type]

    asyncio.run(work())


def test_what_another_process_plays_is_looked_after_without_a_stream() -> None:
    """Bug: its page was told that it is over, and was loaded anew without end."""

    async def work() -> None:
        hub, services = make_hub(), Played(refuses=True)
        got: list[str] = []
        task = asyncio.create_task(listen(hub, services, got))
        await until(lambda: len(got) > 3)
        assert OVER not in got
        services.state = tournament_pb2.TOURNAMENT_STATE_FINISHED
        async with asyncio.timeout(20):
            await task
        assert got[-1] == OVER

    asyncio.run(work())


def test_rights_that_are_taken_away_end_the_events_of_their_owner_alone() -> None:
    async def work() -> None:
        hub, first, second = make_hub(), Played(token="ann's"), Played(token="bob's")
        got: list[list[str]] = [[], []]
        tasks = [
            asyncio.create_task(listen(hub, services, one))
            for services, one in zip((first, second), got, strict=True)
        ]
        await until(lambda: first.streams and second.streams)
        first.is_revoked = True
        first.play(last=True)
        second.play()
        async with asyncio.timeout(20):
            await tasks[0]
        assert OVER not in got[0]
        await until(lambda: got[1])
        assert not tasks[1].done()
        tasks[1].cancel()

    asyncio.run(work())


def test_a_page_is_told_where_its_events_are_and_only_while_it_is_played() -> None:
    async def work() -> None:
        services = Played()
        async with open_browser(make_app(services)) as client:  # type: ignore[arg-type]
            page = Page((await client.get("/tournaments/1")).text)
            check_page(page)
            (address,) = (at["data-events"] for _, at in page.elements if "data-events" in at)
            assert address == "/tournaments/1/events"
            asking = asyncio.ensure_future(client.get(address))
            await until(lambda: services.streams)
            services.play(last=True)
            answer = await asking
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            assert 'data: <p class="lead">' in answer.text
            assert "1 of 10 matches" in answer.text
            assert answer.text.endswith(OVER)
            assert "data-events" not in (await client.get("/tournaments/1")).text
            assert (await client.get(address)).text == OVER  # for who was away meanwhile

    asyncio.run(work())
