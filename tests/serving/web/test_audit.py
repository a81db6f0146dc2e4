"""The audit in the pages: asked for by a button, for organisers alone, accusing nobody."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from mazzo_server.errors import PlatformError
from mazzo_server.model import Definition
from mazzo_server.results.standings import Audit, compute_audit
from mazzo_server.serving.web.rendering import OVER
from mazzo_server.stats import Tables
from mazzo_server.tournaments import overview
from serving.web.test_general_pages import serve_club
from support.audited_tournaments import add_audited
from support.callers import ServedPlatform
from support.web_forms import FORM, log_in
from support.web_pages import Page, check_page

ADDRESS = "/tournaments/1/audit"


@asynccontextmanager
async def serve_audited(
    folder: Path, *, groups: int = 6, gift: int = 30
) -> AsyncIterator[tuple[ServedPlatform, httpx.AsyncClient]]:
    """A platform with a finished tournament, and the browser of its organiser."""
    async with serve_club(folder) as (served, client):
        add_audited(served.store, groups=groups, gift=gift)
        await log_in(served, client, "organiser")
        yield served, client


async def press(client: httpx.AsyncClient, address: str = ADDRESS) -> httpx.Response:
    """Press the button of the page."""
    csrf = re.search('name="csrf" value="([^"]+)"', (await client.get(address)).text)
    assert csrf
    return await client.post(address, content=urlencode({"csrf": csrf[1]}), headers=FORM)


async def wait_for_end(client: httpx.AsyncClient) -> str:
    """Follow the audit as the page does; return the events."""
    return (await client.get(f"{ADDRESS}/events")).text


def words_of(page: str) -> str:
    main = page[page.index("<main") : page.index("</main")]
    return " ".join(re.sub("<[^>]+>", " ", main).split())


def test_an_organiser_asks_and_sees_it(tmp_path: Path) -> None:
    """Promise: what stands out, what it may mean, where to look, and the command's table."""

    async def work() -> None:
        async with serve_audited(tmp_path) as (_, client):
            assert ADDRESS in Page((await client.get("/tournaments/1")).text).list_links()
            before = (await client.get(ADDRESS)).text
            check_page(Page(before))
            assert "Audit this tournament" in before
            assert "What stands out is no proof" in before
            asked = await press(client)
            assert (asked.status_code, asked.headers["Location"]) == (303, ADDRESS)
            assert (await wait_for_end(client)).endswith(OVER)
            shown = (await client.get(ADDRESS)).text
            check_page(Page(shown))
            words = words_of(shown)
            assert "bot-02 does much worse against bot-04 than the results of all others" in words
            assert "it is no proof of anything. Look at their matches: bot-04 against" in words
            assert "there would stand out, 19 times in 20: " in words
            assert "Of 360 matches. mazzo audit 1 --json" in words
            assert "/tournaments/1/head-to-head/bot-04/bot-02" in Page(shown).list_links()
            for word in ("cheat", "collu", "guilty", "suspect"):
                assert word not in shown.lower()
            assert shown.count('<th scope="row">') == 11
            assert "Audit it anew" not in shown
            assert "refresh" not in shown
            whole = (await client.get(f"{ADDRESS}?all=1")).text
            assert whole.count('<th scope="row">') == 15

    asyncio.run(work())


def test_while_it_is_computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise: the page says so, comes again by itself with and without scripts, and asks once."""
    may_end, begun = asyncio.Event(), []

    async def wait_and_compute(definition: Definition, tables: Tables) -> Audit:
        begun.append(1)
        await may_end.wait()
        return await compute_audit(definition, tables)

    monkeypatch.setattr(overview, "compute_audit", wait_and_compute)

    async def work() -> None:
        async with serve_audited(tmp_path) as (_, client):
            first = await client.get(ADDRESS)
            csrf = re.search('name="csrf" value="([^"]+)"', first.text)
            assert csrf
            form = urlencode({"csrf": csrf[1]})
            for _ in range(2):
                await client.post(ADDRESS, content=form, headers=FORM)
            page = (await client.get(ADDRESS)).text
            check_page(Page(page))
            assert "It is being computed, since 0 s" in page
            assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page
            assert f'data-events="{ADDRESS}/events"' in page
            assert "live.js" in page
            following = asyncio.create_task(wait_for_end(client))
            while not begun:  # noqa: ASYNC110 (the platform has no event for it)
                await asyncio.sleep(0.01)
            may_end.set()
            events = await following
            assert "It is being computed" in events
            assert events.endswith(OVER)
            assert "bot-02 does much worse" in (await client.get(ADDRESS)).text
            assert len(begun) == 1

    asyncio.run(work())


def test_only_organisers(tmp_path: Path) -> None:
    """Promise: nobody else sees a link, asks, or is shown what an organiser has asked for."""

    async def work() -> None:
        async with serve_audited(tmp_path) as (served, client):
            await press(client)
            await wait_for_end(client)
            await log_in(served, client, "alice")
            assert ADDRESS not in (await client.get("/tournaments/1")).text
            csrf = re.search('name="csrf" value="([^"]+)"', (await client.get("/bots")).text)
            assert csrf
            form = urlencode({"csrf": csrf[1]})
            answers = [
                await client.get(ADDRESS),
                await client.get(f"{ADDRESS}/events"),
                await client.post(ADDRESS, content=form, headers=FORM),
            ]
            client.cookies.clear()  # a stranger is led to the log-in
            answers += [await client.get(ADDRESS), await client.get(f"{ADDRESS}/events")]
            assert [answer.status_code for answer in answers] == [403, 403, 403, 303, 303]
            assert all("bot-02" not in answer.text for answer in answers)

    asyncio.run(work())


def test_what_is_refused(tmp_path: Path) -> None:
    """Promise: forms of other sites, and tournaments that there are not."""

    async def work() -> None:
        async with serve_audited(tmp_path) as (_, client):
            assert (await client.post(ADDRESS, content="", headers=FORM)).status_code == 403
            assert (await client.get("/tournaments/9/audit")).status_code == 404
            assert (await client.get("/tournaments/x/audit")).status_code == 404
            assert "Audit this tournament" in (await client.get(ADDRESS)).text

    asyncio.run(work())


def test_an_audit_that_fails_says_why_and_may_be_asked_for_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise: the platform's reason, and the button."""

    async def fail(*_: object) -> Audit:
        raise PlatformError("the audit of 6 entrants was not <done> in 1 s")

    async def work() -> None:
        async with serve_audited(tmp_path, groups=1, gift=0) as (_, client):
            monkeypatch.setattr(overview, "compute_audit", fail)
            await press(client)
            await wait_for_end(client)
            shown = (await client.get(ADDRESS)).text
            assert (
                "There is no audit: the audit of 6 entrants was not &lt;done&gt; in 1 s." in shown
            )
            monkeypatch.setattr(overview, "compute_audit", compute_audit)
            await press(client)
            await wait_for_end(client)
            words = words_of((await client.get(ADDRESS)).text)
            assert "Too little to tell" in words
            assert "stand out" not in words

    asyncio.run(work())


def test_few_wait_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Promise: the platform makes one after the other, and the pages let no crowd wait for it."""
    may_end = asyncio.Event()

    async def wait_and_compute(definition: Definition, tables: Tables) -> Audit:
        await may_end.wait()
        return await compute_audit(definition, tables)

    monkeypatch.setattr(overview, "compute_audit", wait_and_compute)

    async def work() -> None:
        async with serve_audited(tmp_path, groups=1, gift=0) as (served, client):
            for _ in range(5):
                add_audited(served.store, groups=1)
            statuses = [
                (await press(client, f"/tournaments/{number}/audit")).status_code
                for number in range(1, 7)
            ]
            assert statuses == [303] * 5 + [429]
            may_end.set()
            await wait_for_end(client)

    asyncio.run(work())
