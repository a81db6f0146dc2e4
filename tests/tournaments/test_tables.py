"""People at tables with bots: whole matches, lost connections, and who gets a seat."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import replace

import grpc
import pytest

from mazzo.errors import VariantError
from mazzo.games import parse_variant
from mazzo.v1 import table_pb2
from mazzo_server.clock import wall_clock
from mazzo_server.errors import LimitReachedError, NotFoundError
from mazzo_server.model import CallLimits, Definition, Termination, TournamentKind
from mazzo_server.results.commentary import describe_play
from mazzo_server.storage import Store, TournamentStatus
from mazzo_server.tournaments.tables import (
    OpenTable,
    OpenTables,
    TableCreator,
    TableRequest,
    TableState,
    definitions,
)
from mazzo_server.tournaments.tables import tables as tables_module
from support.command import Home
from support.people import Seat, TableServer, play_on, run_every_kind
from support.remote_bots import Raw, answers, lowest

VARIANTS = (
    "briscola/2",
    "briscola/3",
    "briscola/4",
    "briscola/6",
    "briscola-chiamata",
    "frap/12",
    "frusta",
    "tressette-meta-mazzo",
    "tressette-pizzichino",
)

DAY = 86_400.0  # seconds


async def refuse(call: Awaitable[object], code: grpc.StatusCode, *words: str) -> None:
    """The call must be refused, in these words."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    assert caught.value.code() is code
    assert all(word in (caught.value.details() or "") for word in words), caught.value.details()


@pytest.mark.parametrize("text", VARIANTS)
def test_a_person_plays_a_whole_match(samples: Home, text: str) -> None:
    """It is stored, has everybody in a seat of his own, and counts nowhere."""
    variant = parse_variant(text)

    async def body(server: TableServer) -> None:
        bots = f"random*{variant.players - 1}" if variant.players > 2 else "random"
        seat = await server.create(text, bots, match_format="deals:1")
        raw, _ = await server.dial(seat)
        frames = await play_on(raw)
        table = await server.wait_until_over(seat)
        assert table.state == table_pb2.TABLE_STATE_FINISHED
        assert table.players[frames[0].started[0].seat] == "@Ann"
        assert len(set(table.players)) == variant.players
        assert sum(len(frame.decisions) for frame in frames) > 3
        row = server.store.tournament(table.tournament)
        assert row.status is TournamentStatus.FINISHED
        assert row.definition.kind is TournamentKind.TABLE
        (outcome,) = server.store.outcomes(table.tournament, with_deals=False)
        assert not outcome.faults
        assert server.platform.results.rankings.list_rankings("") == []
        assert await server.platform.tournaments.overview.list() == []
        assert (
            len(await server.platform.tournaments.overview.list(also=[TournamentKind.TABLE])) == 1
        )
        record = "".join(await server.read_record(table.tournament))
        assert all(name in record for name in table.players)

    run_every_kind(samples, body)


def test_people_sit_at_one_table_by_an_invitation(samples: Home) -> None:
    """It begins when the last one has come; until then nobody plays."""

    async def body(server: TableServer) -> None:
        ann = await server.create("briscola/4", "random", match_format="deals:1")
        waits = await server.look(ann)
        assert (waits.state, waits.free_seats) == (table_pb2.TABLE_STATE_WAITING, 2)
        await refuse(server.open(ann), grpc.StatusCode.FAILED_PRECONDITION, "waiting")
        ben = await server.join(ann, "Ben")
        await refuse(
            server.join(ann, "ANN"), grpc.StatusCode.INVALID_ARGUMENT, "is called ANN already"
        )
        cara = await server.join(ann, "Cara")
        await refuse(server.join(ann, "Dan"), grpc.StatusCode.FAILED_PRECONDITION, "no seat")
        await refuse(server.leave(ben), grpc.StatusCode.FAILED_PRECONDITION, "playing")
        streams = [(await server.dial(seat))[0] for seat in (ann, ben, cara)]
        played = await asyncio.gather(*map(play_on, streams))
        table = await server.wait_until_over(ben)
        assert table.state == table_pb2.TABLE_STATE_FINISHED
        seats = [frames[0].started[0].seat for frames in played]
        assert [table.players[seat] for seat in seats] == ["@Ann", "@Ben", "@Cara"]
        found = await server.find_match(table.tournament)
        told = describe_play(found)  # partners are different people
        assert all(f"{name} " in told for name in table.players), told
        for frames, seat in zip(played, seats, strict=True):  # nobody sees another's cards
            assert {one.view.seat for frame in frames for one in frame.decisions} == {seat}

    run_every_kind(samples, body)


def test_a_lost_connection_comes_back_to_the_same_decision(samples: Home) -> None:
    async def body(server: TableServer) -> None:
        seat = await server.create("briscola/2", "random", match_format="deals:1")
        raw, token = await server.dial(seat)
        await play_on(raw, decisions=5)
        (asked,) = (await raw.read("frame")).decisions
        raw.call.cancel()
        again, _ = await server.dial(seat, previous=token)
        await again.read("welcome")
        frame = await again.read("frame")
        assert frame.decisions[0].number == asked.number
        assert frame.decisions[0].view == asked.view
        await answers(again, lowest(frame.decisions[0]))
        await play_on(again, decisions=1, is_begun=True)
        assert (await server.look(seat)).state == table_pb2.TABLE_STATE_PLAYING
        await play_on(again, is_begun=True)
        assert (await server.wait_until_over(seat)).state == table_pb2.TABLE_STATE_FINISHED

    run_every_kind(samples, body)


def test_who_leaves_in_mid_play_loses_and_the_table_is_over(samples: Home) -> None:
    async def body(server: TableServer) -> None:
        seat = await server.create("briscola/2", "random", match_format="deals:1")
        raw, _ = await server.dial(seat)
        await play_on(raw, decisions=3)
        await raw.send(leave={})
        table = await server.wait_until_over(seat)
        (outcome,) = server.store.outcomes(table.tournament, with_deals=False)
        (fault,) = outcome.faults
        assert table.players[fault.seat] == "@Ann"

    run_every_kind(samples, body)


def test_who_leaves_a_large_table_loses_and_the_others_play_on(samples: Home) -> None:
    """The substitute plays in that seat, and nothing is void."""

    async def body(server: TableServer) -> None:
        ann = await server.create("briscola/3", "random", match_format="deals:1")
        ben = await server.join(ann, "Ben")
        leaving, staying = [(await server.dial(seat))[0] for seat in (ann, ben)]
        await leaving.read("welcome")
        await leaving.send(leave={})
        await play_on(staying)
        table = await server.wait_until_over(ben)
        assert table.state == table_pb2.TABLE_STATE_FINISHED
        (outcome,) = server.store.outcomes(table.tournament, with_deals=False)
        (fault,) = outcome.faults
        assert (table.players[fault.seat], fault.termination) == ("@Ann", Termination.LEFT)

    run_every_kind(samples, body)


def test_who_does_not_come_loses(samples: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Although he had a seat: the others do not wait for ever, and their match counts."""
    soon = replace(definitions._TIME, start_up=1.0)
    monkeypatch.setattr(definitions, "_TIME", soon)

    async def body(server: TableServer) -> None:
        ann = await server.create("briscola/3", match_format="deals:1")
        ben, cara = [await server.join(ann, name) for name in ("Ben", "Cara")]
        streams = [(await server.dial(seat))[0] for seat in (ben, cara)]
        await asyncio.gather(*map(play_on, streams))
        table = await server.wait_until_over(ben)
        (outcome,) = server.store.outcomes(table.tournament, with_deals=False)
        (fault,) = outcome.faults
        assert (table.players[fault.seat], fault.termination) == ("@Ann", Termination.OUT_OF_TIME)

    run_every_kind(samples, body)


def test_who_gets_a_table(samples: Home) -> None:
    """What is no table is refused in words, and leaves none; a server has so many."""

    async def body(server: TableServer) -> None:
        bad, none = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND
        await refuse(server.create("chess"), bad, "expected a game")
        await refuse(server.create("briscola/2", "nobody"), none, "nobody")
        await refuse(server.create("briscola/2", "random*2"), bad, "so that a seat is left")
        await refuse(server.create("briscola/2", match_format="x"), bad)
        for name in ("", " ", "a*2", "x" * 25, "\u202eAnn", "<\n>"):
            await refuse(server.create("briscola/2", name=name), bad, "name: expected")
        assert server.platform.unrated.tables.list_open() == []
        seats = [await server.create("briscola/2") for _ in range(2)]
        await refuse(
            server.create("briscola/2"), grpc.StatusCode.RESOURCE_EXHAUSTED, "at most 2 tables"
        )
        strange = Seat(seats[0].table, seats[1].key, seats[1].invitation)
        await refuse(server.join(strange, "Eve"), none, "expected a table that is open")
        for key in ("", "x", seats[0].key[:-1] + ("a" if seats[0].key[-1] != "a" else "b")):
            seat = Seat(seats[0].table, key, "")
            await refuse(server.look(seat), none, "expected a table that is open")
            await refuse(server.open(seat), grpc.StatusCode.UNAUTHENTICATED, "the key of a seat")
            await refuse(server.leave(seat), grpc.StatusCode.UNAUTHENTICATED)
        await server.leave(seats[0])
        await server.create("briscola/2")
        assert "Ann" not in repr(server.store.tournaments(every_kind=True))

    run_every_kind(samples, body, limits=CallLimits(tables=2))


def test_the_public_leaves_a_place(samples: Home) -> None:
    """For those with a token, and gives up what only waits; those with a token never do."""

    async def body(server: TableServer) -> None:
        now = [0.0]
        platform = server.platform
        tables = OpenTables(
            *(server.store, platform.bots.launcher, platform.tournaments, platform.lobby),
            most=3,
            clock=lambda: now[0],
        )

        async def create(token: str | None, *, variant: str = "briscola/2") -> OpenTable:
            asked = TableRequest(variant=variant, bots=(), name="Ann", isolation="none")
            creator = TableCreator(token=token, is_public=token is None)
            return (await tables.create(asked, creator=creator))[0]

        first = await create(None)
        now[0] = 1.0
        second = await create(None)
        with pytest.raises(LimitReachedError, match="at most 2 tables for those without a token"):
            await create(None)
        owned = await create("ann")
        with pytest.raises(LimitReachedError, match="got a second one"):
            await create("ann")
        with pytest.raises(LimitReachedError, match="at most 3 tables at a time"):
            await create("ben")
        now[0] = 120.0
        with pytest.raises(VariantError):
            await create("ben", variant="chess")  # nobody gives way to that
        assert first.state is TableState.WAITING
        ben = await create("ben")
        assert (first.state, second.state) == (TableState.CANCELLED, TableState.WAITING)
        assert "somebody else" in first.reason
        with pytest.raises(LimitReachedError, match="at most 3 tables at a time"):
            await create(None)
        now[0] = 599.0
        await create(None)
        assert second.state is TableState.CANCELLED
        with pytest.raises(LimitReachedError):  # the new one has just begun to wait
            await create("cara")
        assert owned.state is ben.state is TableState.WAITING

    run_every_kind(samples, body)


def test_a_table_waits_for_some_minutes(samples: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables_module, "_JOIN_SECONDS", 0.0)

    async def body(server: TableServer) -> None:
        seat = await server.create("briscola/2")
        table = await server.look(seat)
        assert table.state == table_pb2.TABLE_STATE_CANCELLED
        assert "not everybody joined" in table.reason
        assert server.platform.unrated.tables.list_open() == []

    run_every_kind(samples, body)


def test_a_table_ends_with_its_server(samples: Home) -> None:
    """Its match is cancelled, after a kill when the next one begins: nobody has keys any more."""
    left: list[int] = []

    async def begin(server: TableServer) -> None:
        seat = await server.create("briscola/2", "random")
        raw, _ = await server.dial(seat)
        await play_on(raw, decisions=2)
        left.append((await server.look(seat)).tournament)

    async def look(server: TableServer) -> None:
        assert server.store.tournament(left[0]).status is TournamentStatus.CANCELLED
        server.store.set_status(left[0], TournamentStatus.RUNNING)  # as after a kill
        await server.platform.unrated.tables.tidy_up()
        assert server.store.tournament(left[0]).status is TournamentStatus.CANCELLED

    run_every_kind(samples, begin)
    run_every_kind(samples, look)


def test_old_tables_are_deleted(samples: Home) -> None:
    """A week after their end, when the server begins and each day; nothing else is."""

    async def body(server: TableServer) -> None:
        seat = await server.create("briscola/2", "random", match_format="deals:1")
        raw, _ = await server.dial(seat)
        await play_on(raw)
        number = (await server.wait_until_over(seat)).tournament
        row = server.store.tournament(number)
        plain = replace(row.definition, kind=TournamentKind.TOURNAMENT)
        now = wall_clock()
        left = []
        for definition, status, days in (
            (row.definition, TournamentStatus.FINISHED, 6.9),
            (row.definition, TournamentStatus.RUNNING, 7.1),  # played by another server
            (plain, TournamentStatus.FINISHED, 99.0),
        ):
            left.append(add_old(server.store, definition, status, now - days * DAY))
        claim = server.store.claim(left[1])
        assert claim is not None
        for status in (TournamentStatus.FINISHED, TournamentStatus.CANCELLED):
            add_old(server.store, row.definition, status, now - 7.1 * DAY)
        await server.platform.unrated.tables.tidy_up(pause=0.01)
        kept = [row.id for row in server.store.tournaments(every_kind=True)]
        assert kept == [number, *left]
        later = add_old(server.store, row.definition, TournamentStatus.FINISHED, now - 8 * DAY)
        await wait_until_gone(server.store, later)
        await server.read_record(number)  # which can still be watched
        claim.release()

    run_every_kind(samples, body)


async def wait_until_gone(store: Store, number: int) -> None:
    while True:
        try:
            store.tournament(number)
        except NotFoundError:
            return
        await asyncio.sleep(0.01)


def add_old(store: Store, definition: Definition, status: TournamentStatus, end_time: float) -> int:
    """A tournament that ended then."""
    number = store.add_tournament(definition, concurrency=1, create_time=end_time - 60.0).id
    store.set_status(number, status, end_time=end_time if status.is_over else None)
    return number


@pytest.mark.slow
def test_who_is_gone_before_it_begins_blocks_no_table(
    samples: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that is cut off, at any moment: the match begins, and its end is noted."""
    monkeypatch.setattr(definitions, "_TIME", replace(definitions._TIME, start_up=1.0))

    async def body(server: TableServer) -> None:
        for seconds in (0.001, 0.004, 0.02):
            ann = await server.create("briscola/2", match_format="deals:1")
            joining = table_pb2.JoinTableRequest(
                id=ann.table, invitation=ann.invitation, name="Ben"
            )
            with suppress(grpc.aio.AioRpcError):
                await server.tables.JoinTable(joining, timeout=seconds)
            if (await server.look(ann)).state == table_pb2.TABLE_STATE_WAITING:
                await server.leave(ann)
                continue
            raw = await dial_soon(server, ann)
            await raw.send(leave={})
            table = await server.wait_until_over(ann)
            assert table.tournament
        assert server.platform.unrated.tables.list_open() == []

    run_every_kind(samples, body)


async def dial_soon(server: TableServer, seat: Seat) -> Raw:
    """A stream, as soon as the match has begun."""
    while True:
        with suppress(grpc.aio.AioRpcError):
            return (await server.dial(seat))[0]
        await asyncio.sleep(0.01)


@pytest.mark.slow
def test_tables_that_are_played_are_left_alone(samples: Home) -> None:
    """Those who open others meanwhile, and a server that begins, cancel none of them."""

    async def body(server: TableServer) -> None:
        seats = await asyncio.gather(*(server.create("briscola/2", "random") for _ in range(3)))
        await server.platform.unrated.tables.tidy_up()
        for seat in seats:
            assert (await server.look(seat)).state == table_pb2.TABLE_STATE_PLAYING
            raw, _ = await server.dial(seat)
            await play_on(raw)
            assert (await server.wait_until_over(seat)).state == table_pb2.TABLE_STATE_FINISHED

    run_every_kind(samples, body)
