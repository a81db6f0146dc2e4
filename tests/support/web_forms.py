"""A browser without a network that logs in at the pages of a platform, and sends forms."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import httpx

from mazzo.channel import open_channel
from mazzo_server.bots import PlayTrial
from mazzo_server.play.trial import play_trial
from mazzo_server.serving.web import Services, Site, make_app
from support.callers import PATIENCE, ServedPlatform, serve_callers
from support.web_pages import ROOT, open_browser

__all__ = ["FORM", "Body", "find_csrf", "log_in", "post", "read_alert", "run"]

FORM: Final = {"Content-Type": "application/x-www-form-urlencoded"}
Body = Callable[[ServedPlatform, httpx.AsyncClient], Awaitable[None]]


def run(folder: Path, body: Body, *, play: PlayTrial = play_trial, public: bool = False) -> None:
    """Let a browser that can log in visit the pages of a platform with callers of all kinds."""

    async def work() -> None:
        async with (
            asyncio.timeout(PATIENCE),
            serve_callers(folder, isolation="none", play=play, public=public) as served,
            open_channel(served.port) as channel,
        ):
            app = make_app(Services.from_channel(channel), Site.parse(ROOT))
            async with open_browser(app) as client:
                await body(served, client)

    asyncio.run(work())


def find_csrf(page: httpx.Response) -> str:
    found = re.search('name="csrf" value="([^"]+)"', page.text)
    assert found, page.text
    return found[1]


async def log_in(served: ServedPlatform, client: httpx.AsyncClient, caller: str) -> None:
    client.cookies.clear()
    csrf = find_csrf(await client.get("/login"))
    answer = await post(client, "/login", token=served.tokens[caller], csrf=csrf)
    assert answer.status_code == 303


async def post(client: httpx.AsyncClient, path: str, **form: str) -> httpx.Response:
    return await client.post(path, content=urlencode(form), headers=FORM)


def read_alert(answer: httpx.Response) -> str:
    found = re.search('role="alert">([^<]+)<', answer.text)
    assert found, answer.text
    return found[1]
