"""Uploads through a real server: what is refused, and what 40 at once cost."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import bot_pb2, bot_pb2_grpc
from mazzo_server.bots.bundles import BundleStore
from mazzo_server.bots.uploads import Uploads
from mazzo_server.cli.bots.submission import upload
from mazzo_server.cli.shell.retries import call_patiently, find_wait
from mazzo_server.model import CallLimits
from support.archives import FILES, KNOWN, zipped
from support.callers import PATIENCE, ServedPlatform, reason_of, run_served
from support.command import Home
from support.floods import make_tokens, measure_flood, show
from support.served import serving


async def stall(first: bytes = b"PK") -> AsyncIterator[bot_pb2.SubmitBotRequest]:
    yield bot_pb2.SubmitBotRequest(chunk=first)
    await asyncio.Event().wait()


def limit(
    served: ServedPlatform, folder: Path, *, silence: float = PATIENCE, retry: float = 2.0
) -> None:
    limits = CallLimits(uploads=2, uploads_of_author=1)
    store = BundleStore(folder / "store", known_games=KNOWN)
    served.platform.bots.uploads = Uploads(store, limits, silence=silence, retry_seconds=retry)


def test_an_upload_too_many_is_told_when_to_come_back(tmp_path: Path) -> None:
    """With a status, a reason and a time that any client can read; others go on."""

    async def body(served: ServedPlatform) -> None:
        limit(served, tmp_path)
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            first = stub.SubmitBot(stall(), metadata=served.metadata("alice"))
            while not served.platform.bots.uploads.receiving:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.SubmitBot(stall(), metadata=served.metadata("alice"))
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert reason_of(refused.value) == "LIMIT_REACHED"
            assert find_wait(refused.value) == 2.0
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.SubmitBot(
                    iter([bot_pb2.SubmitBotRequest(chunk=b"no zip")]),
                    metadata=served.metadata("bob"),
                )
            assert reason_of(refused.value) == "BUNDLE_REFUSED"
            first.cancel()
            while served.platform.bots.uploads.receiving:  # noqa: ASYNC110
                await asyncio.sleep(0.001)

    run_served(tmp_path, body)


def test_an_upload_that_falls_silent_is_told_so(tmp_path: Path) -> None:
    """The stream is still there to tell it."""

    async def body(served: ServedPlatform) -> None:
        limit(served, tmp_path, silence=0.02)
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.SubmitBot(stall(), metadata=served.metadata("alice"))
            assert refused.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
            assert reason_of(refused.value) == "TOO_LATE"
            assert "within 0.02 s" in (refused.value.details() or "")

    run_served(tmp_path, body)


def test_our_command_line_waits_for_a_place_and_shows_the_refusal(tmp_path: Path) -> None:
    """It sends nothing large before the server takes it, so the refusal is never lost."""
    archive = zipped({"data": os.urandom(2**21)}, level=0)

    async def body(served: ServedPlatform) -> None:
        limit(served, tmp_path, retry=0.5)
        told: list[str] = []
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            first = stub.SubmitBot(stall(), metadata=served.metadata("alice"))
            await first.initial_metadata()
            stub.SubmitBot = partial(stub.SubmitBot, metadata=served.metadata("alice"))
            ask = partial(upload, stub, archive, "")
            for _ in range(20):
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await call_patiently(ask, patience=0.0)
                assert reason_of(refused.value) == "LIMIT_REACHED"

            def on_wait(text: str) -> None:
                told.append(text)
                first.cancel()

            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await call_patiently(ask, on_wait, patience=PATIENCE)
            assert reason_of(refused.value) == "BUNDLE_REFUSED"
        assert told == [
            "Waiting 0.5 s: expected at most 1 uploads of one author at a time, got one more: wait "
            "for the others to arrive"
        ]

    run_served(tmp_path, body)


@pytest.mark.prove
@pytest.mark.alone
def test_forty_uploads_at_once_cost_little_memory(tmp_path: Path) -> None:
    """40 authors, 30 MiB each, again and again for ten seconds; others are answered meanwhile."""
    # It is unpacked whole before its manifest is refused.
    archive = zipped(FILES | {"bot.toml": b"x", "data": os.urandom(30 * 2**20)}, level=0)
    parts = [
        bot_pb2.SubmitBotRequest(chunk=archive[start : start + 2**18])
        for start in range(0, len(archive), 2**18)
    ]
    home = Home(tmp_path / "home")
    addresses = [f"unix:{tmp_path / 's'}", "127.0.0.1:0"]
    listen = [word for address in addresses for word in ("--listen", address)]
    reasons: set[str] = set()

    async def flood(port: str, token: str, end: float) -> None:
        async with open_channel(port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            while time.monotonic() < end:
                try:
                    await stub.SubmitBot(iter(parts), metadata=show(token))
                except grpc.aio.AioRpcError as error:
                    reasons.add(reason_of(error) or error.code().name)
                    await asyncio.sleep(0.2)

    async def main(process: int, socket: str, port: str) -> None:
        *tokens, other = await make_tokens(socket, 41)
        end = time.monotonic() + 10.5

        async def flood_from_all() -> None:
            await asyncio.gather(*(flood(port, token, end) for token in tokens))

        (await measure_flood(process, port, other, flood_from_all)).check()
        # gRPC's client may fail to read a status that comes while it writes.
        assert reasons - {"INTERNAL"} == {"BUNDLE_REFUSED", "LIMIT_REACHED"}

    with serving(home, "--isolation", "none", *listen) as (process, listening):
        asyncio.run(main(process.pid, *listening))
