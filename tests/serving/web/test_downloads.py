"""What programs get of the pages: the same as from the command line, as files."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from google.rpc import error_details_pb2, status_pb2

from mazzo.channel import open_channel
from mazzo.v1 import replay_pb2
from mazzo_server.cli.shell.retries import call_patiently
from mazzo_server.results.tables import ResultRow
from mazzo_server.serving.grpc import open_embedded
from mazzo_server.serving.web import Services, make_app, serve_pages
from mazzo_server.settings import Isolation, Settings
from mazzo_server.storage import TournamentStatus, open_store
from serving.web.test_pages import run
from support.command import Home
from support.finished_tournaments import define, finish
from support.manual_tournaments import Club, entrants_of
from support.stored_rows import add_version


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One tournament that was really played, one with several pages of results, one running."""
    folder = tmp_path_factory.mktemp("web")
    store = open_store(Settings(home=folder).store)
    for name in ("ann", "bob", "cleo"):
        add_version(store, name)
    club = Club(store=store, groups=1)
    for group in range(len(club.groups)):
        for seating in range(2):
            club.play(group, seating)
    store.set_status(club.id, TournamentStatus.FINISHED, end_time=1.0)
    finish(store, define([("ann", 1), ("bob", 1), ("cleo", 1)], groups=90), 4)
    running = Club(store=store, entrants=entrants_of("ann", "bob"))
    for group, seating in ((0, 0), (0, 1), (1, 0)):
        running.play(group, seating)
    store.close()
    return folder


def check_file(answer: httpx.Response, name: str, kind: str) -> None:
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer.headers["Content-Type"].startswith(kind)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.slow
def test_standings_are_those_of_the_command_line(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        for number in (1, 2):
            table = await client.get(f"/tournaments/{number}/standings.csv")
            check_file(table, f"tournament-{number}-standings.csv", "text/csv")
            found[number, "--csv"] = table.text
            value = await client.get(f"/tournaments/{number}/standings.json")
            check_file(value, f"tournament-{number}.json", "application/json")
            found[number, "--json"] = value.text

    found: dict[tuple[int, str], str] = {}
    run(home, body)
    command = Home(home)
    for (number, option), text in found.items():
        assert text == command("tournament", "show", str(number), option).out
    assert len(json.loads(found[2, "--json"])["standings"]["rows"]) == 3


def test_results_are_those_of_the_command_line_over_all_pages(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        answer = await client.get("/tournaments/2/results.csv")
        check_file(answer, "tournament-2-results.csv", "text/csv")
        found.append(answer.text)
        head = await client.head("/tournaments/2/results.csv")
        check_file(head, "tournament-2-results.csv", "text/csv")

    found: list[str] = []
    run(home, body)
    rows = list(csv.DictReader(io.StringIO(found[0])))
    assert len({row["match"] for row in rows}) == 270
    assert found[0] == Home(home)("results", "--tournament", "2", "--csv").out


def test_of_a_running_tournament_only_whole_mirror_groups_are_there(home: Path) -> None:
    """Promise: what the pages hide, the files hide."""

    async def body(client: httpx.AsyncClient) -> None:
        answer = await client.get("/tournaments/3/results.csv")
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert {row["group"] for row in rows} == {"0"}
        hidden = await client.get("/matches/3/1/0/record.jsonl")
        assert hidden.status_code == 409
        assert "Content-Disposition" not in hidden.headers
        value = (await client.get("/tournaments/3/standings.json")).json()
        assert (value["seed"], value["standings"]["groups_counted"]) == ("", 1)

    run(home, body)


def test_a_record_is_that_of_the_command_line(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        answer = await client.get("/matches/1/0/1/record.jsonl")
        check_file(answer, "match-1-0-1.jsonl", "application/jsonl")
        found.append(answer.text)

    found: list[str] = []
    run(home, body)
    command = Home(home)
    assert found == [command("replay", "export", "1/0/1").out]
    file = home / "record.jsonl"
    file.write_text(found[0])
    assert command("replay", "verify", str(file)).status == 0


def test_what_there_is_not_is_a_page_that_says_so(home: Path) -> None:
    async def body(client: httpx.AsyncClient) -> None:
        for address in (
            *(f"/tournaments/99/{file}" for file in ("standings.csv", "standings.json")),
            *("/tournaments/99/results.csv", "/tournaments/x/results.csv"),
            *("/matches/1/99/0/record.jsonl", "/matches/x/0/0/record.jsonl"),
        ):
            answer = await client.get(address)
            assert answer.status_code in (400, 404), address
            assert answer.headers["Content-Type"].startswith("text/html")
            assert "Content-Disposition" not in answer.headers

    run(home, body)


class Refusing:
    """The service of replays, which refuses the calls for later pages that a test names."""

    def __init__(self, stub: Any, is_refused: Callable[[int], bool], metadata: Any) -> None:
        self._stub = stub
        self._is_refused = is_refused
        self._metadata = metadata
        self._calls = 0

    async def FindMatches(self, request: replay_pb2.FindMatchesRequest, **options: Any) -> Any:
        self._calls += 1
        if self._is_refused(self._calls):
            raise grpc.aio.AioRpcError(
                grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.aio.Metadata(), self._metadata, "too many"
            )
        return await self._stub.FindMatches(request, **options)


def download(home: Path, is_refused: Callable[[int], bool], metadata: Any) -> tuple[str, bool]:
    """What a client gets of the results over a connection, and whether that is all."""

    async def work() -> None:
        async with (
            asyncio.timeout(60),
            open_embedded(Settings(home=home), isolation=Isolation.NONE) as address,
            open_channel(address) as channel,
        ):
            services = Services.from_channel(channel, ask_patiently=call_patiently)
            refusing: Any = Refusing(services.replays, is_refused, metadata)
            with socket.create_server(("127.0.0.1", 0)) as opened:
                port = opened.getsockname()[1]
                app = make_app(replace(services, replays=refusing))
                serving = asyncio.create_task(serve_pages(app, opened))
                async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}") as client:
                    url = "/tournaments/2/results.csv"
                    try:
                        async with client.stream("GET", url) as answer:
                            assert answer.status_code == 200
                            async for piece in answer.aiter_text():
                                pieces.append(piece)
                        whole.append(True)
                    except httpx.RemoteProtocolError:
                        pass
                serving.cancel()
                await asyncio.gather(serving, return_exceptions=True)

    pieces: list[str] = []
    whole: list[bool] = []
    asyncio.run(work())
    return "".join(pieces), bool(whole)


def test_a_platform_that_asks_to_wait_breaks_off_no_results(home: Path) -> None:
    advice = status_pb2.Status()
    wait = error_details_pb2.RetryInfo()
    wait.retry_delay.FromMilliseconds(10)
    advice.details.add().Pack(wait)
    metadata = grpc.aio.Metadata(("grpc-status-details-bin", advice.SerializeToString()))
    text, is_whole = download(home, lambda number: number in (2, 3), metadata)
    assert is_whole
    assert len({row["match"] for row in csv.DictReader(io.StringIO(text))}) == 270


def test_results_that_are_broken_off_are_no_whole_file(home: Path) -> None:
    """Neither for a client, nor for who reads a file that a proxy has taken for whole."""
    text, is_whole = download(home, lambda number: number > 1, grpc.aio.Metadata())
    assert not is_whole
    *rows, last = csv.reader(io.StringIO(text))
    assert {len(row) for row in rows} == {len(ResultRow._fields)}
    assert len(rows) > 50
    assert (last[0], len(last)) == ("broken off", len(ResultRow._fields) + 1)
