"""People who play in the browser, by forms alone: whole matches, and what nobody else may do."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import httpx
import pytest
from starlette.types import ASGIApp, Message

from mazzo.cards import Card
from mazzo.game import View
from mazzo.games import parse_variant
from mazzo_server.results.commentary import name_card
from mazzo_server.serving.web import Services, Site, make_app
from mazzo_server.serving.web.table_pages import playing
from mazzo_server.serving.web.table_pages.seat_players import SeatPlayer
from support.command import Home
from support.people import TableServer, run_every_kind
from support.web_pages import Page, check_page, open_browser

VARIANTS = (
    "briscola/2",
    "briscola/3",
    "briscola/4",
    "briscola/6",
    "briscola-chiamata",
    "frap/5",
    "frusta",
    "tressette-meta-mazzo",
    "tressette-pizzichino",
)

Body = Callable[[httpx.AsyncClient, TableServer, ASGIApp], Awaitable[None]]


def run(home: Home, body: Body) -> None:
    async def work(server: TableServer) -> None:
        app = make_app(Services.from_channel(server.channel))
        async with open_browser(app) as client:
            client.follow_redirects = True
            await body(client, server, app)

    run_every_kind(home, work)


def find_fields(page: str) -> dict[str, str]:
    """The hidden fields of the page's forms."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))


async def open_table(client: httpx.AsyncClient, variant: str, **fields: str) -> httpx.Response:
    form = find_fields((await client.get("/tables")).text)
    form |= {"variant": parse_variant(variant).text, "name": "Ann", "match": "deals:1"} | fields
    return await client.post("/tables", data=form)


async def read_board(client: httpx.AsyncClient, address: str) -> str:
    """The page once the person is to choose, or the match is over."""
    while True:
        text = (await client.get(address)).text
        if "Your turn." in text or "The match is over" in text or "was given up" in text:
            return text
        await asyncio.sleep(0.01)


async def choose(client: httpx.AsyncClient, address: str, text: str, place: float) -> None:
    actions = re.findall(r'name="action" value="(\d+)"', text)
    chosen = actions[int(place * len(actions))]
    answer = await client.post(f"{address}/choose", data=find_fields(text) | {"action": chosen})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("text", VARIANTS)
def test_a_whole_match_is_played_by_forms_alone(samples: Home, text: str) -> None:
    """Each page names no card that the seat does not know; at the end leads its replay."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        opened = await open_table(client, text, bots="random")
        assert opened.status_code == 200, opened.text
        address, taken = opened.url.path, 0
        drawn = random.Random(text)
        while "Your turn." in (page := await read_board(client, address)):
            check_page(Page(page))
            check_nothing_hidden(app, page)
            await choose(client, address, page, drawn.random())
            taken += 1
        assert taken
        assert "The match is over" in page
        assert re.search(r"The match is over\. .*@Ann -?\d", page)  # and who scored what
        (replay,) = re.findall(r'href="(/matches/\d+/0/0)"', page)
        assert (await client.get(replay)).status_code == 200

    run(samples, body)


def list_players(app: ASGIApp) -> list[SeatPlayer]:
    """Who plays for people in this process of the pages."""
    inner: Any = app
    return list(inner._app.state.seat_players._players.values())


def check_nothing_hidden(app: ASGIApp, page: str) -> None:
    """What the page names are cards of the seat's own view, by words and drawings."""
    (player,) = list_players(app)
    assert player.latest is not None
    view = player.latest.view
    cards = view.variant.game.pack.cards
    told = {card for card in cards if name_card(card) in page or f"card-{card.code}" in page}
    known = {*view.hand, *view.trick.cards, *(c for trick in view.tricks for c in trick.cards)}
    known |= {card for seat in range(view.players) for card in view.known(seat)}
    assert told <= known | set(list_open_cards(view)), (told - known, page)


def list_open_cards(view: Any) -> Iterator[Card]:
    """What lies open, or could be named: trumps, prizes, tops of packets, and cards to call."""
    cards = view.variant.game.pack.cards
    for name in ("trump_card", "called", "prizes", "dead_trumps", "discards"):
        value = getattr(view, name, None)
        for item in value if isinstance(value, (bytes, list, tuple)) else [value]:
            if item is not None:
                yield cards[item]
    yield from getattr(view, "tops", {}).values()
    for action in view.legal:
        yield from (card for card in cards if action.code.endswith(f":{card.code}"))


def test_a_lost_page_comes_back_to_the_same_decision(samples: Home) -> None:
    """Loaded again, or by another process of the pages: the browser has the key of the seat."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        address = (await open_table(client, "briscola/2", bots="random")).url.path
        for _ in range(3):
            await choose(client, address, await read_board(client, address), 0.5)
        asked = await read_board(client, address)
        for player in list_players(app):
            player._task.cancel()  # as when that process is killed
        again = make_app(Services.from_channel(server.channel))
        async with open_browser(again) as other:
            other.cookies = client.cookies
            back = await read_board(other, address)
        number = find_fields(asked)["number"]
        assert find_fields(back)["number"] == number
        actions = r'name="action" value="(\d+)"'
        assert re.findall(actions, back) == re.findall(actions, asked)

    run(samples, body)


def test_only_who_has_the_key_of_a_seat_plays(samples: Home) -> None:
    """A stranger sees no table; who is invited joins; a form of another site does nothing."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        opened = await open_table(client, "briscola/2", people="2")
        address = opened.url.path
        (invited,) = re.findall(
            r'href="http://localhost(/tables/\w+\?invitation=[^"]+)"', opened.text
        )
        async with open_browser(app) as other:
            other.follow_redirects = True
            assert (await other.get(address)).status_code == 404
            assert (await other.get(f"{address}?invitation=wrong")).status_code == 404
            page = (await other.get(invited)).text
            assert "Take a seat" in page
            form = find_fields(page) | {"name": "ANN"}
            refused = await other.post(f"{address}/join", data=form)
            assert refused.status_code == 400
            assert "is called ANN already" in refused.text
            joined = await other.post(f"{address}/join", data=form | {"name": "Ben"})
            assert joined.status_code == 200
            cookie = next(c for c in other.cookies.jar if c.name.startswith("mazzo-seat-"))
            assert cookie.path == "/tables"
            assert cookie.has_nonstandard_attr("HttpOnly")
            assert str(cookie.value) not in joined.text
            boards = [await read_turn(one, address) for one in (client, other)]
            mover = next(one for one, board in zip((client, other), boards, strict=True) if board)
            text = next(filter(None, boards))
            fields = find_fields(text) | {"action": re.findall(r'"action" value="(\d+)"', text)[0]}
            for wrong, status in (
                ({"csrf": "x"}, 403),
                ({"number": "x"}, 400),
                ({"action": "-1"}, 400),
            ):
                answer = await mover.post(f"{address}/choose", data=fields | wrong)
                assert answer.status_code == status, wrong
            elsewhere = {"Sec-Fetch-Site": "cross-site"}
            answer = await mover.post(f"{address}/choose", data=fields, headers=elsewhere)
            assert answer.status_code == 403
            # What is not legal, and a question that is over, change nothing.
            for wrong in ({"action": "999"}, {"number": "77"}):
                await mover.post(f"{address}/choose", data=fields | wrong)
            assert find_fields(await read_board(mover, address))["number"] == fields["number"]
        (await client.get("/tables")).raise_for_status()

    run(samples, body)


async def read_turn(client: httpx.AsyncClient, address: str) -> str:
    """The page if its visitor is to move now, else nothing."""
    for _ in range(100):
        text = (await client.get(address)).text
        if "Your turn." in text:
            return text
        await asyncio.sleep(0.01)
    return ""


def test_what_is_no_table_is_told_on_the_form(samples: Home) -> None:
    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        for fields, status, told in (
            ({"variant": "chess"}, 400, "expected a game"),
            ({"bots": "nobody"}, 404, "nobody"),
            ({"name": " "}, 400, "name: expected"),
            ({"match": "x"}, 400, "match"),
            ({"bots": "<script>"}, 404, "&lt;script&gt;"),
            ({"bots": ""}, 400, "bots: expected 1 at a table"),
            ({"bots": "random, greedy"}, 400, "got 2"),
            ({"people": "3"}, 400, "from 1 to 2"),
            ({"match": "deals:1000"}, 400, "at most 24 deals"),
            ({"name": "a/b"}, 400, "none of * / ,"),
        ):
            form = find_fields((await client.get("/tables")).text)
            form |= {"variant": "briscola/2", "name": "Ann", "bots": "random"} | fields
            answer = await client.post("/tables", data=form)
            assert answer.status_code == status, fields
            assert "Not opened:" in answer.text
            assert told in answer.text
        for value in ("é", "x", '"\\001"'):
            cookies = {b"Cookie": f"mazzo-seat-aaaaaaaa={value}".encode("latin-1")}
            answer = await client.get("/tables/aaaaaaaa", headers=cookies)
            assert answer.status_code == 404, value
        for path in ("/tables/x", "/tables/aaaaaaaa", "/tables/AAAAAAAA/events"):
            assert (await client.get(path)).status_code == 404
        assert server.platform.unrated.tables.list_open() == []

    run(samples, body)


@pytest.mark.parametrize(
    ("match", "told"),
    [
        ("deals:2", "Deal 1 of 2, trick 1;"),
        ("best-of:3", "Deal 1, best of 3, trick 1;"),
        ("target:61", "Deal 1, to 61 points, trick 1;"),
    ],
)
def test_a_player_reads_which_deal_it_is_and_who_is_a_person(
    samples: Home, match: str, told: str
) -> None:
    """Bug: it said "Deal 1 of deals:2", and nothing of the @ before a name."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        opened = await open_table(client, "briscola/2", bots="random", match=match)
        text = Page(await read_board(client, opened.url.path)).text
        assert told in text
        assert "@Ann" in text
        assert "An @ before a name marks a person." in text

    run(samples, body)


def test_who_leaves_forfeits(samples: Home) -> None:
    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        opened = await open_table(client, "briscola/2", bots="random")
        address = opened.url.path
        text = await read_board(client, address)
        await client.post(f"{address}/leave", data=find_fields(text))
        assert "The match is over" in await read_board(client, address)

    run(samples, body)


class Lowest:
    """An adviser that is seldom right."""

    name = "lowest"

    async def advise(self, view: View) -> int:
        return min(view.legal)


def test_hints_are_told_to_who_asks_and_plays_against_bots_alone(samples: Home) -> None:
    """From one decision to the next; never where another person is at the table."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        inner: Any = app
        inner._app.state.adviser = Lowest()
        address = (await open_table(client, "briscola/2", bots="random")).url.path
        plain = await read_board(client, address)
        assert "as expert would" not in plain
        assert f"{address}?hints=1" in plain
        hinted = await read_board(client, f"{address}?hints=1")
        actions = [int(action) for action in re.findall(r'name="action" value="(\d+)"', hinted)]
        (told,) = re.findall(r'class="play hint" name="action" value="(\d+)"', hinted)
        assert int(told) == min(actions)
        form = find_fields(hinted) | {"action": told}
        (sent_to,) = re.findall(r'action="([^"]+/choose[^"]*)"', hinted)
        answer = await client.post(sent_to, data=form)
        assert answer.url.query == b"hints=1"
        text = await read_board(client, address)
        await client.post(f"{address}/leave", data=find_fields(text))
        assert "The match is over" in await read_board(client, address)
        both = (await open_table(client, "briscola/2", people="2")).url.path
        waiting = (await client.get(both)).text
        (invited,) = re.findall(r'href="http://localhost(/tables/[^"]+)"', waiting)
        async with open_browser(app) as other:
            other.follow_redirects = True
            page = (await other.get(invited)).text
            await other.post(f"{both}/join", data=find_fields(page) | {"name": "Ben"})
            boards = [await read_turn(one, f"{both}?hints=1") for one in (client, other)]
            assert any(boards)
            assert all("as expert would" not in board for board in boards)
            assert all("with hints" not in board for board in boards)

    run(samples, body)


@pytest.mark.parametrize(
    ("variant", "label"), [("briscola/2", "Deals won"), ("tressette-pizzichino", "Deal 1")]
)
def test_what_was_played_lies_on_the_table(samples: Home, variant: str, label: str) -> None:
    """While the others are to move, and at the next deal stands what the last one scored."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        opened = await open_table(client, variant, people="2", match="deals:2")
        address = opened.url.path
        (invited,) = re.findall(
            r'href="http://localhost(/tables/\w+\?invitation=[^"]+)"', opened.text
        )
        async with open_browser(app) as other:
            other.follow_redirects = True
            form = find_fields((await other.get(invited)).text) | {"name": "Ben"}
            await other.post(f"{address}/join", data=form)
            laid = 0
            while True:
                mover, text = await find_mover(address, client, other)
                if "Deal 2 of" in text:
                    break
                played = r'value="(\d+)" title="[^"]*" aria-label="Play ([^",]+)'
                if (found := re.search(played, text)) is None:  # it is no card that is asked for
                    await choose(mover, address, text, 0.0)
                    continue
                action, card = found.groups()
                sent = find_fields(text) | {"action": action}
                after = (await mover.post(f"{address}/choose", data=sent)).text
                if "Your turn." in after:
                    continue  # who won the trick leads the next one
                (past, trick) = re.findall(
                    r'<div class="trick( past)?">(.*?)</div>', after, re.DOTALL
                )[0]
                assert card in trick
                assert (past == " past") == (trick.count("<li>") == 2)
                assert card not in after[after.index("Your cards") : after.index("</form>")]
                laid += 1
            assert laid >= 20
        (scores,) = re.findall(rf"<dt>{label}</dt><dd>\D+(\d+), \D+(\d+)</dd>", text)
        assert any(map(int, scores))

    run(samples, body)


async def find_mover(address: str, *clients: httpx.AsyncClient) -> tuple[httpx.AsyncClient, str]:
    """Whose turn it is, and the page."""
    while True:
        for client in clients:
            text = (await client.get(address)).text
            if "Your turn." in text:
                return client, text
        await asyncio.sleep(0.01)


def test_behind_a_proxy_links_and_cookies_are_for_https(samples: Home) -> None:
    """Although the proxy asks by HTTP: others join by the address that browsers know."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        site = Site.parse("https://club.example/mazzo")
        proxied = make_app(Services.from_channel(server.channel), site)
        async with open_browser(proxied) as browser:
            browser.base_url = httpx.URL("http://club.example")
            form = await browser.get("/mazzo/tables")
            fields = find_fields(form.text) | {"name": "Ann", "people": "2"}
            kept = read_cookies(form)
            opened = await browser.post(
                "/mazzo/tables",
                data=fields | {"variant": parse_variant("briscola/2").text},
                headers={"Cookie": kept, "Origin": "https://club.example"},
            )
            assert opened.status_code == 303, opened.text
            (cookie,) = [
                line
                for line in opened.headers.get_list("set-cookie")
                if line.startswith("mazzo-seat-")
            ]
            assert "Secure" in cookie
            assert "Path=/mazzo/tables;" in cookie
            page = await browser.get(
                opened.headers["location"], headers={"Cookie": read_cookies(opened)}
            )
            assert re.search(
                r'href="https://club\.example/mazzo/tables/\w+\?invitation=', page.text
            )
            assert "http://" not in page.text

    run(samples, body)


def read_cookies(answer: httpx.Response) -> str:
    """Those that it sets, as a browser sends them."""
    return "; ".join(line.partition(";")[0] for line in answer.headers.get_list("set-cookie"))


def test_nobody_looks_like_a_bot(samples: Home) -> None:
    """Who is called as one is told from it while the table waits, on the board, and afterwards."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        names = {"name": "random", "bots": "greedy", "people": "2"}
        opened = await open_table(client, "briscola/3", **names)
        assert "At the table: greedy, @random." in opened.text
        address = opened.url.path
        (invited,) = re.findall(r'href="http://localhost(/tables/[^"]+)"', opened.text)
        async with open_browser(app) as other:
            other.follow_redirects = True
            form = find_fields((await other.get(invited)).text) | {"name": "greedy"}
            await other.post(f"{address}/join", data=form)
            mover, board = await find_mover(address, client, other)
            own, seats = (
                re.findall(r"you are ([^<]+)</p>", board),
                re.findall(r"<h2>(.*)</h2>", board),
            )
            assert own == ["@random" if mover is client else "@greedy"]
            assert {*own, *seats} >= {"greedy", "@greedy", "@random"}
            await mover.post(f"{address}/leave", data=find_fields(board))

    run(samples, body)


def test_the_bots_are_asked_for_once_and_are_qualified(
    samples: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many look at the form; an unqualified one is not offered."""

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        asked: list[str] = []
        catalogue = server.platform.bots
        list_all = catalogue.list_all

        async def count() -> Any:
            asked.append("")
            return await list_all()

        monkeypatch.setattr(catalogue, "list_all", count)
        manifest = server.store.version("random").manifest
        server.store.add_version(
            "untried", content_hash="a" * 64, manifest=manifest, create_time=0.0
        )
        pages = await asyncio.gather(*(client.get("/tables") for _ in range(5)))
        pages.append(await client.get("/tables"))
        assert all('<option value="random">' in page.text for page in pages)
        assert all("untried" not in page.text for page in pages)
        assert len(asked) == 1

    run(samples, body)


def test_a_stream_asks_seldom_while_nothing_happens(
    samples: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And tells at once of the match that begins, to who has a seat."""
    monkeypatch.setattr(playing, "_LOOK", 0.01)

    async def body(client: httpx.AsyncClient, server: TableServer, app: ASGIApp) -> None:
        opened = await open_table(client, "briscola/2", people="2")
        address = opened.url.path
        (invited,) = re.findall(r'href="http://localhost(/tables/[^"]+)"', opened.text)
        asked: list[str] = []
        find = server.platform.unrated.tables.find

        def count(table: str, **keys: str) -> Any:
            asked.append(table)
            return find(table, **keys)

        monkeypatch.setattr(server.platform.unrated.tables, "find", count)
        events: asyncio.Queue[str] = asyncio.Queue()
        stream = asyncio.create_task(follow(app, client, f"{address}/events", events))
        try:
            assert "seat still free" in await wait_for(events, "seat still free")
            await asyncio.sleep(1.0)  # in which there were 100 looks at one pace
            assert 2 < len(asked) < 20
            monkeypatch.setattr(playing, "_SLOWEST", 0.01)
            async with open_browser(app) as other:
                other.follow_redirects = True
                form = find_fields((await other.get(invited)).text) | {"name": "Ben"}
                await other.post(f"{address}/join", data=form)
                await wait_for(events, 'class="board"', "The cards are being dealt")
        finally:
            stream.cancel()

    run(samples, body)


async def follow(
    app: ASGIApp, client: httpx.AsyncClient, path: str, events: asyncio.Queue[str]
) -> None:
    """Read a stream, which httpx would read to its end first."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    request = client.build_request("GET", path, headers={"Cookie": cookies})

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    async def send(message: Message) -> None:
        if message["type"] == "http.response.body":
            events.put_nowait(message["body"].decode())

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    await app(scope, receive, send)


async def wait_for(events: asyncio.Queue[str], *words: str) -> str:
    """The first event with one of the words."""
    while True:
        event = await events.get()
        if any(word in event for word in words):
            return event
