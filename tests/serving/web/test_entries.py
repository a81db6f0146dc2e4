"""The page of an open tournament: what it tells, and what authors do by its forms."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from mazzo_server.clock import wall_clock
from mazzo_server.model import TournamentRequest
from mazzo_server.storage import EntryRow, Every, RoundEnd, Timetable
from support.callers import ServedPlatform
from support.stored_rows import DEFINITION, manifest_of
from support.web_forms import find_csrf, log_in, post, read_alert, run
from support.web_pages import Page, check_page

HOUR = 3600.0
REQUEST = TournamentRequest(
    variant="briscola/2", groups=4, mirror="off", isolation="none", name="<b>Cup</b>"
)


def add_open(served: ServedPlatform, *bots: str, opens: float = -HOUR, starts: float = HOUR) -> int:
    """One that is played each week; its number."""
    now = wall_clock()
    row = served.store.add_open_tournament(
        REQUEST,
        Timetable(entries_from=now + opens, start_at=now + starts, every=Every.WEEK),
        create_time=now,
        entries=[EntryRow(bot=bot, author="", time=now) for bot in bots],
    )
    return row.id


def test_authors_enter_and_leave_by_the_forms(tmp_path: Path) -> None:
    """Their own bots; the organiser all of them; nobody else gets a form."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        page = f"/entries/{add_open(served, 'robot')}"
        await log_in(served, client, "alice")
        shown = await client.get(page)
        check_page(Page(shown.text))
        assert '<option value="ann">' in shown.text
        assert "robot is away: start its program" in shown.text
        assert "Take robot out" not in shown.text
        assert f'<a href="{page}">' in (await client.get("/tournaments")).text
        csrf = find_csrf(shown)
        answer = await post(client, f"{page}/enter", bot="ann", csrf=csrf)
        assert (answer.status_code, answer.headers["Location"]) == (303, page)
        assert [entry.author for entry in served.store.entries(1) if entry.bot == "ann"] == [
            "alice"
        ]
        shown = await client.get(page)
        check_page(Page(shown.text))
        assert "Take ann out" in shown.text
        assert "<option" not in shown.text
        assert "ann is not qualified" in shown.text
        again = await post(client, f"{page}/enter", bot="ann", csrf=csrf)
        assert (again.status_code, "already" in read_alert(again)) == (409, True)
        await log_in(served, client, "bob")
        assert "Take ann out" not in (await client.get(page)).text
        csrf = find_csrf(await client.get(page))
        for act in ("enter", "leave"):
            refused = await post(client, f"{page}/{act}", bot="ann", csrf=csrf)
            assert (refused.status_code, "belongs to alice" in read_alert(refused)) == (403, True)
        await log_in(served, client, "organiser")
        shown = await client.get(page)
        assert "Take robot out" in shown.text
        answer = await post(client, f"{page}/leave", bot="ann", csrf=find_csrf(shown))
        assert answer.status_code == 303
        assert [entry.bot for entry in served.store.entries(1)] == ["robot"]

    run(tmp_path, body)


def test_forms_of_others_and_of_nobody_are_refused(tmp_path: Path) -> None:
    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        page = f"/entries/{add_open(served)}"
        shown = await client.get(page)
        assert shown.status_code == 200
        assert "<select" not in shown.text
        assert (await post(client, f"{page}/enter", bot="ann", csrf="x")).status_code == 403
        await log_in(served, client, "alice")
        await client.get(page)
        for form in ({"bot": "ann"}, {"bot": "ann", "csrf": "x"}):
            assert (await post(client, f"{page}/enter", **form)).status_code == 403
        assert served.store.entries(1) == []

    run(tmp_path, body, public=True)


@pytest.mark.parametrize("number", ["7", "0", "one", "²", "9" * 5000, "-1"])
def test_an_open_tournament_that_there_is_not_is_told(tmp_path: Path, number: str) -> None:
    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        await log_in(served, client, "alice")
        assert (await client.get(f"/entries/{number}")).status_code == 404
        csrf = find_csrf(await client.get(f"/entries/{add_open(served)}"))
        answer = await post(client, f"/entries/{number}/enter", bot="ann", csrf=csrf)
        assert answer.status_code == 404

    run(tmp_path, body)


def test_odd_names_of_bots_are_no_failure(tmp_path: Path) -> None:
    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        page = f"/entries/{add_open(served)}"
        await log_in(served, client, "alice")
        csrf = find_csrf(await client.get(page))
        for bot in ("", "nobody", "<script>", "\0", "x" * 2000):
            answer = await post(client, f"{page}/enter", bot=bot, csrf=csrf)
            assert answer.status_code in (400, 404), bot
            assert "<script>" not in answer.text.replace('<script src="', "")
            check_page(Page(answer.text))

    run(tmp_path, body)


def test_before_and_after_the_entries_there_are_no_forms_for_authors(tmp_path: Path) -> None:
    """And the page says when it opens, or why it waits, in words."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        soon = f"/entries/{add_open(served, 'ann', opens=HOUR, starts=2 * HOUR)}"
        due = f"/entries/{add_open(served, 'ann', starts=-HOUR / 2)}"
        row = served.store.open_tournament(2)
        served.store.change_open_tournament(
            2, revision=0, timetable=row.timetable, problem="1 bot can play, and 2 are needed"
        )
        await log_in(served, client, "alice")
        for page, state, said in (
            (soon, "announced", "Bots enter from 2"),
            (due, "waiting", "It waits: 1 bot can play"),
        ):
            shown = await client.get(page)
            check_page(Page(shown.text))
            assert f', {state}: <a href="/rules/briscola">briscola/2</a>' in shown.text
            assert said in shown.text
            assert "Take ann out" not in shown.text
            assert "<select" not in shown.text
            csrf = find_csrf(shown)
            answer = await post(client, f"{page}/leave", bot="ann", csrf=csrf)
            assert answer.status_code == 409
        await log_in(served, client, "organiser")
        assert "Take ann out" in (await client.get(due)).text

    run(tmp_path, body)


def test_what_came_of_earlier_rounds_is_linked_and_home_leads_to_what_is_open(
    tmp_path: Path,
) -> None:
    """Names of strangers are text. Home says nothing where nothing is open."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        home = await client.get("/")
        assert "Entries</h2>" not in home.text
        number = add_open(served, "ann")
        home = await client.get("/")
        check_page(Page(home.text))
        assert f'href="/entries/{number}"' in home.text
        assert "&lt;b&gt;Cup" in home.text
        assert "<b>Cup" not in home.text
        row = served.store.open_tournament(number)
        ends = (
            RoundEnd(time=row.create_time, definition=DEFINITION, left_out=("robot",)),
            RoundEnd(time=row.create_time, reason="1 bot can play, and 2 are needed"),
        )
        for revision, end in enumerate(ends):
            served.store.end_round(number, end, row.timetable, revision=revision)
        shown = await client.get(f"/entries/{number}")
        check_page(Page(shown.text))
        assert 'href="/tournaments/1"' in shown.text
        assert "without robot" in shown.text
        assert "not played, since 1 bot can play" in shown.text
        assert "<b>Cup" not in shown.text
        served.store.call_off(number, time=0.0)
        assert "Entries</h2>" not in (await client.get("/")).text
        assert "It is over" in (await client.get(f"/entries/{number}")).text

    run(tmp_path, body, public=True)


def test_hundreds_of_entries_are_a_page(tmp_path: Path) -> None:
    """Of which each is examined."""

    async def body(served: ServedPlatform, client: httpx.AsyncClient) -> None:
        names = [f"bot-{number}" for number in range(300)]
        for name in names:
            served.store.add_version(
                name, content_hash="b" * 64, manifest=manifest_of(name), create_time=1.0
            )
        number = add_open(served, *names)
        shown = await client.get(f"/entries/{number}")
        assert shown.status_code == 200
        assert shown.text.count("is not over; wait for") == len(names)

    run(tmp_path, body, public=True)
