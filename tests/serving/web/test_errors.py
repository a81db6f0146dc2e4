"""What visitors read when the platform refuses a page, or does not answer."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import httpx
import pytest

from mazzo.channel import open_channel
from mazzo_server.errors import ServerUnavailableError
from mazzo_server.play.instances import make_status
from mazzo_server.serving.web import Services, make_app
from support.web_pages import Page, check_page, open_browser


def get(services: Any, path: str) -> httpx.Response:
    async def work() -> httpx.Response:
        async with open_browser(make_app(services)) as client:
            return await client.get(path)

    return asyncio.run(work())


@pytest.mark.parametrize(
    "path", ["/", "/tournaments", "/bots/ann", "/tables", "/tables/aaaaaaaa/events"]
)
def test_a_server_that_does_not_answer_is_told_in_a_sentence(path: str) -> None:
    """Bug: it was told in gRPC's own words, with addresses and numbers of errors."""

    async def work() -> httpx.Response:
        async with (
            open_channel("localhost:1") as channel,
            open_browser(make_app(Services.from_channel(channel))) as client,
        ):
            return await client.get(path)

    answer = asyncio.run(work())
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    page = Page(answer.text)
    check_page(page)
    assert "The server does not answer now: it may be starting again." in page.text
    assert "connect" not in page.text.lower()


def test_a_sentence_of_the_server_is_kept() -> None:
    """Promise: it says more than that nobody answers; gRPC's errors have no such details."""

    class Stopping:
        async def list_tournaments(self, place: str) -> None:
            status = make_status(ServerUnavailableError("the server is stopping: come back"))
            raise grpc.aio.AioRpcError(
                status.code,
                grpc.aio.Metadata(),
                grpc.aio.Metadata(*status.trailing_metadata),
                status.details,
            )

    answer = get(Stopping(), "/tournaments")
    assert answer.status_code == 503
    assert "the server is stopping: come back" in answer.text
    assert "does not answer" not in answer.text
