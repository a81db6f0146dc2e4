"""The services for people: trials, heavy reads, slow readers, and failures of their own."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.errors import IllegalActionError
from mazzo.v1 import bot_pb2, bot_pb2_grpc, tournament_pb2, tournament_pb2_grpc
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.bots.catalogue import Catalogue
from mazzo_server.errors import ConflictError, FellBehindError, IsolationError, StoreError
from mazzo_server.model import Entrant
from mazzo_server.model.trial_report import TrialReport
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore, TournamentRow
from mazzo_server.tournaments.running.director import Director
from mazzo_server.tournaments.service import Tournaments
from support.callers import (
    CALLERS,
    MANIFEST,
    PATIENCE,
    TRIAL,
    ServedPlatform,
    call,
    outcome,
    reason_of,
    run_served,
)
from support.manual_tournaments import definition_of
from support.sample_bots import write_bot
from support.stored_rows import trial_of


@contextmanager
def without_garbage_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def test_four_trials_at_a_time(tmp_path: Path) -> None:
    """The others wait: a trial is a process, and whoever may submit may submit many."""
    store = MemoryStore()
    running: list[int] = [0]

    async def trial(*given: Any, **named: Any) -> TrialReport:
        running.append(running[-1] + 1)
        while len(store.bots()) < 6:  # noqa: ASYNC110
            await asyncio.sleep(0)
        for _ in range(100):  # time enough for the others to come
            await asyncio.sleep(0)
        running.append(running[-1] - 1)
        return trial_of()

    platform = Platform(Settings(home=tmp_path / "home"), store, play_trial=trial)

    async def main() -> None:
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            for number in range(6):
                archive = pack(write_bot(tmp_path, f"bot-{number}"))
                group.create_task(platform.bots.submit(archive, isolation="none"))

    asyncio.run(main())
    assert (max(running), len(running)) == (4, 13)


def test_heavy_reads_hold_up_nobody_else(tmp_path: Path) -> None:
    """However many wait for standings, a token is checked at once."""
    store = MemoryStore()
    release = threading.Event()
    listed = store.tournaments

    def slow(*, every_kind: bool = False) -> list[TournamentRow]:
        assert release.wait(PATIENCE)
        return listed(every_kind=every_kind)

    store.tournaments = slow  # type: ignore[method-assign]
    platform = Platform(Settings(home=tmp_path / "home"), store)

    async def main() -> None:
        reads = [asyncio.create_task(platform.tournaments.overview.list()) for _ in range(64)]
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(PATIENCE / 2):
                assert not await platform.tokens.is_valid("nobody")
        finally:
            release.set()
            await asyncio.gather(*reads)
        await platform.close(grace=0)

    asyncio.run(main())


def test_who_reads_too_slowly_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a status of its own."""

    async def watch(self: Tournaments, tournament: int, **_: Any) -> AsyncIterator[Any]:
        no_reports: tuple[Any, ...] = ()
        for report in no_reports:
            yield report
        raise FellBehindError("watch again")

    monkeypatch.setattr(Tournaments, "watch", watch)

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            call = tournament_pb2_grpc.TournamentServiceStub(channel).WatchTournament(
                tournament_pb2.WatchTournamentRequest(id=1), metadata=served.metadata("alice")
            )
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await anext(aiter(call))
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert reason_of(refused.value) == "FELL_BEHIND"

    run_served(tmp_path, body)


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        (StoreError("cannot read /home/olga/mazzo.db"), False),
        (ValueError("expected a card, got 'Ad'"), False),
        (IllegalActionError("expected a legal action, got 'Ad'"), False),
        (ConflictError("one fault too many"), True),
        (IsolationError("no bubblewrap here"), True),
    ],
)
def test_why_a_run_failed_inside_is_for_the_organiser_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, is_told: bool
) -> None:
    """Whoever watches hears that it failed; what the server was at work with, he does not."""

    async def fail(self: Director) -> NoReturn:
        await self.failing.wait()  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr(Director, "run", fail)

    async def body(served: ServedPlatform) -> None:
        failing = asyncio.Event()
        monkeypatch.setattr(Director, "failing", failing, raising=False)
        served.store.add_version(
            "other", content_hash="", manifest=MANIFEST, create_time=1.0, remote=True
        )
        definition = definition_of(
            entrants=tuple(
                Entrant(name=name, version=1, content_hash="", remote=True)
                for name in ("robot", "other")
            )
        )
        row = served.store.add_tournament(definition, concurrency=1, create_time=0.0)
        await served.platform.tournaments.start(row.id)
        request = tournament_pb2.WatchTournamentRequest(id=row.id)
        async with open_channel(served.port) as channel:
            stub = tournament_pb2_grpc.TournamentServiceStub(channel)
            calls = {
                name: aiter(stub.WatchTournament(request, metadata=served.metadata(name)))
                for name in ("organiser", "alice", "nobody")
            }
            for watching in calls.values():
                assert not (await anext(watching)).failure
            failing.set()
            said = {}
            for name, watching in calls.items():
                async for report in watching:
                    said[name] = report.failure
        assert said["organiser"] == str(error)
        assert said["alice"] == said["nobody"]
        assert (said["alice"] == str(error)) is is_told
        assert said["alice"]

    run_served(tmp_path, body, public=True)


def test_a_failure_of_the_server_is_told_in_full_to_the_organiser_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names places on the machine that others have no business to know."""

    def broken(*_: object) -> NoReturn:
        raise StoreError("cannot use the store /home/me/mazzo.db")

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            monkeypatch.setattr(served.store, "bots", broken)
            for caller in sorted({*CALLERS} - {"robot"}):  # a bot's key reads nothing
                code, reason, said = await outcome(
                    channel, "/mazzo.v1.BotService/ListBots", served.metadata(caller)
                )
                assert (code, reason) == (grpc.StatusCode.INTERNAL, "STORE")
                assert ("/home/me" in said) is (caller == "organiser")
            monkeypatch.setattr(served.store, "token", broken)
            code, _, said = await outcome(
                channel, "/mazzo.v1.BotService/GetBot", served.metadata("organiser")
            )
            assert code is grpc.StatusCode.INTERNAL  # nobody can be told from anybody
            assert "/home/me" not in said

    run_served(tmp_path, body, public=True)


def test_many_calls_at_once_keep_their_callers_apart(tmp_path: Path) -> None:
    """Each is answered as the one who made it."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)

            async def log_of(caller: str) -> bool:
                answer = await stub.GetBot(
                    bot_pb2.GetBotRequest(name="ann"), metadata=served.metadata(caller)
                )
                return bool(answer.bot.versions[0].trial.log)

            callers = ["alice", "bob", "organiser", "nobody"] * 15
            seen = await asyncio.gather(*map(log_of, callers))
        assert seen == [caller in ("alice", "organiser") for caller in callers]

    run_served(tmp_path, body, public=True)


def test_what_trials_wrote_is_told_where_it_is_wanted_alone(tmp_path: Path) -> None:
    """Logs of 256 KiB and records of many versions do not make a list too long to be read."""
    (match,), (check,) = TRIAL.matches, TRIAL.checks
    failure = replace(check.failures[0], record="r" * 300_000)
    trial = replace(
        TRIAL,
        log="\0\ufffd" * 131_072,
        matches=(replace(match, record="r" * 300_000),),
        checks=(replace(check, failures=(failure,)),),
    )

    async def body(served: ServedPlatform) -> None:
        for number in range(2, 72):
            served.store.add_version(
                "ann", content_hash="b" * 64, manifest=MANIFEST, create_time=1.0, owner="alice"
            )
            served.store.set_trial("ann", number, trial=trial)
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            alice = served.metadata("alice")
            listed = await stub.ListBots(bot_pb2.ListBotsRequest(), metadata=alice)
            assert listed.ByteSize() < 10_000
            brief = listed.bots[0].versions[-1].trial
            assert brief.matches[0].reason == match.reason
            got = await stub.GetBot(bot_pb2.GetBotRequest(name="ann"), metadata=alice)
            versions = got.bot.versions
            assert [version.version for version in versions if version.trial.log] == [71]
            assert versions[0].trial.matches[0].record

            numbers, token = [], ""
            while True:
                page = await stub.ListBotLogs(
                    bot_pb2.ListBotLogsRequest(name="ann", page_token=token), metadata=alice
                )
                assert page.ByteSize() < 9 * 2**20
                numbers += [log.version for log in page.logs]
                token = page.next_page_token
                if not token:
                    break
            assert numbers == list(range(1, 72))

    run_served(tmp_path, body)


def test_the_log_that_is_told_is_that_of_the_trial_just_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also that of an older version."""

    async def play(*_: Any, **__: Any) -> None:
        pass

    monkeypatch.setattr(Catalogue, "play_trial", play)

    async def body(served: ServedPlatform) -> None:
        served.store.add_version("ann", content_hash="", manifest=MANIFEST, create_time=1.0)
        served.store.set_trial("ann", 2, trial=TRIAL)
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            for asked, told in ((1, [True, False]), (0, [False, True])):
                answer = await stub.PlayTrial(
                    bot_pb2.PlayTrialRequest(name="ann", version=asked),
                    metadata=served.metadata("alice"),
                )
                assert [bool(one.trial.log) for one in answer.bot.versions] == told

    run_served(tmp_path, body)


@pytest.mark.parametrize(
    ("caller", "method", "code"),
    [
        ("alice", "AuthService/ListTokens", grpc.StatusCode.PERMISSION_DENIED),  # by the gate
        ("bob", "BotService/RetireBot", grpc.StatusCode.PERMISSION_DENIED),
        ("organiser", "ReplayService/GetMatch", grpc.StatusCode.NOT_FOUND),  # a stream
    ],
)
def test_calls_that_end_in_errors_free_their_places(
    tmp_path: Path, caller: str, method: str, code: grpc.StatusCode
) -> None:
    """A connection may have 64 calls at a time; the garbage collector may come late."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            with without_garbage_collector():
                for _ in range(150):
                    metadata = served.metadata(caller)
                    assert await call(channel, f"/mazzo.v1.{method}", metadata) is code

    run_served(tmp_path, body)


def test_refused_streams_and_unknown_methods_free_their_places(tmp_path: Path) -> None:
    """As other calls that end in errors do: a stream keeps what it was told, but not its call."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            with without_garbage_collector():
                for _ in range(150):
                    key = served.tokens["robot"]
                    token, _ = await served.platform.keys.open_session(key, previous="")
                    session = (("authorization", f"Bearer {token}"),)
                    # A client that says nothing.
                    code = await call(channel, "/mazzo.v1.PlayService/Play", session)
                    assert code is grpc.StatusCode.INVALID_ARGUMENT
                    unknown: Any = channel.unary_unary("/mazzo.v1.PlayService/Nope")
                    with pytest.raises(grpc.aio.AioRpcError) as refused:
                        await unknown(b"")
                    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED

    run_served(tmp_path, body)
