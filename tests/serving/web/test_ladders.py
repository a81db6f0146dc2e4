"""The pages of ladders: what they show of a season, and who plays next and why."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import ladder_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Entrant
from mazzo_server.results.commentary import ENDED_SEASON, format_lead, list_newest_rows
from mazzo_server.serving.grpc.messages import encode_ladder
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.storage import MemoryStore, TournamentStatus
from mazzo_server.tournaments.ladders.members import enter_version
from mazzo_server.tournaments.running.director import Director
from support.callers import PATIENCE, ServedPlatform, serve_callers
from support.in_process_bots import PromptSpec
from support.manual_tournaments import list_ladder_options
from support.scripted_tournaments import Arena
from support.web_pages import ROOT, Page, check_page, open_browser


async def play_ladder(store: MemoryStore, matches: int) -> None:
    """Play a ladder of three bots, and stop after so many matches."""

    def stop(director: Director) -> None:
        if director.progress.matches_played >= matches:
            director.stop()

    result = await Arena(Path()).run(
        [PromptSpec()] * 3, store=store, progressed=stop, **list_ladder_options()
    )
    assert result.error is None


def browse(
    folder: Path, body: Callable[[ServedPlatform, httpx.AsyncClient], Awaitable[None]]
) -> None:
    """Let a browser that can log in visit the pages."""

    async def work() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            serve_callers(folder, isolation="none", public=True) as served,
            open_channel(served.port) as channel,
        ):
            app = make_app(Services.from_channel(channel), Site.parse(ROOT))
            async with open_browser(app) as client:
                await body(served, client)

    asyncio.run(work())


def test_without_a_ladder_the_page_says_so(tmp_path: Path) -> None:
    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        page = await client.get("/ladders")
        check_page(Page(page.text))
        assert "There is no ladder yet." in page.text
        for wrong in ("/ladders/1", "/ladders/x", "/ladders/99999999999999999999"):
            assert (await client.get(wrong)).status_code == 404

    browse(tmp_path, body)


def test_a_season_shows_its_table_and_who_plays_next(tmp_path: Path) -> None:
    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await play_ladder(served.store, 100)
        listed = await client.get("/ladders")
        check_page(Page(listed.text))
        assert 'href="/ladders/1"' in listed.text
        assert 'href="/ladders/1"' in (await client.get("/")).text
        page = await client.get("/ladders/1")
        check_page(Page(page.text))
        shown = re.findall(r'(?<=</th>\n<td class="number">)[-0-9.]+', page.text)
        ratings = [float(text) for text in shown]
        assert len(ratings) == 3
        assert ratings == sorted(ratings, reverse=True)
        for bot in ("bot-00", "bot-01", "bot-02"):
            assert f'href="/bots/{bot}"' in page.text
        assert "Who plays next" in page.text
        with pytest.raises(InvalidInputError, match="expected 0, for no final, or 2 or more"):
            await served.platform.unrated.ladders.end_season("briscola/2", finalists=1)
        served.store.set_status(1, TournamentStatus.FINISHED, end_time=2.0)
        page = await client.get("/ladders/1")
        assert "Who plays next" not in page.text
        assert "over: 3 bots" in page.text
        assert ENDED_SEASON in page.text
        season = await served.platform.unrated.ladders.show("briscola/2")
        assert not any(row.HasField("trend") for row in encode_ladder(season).rows)
        assert 'href="/ladders/1"' not in (await client.get("/")).text

    browse(tmp_path, body)


def test_watchers_share_a_table_until_something_changes(tmp_path: Path) -> None:
    """Of a long season it takes seconds to make; but a pause shows at once."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await play_ladder(served.store, 40)
        show = partial(served.platform.unrated.ladders.show, "briscola/2")
        first, second = await asyncio.gather(show(max_age=9.0), show(max_age=9.0))
        assert first is second is await show(max_age=9.0)
        assert await show() is not first
        served.store.set_status(1, TournamentStatus.PAUSED)
        assert (await show(max_age=9.0)).row.status is TournamentStatus.PAUSED

    browse(tmp_path, body)


def test_of_versions_that_have_not_met_the_page_says_so(tmp_path: Path) -> None:
    """The crosstable of a ladder has no cell for them."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await play_ladder(served.store, 40)
        row = served.store.tournament(1)
        new = Entrant(name="dora@1", version=1, content_hash="1" * 64)
        served.store.amend(1, enter_version(row.definition, 9_999, entrant=new, inherited=None))
        names = [entrant.name for entrant in row.definition.entrants]
        met = await client.get(f"/tournaments/1/head-to-head/{names[0]}/{names[1]}")
        assert met.status_code == 200
        unmet = await client.get(f"/tournaments/1/head-to-head/{names[0]}/dora@1")
        assert unmet.status_code == 404
        assert "have not met on this ladder" in unmet.text, unmet.text

    browse(tmp_path, body)


@pytest.mark.parametrize(
    ("surer", "is_level", "shown"),
    [(0.6, True, "level"), (0.6, False, "60.0%"), (0.95, True, "95.0%"), (None, False, "–")],
)
def test_neighbours_that_cannot_be_told_apart_are_called_level(
    surer: float | None, is_level: bool, shown: str
) -> None:
    """But not those of whom it is known who is better, however little."""
    row = ladder_pb2.LadderRow(surer_than_next=surer, level_with_next=is_level)
    assert format_lead(row, confidence=0.9) == shown


def test_versions_that_newer_ones_have_replaced_are_not_shown_first() -> None:
    """A season has any number of them, and an organiser wants to see who plays."""

    def make_row(bot: str, version: int, **others: Any) -> ladder_pb2.LadderRow:
        return ladder_pb2.LadderRow(bot=bot, version=version, **others)

    shown = [
        make_row("ann", 3, rank=2, active=True),
        make_row("ann", 2, rank=3, active=True),
        make_row("dora", 1, rank=3, active=True),
        make_row("bob", 2, rank=7),
        make_row("bob", 4, withdrawn="did not start"),
        make_row("cleo", 1),
    ]
    replaced = [make_row("ann", 1, rank=1), make_row("bob", 1, rank=6), make_row("bob", 3)]
    found = list_newest_rows([*shown, *replaced])
    assert [row for _, row in found] == shown
    assert [rank for rank, _ in found] == [1, 2, 2, 4, 0, 0]
    everybody = list_newest_rows([*shown, *replaced], with_replaced=True)
    assert everybody == [(row.rank, row) for row in [*shown, *replaced]]
