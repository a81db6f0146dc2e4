"""Visitors with access tokens of their own: what lets them in, and what nothing else may do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import urlencode

import httpx
import pytest

from mazzo.channel import open_channel
from mazzo_server.errors import InvalidInputError
from mazzo_server.serving.web import Services, Site, make_app
from support.command import Home
from support.served import serving
from support.web_pages import Page, check_page

URL = "https://club.example/mazzo"

Body = Callable[[httpx.AsyncClient], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Club:
    """A server that shows strangers nothing, and the token of an author."""

    address: str
    token: str


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Club]:
    home = Home(tmp_path_factory.mktemp("club") / "home")
    token = home.inside("auth", "create", "author", "alice").out.strip()
    with serving(home, "--listen", "localhost:0", "--isolation", "none") as (_, (address,)):
        yield Club(address, token)


@asynccontextmanager
async def visit(club: Club, url: str = URL, *, port: int = 0) -> AsyncIterator[httpx.AsyncClient]:
    async with open_channel(club.address) as channel:
        app = make_app(Services.from_channel(channel), replace(Site.parse(url), port=port))
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        base = url.removesuffix("/mazzo")
        async with httpx.AsyncClient(transport=transport, base_url=base) as client:
            yield client


def run(club: Club, body: Body) -> None:
    async def work() -> None:
        async with asyncio.timeout(60), visit(club) as client:
            await body(client)

    asyncio.run(work())


def find_csrf(answer: httpx.Response) -> str:
    page = Page(answer.text)
    (value,) = (at["value"] for tag, at in page.elements if at.get("name") == "csrf")
    assert value
    return value


async def post(client: httpx.AsyncClient, path: str, **form: str) -> httpx.Response:
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    return await client.post(path, content=urlencode(form), headers=headers)


async def log_in(client: httpx.AsyncClient, token: str, to: str = "") -> httpx.Response:
    shown = await client.get("/mazzo/login")
    return await post(client, "/mazzo/login", token=token, to=to, csrf=find_csrf(shown))


def test_a_stranger_is_led_to_the_login_and_back(club: Club) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        wanted = "/mazzo/matches?bot=ann&late=1"
        first = await client.get(wanted)
        assert first.status_code == 303
        there = await client.get(first.headers["Location"])
        check_page(Page(there.text))
        assert "Set-Cookie" in there.headers
        (to,) = (at["value"] for _, at in Page(there.text).elements if at.get("name") == "to")
        assert to == wanted
        form = {"token": club.token, "to": to, "csrf": find_csrf(there)}
        taken = await post(client, "/mazzo/login", **form)
        assert (taken.status_code, taken.headers["Location"]) == (303, wanted)
        shown = await client.get("/mazzo/tournaments")
        assert shown.status_code == 200
        assert club.token not in shown.text
        assert '<span class="visitor">alice</span>' in shown.text
        assert "private" in shown.headers["Cache-Control"]
        out = await post(client, "/mazzo/logout", csrf=find_csrf(shown))
        assert out.headers["Location"] == "/mazzo/"
        assert (await client.get("/mazzo/tournaments")).status_code == 303

    run(club, body)


@pytest.mark.parametrize("path", ["bots/ann/logs?from=x", "operation", "tournaments/1/audit"])
def test_what_is_for_others_asks_a_stranger_to_log_in(club: Club, path: str) -> None:
    """Bug: it said that a session is over where there never was one, and led nowhere."""

    async def body(client: httpx.AsyncClient) -> None:
        answer = await client.get(f"/mazzo/{path}")
        assert answer.status_code == 303
        there = Page((await client.get(answer.headers["Location"])).text)
        assert "session" not in there.text
        (to,) = (at["value"] for _, at in there.elements if at.get("name") == "to")
        assert to == f"/mazzo/{path}"
        await log_in(client, club.token)  # as an author, whom another page refuses
        assert (await client.get("/mazzo/operation")).status_code == 403

    run(club, body)


@pytest.mark.parametrize("may_play", [False, True])
def test_a_stranger_reads_that_a_table_may_need_a_log_in(tmp_path: Path, may_play: bool) -> None:
    """Bug: the form led to the log-in without a word, and what was typed was lost."""
    home = Home(tmp_path / "home")
    token = home.inside("auth", "create", "author", "alice").out.strip()
    typed = {"variant": "briscola/2", "name": "Ann & Ben", "bots": "nobody"}

    async def work(address: str) -> None:
        async with asyncio.timeout(60), visit(Club(address, token)) as client:
            shown = await client.get("/mazzo/tables")
            assert "/mazzo/login?to=/mazzo/tables" in Page(shown.text).list_links()
            answer = await post(client, "/mazzo/tables", csrf=find_csrf(shown), **typed)
            page = Page(answer.text)
            check_page(page)
            assert any(at.get("value") == typed["name"] for _, at in page.elements)
            if may_play:
                assert answer.status_code == 404
                assert "nobody" in page.text
                return
            assert answer.status_code == 403
            assert "Not opened: log in first" in page.text
            assert "Log in: what you typed is kept." in page.text
            (login,) = (link for link in page.list_links() if "login?to=/mazzo/tables%3F" in link)
            form = await client.get(login)
            (to,) = (at["value"] for _, at in Page(form.text).elements if at.get("name") == "to")
            assert to is not None
            taken = await post(client, "/mazzo/login", token=token, to=to, csrf=find_csrf(form))
            back = Page((await client.get(taken.headers["Location"])).text)
            assert any(at.get("value") == typed["name"] for _, at in back.elements)
            assert "Perhaps you have to" not in back.text

    options = ("--public", *(["--public-play"] if may_play else []))
    with serving(home, *options, "--listen", "localhost:0", "--isolation", "none") as (_, (at,)):
        asyncio.run(work(at))


def test_the_cookie_is_for_these_pages_alone(club: Club) -> None:
    """No script reads it, no other site has it sent, and nothing sends it in the clear."""

    async def body(client: httpx.AsyncClient) -> None:
        cookie = SimpleCookie((await log_in(client, club.token)).headers["Set-Cookie"])
        (morsel,) = cookie.values()
        assert morsel["httponly"]
        assert morsel["secure"]
        assert morsel["samesite"].lower() == "lax"
        assert morsel["path"] == "/mazzo"

    run(club, body)


def test_a_log_in_at_one_port_leaves_that_at_another(club: Club) -> None:
    """Promise: browsers send cookies to all ports of a host, and none of ours takes another's."""

    async def work() -> None:
        url = "http://localhost:8080"
        async with (
            asyncio.timeout(60),
            visit(club, url, port=8080) as one,
            visit(club, url, port=8081) as other,
        ):
            other.cookies = one.cookies.jar  # the same one
            for client in (one, other):
                shown = await client.get("/login")
                form = {"token": club.token, "csrf": find_csrf(shown)}
                assert (await post(client, "/login", **form)).status_code == 303
            for client in (one, other):
                assert (await client.get("/tournaments")).status_code == 200

    asyncio.run(work())


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://club.example", "__Host-mazzo-session-8443"),
        ("https://club.example/mazzo", "__Secure-mazzo-session-8443"),
        ("http://localhost", "mazzo-session-8443"),
    ],
)
def test_a_browser_takes_the_cookie_from_nobody_else(club: Club, url: str, name: str) -> None:
    """A name with such a beginning has what browsers want of it, or they drop the cookie."""

    async def work() -> None:
        async with asyncio.timeout(60), visit(club, url, port=8443) as client:
            path = "/mazzo/login" if url.endswith("/mazzo") else "/login"
            cookie = SimpleCookie((await client.get(path)).headers["Set-Cookie"])
            ((shown, morsel),) = cookie.items()
            assert shown == name
            assert bool(morsel["secure"]) is name.startswith("__")
            assert not morsel["domain"]
            assert morsel["path"] == "/" or not name.startswith("__Host-")

    asyncio.run(work())


def test_no_token_is_asked_for_over_a_network_in_the_clear(club: Club) -> None:
    async def work() -> None:
        async with visit(club, "http://club.example") as client:
            assert (await client.get("/login")).status_code == 404
            answer = await client.get("/")
            assert answer.status_code == 403
            assert "access token" in answer.text
            assert "Log in" not in answer.text

    asyncio.run(work())
    assert Site.parse("http://localhost:8080").has_login


def test_a_forged_cookie_opens_nothing(club: Club) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        await log_in(client, club.token)
        (name,) = client.cookies.keys()
        (value,) = client.cookies.values()
        client.cookies.clear()
        for forged in (f"x{value[1:]}", value[:-1], "a.b.c", ""):
            headers = {"Cookie": f"{name}={forged}"}
            assert (await client.get("/mazzo/", headers=headers)).status_code == 303
        assert (
            await client.get("/mazzo/", headers={"Cookie": f"{name}={value}"})
        ).status_code == 200

    run(club, body)


@pytest.mark.parametrize(
    "token", ["", "mazzo_x_y", "a\nb", "é", "x" * 3000, " ", "mazzo_" + "0" * 26 + "_" + "0" * 43]
)
def test_what_is_no_token_is_not_taken(club: Club, token: str) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        answer = await log_in(client, token)
        assert answer.status_code == 403
        assert "Not accepted" in answer.text
        assert (await client.get("/mazzo/")).status_code == 303

    run(club, body)


def test_only_our_own_forms_do_anything(club: Club) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        for form in ({"token": club.token}, {"token": club.token, "csrf": "guessed"}):
            assert (await post(client, "/mazzo/login", **form)).status_code == 403
        await log_in(client, club.token)
        assert (await post(client, "/mazzo/logout", csrf="guessed")).status_code == 403
        assert (await client.get("/mazzo/")).status_code == 200
        assert (await client.post("/mazzo/login", content=b"x" * 10_000)).status_code == 413

    run(club, body)


@pytest.mark.parametrize("to", ["//evil.example/", "https://evil.example/", "/\\evil.example", "x"])
def test_a_login_leads_to_no_other_site(club: Club, to: str) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        assert (await log_in(client, club.token, to)).headers["Location"] == "/mazzo/"

    run(club, body)


def test_links_stay_below_the_prefix(club: Club) -> None:
    """Whether or not the proxy has taken it away from the path."""

    async def body(client: httpx.AsyncClient) -> None:
        await log_in(client, club.token)
        ((name, value),) = client.cookies.items()
        for path in ("/mazzo/bots", "/bots", "/mazzo/"):
            answer = await client.get(path, headers={"Cookie": f"{name}={value}"})
            assert answer.status_code == 200, path
            for link in Page(answer.text).list_links():
                assert link.startswith(("/mazzo/", "#")), link
                if link.startswith("/mazzo/static/"):
                    assert (await client.get(link)).status_code == 200
        assert (await client.get("/mazzo")).headers["Location"].endswith("/mazzo/")
        assert (await client.get("/", headers={"Host": "evil.example"})).status_code == 400

    run(club, body)


@pytest.mark.parametrize(
    "url",
    [
        *("club.example", "ftp://club.example", "https://", "https://a:b@c/", "https://a/?x"),
        *("http://[", "//a", "https://a:b/"),
    ],
)
def test_an_address_that_is_none_is_told(url: str) -> None:
    with pytest.raises(InvalidInputError, match="expected an address such as"):
        Site.parse(url)


def test_the_rights_of_the_command_are_not_for_all(tmp_path: Path) -> None:
    """Else every visitor would be an organiser, or have the rights of the command's token."""
    home = Home(tmp_path / "home")
    for server in ((), ("--server", f"unix:{tmp_path}/x"), ("--server", "localhost:1")):
        variables = {"MAZZO_ACCESS_TOKEN": "mazzo_x_y"} if "localhost:1" in server else {}
        said = Home(home.path, variables).inside(
            "web", "--url", URL, "--listen", "127.0.0.1:0", *server, status=2
        )
        assert "--url: expected" in " ".join(said.err.split())
