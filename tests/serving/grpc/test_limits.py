"""The limits of callers at a real server: whom they hold, and whom they leave alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import bot_pb2, bot_pb2_grpc
from mazzo_server.cli.shell.retries import find_wait
from mazzo_server.errors import InvalidInputError, TooLateError
from mazzo_server.model import CallLimits
from mazzo_server.serving.grpc.calls import read_first
from support.callers import PATIENCE, ServedPlatform, outcome, reason_of, run_served
from support.command import Home
from support.floods import HalfSent, make_tokens, measure_flood
from support.served import serving

LIST = "/mazzo.v1.BotService/ListBots"
SESSION = "/mazzo.v1.BotService/CreateSession"
PLAY = "/mazzo.v1.PlayService/Play"
HEALTH = "/grpc.health.v1.Health/Check"
WRONG = (("authorization", "Bearer mazzo_aaaaaaaa_" + "x" * 43),)


def test_a_token_has_its_calls_in_a_minute_and_nobody_elses(tmp_path: Path) -> None:
    """The Unix socket's user has no limit, and a refusal tells the time to wait."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel, open_channel(served.socket) as local:
            for caller in ("alice", "organiser"):
                for _ in range(3):
                    code, _, _ = await outcome(channel, LIST, served.metadata(caller))
                    assert code is grpc.StatusCode.OK
                with pytest.raises(grpc.aio.AioRpcError) as refused:
                    await bot_pb2_grpc.BotServiceStub(channel).ListBots(
                        bot_pb2.ListBotsRequest(), metadata=served.metadata(caller)
                    )
                assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
                assert reason_of(refused.value) == "LIMIT_REACHED"
                assert 0 < (find_wait(refused.value) or 0.0) <= 20
                assert "at most 3 calls in a minute" in (refused.value.details() or "")
            assert (await outcome(channel, LIST, served.metadata("bob")))[0] is grpc.StatusCode.OK
            for _ in range(9):
                assert (await outcome(local, LIST, ()))[0] is grpc.StatusCode.OK

    run_served(tmp_path, body, limits=CallLimits(calls_per_minute=3))


def test_a_token_has_so_many_calls_in_flight(tmp_path: Path) -> None:
    """A stream is one for as long as it lasts."""

    async def stall() -> AsyncIterator[bot_pb2.SubmitBotRequest]:
        yield bot_pb2.SubmitBotRequest(chunk=b"PK")
        await asyncio.Event().wait()

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            stream = stub.SubmitBot(stall(), metadata=served.metadata("alice"))
            await stream.initial_metadata()
            _, reason, said = await outcome(channel, LIST, served.metadata("alice"))
            assert reason == "LIMIT_REACHED"
            assert "at most 1 calls at a time" in said
            stream.cancel()
            async with asyncio.timeout(PATIENCE):
                while reason:
                    _, reason, _ = await outcome(channel, LIST, served.metadata("alice"))

    run_served(tmp_path, body, limits=CallLimits(calls=1))


@pytest.mark.parametrize("method", [LIST, SESSION, PLAY])
def test_guesses_are_counted_by_address(
    tmp_path: Path, method: str, caplog: pytest.LogCaptureFixture
) -> None:
    """With four times a token's calls; who shows a valid token there is let in all the same."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            while (await outcome(channel, method, WRONG))[1] == "UNAUTHENTICATED":
                pass
            # They are counted at the server, for a client loses one now and then.
            refused = [getattr(record, "reason", "") for record in caplog.records]
            assert refused.count("UNAUTHENTICATED") == 4
            for metadata in (WRONG, ()):
                assert (await outcome(channel, method, metadata))[1] == "LIMIT_REACHED"
            assert (await outcome(channel, HEALTH, ()))[1] == "LIMIT_REACHED"
            for caller, allowed in (("alice", LIST), ("robot", SESSION)):
                code, _, _ = await outcome(channel, allowed, served.metadata(caller))
                assert code is grpc.StatusCode.OK

    run_served(tmp_path, body, limits=CallLimits(calls_per_minute=1))


def test_what_is_refused_is_counted(tmp_path: Path) -> None:
    """By the limit that it met."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            for metadata in [served.metadata("alice")] * 2 + [()] * 5:
                await outcome(channel, LIST, metadata)
        registry = served.platform.metrics.registry
        for limit in ("token", "address"):
            labels = {"limit": limit}
            assert registry.get_sample_value("mazzo_limits_reached_total", labels) == 1.0

    run_served(tmp_path, body, limits=CallLimits(calls_per_minute=1))


def test_a_request_has_to_come_in_time_and_alone() -> None:
    """Its memory is taken when it begins, so nobody may begin one and fall silent."""

    async def give(*requests: str, is_over: bool = True) -> AsyncIterator[str]:
        for request in requests:
            yield request
        if not is_over:
            await asyncio.Event().wait()

    async def main() -> None:
        assert await read_first(give("one", is_over=False)) == "one"
        assert await read_first(give("one"), is_only=True) == "one"
        for stalled in (give(is_over=False), give("one", is_over=False)):
            with pytest.raises(TooLateError, match=r"the whole request within 0\.01 s"):
                await read_first(stalled, is_only=True, seconds=0.01)
        with pytest.raises(InvalidInputError, match="expected one request, got two"):
            await read_first(give("one", "two"), is_only=True)
        with pytest.raises(InvalidInputError, match="expected a request, got none"):
            await read_first(give())

    asyncio.run(main())


def test_unfinished_requests_of_an_address_shut_out_nobody(tmp_path: Path) -> None:
    """Of all that have no token 16 are read at a time, and 60 come from one address."""

    async def body(served: ServedPlatform) -> None:
        stranger = HalfSent(served.port, "127.0.0.2", HEALTH, streams=60)
        sending = asyncio.create_task(asyncio.to_thread(stranger.send, 1.0))
        try:
            async with open_channel(served.port) as channel:
                while not sending.done():
                    code, _, said = await outcome(channel, HEALTH, ())
                    assert code is grpc.StatusCode.OK, said
                    await asyncio.sleep(0.02)
        finally:
            await sending
            stranger.close()
        registry = served.platform.metrics.registry
        labels = {"limit": "unread"}
        assert registry.get_sample_value("mazzo_limits_reached_total", labels)

    run_served(tmp_path, body)


# 8 connections with 100 calls in flight each, as fast as they are answered.
FLOOD = """
import asyncio, sys, time
import grpc
port, token, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
metadata = (("authorization", "Bearer " + token),) if token else ()

async def loop(call, end):
    while time.monotonic() < end:
        try:
            await call(bytes(100_000), metadata=metadata, timeout=60.0)
        except grpc.aio.AioRpcError:
            pass

async def main():
    end = time.monotonic() + seconds
    alone = (("grpc.use_local_subchannel_pool", 1),)
    channels = [grpc.aio.insecure_channel(port, options=alone) for _ in range(8)]
    calls = [channel.unary_unary("/mazzo.v1.BotService/ListBots") for channel in channels]
    await asyncio.gather(*(loop(call, end) for call in calls for _ in range(100)))

asyncio.run(main())
"""


@pytest.mark.prove
@pytest.mark.alone
@pytest.mark.parametrize("is_known", [False, True])
def test_a_flood_of_calls_holds_up_nobody_else(tmp_path: Path, is_known: bool) -> None:
    """Without a token, or with that of one author, whom the port answers as before afterwards."""
    home = Home(tmp_path / "home")
    addresses = [f"unix:{tmp_path / 's'}", "127.0.0.1:0"]
    listen = [word for address in addresses for word in ("--listen", address)]

    async def main(process: int, socket: str, port: str) -> None:
        token, other = await make_tokens(socket, 2)

        async def flood() -> None:
            command = (sys.executable, "-c", FLOOD, port, token if is_known else "", "8")
            await asyncio.to_thread(subprocess.run, command, check=True, timeout=PATIENCE)

        cost = await measure_flood(process, port, other, flood)
        print(cost)
        cost.check()

    with serving(home, "--isolation", "none", *listen) as (process, listening):
        asyncio.run(main(process.pid, *listening))


@pytest.mark.prove
@pytest.mark.alone
def test_requests_that_never_end_cost_little_memory(tmp_path: Path) -> None:
    """1,900 of them, of 1 MiB each, from 19 addresses without a token."""
    home = Home(tmp_path / "home")
    addresses = [f"unix:{tmp_path / 's'}", "127.0.0.1:0"]
    listen = [word for address in addresses for word in ("--listen", address)]

    def send(port: str, number: int) -> None:
        connection = HalfSent(port, f"127.0.0.{number}", HEALTH if number % 2 else LIST)
        try:
            connection.send(8.0)
        finally:
            connection.close()

    async def main(process: int, socket: str, port: str) -> None:
        (other,) = await make_tokens(socket, 1)

        async def flood() -> None:
            threads = [threading.Thread(target=send, args=(port, each)) for each in range(2, 21)]
            for thread in threads:
                thread.start()
            for thread in threads:
                await asyncio.to_thread(thread.join)

        cost = await measure_flood(process, port, other, flood)
        print(cost)
        cost.check()

    with serving(home, "--isolation", "none", *listen) as (process, listening):
        asyncio.run(main(process.pid, *listening))
