"""Faults of remote bots, as in the tests of uploaded ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import play_pb2
from mazzo_server.model import TimeControl
from mazzo_server.model.outcome import Owner, Termination
from support.remote_bots import Good, Raw, RemoteServer, answers, lowest, mint, run_with_server
from support.scripted_tournaments import GOOD, Arena
from support.stored_rows import text_of


def test_a_bot_that_raises_leaves_and_pays_for_it(arena: Arena) -> None:
    """Its own fault, not the network's, and nobody waits for it to come back."""

    def broken(bot: Good) -> None:
        raise KeyError("oops")

    async def body(remote_server: RemoteServer) -> None:
        run = asyncio.create_task(arena.run([remote_server.make_spec(), arena.spec(GOOD)]))
        with pytest.raises(KeyError, match="oops"):
            await remote_server.make_player(Good(broken)).run()
        async with remote_server.play_at_home(Good()):
            (fault,) = (await run).outcomes[0].faults
        assert (fault.termination, fault.owner) == (Termination.LEFT, Owner.BOT)

    run_with_server(body)


def test_who_never_dials_in_is_withdrawn(arena: Arena) -> None:
    """As a bot that does not start; the others play on."""

    async def body(remote_server: RemoteServer) -> None:
        result = await arena.run(
            [remote_server.make_spec(start_up=0.05), arena.spec(GOOD), arena.spec(GOOD)],
            concurrency=1,
        )
        assert result.finished
        reason = "did not start in 3 attempts: nobody dialled in within 0.05 s"
        assert result.withdrawals == {0: reason}
        assert [match.entrants for match in result.outcomes] in ([(1, 2)], [(2, 1)])

    run_with_server(body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What a remote bot does at each decision, and what comes of it."""

    name: str
    act: Callable[[Raw, play_pb2.Decision], Coroutine[Any, Any, None]]
    termination: Termination | None = None
    owner: Owner = Owner.BOT
    reason: str = ""
    late: int = 0
    code: grpc.StatusCode = grpc.StatusCode.OK  # with which the first stream ends


async def nothing(raw: Raw, decision: play_pb2.Decision) -> None:
    pass


async def late_once(raw: Raw, decision: play_pb2.Decision) -> None:
    if decision.number != 2:
        await answers(raw, lowest(decision))


async def stops_reading(raw: Raw, decision: play_pb2.Decision) -> None:
    await asyncio.Event().wait()


async def odd_numbers(raw: Raw, decision: play_pb2.Decision) -> None:
    number = decision.number
    await answers(
        raw,
        lowest(decision, number=number - 1, action=63),
        lowest(decision, number=number + 1, action=63),  # before it is asked
        lowest(decision, match=12345, action=63),
        lowest(decision),
        lowest(decision, action=63),
    )


async def half_closes(raw: Raw, decision: play_pb2.Decision) -> None:
    await raw.call.done_writing()


async def is_killed(raw: Raw, decision: play_pb2.Decision) -> None:
    raw.call.cancel()


def writes(data: bytes) -> Callable[[Raw, play_pb2.Decision], Coroutine[Any, Any, None]]:
    return lambda raw, decision: raw.write(data)


def sends(**message: Any) -> Callable[[Raw, play_pb2.Decision], Coroutine[Any, Any, None]]:
    return lambda raw, decision: raw.send(**message)


THIRD = "late for the third time in the match"
GONE = "its connection was lost, and it had not come back after 0.1 s"
ROWS = [
    Row(name="silent", act=nothing, termination=Termination.OUT_OF_TIME, reason=THIRD, late=3),
    Row(
        name="stops reading",
        act=stops_reading,
        termination=Termination.OUT_OF_TIME,
        reason=THIRD,
        late=3,
    ),
    Row(name="slow once", act=late_once, late=1),
    Row(
        name="illegal",
        act=lambda raw, decision: answers(raw, lowest(decision, action=63)),
        termination=Termination.ILLEGAL_ACTION,
        reason="got action number 63",
    ),
    Row(
        name="garbage",
        act=writes(b"\xff\xfe\xfd garbage"),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent a message that cannot be read",
        code=grpc.StatusCode.INVALID_ARGUMENT,
    ),
    Row(name="odd numbers, twice and early", act=odd_numbers),
    Row(
        name="giant",
        act=writes(bytes(2_000_000)),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent a message of 2000000 bytes, of 1048576 at most",
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
    ),
    Row(
        name="more than gRPC takes",
        act=writes(bytes(5_000_000)),
        termination=Termination.DISCONNECTED,
        owner=Owner.NETWORK,
        reason=GONE,
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
    ),
    Row(
        name="floods",
        act=lambda raw, decision: answers(raw, *[lowest(decision, match=12345)] * 5_000),
        termination=Termination.MALFORMED_ANSWER,
        reason="answers far more than it is asked",
        code=grpc.StatusCode.RESOURCE_EXHAUSTED,
    ),
    Row(
        name="leaves",
        act=sends(leave=play_pb2.Leave()),
        termination=Termination.LEFT,
        reason="left",
    ),
    Row(
        name="joins twice",
        act=sends(join=play_pb2.Join(capacity=1)),
        termination=Termination.MALFORMED_ANSWER,
        reason="sent join out of turn",
        code=grpc.StatusCode.FAILED_PRECONDITION,
    ),
    Row(
        name="half-closes",
        act=half_closes,
        termination=Termination.DISCONNECTED,
        owner=Owner.NETWORK,
        reason=GONE,
        code=grpc.StatusCode.FAILED_PRECONDITION,
    ),
    Row(
        name="killed",
        act=is_killed,
        termination=Termination.DISCONNECTED,
        owner=Owner.NETWORK,
        reason=GONE,
        code=grpc.StatusCode.CANCELLED,
    ),
]

WAITING = ("silent", "stops reading")  # these take seconds
ROW_PARAMS = [
    pytest.param(row, id=row.name, marks=[pytest.mark.slow] if row.name in WAITING else [])
    for row in ROWS
]


@pytest.mark.parametrize("row", ROW_PARAMS)
def test_a_fault_of_a_remote_bot_is_its_own(arena: Arena, row: Row) -> None:
    """Promise 6: termination, owner, reason and score, and the tournament ends.

    Bug: whatever it was, the stream ended with the status OK.
    """

    codes: list[grpc.StatusCode] = []

    async def misbehave(remote_server: RemoteServer) -> None:
        async with open_channel(remote_server.address) as channel:
            raw = Raw(channel, await mint(channel, remote_server.key))
            await raw.join()
            await raw.read("welcome")
            with suppress(grpc.aio.AioRpcError, asyncio.CancelledError):
                while frame := await raw.read("frame", until="goodbye"):
                    for decision in frame.decisions:
                        await row.act(raw, decision)
            if row.act is not stops_reading:
                codes.append(await raw.call.code())

    async def body(remote_server: RemoteServer) -> None:
        hasty = TimeControl(bank=60.0, increment=0.0, limit=1.0 if row.late else 60.0)
        run = asyncio.create_task(
            arena.run([arena.spec(GOOD), remote_server.make_spec(grace=0.1)], time=hasty)
        )
        bot = asyncio.create_task(misbehave(remote_server))
        result = await run
        if row.act is stops_reading:
            bot.cancel()
        await asyncio.wait((bot,))
        assert bot.cancelled() or bot.exception() is None
        assert codes == ([] if row.act is stops_reading else [row.code])
        assert result.finished
        assert result.withdrawals == {}
        (match,) = result.outcomes
        guilty = match.entrants.index(1)
        assert (match.late[guilty], match.late[1 - guilty]) == (row.late, 0)
        if row.termination is None:
            assert match.faults == ()
            assert sum(match.match_scores) == 1
            assert len(match.deals[0].substituted) == row.late
        else:
            (fault,) = match.faults
            assert (fault.seat, fault.termination, fault.owner, text_of(fault)) == (
                guilty,
                row.termination,
                row.owner,
                "",
            )
            assert row.reason in fault.reason
            assert match.match_scores[guilty] == 0
            assert match.match_scores[1 - guilty] == 1

    run_with_server(body)
