"""The pages of ladders: what they show of a season, and who plays next and why."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Entrant
from mazzo_server.results import read_standings_with_course
from mazzo_server.results.commentary import ENDED_SEASON
from mazzo_server.results.standings import Course, Standings
from mazzo_server.serving.grpc.messages import encode_ladder
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.storage import MemoryStore, Store, TournamentRow, TournamentStatus
from mazzo_server.tournaments.ladders import ladders as module
from mazzo_server.tournaments.ladders.members import enter_version, make_versions
from support.callers import PATIENCE, ServedPlatform, serve_callers
from support.manual_tournaments import Club, entrants_of, legal, list_ladder_options
from support.stored_rows import manifest_of
from support.web_pages import ROOT, Page, check_page, open_browser


def play_ladder(store: MemoryStore, groups: int) -> None:
    """Play a ladder of three bots that choose at random, so many groups or somewhat more."""
    club = Club(
        store=store,
        entrants=make_versions(entrants_of("bot-00", "bot-01", "bot-02")),
        **list_ladder_options(),
    )
    club.play_rounds(groups, lambda group, seating: legal)


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
        play_ladder(served.store, 50)
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
        as_tournament = await client.get("/tournaments/1")
        check_page(Page(as_tournament.text))
        assert 'has a table of its own and is in no ranking. <a href="/ladders/1">' in (
            as_tournament.text
        )
        with pytest.raises(InvalidInputError, match="expected 0, for no final, or 2 or more"):
            await served.platform.unrated.ladders.end_season("briscola/2", finalists=1)
        served.store.set_status(1, TournamentStatus.FINISHED, end_time=2.0)
        page = await client.get("/ladders/1")
        assert "Who plays next" not in page.text
        assert "over: 3 bots" in page.text
        assert ENDED_SEASON in page.text
        assert "Its final is" not in page.text  # as nobody plays one
        season = await served.platform.unrated.ladders.show("briscola/2")
        assert not any(row.HasField("trend") for row in encode_ladder(season).rows)
        assert 'href="/ladders/1"' not in (await client.get("/")).text

    browse(tmp_path, body)


def test_the_page_of_a_bot_says_where_it_stands_on_ladders(tmp_path: Path) -> None:
    """Logged in or not; and of a table that does not come soon, that it is on it."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        play_ladder(served.store, 50)
        table = Page((await client.get("/ladders/1")).text).text
        for bot in ("bot-00", "bot-01", "bot-02"):
            manifest = manifest_of(bot, games=("briscola/2",))
            served.store.add_version(bot, content_hash="0" * 64, manifest=manifest, create_time=0.0)
            shown = Page((await client.get(f"/bots/{bot}")).text).text
            found = re.search(r"On the ladder of briscola/2: ([123]) of 3", shown)
            assert found, shown
            assert re.search(rf"\b{found[1]}\s+{bot}\b", table)

    browse(tmp_path, body)


def test_a_season_of_another_release_is_shown_and_can_be_ended(tmp_path: Path) -> None:
    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        play_ladder(served.store, 50)
        kept = served.store.schedule(1)
        assert kept is not None
        served.store.keep_schedule(1, re.sub("mazzo-ladder/[0-9]+", "mazzo-ladder/1", kept))
        page = await client.get("/ladders/1")
        check_page(Page(page.text))
        assert "another release of Mazzo has played it" in page.text
        await served.platform.unrated.ladders.end_season("briscola/2", finalists=0, is_last=True)
        assert served.store.tournament(1).status is TournamentStatus.FINISHED
        page = await client.get("/ladders/1")
        assert "over: 3 bots" in page.text

    browse(tmp_path, body)


def test_pages_share_a_table_and_show_replaced_versions_on_demand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def note(store: Store, row: TournamentRow, **named: bool) -> tuple[Standings, Course]:
        read.append(row.id)
        return read_standings_with_course(store, row, **named)

    monkeypatch.setattr(module, "read_standings_with_course", note)

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        play_ladder(served.store, 20)  # too few for the first versions to play on
        row, end = served.store.tournament(1), served.store.next_group(1)
        for bot in ("bot-00", "bot-01"):
            newer = Entrant(name=f"{bot}@9", version=9, content_hash="1" * 64)
            definition = served.store.tournament(1).definition
            amended = enter_version(definition, end, entrant=newer, inherited=None)
            served.store.amend(1, amended)
        first, second, whole = [
            (await client.get(f"/ladders/1{query}")).text for query in ("", "?all=0", "?all=1")
        ]
        assert read == [row.id]
        check_page(Page(first))
        assert first.count("<tr>") == second.count("<tr>") == whole.count("<tr>") - 2
        assert "Show 2 replaced versions, too" in first
        assert "replaced" not in whole

    browse(tmp_path, body)


def test_watchers_share_a_table_until_something_changes(tmp_path: Path) -> None:
    """Of a long season it takes seconds to make; but a pause shows at once."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        play_ladder(served.store, 20)
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
        play_ladder(served.store, 20)
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
