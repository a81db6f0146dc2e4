"""A remote bot that loses its connection: it may come back to the same decision in time."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import grpc
import pytest
import trustme

from mazzo.channel import open_channel, pings
from mazzo.client import play
from mazzo.errors import ConnectionLostError
from mazzo.remote import RemotePlayer
from mazzo.v1 import play_pb2
from mazzo_server.errors import OutOfTurnError
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.serving.hosting.listening import TlsFiles
from support.remote_bots import (
    Good,
    Proxy,
    Raw,
    RemoteServer,
    answers,
    lowest,
    mint,
    run_with_server,
    until,
)
from support.scripted_tournaments import GOOD, Arena
from support.served import find_gateways


def cut_after(proxy: Proxy, decisions: int, seconds: float) -> Callable[[Good], None]:
    """Cuts the network at that decision, before it is answered, for some time."""
    loop = asyncio.get_running_loop()

    def thought(bot: Good) -> None:
        if len(bot.asked) == decisions:
            proxy.cut()
            loop.call_later(seconds, lambda: loop.create_task(proxy.mend()))

    return thought


@pytest.mark.slow
def test_a_bot_that_comes_back_in_time_plays_on(arena: Arena) -> None:
    """Cut off for 3 s of the 10 s that it has: the same decision, and nobody forfeits."""

    async def body(remote_server: RemoteServer) -> None:
        async with Proxy(remote_server.address) as proxy:
            bot = Good(cut_after(proxy, 5, 3.0))
            async with remote_server.play_at_home(bot, address=proxy.address):
                result = await arena.run(
                    [remote_server.make_spec(grace=10.0), arena.spec(GOOD)], match_format="deals:2"
                )
        (match,) = result.outcomes
        assert (match.faults, match.late, match.attempt) == ((), (0, 0), 0)
        assert bot.asked[4] == bot.asked[5]
        assert len(bot.asked) == len(set(bot.asked)) + 1
        assert bot.started == bot.ended == [bot.asked[0][0]]
        seat = match.entrants.index(0)
        assert match.thinking_seconds[seat] > 2.9  # its clock ran on
        assert [line.split(",")[0] for line in remote_server.said[1:5]] == [
            "playing",
            "connection lost",
            "back",
            "playing",
        ]

    run_with_server(body)


def test_a_gateway_that_dies_in_a_match_costs_nobody_a_forfeit(arena: Arena) -> None:
    """The bot is back at the next gateway within the grace, and plays on."""

    def thought(bot: Good) -> None:
        if len(bot.asked) == 5:
            for gateway in find_gateways(os.getpid()):
                os.kill(gateway, signal.SIGKILL)

    async def body(remote_server: RemoteServer) -> None:
        bot = Good(thought)
        async with remote_server.play_at_home(bot):
            result = await arena.run(
                [remote_server.make_spec(grace=10.0), arena.spec(GOOD)], match_format="deals:2"
            )
        (match,) = result.outcomes
        assert (match.faults, match.late, match.attempt) == ((), (0, 0), 0)
        assert bot.asked[4] == bot.asked[5]
        assert len(bot.asked) == len(set(bot.asked)) + 1

    run_with_server(body)


def test_a_lost_session_is_logged_and_that_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    """By the bot's name, so that its author can be told."""
    caplog.set_level("DEBUG", logger="mazzo_server")

    async def body(remote_server: RemoteServer) -> None:
        async with (
            Proxy(remote_server.address) as proxy,
            remote_server.play_at_home(Good(), address=proxy.address),
        ):
            await remote_server.wait_until_connected()
            proxy.cut()
            await remote_server.wait_until_connected(connected=False)
            await proxy.mend()
            await remote_server.wait_until_connected()
        await remote_server.wait_until_connected(connected=False)

    run_with_server(body)
    told = [
        vars(record)["action"]
        for record in caplog.records
        if str(vars(record).get("action")).startswith("session-")
    ]
    assert told == ["session-begun", "session-lost", "session-back"]


@pytest.mark.slow
def test_a_bot_that_comes_back_too_late_forfeits_what_it_had_begun(arena: Arena) -> None:
    """Cut off for 3 s of the 1 s that it has: the network's fault; it plays the matches after."""

    async def body(remote_server: RemoteServer) -> None:
        async with Proxy(remote_server.address) as proxy:
            bot = Good(cut_after(proxy, 5, 3.0))
            async with remote_server.play_at_home(bot, address=proxy.address):
                result = await arena.run(
                    [remote_server.make_spec(grace=1.0), arena.spec(GOOD)], groups=3, concurrency=1
                )
        assert result.finished
        assert not result.withdrawals
        first, *others = result.outcomes
        (fault,) = first.faults
        assert (fault.termination, fault.owner) == (Termination.DISCONNECTED, Owner.NETWORK)
        assert fault.reason == "its connection was lost, and it had not come back after 1 s"
        assert first.entrants[fault.seat] == 0
        assert len(others) == 2
        assert not any(match.faults for match in others)

    run_with_server(body)


async def first_decision(raw: Raw) -> tuple[Any, Any]:
    """The match and the decision of the first frame."""
    await raw.join()
    assert (await raw.read("welcome")).capacity == 1
    frame = await raw.read("frame")
    return frame.started[0], frame.decisions[0]


def test_the_open_decision_is_offered_again_with_its_number(arena: Arena) -> None:
    """And its match, whatever the server knows of the network: the old session is named."""

    async def body(remote_server: RemoteServer) -> None:
        run = asyncio.create_task(
            arena.run([remote_server.make_spec(grace=30.0), arena.spec(GOOD)])
        )
        async with open_channel(remote_server.address) as channel:
            old_token = await mint(channel, remote_server.key)
            old = Raw(channel, old_token)
            match, decision = await first_decision(old)
            # The old stream stands still and is not dead: the new one takes its place.
            token = await mint(channel, remote_server.key, previous=old_token)
            assert await old.status() is grpc.StatusCode.FAILED_PRECONDITION
            new = Raw(channel, token)
            again, offered = await first_decision(new)
            assert (again.match, again.bot_seed) == (match.match, match.bot_seed)
            assert (offered.match, offered.number) == (decision.match, decision.number)
            assert offered.view == decision.view
            await new.send(leave=play_pb2.Leave())
            await remote_server.wait_until_connected(connected=False)
        async with remote_server.play_at_home(Good()):
            result = await run
        (fault,) = result.outcomes[0].faults
        assert (fault.termination, fault.owner, fault.reason) == (
            Termination.LEFT,
            Owner.BOT,
            "left",
        )

    run_with_server(body)


@pytest.mark.parametrize("answering", [False, True])
def test_a_connection_that_is_lost_again_and_again_is_lost(arena: Arena, answering: bool) -> None:
    """Five times it may come back in vain, in whatever grace; and as often as it likes if it
    answers in between."""

    async def body(remote_server: RemoteServer) -> None:
        run = asyncio.create_task(
            arena.run([remote_server.make_spec(grace=60.0), arena.spec(GOOD)])
        )
        token = ""
        async with open_channel(remote_server.address) as channel:
            for _ in range(6):
                token = await mint(channel, remote_server.key, token)
                raw = Raw(channel, token)
                _, decision = await first_decision(raw)
                if answering:
                    await answers(raw, lowest(decision))
                    await raw.read("frame")
                raw.call.cancel()
                await remote_server.wait_until_connected(connected=False)
        async with remote_server.play_at_home(Good()):
            result = await run
        assert result.finished
        assert result.withdrawals == {}
        faults = result.outcomes[0].faults
        assert [(fault.termination, fault.owner, fault.reason) for fault in faults] == (
            []
            if answering
            else [
                (
                    Termination.DISCONNECTED,
                    Owner.NETWORK,
                    "its connection was lost again and again",
                )
            ]
        )

    run_with_server(body)


def test_a_server_of_this_machine_that_has_tls(tmp_path: Path) -> None:
    """A bot that was not given its CA is told what may be missing."""
    ca = trustme.CA()
    made = ca.issue_cert("localhost")
    files = TlsFiles(certificate=tmp_path / "cert.pem", key=tmp_path / "key.pem")
    made.cert_chain_pems[0].write_to_path(str(files.certificate))
    made.private_key_pem.write_to_path(str(files.key))

    async def body(remote_server: RemoteServer) -> None:
        async with remote_server.play_at_home(Good()):
            await until(lambda: bool(remote_server.said))
        assert "cannot reach" in remote_server.said[0]
        assert "MAZZO_CA" in remote_server.said[0]

    run_with_server(body, tls=files)


async def until_noticed(remote_server: RemoteServer) -> None:
    """Cut the cable of a bot that waits; both sides find out by their pings alone."""
    async with (
        Proxy(remote_server.address) as proxy,
        remote_server.play_at_home(Good(), address=proxy.address),
    ):
        await remote_server.wait_until_connected()
        await until(lambda: bool(remote_server.said))
        proxy.swallows = True
        async with asyncio.timeout(30):  # without a time-out of its own a ping has a minute
            await remote_server.wait_until_connected(connected=False)
            await until(lambda: "connection lost" in remote_server.said[-1])


def test_a_connection_that_died_without_a_word_is_noticed() -> None:
    """By the server, that the grace may begin, and by the bot, that it may dial in again."""
    run_with_server(until_noticed, keepalive=pings(every=1_000, patience=500))


@pytest.mark.prove
def test_a_connection_that_died_without_a_word_is_noticed_within_the_usual_grace() -> None:
    """With the intervals that there are; a few seconds more for a busy machine."""

    async def body(remote_server: RemoteServer) -> None:
        async with asyncio.timeout(15):
            await until_noticed(remote_server)

    run_with_server(body)


@pytest.mark.prove
def test_a_bot_that_waits_is_not_sent_away() -> None:
    """It pings to notice a dead connection, and the server does not mind."""

    async def body(remote_server: RemoteServer) -> None:
        async with remote_server.play_at_home(Good()):
            await asyncio.sleep(25)  # a server that minds lets it go after 20
            assert len(remote_server.said) == 1
            assert remote_server.platform.lobby.is_connected("far")

    run_with_server(body)


def test_a_lost_connection_is_told_once() -> None:
    """However often the bot dials in vain meanwhile."""
    said: list[str] = []
    pauses: list[float] = []

    class Hasty(Random):
        def uniform(self, a: float, b: float) -> float:
            pauses.append(a)
            return 0.0

    player = RemotePlayer(Good(), "127.0.0.1:1", "k", say=said.append, random=Hasty())

    async def main() -> None:
        task = asyncio.create_task(player.run())
        await until(lambda: len(pauses) > 3)
        player.leave()
        await task

    asyncio.run(main())
    (line,) = said
    assert line.startswith("cannot reach 127.0.0.1:1, trying until Ctrl-C: ")


def test_what_the_server_says_of_a_refused_stream_is_told_to_the_author() -> None:
    """Bug: the SDK said that the stream had ended without a goodbye, and no more."""
    refusal = OutOfTurnError("expected this, got that: do so")

    async def body(remote_server: RemoteServer) -> None:
        async with remote_server.play_at_home(Good()):
            stream = await remote_server.platform.lobby.call("far")
            stream.fail(Termination.MALFORMED_ANSWER, "sent that out of turn", refusal=refusal)
            await until(lambda: any(str(refusal) in line for line in remote_server.said))
        with pytest.raises(ConnectionLostError, match="call CreateSession with the bot's key"):
            await play(Good(), remote_server.address, "used")

    run_with_server(body)
