"""The pages of bots: who sees and does what, what a form submits, how a trial is followed."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.model import TrialReport
from mazzo_server.serving.grpc import open_embedded
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.settings import Isolation, Settings
from mazzo_server.storage import open_store
from mazzo_server.tournaments.ladders.members import make_versions
from support.callers import ServedPlatform
from support.finished_tournaments import define, finish
from support.manual_tournaments import definition_of, list_ladder_options
from support.sample_bots import write_bot
from support.stored_rows import add_version, qualify, trial_of
from support.web_forms import FORM, find_csrf, log_in, post, read_alert, run
from support.web_pages import ROOT, Page, check_page, open_browser

EDGE = b"edge-of-a-part"
MULTIPART = {"Content-Type": f"multipart/form-data; boundary={EDGE.decode()}"}


class Trial:
    """A trial that is played until a test lets it end."""

    def __init__(self) -> None:
        self.end = asyncio.Event()

    async def play(
        self, *_: object, on_progress: Callable[[str], None], **__: object
    ) -> TrialReport:
        on_progress("match 1 of 1: briscola/2")
        await self.end.wait()
        return trial_of(qualified=("briscola/2",))


def write_form(csrf: str, archive: bytes | None) -> bytes:
    """What a browser sends of the form, with a file or without its part."""
    parts = [b'Content-Disposition: form-data; name="csrf"\r\n\r\n' + csrf.encode()]
    if archive is not None:
        head = b'Content-Disposition: form-data; name="archive"; filename="a.zip"'
        parts.append(head + b"\r\nContent-Type: application/zip\r\n\r\n" + archive)
    return b"".join(b"--" + EDGE + b"\r\n" + part + b"\r\n" for part in parts) + (
        b"--" + EDGE + b"--\r\n"
    )


async def submit(
    client: httpx.AsyncClient, csrf: str, archive: bytes | None, **headers: str
) -> httpx.Response:
    return await client.post(
        "/submit", content=write_form(csrf, archive), headers=MULTIPART | headers
    )


def test_the_reasons_of_a_failed_trial_are_for_its_owner(tmp_path: Path) -> None:
    """With its logs; another author sees that it failed, and what was tried."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "alice")
        own = await client.get("/bots/ann/versions/1")
        check_page(Page(own.text))
        for told in ("fails its trial", "holding the Ad", "mend: look at the Ad", "my hand: Ad"):
            assert told in own.text
        assert "failed its trial" in (await client.get("/bots/ann/logs")).text
        assert "Retire ann" in (await client.get("/bots/ann")).text
        await log_in(served, client, "bob")
        other = await client.get("/bots/ann/versions/1")
        assert "fails its trial" in other.text
        assert "why, its owner and the organiser are told" in other.text
        assert "the Ad" not in other.text
        assert "Retire" not in (await client.get("/bots/ann")).text
        refused = await client.get("/bots/ann/logs")
        assert (refused.status_code, "the Ad" in refused.text) == (403, False)
        client.cookies.clear()
        assert (await client.get("/bots/ann/logs")).status_code == 303  # to the log-in
        assert (await client.get("/bots/ann/versions/2")).status_code == 303

    run(tmp_path, body)


@pytest.mark.parametrize("number", ["2", "0", "one", "²", "9" * 5000, "-1"])
def test_a_version_that_there_is_not_is_told(tmp_path: Path, number: str) -> None:
    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "alice")
        assert (await client.get(f"/bots/ann/versions/{number}")).status_code == 404

    run(tmp_path, body)


def test_an_owner_chooses_versions_and_retires_the_bot(tmp_path: Path) -> None:
    """Nobody else does, and what the platform refuses is told on the page."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "alice")
        csrf = find_csrf(await client.get("/bots/ann"))
        refused = await post(client, "/bots/ann/activate", version="1", csrf=csrf)
        assert refused.status_code == 409
        assert "not qualified" in read_alert(refused)
        qualify(served.store, "ann")
        taken = await post(client, "/bots/ann/activate", version="1", csrf=csrf)
        assert (taken.status_code, taken.headers["Location"]) == (303, "/bots/ann#owner")
        assert "as chosen" in (await client.get("/bots/ann")).text
        await log_in(served, client, "bob")
        csrf = find_csrf(await client.get("/submit"))
        refused = await post(client, "/bots/ann/retire", csrf=csrf)
        assert refused.status_code == 403
        assert "belongs to alice" in read_alert(refused)
        await log_in(served, client, "alice")
        csrf = find_csrf(await client.get("/bots/ann"))
        for forged in ("", "guessed"):
            assert (await post(client, "/bots/ann/retire", csrf=forged)).status_code == 403
        row = served.store.bot("ann")
        assert row is not None
        assert not row.retired
        assert (await post(client, "/bots/ann/retire", csrf=csrf)).status_code == 303
        row = served.store.bot("ann")
        assert row is not None
        assert row.retired
        assert "is retired" in (await client.get("/bots/ann")).text

    run(tmp_path, body)


def test_an_owner_lets_a_bot_leave_a_ladder_and_join_it(tmp_path: Path) -> None:
    """Nobody else does, and of ladders that it does not play nothing is said."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        add_version(served.store, "cleo")
        for bot in ("ann", "cleo"):
            qualify(served.store, bot)
        entrants = make_versions(define([("ann", 1), ("cleo", 1)]).entrants)
        season = definition_of(entrants=entrants, **list_ladder_options(2))
        served.store.add_tournament(season, concurrency=1, create_time=1.0)
        await log_in(served, client, "alice")
        form = {"variant": "briscola/2", "csrf": find_csrf(await client.get("/bots/ann"))}
        for act, then in (("leave", "Join"), ("join", "Leave")):
            taken = await post(client, f"/bots/ann/{act}-ladder", **form)
            assert (taken.status_code, taken.headers["Location"]) == (303, "/bots/ann#owner")
            page = await client.get("/bots/ann")
            check_page(Page(page.text))
            assert f"<button>{then} the ladder of briscola/2</button>" in page.text
            refused = await post(client, f"/bots/ann/{act}-ladder", **form)
            assert refused.status_code in {404, 409}
            read_alert(refused)
            on_it = '<a href="/ladders/1">ladder of briscola/2</a></p>' in page.text
            assert on_it == (then == "Leave")
        other = (await client.get("/bots/cleo")).text
        assert '<a href="/ladders/1">ladder of briscola/2</a></p>' in other  # not ranked yet
        assert "the ladder of briscola/2</button>" not in other
        assert '<option value="ann">' in other  # with which she may challenge it
        assert '<option value="cleo">' not in other
        refused = await post(client, "/bots/cleo/leave-ladder", **form)
        assert refused.status_code == 403
        assert "belongs to" in read_alert(refused)
        for variant in ("briscola/3", "", "x"):
            refused = await post(client, "/bots/ann/join-ladder", **{**form, "variant": variant})
            assert refused.status_code in {400, 404}
            read_alert(refused)
        forged = await post(client, "/bots/ann/leave-ladder", **{**form, "csrf": "guessed"})
        assert forged.status_code == 403

    run(tmp_path, body)


def test_what_is_no_number_does_nothing(tmp_path: Path) -> None:
    """Promise: neither a bug of the pages, nor some other version."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "alice")
        csrf = find_csrf(await client.get("/bots/ann"))
        qualify(served.store, "ann")
        assert (await post(client, "/bots/ann/activate", version="1", csrf=csrf)).status_code == 303
        for text in ("9999999999", "4294967296", "-1", "1.5", "²", "x", ""):
            refused = await post(client, "/bots/ann/activate", version=text, csrf=csrf)
            assert (refused.status_code, "the number of a version" in refused.text) == (400, True)
            if text:
                unknown = await post(client, f"/bots/ann/versions/{text}/trial", csrf=csrf)
                assert unknown.status_code == 404, text
        row = served.store.bot("ann")
        assert row is not None
        assert row.chosen == 1

    run(tmp_path, body)


def test_who_is_not_logged_in_sends_nothing(tmp_path: Path) -> None:
    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        there = await client.get("/submit")
        assert there.headers["Location"].startswith("/login?to=")
        csrf = find_csrf(await client.get(there.headers["Location"]))
        for act in ("retire", "activate", "versions/1/trial", "join-ladder", "leave-ladder"):
            refused = await post(client, f"/bots/ann/{act}", csrf=csrf)
            assert (refused.status_code, 'role="alert"' in refused.text) == (403, False), act
        assert (await submit(client, csrf, b"x")).status_code == 403

    run(tmp_path, body)


def test_a_bot_is_submitted_by_a_form_and_its_trial_followed(tmp_path: Path) -> None:
    """Without JavaScript the page loads itself anew; with it, it gets events."""
    trial = Trial()
    archive = pack(write_bot(tmp_path, "new-bot"))

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "bob")
        csrf = find_csrf(await client.get("/submit"))
        taken = await submit(client, csrf, archive)
        assert taken.status_code == 303
        place = taken.headers["Location"]
        assert place == "/bots/new-bot/versions/1"
        page = await client.get(place)
        assert "Its trial is being played: match 1 of 1: briscola/2" in page.text
        assert '<noscript><meta http-equiv="refresh"' in page.text
        assert f'data-events="{place}/events"' in page.text
        again = await post(client, f"{place}/trial", csrf=csrf)
        assert again.status_code == 409
        assert "is being played" in read_alert(again)
        trial.end.set()
        events = await client.get(f"{place}/events")  # it ends with the trial
        assert events.text.startswith(("id: 0\nevent: part\n", "event: over"))
        assert events.text.endswith("event: over\ndata: \n\n")
        page = await client.get(place)
        assert "It passes its trial" in page.text
        assert "refresh" not in page.text
        row = served.store.bot("new-bot")
        assert row is not None
        assert row.owner == "bob"
        trial.end.clear()
        again = await post(client, f"{place}/trial", csrf=csrf)
        assert again.headers["Location"] == place
        assert "being played" in (await client.get("/bots/new-bot")).text
        trial.end.set()

    run(tmp_path, body, play=trial.play)


def test_what_is_refused_is_told_on_the_form(tmp_path: Path) -> None:
    """No file, half a file, no bot, and a bot of somebody else; nothing of it is kept."""
    theirs = pack(write_bot(tmp_path, "ann"))

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "bob")
        csrf = find_csrf(await client.get("/submit"))
        for archive, status, told in (
            (b"", 400, "expected a file"),
            (None, 400, "expected a file"),
            (b"no archive", 400, "expected a zip archive"),
            (theirs, 403, "submit yours under another name"),
        ):
            refused = await submit(client, csrf, archive)
            assert (refused.status_code, told in read_alert(refused)) == (status, True)
            check_page(Page(refused.text))
        half = write_form(csrf, theirs)[:-40]
        refused = await client.post("/submit", content=half, headers=MULTIPART)
        assert "not all of it" in read_alert(refused)
        other = await client.post("/submit", content=b"csrf=x", headers=FORM)
        assert "expected a form with a file" in read_alert(other)
        assert len(served.store.versions("ann")) == 1
        while served.platform.bots.uploads.receiving:  # noqa: ASYNC110 - a call is given up
            await asyncio.sleep(0)

    run(tmp_path, body)


def test_a_form_of_another_site_submits_nothing(tmp_path: Path) -> None:
    """Any page that a browser shows can send a form to this machine, and to any server."""
    trial = Trial()
    archive = pack(write_bot(tmp_path, "new-bot"))

    async def visit(client: httpx.AsyncClient) -> None:
        csrf = find_csrf(await client.get("/submit"))
        assert (await submit(client, "guessed", archive)).status_code == 403
        for headers in (
            {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-site"},  # another port of this machine
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Origin": "http://["},
        ):
            assert (await submit(client, csrf, archive, **headers)).status_code == 403
        client.cookies.clear()
        assert (await submit(client, csrf, archive)).status_code == 403

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        async with open_channel(served.socket) as channel:
            async with open_browser(make_app(Services.from_channel(channel))) as own:
                await visit(own)
                assert served.store.bot("new-bot") is None
                csrf = find_csrf(await own.get("/submit"))
                cookie = (await own.get("/submit")).headers.get("Set-Cookie", "")
                assert not cookie or ("httponly" in cookie and "samesite=strict" in cookie)
                good = {"Sec-Fetch-Site": "same-origin", "Origin": ROOT}
                assert (await submit(own, csrf, archive, **good)).status_code == 303
                trial.end.set()
            # Where there are no forms, nobody submits: nor are there the reasons of trials.
            app = make_app(Services.from_channel(channel), Site(has_forms=False))
            async with open_browser(app) as files:
                assert (await files.get("/submit")).status_code == 404
                assert (await files.get("/bots/ann/logs")).status_code == 404
                shown = await files.get("/bots/ann/versions/1")
                assert "fails its trial" in shown.text
                assert "the Ad" not in shown.text
                assert "<form" not in (await files.get("/bots/ann")).text

    run(tmp_path, body, play=trial.play)


def test_a_huge_upload_is_refused_early_and_never_held(tmp_path: Path) -> None:
    """The platform takes 48 MiB; of 200 some more are read, so that the browser hears why."""
    sent = 0

    async def send(csrf: str) -> AsyncIterator[bytes]:
        nonlocal sent
        whole = write_form(csrf, b"PK")
        yield whole[: whole.index(b"PK") + 2]
        for _ in range(200):
            sent += 1
            yield bytes(1024 * 1024)
        yield whole[whole.index(b"PK") + 2 :]

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "bob")
        csrf = find_csrf(await client.get("/submit"))
        refused = await client.post("/submit", content=send(csrf), headers=MULTIPART)
        assert refused.status_code == 413
        assert "expected an archive of at most 48 MiB" in read_alert(refused)
        assert sent < 150

    run(tmp_path, body)


def test_no_form_makes_it_fail(tmp_path: Path) -> None:
    """Forms with bytes that are lost, doubled or others: no answer is a failure of ours."""
    generator = random.Random(20)
    archive = pack(write_bot(tmp_path, "ann"))[:300]  # no whole one: nothing is ever taken

    def spoil(form: bytes) -> bytes:
        for _ in range(generator.randrange(1, 4)):
            begin, end = sorted(generator.choices(range(len(form)), k=2))
            kinds = (b"", form[begin:end] * 2, generator.randbytes(end - begin))
            form = form[:begin] + generator.choice(kinds)[:5000] + form[end:]
            form = form or b"-"
        return form

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "bob")
        csrf = find_csrf(await client.get("/submit"))
        statuses = set()
        for _ in range(150):
            form = spoil(write_form(csrf, archive))
            answer = await client.post("/submit", content=form, headers=MULTIPART)
            statuses.add(answer.status_code)
            form = spoil(urlencode({"csrf": csrf, "version": "1"}).encode())
            answer = await client.post("/bots/ann/activate", content=form, headers=FORM)
            statuses.add(answer.status_code)
        assert max(statuses) < 500
        assert {400, 403} <= statuses
        for kind in ("", "multipart/form-data", "multipart/form-data; boundary=" + "x" * 500):
            headers = {"Content-Type": kind}
            answer = await client.post("/submit", content=b"--x\r\n", headers=headers)
            assert answer.status_code == 400
        assert len(served.store.bots()) == 2

    run(tmp_path, body)


@asynccontextmanager
async def browse(folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with (
        open_embedded(Settings(home=folder), isolation=Isolation.NONE) as address,
        open_channel(address) as channel,
        open_browser(make_app(Services.from_channel(channel))) as client,
    ):
        yield client


def test_meetings_are_those_of_all_tournaments_by_variant(tmp_path: Path) -> None:
    """As their crosstables have them, whichever versions met; filters lead to the matches."""
    store = open_store(Settings(home=tmp_path).store)
    for name in ("ann", "ann", "bob", "cid"):
        add_version(store, name)
    pair = [("bob", 1), ("cid", 1)]
    finish(store, define([("ann", 1), *pair], groups=3), 1, best=["ann"])
    finish(store, define([("ann", 2), *pair], groups=4), 2, best=["bob", "ann"])
    finish(store, define([("ann", 1), ("bob", 1)], variant="frusta/2", groups=2), best=["bob"])
    store.close()

    async def work() -> None:
        async with browse(tmp_path) as client:
            page = await client.get("/bots/ann")
            again = await client.get("/bots/ann")
            other = await client.get("/bots/bob")
            chart = await client.get("/bots/ann?variant=frusta/2")
        assert again.text.count("<tr>") == page.text.count("<tr>")  # what is kept is the same
        rows = re.findall(r'<td class="number">(\d+)</td>' * 3 + ".*?>matches</a>", page.text)
        assert rows == [("3", "0", "4"), ("7", "0", "0"), ("0", "0", "2")]
        rows = re.findall(r'<td class="number">(\d+)</td>' * 3 + ".*?>matches</a>", other.text)
        assert rows[0] == ("4", "0", "3")
        assert "in 2 finished tournaments" in page.text
        assert "/matches?bot=ann&opponent=bob&variant=briscola/2" in Page(page.text).list_links()
        assert "ann in briscola/2" in page.text
        assert "ann in frusta/2" in chart.text

    asyncio.run(work())


def test_a_bot_that_can_be_played_against_has_a_link_that_fills_the_form(tmp_path: Path) -> None:
    """Promise: of each bot that is qualified for something and is there."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "bob")
        for name in ("ann", "robot"):  # not qualified, away
            assert "Play against it" not in (await client.get(f"/bots/{name}")).text
        qualify(served.store, "ann")
        page = Page((await client.get("/bots/ann")).text)
        (link,) = [one for one in page.list_links() if one.startswith("/tables?")]
        assert link == "/tables?bots=ann&variant=briscola/2"
        form = await client.get(link)
        assert 'name="bots" value="ann"' in form.text
        assert "<option selected>briscola/2</option>" in form.text

    run(tmp_path, body)
