"""Challenges in the pages: who asks for one and cancels it, and what is refused."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.storage import TournamentStatus
from support.callers import MANIFEST, PATIENCE, ServedPlatform, serve_callers
from support.stored_rows import add_tournament, qualify
from support.web_forms import find_csrf, log_in, post, read_alert, run
from support.web_pages import Page, check_page, open_browser


def add_remote(served: ServedPlatform, name: str, owner: str) -> None:
    """A bot without files, which plays briscola/2 from elsewhere."""
    served.store.add_version(
        name,
        content_hash="",
        manifest=replace(MANIFEST, name=name),
        create_time=1.0,
        owner=owner,
        remote=True,
    )


def test_an_author_challenges_a_bot_and_cancels_on_the_page(tmp_path: Path) -> None:
    """Others see it, without the button; strangers see no form."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        add_remote(served, "kims", "alice")
        await log_in(served, client, "alice")
        page = await client.get("/bots/robot")
        check_page(Page(page.text))
        assert "Challenge it" in page.text
        csrf = find_csrf(page)
        sent = await post(client, "/bots/robot/challenge", bot=" kims@1 ", groups="3", csrf=csrf)
        assert (sent.status_code, sent.headers["Location"]) == (303, "/challenges")
        (row,) = served.store.challenges(since=0.0)
        assert row.definition.challenge is not None
        assert (row.definition.challenge.author, row.definition.hero) == ("alice", "kims")
        assert row.definition.groups == 3
        listed = await client.get("/challenges")
        check_page(Page(listed.text))
        assert "kims v1 against robot v1" in listed.text
        assert "you have asked for 1. An author may ask for 20 a day" in listed.text
        assert f'action="/challenges/{row.id}/cancel"' in listed.text
        assert (await client.get(f"/tournaments/{row.id}")).status_code == 200
        await log_in(served, client, "bob")
        listed = await client.get("/challenges")
        assert "kims v1 against robot v1" in listed.text
        assert "/cancel" not in listed.text
        csrf = find_csrf(await client.get("/bots/robot"))
        refused = await post(client, f"/challenges/{row.id}/cancel", csrf=csrf)
        assert refused.status_code == 403
        assert "was asked for by alice, not by bob" in read_alert(refused)
        check_page(Page(refused.text))
        await log_in(served, client, "alice")
        csrf = find_csrf(await client.get("/challenges"))
        for forged in ("", "guessed"):
            path = f"/challenges/{row.id}/cancel"
            assert (await post(client, path, csrf=forged)).status_code == 403
        assert served.store.tournament(row.id).status is TournamentStatus.CREATED
        done = await post(client, f"/challenges/{row.id}/cancel", csrf=csrf)
        assert (done.status_code, done.headers["Location"]) == (303, "/challenges")
        assert served.store.tournament(row.id).status is TournamentStatus.CANCELLED
        client.cookies.clear()
        assert "Challenge it" not in (await client.get("/bots/robot")).text
        assert (await post(client, "/bots/robot/challenge", bot="kims")).status_code == 403

    run(tmp_path, body)


def test_pages_without_a_log_in_offer_every_bot_for_a_challenge(tmp_path: Path) -> None:
    """Bug: they offered none, as they know no name of a visitor."""

    async def work() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            serve_callers(tmp_path, isolation="none") as served,
            open_channel(served.port) as channel,
        ):
            qualify(served.store, "ann")
            services = Services.from_channel(channel, token=served.tokens["alice"])
            site = Site.on_this_machine("127.0.0.1", (await services.get_caller()).role)
            async with open_browser(make_app(services, site)) as client:
                assert '<option value="ann">' in (await client.get("/bots/ann")).text

    asyncio.run(work())


@pytest.mark.parametrize(
    ("form", "status", "told"),
    [
        ({"bot": "nobody"}, 404, "nobody"),
        ({"bot": ""}, 404, "bot"),
        ({}, 404, "bot"),
        ({"bot": "<b>@x"}, 400, "your bot: expected a bot, or a bot and its version"),
        ({"bot": "kims@99"}, 404, "no version 99"),
        ({"bot": "kims@999999999"}, 404, "no version"),
        ({"bot": "kims@9999999999"}, 400, "expected a bot, or a bot and its version"),
        ({"bot": "robot"}, 403, "belongs to the organiser"),
        ({"bot": "kims", "version": "1"}, 403, "who chooses its version"),
        ({"bot": "kims", "variant": "bridge/4"}, 400, "bridge"),
        ({"bot": "kims", "groups": "1000000000"}, 400, "from 1 to 500"),
        (
            {"bot": "kims", "groups": "0"},
            400,
            "mirror groups: expected a whole number from 1 to 500",
        ),
        ({"bot": "kims", "groups": "²"}, 400, "from 1 to 500"),
    ],
)
def test_a_challenge_that_cannot_be_is_told_on_the_page(
    tmp_path: Path, form: dict[str, str], status: int, told: str
) -> None:
    """With what was typed, as text; nothing is stored."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        add_remote(served, "kims", "alice")
        await log_in(served, client, "alice")
        csrf = find_csrf(await client.get("/bots/robot"))
        refused = await post(client, "/bots/robot/challenge", csrf=csrf, **form)
        check_page(Page(refused.text))
        assert refused.status_code == status
        assert told in read_alert(refused)
        assert "<b>" not in refused.text
        assert served.store.challenges(since=0.0) == []

    run(tmp_path, body)


def test_numbers_that_no_challenge_has_are_told(tmp_path: Path) -> None:
    """And what is no challenge is not cancelled by an organiser who mistypes."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        number = add_tournament(served.store)
        await log_in(served, client, "organiser")
        csrf = find_csrf(await client.get("/bots/robot"))
        for path in ("9", "4294967295", "x", "²", "9" * 5000):
            assert (await post(client, f"/challenges/{path}/cancel", csrf=csrf)).status_code == 404
        refused = await post(client, f"/challenges/{number}/cancel", csrf=csrf)
        assert "expected the number of a challenge" in read_alert(refused)
        assert served.store.tournament(number).status is TournamentStatus.CREATED
        for place in ("x", "-1", "9" * 50):
            assert (await client.get(f"/challenges?from={place}")).status_code == 400

    run(tmp_path, body)
