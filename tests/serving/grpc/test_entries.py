"""Open tournaments by the wire: who may do what, when, and what is refused."""

from __future__ import annotations

from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import entry_pb2, entry_pb2_grpc, tournament_pb2
from mazzo_server.clock import wall_clock
from mazzo_server.model import TournamentRequest
from mazzo_server.serving.grpc.messages import encode_time
from mazzo_server.storage import EntryRow, Timetable
from support.callers import ServedPlatform, reason_of, run_served
from support.stored_rows import manifest_of, qualify

HOUR = 3600.0
ANY: dict[str, Any] = {"variant": "briscola/2", "groups": 2, "mirror": "off", "isolation": "none"}


class Service:
    """The service as each caller finds it."""

    def __init__(self, served: ServedPlatform, channel: grpc.aio.Channel) -> None:
        self.served = served
        self._stub = entry_pb2_grpc.EntryServiceStub(channel)

    async def ask(self, caller: str, method: str, **fields: Any) -> entry_pb2.OpenTournament:
        request = getattr(entry_pb2, f"{method}Request")(**fields)
        answer = await getattr(self._stub, method)(request, metadata=self.served.metadata(caller))
        shown: entry_pb2.OpenTournament = answer.open_tournament
        return shown

    async def open(
        self,
        times: dict[str, float],
        *,
        every: str = "",
        start_with: int | None = None,
        **asked: Any,
    ) -> entry_pb2.OpenTournament:
        """Of an organiser; the times are seconds from now."""
        now = wall_clock()
        moments = {name: encode_time(now + later) for name, later in times.items()}
        return await self.ask(
            "organiser",
            "CreateOpenTournament",
            tournament=tournament_pb2.CreateTournamentRequest(**ANY | asked),
            timetable=entry_pb2.Timetable(every=every, start_with=start_with, **moments),
        )


def run(folder: Path, body: Any) -> None:
    async def main(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            await body(Service(served, channel))

    run_served(folder, main)


async def refusal(call: Coroutine[Any, Any, object]) -> tuple[str, str]:
    """The reason of a refusal, and its words."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    return reason_of(caught.value), caught.value.details() or ""


def test_authors_enter_their_own_bots_and_the_organiser_every_bot(tmp_path: Path) -> None:
    async def body(service: Service) -> None:
        store = service.served.store
        qualify(store, "ann")
        await service.open({"start_at": HOUR})
        assert list((await service.ask("alice", "GetOpenTournament", id=1)).enterable) == ["ann"]
        assert list((await service.ask("bob", "GetOpenTournament", id=1)).enterable) == []
        enter = {"id": 1, "bot": "ann"}
        for method in ("EnterBot", "LeaveBot"):
            reason, said = await refusal(service.ask("bob", method, **enter))
            assert (reason, said) == (
                "PERMISSION_DENIED",
                "bot ann belongs to alice, not to bob",
            )
        assert store.entries(1) == []
        shown = await service.ask("alice", "EnterBot", **enter)
        [entry] = shown.entries
        assert (entry.bot, entry.removable, list(shown.enterable)) == ("ann", True, [])
        assert store.entries(1)[0].author == "alice"
        assert (await refusal(service.ask("alice", "EnterBot", **enter)))[0] == "CONFLICT"
        reason, _ = await refusal(service.ask("bob", "LeaveBot", **enter))
        assert reason == "PERMISSION_DENIED"
        [entry] = (await service.ask("bob", "GetOpenTournament", id=1)).entries
        assert not entry.removable
        await service.ask("organiser", "LeaveBot", **enter)
        await service.ask("organiser", "EnterBot", **enter)
        await service.ask("alice", "LeaveBot", **enter)
        assert store.entries(1) == []
        for fields in ({"id": 7, "bot": "ann"}, {"id": 1, "bot": "nobody"}):
            assert (await refusal(service.ask("alice", "EnterBot", **fields)))[0] == "NOT_FOUND"

    run(tmp_path, body)


@pytest.mark.parametrize(
    ("opens", "closes", "said"),
    [(HOUR, 2 * HOUR, "takes no entries yet"), (-2 * HOUR, -HOUR, "takes no more entries")],
)
def test_authors_act_while_entries_are_taken(
    tmp_path: Path, opens: float, closes: float, said: str
) -> None:
    """The organiser may enter bots before and after."""

    async def body(service: Service) -> None:
        now = wall_clock()
        timetable = Timetable(
            entries_from=now + opens, entries_until=now + closes, start_at=now + 3 * HOUR
        )
        request = TournamentRequest(variant="briscola/2", isolation="none")
        store = service.served.store
        shown = store.add_open_tournament(request, timetable, create_time=now)
        enter = {"id": shown.id, "bot": "ann"}
        reason, words = await refusal(service.ask("alice", "EnterBot", **enter))
        assert reason == "CONFLICT"
        assert said in words
        found = await service.ask("alice", "GetOpenTournament", id=shown.id)
        assert list(found.enterable) == []
        entered = await service.ask("organiser", "EnterBot", **enter)
        assert (await refusal(service.ask("alice", "LeaveBot", **enter)))[0] == "CONFLICT"
        [entry] = entered.entries
        assert entry.removable

    run(tmp_path, body)


def test_what_each_still_lacks_is_told(tmp_path: Path) -> None:
    """And nothing of the folders of the server."""

    async def body(service: Service) -> None:
        store = service.served.store
        for name in ("untried", "retired"):
            store.add_version(
                name, content_hash="b" * 64, manifest=manifest_of(name), create_time=1.0
            )
        store.retire("retired")
        await service.open({"start_at": HOUR}, bots=["ann", "robot", "untried"])
        qualify(store, "untried")
        store.retire("untried")
        found = await service.ask("alice", "GetOpenTournament", id=1)
        lacks = {entry.bot: entry.lacks for entry in found.entries}
        assert lacks["ann"].startswith("ann is not qualified for briscola/2")
        assert lacks["robot"].startswith("robot is away: start its program")
        assert lacks["untried"].startswith("untried is retired: submit it again")
        assert not any(entry.HasField("version") for entry in found.entries)
        qualify(store, "ann")
        found = await service.ask("alice", "GetOpenTournament", id=1)
        assert "must be submitted again" in found.entries[0].lacks
        assert str(tmp_path) not in found.entries[0].lacks
        reason, said = await refusal(service.ask("organiser", "EnterBot", id=1, bot="retired"))
        assert (reason, "is retired" in said) == ("CONFLICT", True)

    run(tmp_path, body)


def test_bots_that_have_no_business_there_are_refused(tmp_path: Path) -> None:
    async def body(service: Service) -> None:
        await service.open({"start_at": HOUR}, variant="frap/4")
        reason, said = await refusal(service.ask("alice", "EnterBot", id=1, bot="ann"))
        assert (reason, "does not play frap/4" in said) == ("INVALID_INPUT", True)
        await service.open({"start_at": HOUR}, mirror="rotations")
        reason, said = await refusal(service.ask("organiser", "EnterBot", id=2, bot="robot"))
        assert (reason, "another machine" in said) == ("INVALID_INPUT", True)
        await service.open({"start_at": HOUR}, mirror="rotations", allow_remote_mirror=True)
        assert (await service.ask("organiser", "EnterBot", id=3, bot="robot")).entries_total == 1

    run(tmp_path, body)


@pytest.mark.parametrize(
    ("times", "more", "said"),
    [
        ({}, {}, "expected when it starts"),
        ({"entries_from": HOUR}, {}, "expected when it starts"),
        ({"start_at": -HOUR}, {}, "start-at: expected a time to come"),
        ({"entries_until": -HOUR, "start_at": HOUR}, {}, "entries-until: expected a time to come"),
        ({"entries_until": 2 * HOUR, "start_at": HOUR}, {}, "after that of --entries-until"),
        ({"entries_from": HOUR, "start_at": HOUR}, {}, "after that of --entries-from"),
        ({"start_at": 6 * 366 * 24 * HOUR}, {}, "within five years"),
        ({"entries_from": -6 * 366 * 24 * HOUR, "start_at": HOUR}, {}, "within five years"),
        ({}, {"every": "week", "start_with": 2}, "every: expected --start-at"),
        ({"start_at": HOUR}, {"every": "month"}, "every: expected day or week"),
        ({"start_at": HOUR}, {"start_with": 1}, "start-with: expected"),
        ({"start_at": HOUR}, {"start_with": 2**31}, "start-with: expected"),
        ({"start_at": HOUR}, {"seed": "5eed" * 16}, "seed: expected none"),
        ({"start_at": HOUR}, {"every": "day", "name": "x" * 100}, "with the number of a round"),
        ({"start_at": HOUR}, {"bots": ["ann*2"]}, "no copies"),
        ({"start_at": HOUR}, {"bots": ["ann", "ann"]}, ""),
        ({"start_at": HOUR}, {"variant": "bridge/4"}, "bridge"),
        ({"start_at": HOUR}, {"groups": 0}, "groups"),
        ({"start_at": HOUR}, {"match_format": "target:101", "groups": None}, "--groups"),
        ({"start_at": HOUR}, {"rounds": 3}, "rounds"),
        (
            {"start_at": HOUR},
            {"pairing": "double-elimination", "start_with": 65},
            "64",
        ),
    ],
)
def test_what_could_never_start_is_refused(
    tmp_path: Path, times: dict[str, float], more: dict[str, Any], said: str
) -> None:
    """When it is made, and not on the evening; nothing is stored."""

    async def body(service: Service) -> None:
        reason, words = await refusal(service.open(times, **more))
        assert reason in ("INVALID_INPUT", "")
        assert said in words
        assert service.served.store.open_tournaments(with_over=True) == []

    run(tmp_path, body)


def test_open_tournaments_are_shown_and_called_off(tmp_path: Path) -> None:
    """Lists have no entries; what is called off is over."""

    async def body(service: Service) -> None:
        await service.open({"start_at": HOUR}, name="Cup", bots=["ann"])
        await service.open({"entries_until": HOUR}, every="week")
        service.served.store.enter_bot(2, EntryRow(bot="ann", author="", time=wall_clock()))
        for caller in ("alice", "organiser"):
            shown = await service.ask(caller, "GetOpenTournament", id=1)
            assert (shown.tournament.name, shown.tournament.groups) == ("Cup", 2)
            assert shown.state == entry_pb2.OPEN_TOURNAMENT_STATE_OPEN
        listed = await service.served.platform.entries.list_open()
        assert [(one.row.id, one.row.entries, list(one.entries)) for one in listed] == [
            (1, 1, []),
            (2, 1, []),
        ]
        gone = await service.ask("organiser", "CallOffOpenTournament", id=1)
        assert gone.state == entry_pb2.OPEN_TOURNAMENT_STATE_OVER
        assert [one.row.id for one in await service.served.platform.entries.list_open()] == [2]
        assert (await refusal(service.ask("organiser", "CallOffOpenTournament", id=1)))[0] == (
            "CONFLICT"
        )

    run(tmp_path, body)
