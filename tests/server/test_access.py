"""Who may call what: every method, with every kind of caller, at a real server."""

from __future__ import annotations

import asyncio
import importlib
import os
import stat
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from cli.samples import write_bot
from mazzo.channel import open_channel
from mazzo.errors import IllegalActionError
from mazzo.v1 import (
    auth_pb2,
    bot_pb2,
    bot_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from mazzo_server.access import Role
from mazzo_server.bundles import pack
from mazzo_server.definition import Entrant
from mazzo_server.director import Director
from mazzo_server.errors import (
    ConflictError,
    FellBehindError,
    InvalidInputError,
    IsolationError,
    PermissionDeniedError,
    StoreError,
)
from mazzo_server.logs import Action
from mazzo_server.master.access import ACCESS
from mazzo_server.master.answers import Call, Refusals
from mazzo_server.master.server import serve
from mazzo_server.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore, TournamentRow
from server.club import definition_of

ROOT = Path(__file__).parents[2]
PATIENCE = 60.0  # seconds, the longest wait for anything
CALLERS = ("nobody", "robot", "alice", "bob", "organiser")
MANIFEST = {
    "name": "ann",
    "games": ["briscola/2"],
    "command": ["python", "bot.py"],
    "capacity": 1,
    "author": "Alice",
    "licence": "Apache-2.0",
    "description": None,
}
TRIAL = {
    "passed": False,
    "start_up_seconds": 0.5,
    "matches": [
        {
            "variant": "briscola/2",
            "passed": False,
            "reason": "crashed: holding the Ad",
            "decisions": 3,
            "decision_seconds": 0.1,
        }
    ],
    "log": "my hand: Ad",
}

# Who is let in, whatever comes of the call; `ann` is a bot of alice's.
OPEN = set(CALLERS)
READ = {"robot", "alice", "bob", "organiser"}
AUTHORS = {"alice", "bob", "organiser"}
OWNER = {"alice", "organiser"}
ORGANISER = {"organiser"}
EXPECTED = {
    "/grpc.health.v1.Health/Check": OPEN,
    "/grpc.health.v1.Health/List": OPEN,
    "/grpc.health.v1.Health/Watch": OPEN,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": OPEN,
    "/mazzo.v1.AuthService/CreateToken": ORGANISER,
    "/mazzo.v1.AuthService/ListTokens": ORGANISER,
    "/mazzo.v1.AuthService/RevokeToken": ORGANISER,
    "/mazzo.v1.BotService/CreateSession": OPEN,
    "/mazzo.v1.BotService/GetBot": READ,
    "/mazzo.v1.BotService/ListBotLogs": OWNER,
    "/mazzo.v1.BotService/ListBots": READ,
    "/mazzo.v1.BotService/RegisterBot": AUTHORS,
    "/mazzo.v1.BotService/RetireBot": OWNER,
    "/mazzo.v1.BotService/SubmitBot": AUTHORS,
    "/mazzo.v1.PlayService/Play": OPEN,
    "/mazzo.v1.RankingService/ListRankings": READ,
    "/mazzo.v1.ReplayService/GetMatch": READ,
    "/mazzo.v1.ReplayService/ListMatches": READ,
    "/mazzo.v1.TournamentService/CreateTournament": ORGANISER,
    "/mazzo.v1.TournamentService/GetTournament": READ,
    "/mazzo.v1.TournamentService/ListTournaments": READ,
    "/mazzo.v1.TournamentService/StartTournament": ORGANISER,
    "/mazzo.v1.TournamentService/StopTournament": ORGANISER,
    "/mazzo.v1.TournamentService/WatchTournament": READ,
}
# These know other tokens than the gate does: see the tests of remote bots.
THEIR_OWN = {"/mazzo.v1.BotService/CreateSession", "/mazzo.v1.PlayService/Play"}
GATED = {method: who for method, who in EXPECTED.items() if method not in THEIR_OWN}
REQUESTS = {
    "GetBot": bot_pb2.GetBotRequest(name="ann").SerializeToString(),
    "ListBotLogs": bot_pb2.ListBotLogsRequest(name="ann").SerializeToString(),
    "RetireBot": bot_pb2.RetireBotRequest(name="ann").SerializeToString(),
    "CreateToken": auth_pb2.CreateTokenRequest(
        role=auth_pb2.TOKEN_ROLE_AUTHOR, subject="carol"
    ).SerializeToString(),
}


@dataclass(frozen=True, slots=True)
class Hall:
    """A served platform, and a token of each caller."""

    port: str
    socket: str
    store: MemoryStore
    platform: Platform
    tokens: dict[str, str]

    def metadata(self, caller: str) -> tuple[tuple[str, str], ...]:
        """What the caller shows."""
        token = self.tokens.get(caller)
        return (("authorization", f"Bearer {token}"),) if token else ()


@asynccontextmanager
async def hall(folder: Path, *, public: bool = False) -> AsyncIterator[Hall]:
    """Open for as long as the context lasts."""
    store = MemoryStore()
    store.add_version(
        "ann", content_hash="a" * 64, manifest=MANIFEST, create_time=1.0, owner="alice"
    )
    store.set_trial("ann", 1, trial=TRIAL)
    store.add_version("robot", content_hash="", manifest=MANIFEST, create_time=1.0, remote=True)
    platform = Platform(Settings(home=folder / "home"), store)
    tokens = {}
    for name, role, subject in (
        ("robot", Role.BOT, "robot"),
        ("alice", Role.AUTHOR, "alice"),
        ("bob", Role.AUTHOR, "bob"),
        ("organiser", Role.ORGANISER, ""),
    ):
        token, _ = await platform.tokens.create(role, subject, label="")
        tokens[name] = token.text
    addresses = ["127.0.0.1:0", f"unix:{folder / 's'}"]
    async with serve(platform, addresses, isolation="bubblewrap", public=public) as listening:
        port, socket = listening
        yield Hall(port, socket, store, platform, tokens)


def at_hall(
    folder: Path, body: Callable[[Hall], Coroutine[Any, Any, None]], *, public: bool = False
) -> None:
    """Run the body in a hall."""

    async def main() -> None:
        async with asyncio.timeout(PATIENCE), hall(folder, public=public) as opened:
            await body(opened)

    asyncio.run(main())


def kinds() -> dict[str, tuple[bool, bool]]:
    """Every method of every service that there is: whether request and response are streams."""
    files = [
        importlib.import_module(f"mazzo.v1.{path.stem}_pb2").DESCRIPTOR
        for path in (ROOT / "proto" / "mazzo" / "v1").glob("*.proto")
    ]
    return {
        f"/{service.full_name}/{method.name}": (method.client_streaming, method.server_streaming)
        for file in (*files, health_pb2.DESCRIPTOR, reflection_pb2.DESCRIPTOR)
        for service in file.services_by_name.values()
        for method in service.methods
    }


async def call(
    channel: grpc.aio.Channel, method: str, metadata: Sequence[tuple[str, Any]]
) -> grpc.StatusCode:
    """The status of one call, or OK as soon as something is answered."""
    code, _, _ = await outcome(channel, method, metadata)
    return code


async def outcome(
    channel: grpc.aio.Channel, method: str, metadata: Sequence[tuple[str, Any]]
) -> tuple[grpc.StatusCode, str, str]:
    """The status, the reason in its `ErrorInfo`, and what it says."""
    streaming, streamed = kinds()[method]
    request: Any = REQUESTS.get(method.rpartition("/")[2], b"")
    name = ("stream" if streaming else "unary") + "_" + ("stream" if streamed else "unary")
    made = getattr(channel, name)(method)(
        iter([request]) if streaming else request, metadata=tuple(metadata)
    )
    try:
        if streamed:
            answer = await made.read()
            made.cancel()
            if answer is not grpc.aio.EOF:
                return grpc.StatusCode.OK, "", ""
            return await made.code(), "", ""
        await made
    except grpc.aio.AioRpcError as error:
        return error.code(), _reason(error), error.details() or ""
    return grpc.StatusCode.OK, "", ""


def _reason(error: grpc.aio.AioRpcError) -> str:
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin" and isinstance(value, bytes):
            info = error_details_pb2.ErrorInfo()
            status_pb2.Status.FromString(value).details[0].Unpack(info)
            return str(info.reason)
    return ""


def test_every_method_there_is_stands_in_the_table() -> None:
    """Of every proto, of health and of reflection, and nothing else."""
    assert set(ACCESS) == set(kinds()) == set(EXPECTED)
    assert list(ACCESS) == sorted(ACCESS)


@pytest.mark.parametrize("public", [False, True])
def test_every_method_lets_in_whom_it_should_and_nobody_else(tmp_path: Path, public: bool) -> None:
    async def body(hall: Hall) -> None:
        async with open_channel(hall.port) as channel:
            for method, expected in GATED.items():
                allowed = expected | {"nobody"} if public and expected is READ else expected
                for caller in CALLERS:
                    code, reason, said = await outcome(channel, method, hall.metadata(caller))
                    where = (method, caller, code, said)
                    if caller in allowed:
                        assert reason not in ("UNAUTHENTICATED", "PERMISSION_DENIED"), where
                        assert code not in (
                            grpc.StatusCode.UNAUTHENTICATED,
                            grpc.StatusCode.PERMISSION_DENIED,
                            grpc.StatusCode.UNKNOWN,
                        ), where
                    elif caller == "nobody":
                        assert code is grpc.StatusCode.UNAUTHENTICATED, where
                        assert reason == "UNAUTHENTICATED"
                        assert "MAZZO_ACCESS_TOKEN" in said
                    else:
                        assert code is grpc.StatusCode.PERMISSION_DENIED, where
                        assert reason == "PERMISSION_DENIED"
                        assert "expected the token of" in said or "belongs to alice" in said

    at_hall(tmp_path, body, public=public)


def test_whoever_opens_the_socket_is_the_organiser(tmp_path: Path) -> None:
    """Its file is for the owner alone, and no token is asked for."""

    async def body(hall: Hall) -> None:
        mode = os.stat(hall.socket.removeprefix("unix:")).st_mode
        assert (stat.S_ISSOCK(mode), stat.S_IMODE(mode)) == (True, 0o600)
        async with open_channel(hall.socket) as channel:
            for method in GATED:
                code = await call(channel, method, ())
                assert code not in (
                    grpc.StatusCode.UNAUTHENTICATED,
                    grpc.StatusCode.PERMISSION_DENIED,
                    grpc.StatusCode.UNKNOWN,
                ), (method, code)

    at_hall(tmp_path, body)


def test_nothing_is_kept_of_a_bot_that_is_refused(tmp_path: Path) -> None:
    """Not its files either, or strangers could fill the disk."""
    platform = Platform(Settings(home=tmp_path / "home"), MemoryStore())
    mine, other = (
        pack(write_bot(tmp_path / place, "ann", act=f"return view.legal[{number}]"))
        for number, place in enumerate(("mine", "other"))
    )
    far = pack(write_bot(tmp_path, "far", act="return view.legal[-1]"))

    async def main() -> None:
        await platform.submit(mine, isolation="none", author="alice")
        kept = stored_bundles(tmp_path)
        with pytest.raises(PermissionDeniedError, match="belongs to alice"):
            await platform.submit(other, isolation="none", author="bob")
        await platform.register("far", games=[], capacity=1, writer="")
        with pytest.raises(InvalidInputError, match="'far' is a remote bot"):
            await platform.submit(far, isolation="none")
        assert stored_bundles(tmp_path) == kept

    asyncio.run(main())


def stored_bundles(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "home" / "bundles").iterdir())


def test_four_trials_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The others wait: a trial is a process, and whoever may submit may submit many."""
    store = MemoryStore()
    platform = Platform(Settings(home=tmp_path / "home"), store)
    running: list[int] = [0]

    async def main() -> None:
        async def trial(*given: Any, **named: Any) -> dict[str, Any]:
            running.append(running[-1] + 1)
            while len(store.bots()) < 6:  # noqa: ASYNC110
                await asyncio.sleep(0)
            for _ in range(100):  # time enough for the others to come
                await asyncio.sleep(0)
            running.append(running[-1] - 1)
            return {"passed": True}

        monkeypatch.setattr("mazzo_server.platform.play_trial", trial)
        async with asyncio.timeout(PATIENCE), asyncio.TaskGroup() as group:
            for number in range(6):
                archive = pack(write_bot(tmp_path, f"bot-{number}"))
                group.create_task(platform.submit(archive, isolation="none"))

    asyncio.run(main())
    assert (max(running), len(running)) == (4, 13)


def test_heavy_reads_hold_up_nobody_else(tmp_path: Path) -> None:
    """However many wait for standings, a token is checked at once."""
    store = MemoryStore()
    release = threading.Event()
    listed = store.tournaments

    def slow() -> list[TournamentRow]:
        assert release.wait(PATIENCE)
        return listed()

    store.tournaments = slow  # type: ignore[method-assign]
    platform = Platform(Settings(home=tmp_path / "home"), store)

    async def main() -> None:
        reads = [asyncio.create_task(platform.tournaments()) for _ in range(64)]
        await asyncio.sleep(0)
        try:
            async with asyncio.timeout(2.0):
                assert not await platform.tokens.is_valid("nobody")
        finally:
            release.set()
            await asyncio.gather(*reads)
        await platform.close(grace=0)

    asyncio.run(main())


def test_who_reads_too_slowly_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a status of its own."""

    async def watch(self: Platform, tournament: int) -> AsyncIterator[Any]:
        no_reports: tuple[Any, ...] = ()
        for report in no_reports:
            yield report
        raise FellBehindError("watch again")

    monkeypatch.setattr(Platform, "watch", watch)

    async def body(hall: Hall) -> None:
        async with open_channel(hall.port) as channel:
            call = tournament_pb2_grpc.TournamentServiceStub(channel).WatchTournament(
                tournament_pb2.WatchTournamentRequest(id=1), metadata=hall.metadata("alice")
            )
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await anext(aiter(call))
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert _reason(refused.value) == "FELL_BEHIND"

    at_hall(tmp_path, body)


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        (StoreError("cannot read /home/olga/mazzo.db"), False),
        (ValueError("expected a card, got 'Ad'"), False),
        (IllegalActionError("expected a legal action, got 'Ad'"), False),
        (ConflictError("paused: one fault too many"), True),
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

    async def body(hall: Hall) -> None:
        failing = asyncio.Event()
        monkeypatch.setattr(Director, "failing", failing, raising=False)
        hall.store.add_version(
            "other", content_hash="", manifest=MANIFEST, create_time=1.0, remote=True
        )
        definition = definition_of(
            entrants=tuple(
                Entrant(name=name, version=1, content_hash="", remote=True)
                for name in ("robot", "other")
            )
        )
        row = hall.store.add_tournament(definition, concurrency=1, create_time=0.0)
        await hall.platform.start(row.id)
        request = tournament_pb2.WatchTournamentRequest(id=row.id)
        async with open_channel(hall.port) as channel:
            stub = tournament_pb2_grpc.TournamentServiceStub(channel)
            calls = {
                name: aiter(stub.WatchTournament(request, metadata=hall.metadata(name)))
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

    at_hall(tmp_path, body, public=True)


def test_a_method_that_is_not_in_the_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the organiser too: whoever adds a method has to say who may call it."""
    method = "/mazzo.v1.BotService/ListBots"
    monkeypatch.delitem(ACCESS, method)

    async def body(hall: Hall) -> None:
        for address in (hall.port, hall.socket):
            async with open_channel(address) as channel:
                code = await call(channel, method, hall.metadata("organiser"))
                assert code is grpc.StatusCode.PERMISSION_DENIED

    at_hall(tmp_path, body)


@pytest.mark.parametrize("public", [False, True])
def test_odd_metadata_is_refused_calmly(tmp_path: Path, public: bool) -> None:
    """Whatever stands there, and the server goes on; where everybody may read, too."""

    async def body(hall: Hall) -> None:
        good = hall.metadata("organiser")[0]
        odd: list[tuple[tuple[str, Any], ...]] = [
            (good, good),
            (good, ("authorization", "Bearer other")),
            (("authorization", "Basic YTpi"),),
            (("authorization", good[1].removeprefix("Bearer ")),),
            (("authorization", "Bearer"),),
            (("authorization", ""),),
            (("authorization", "Bearer mazzo_"),),
            (("authorization", good[1] + "x"),),
            (("authorization", good[1][:-1]),),
            (("authorization", "Bearer " + "x" * 6000),),
            (("authorization-bin", good[1].encode()),),
            (("authorization-bin", bytes(range(256))),),
            (good, ("authorization-bin", b"")),
        ]
        async with open_channel(hall.port) as channel:
            for method in ("/mazzo.v1.BotService/ListBots", "/mazzo.v1.AuthService/ListTokens"):
                for metadata in odd:
                    code = await call(channel, method, metadata)
                    assert code is grpc.StatusCode.UNAUTHENTICATED, metadata
                huge = (("authorization", "Bearer " + "x" * 100_000),)
                assert await call(channel, method, huge) is not grpc.StatusCode.OK
                assert await call(channel, method, (good,)) is grpc.StatusCode.OK

    at_hall(tmp_path, body, public=public)


def test_whoever_is_refused_is_logged_with_the_method_and_the_token(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the gate, by a method that checks its callers itself, and for another's bot."""
    monkeypatch.setattr("mazzo_server.master.answers._REFUSALS", Refusals())

    async def body(hall: Hall) -> None:
        wrong = hall.tokens["robot"][:-4] + "AAAA"
        calls = (
            ("/mazzo.v1.AuthService/ListTokens", hall.metadata("alice")),
            ("/mazzo.v1.BotService/CreateSession", (("authorization", f"Bearer {wrong}"),)),
            ("/mazzo.v1.BotService/RetireBot", hall.metadata("bob")),
            ("/mazzo.v1.PlayService/Play", (("authorization", "Bearer used-token"),)),
        )
        caplog.clear()
        async with open_channel(hall.port) as channel:
            for method, metadata in calls:
                assert await call(channel, method, metadata) is not grpc.StatusCode.OK
        logged = [
            (vars(record)["method"], vars(record)["token"])
            for record in caplog.records
            if vars(record).get("action") == Action.ACCESS_REFUSED
        ]
        ids = [hall.tokens[name].split("_")[1] for name in ("alice", "robot", "bob")]
        assert logged == list(zip([method for method, _ in calls], [*ids, None], strict=True))
        for text in (*hall.tokens.values(), wrong, "used-token"):
            assert text.rpartition("_")[2] not in caplog.text

    at_hall(tmp_path, body)


def test_no_stranger_fills_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Ten refusals a second are written; the next one says how many were not."""
    now = 0.0
    refusals = Refusals(lambda: now)
    call = Call(method="/m", token=None)

    def written() -> list[int]:
        return [vars(record)["left_out"] for record in caplog.records]

    for _ in range(25):
        refusals.log(call, PermissionDeniedError("no"))
    assert written() == [0] * 10
    now = 1.0
    refusals.log(call, PermissionDeniedError("no"))
    assert written() == [0] * 10 + [15]
    assert "15 more" in caplog.messages[-1]


def test_tokens_and_keys_leave_a_trace(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Made, revoked and renewed, by their ids."""
    caplog.set_level("INFO", logger="mazzo_server")
    platform = Platform(Settings(home=tmp_path / "home"), MemoryStore())

    async def main() -> list[str]:
        _, first = await platform.register("far", games=[], capacity=1, writer="")
        return [first, await platform.new_key("far"), await platform.new_key("far")]

    texts = asyncio.run(main())
    first, second, third = (text.split("_")[1] for text in texts)
    told = [(vars(record)["action"], vars(record).get("token")) for record in caplog.records]
    assert told == [
        (Action.BOT_REGISTERED, None),
        (Action.TOKEN_CREATED, first),
        (Action.TOKEN_CREATED, second),
        (Action.TOKEN_REVOKED, first),
        (Action.KEY_RENEWED, None),
        (Action.TOKEN_CREATED, third),
        (Action.TOKEN_REVOKED, second),  # and not the first one again
        (Action.KEY_RENEWED, None),
    ]
    assert not any(text in caplog.text for text in texts)


def test_two_keys_are_no_key(tmp_path: Path) -> None:
    """Where the method checks its callers itself, too."""
    method = "/mazzo.v1.BotService/CreateSession"

    async def body(hall: Hall) -> None:
        good, other = hall.metadata("robot")[0], hall.metadata("organiser")[0]
        async with open_channel(hall.port) as channel:
            assert await call(channel, method, (good,)) is grpc.StatusCode.OK
            for odd in ((other, good), (good, good), (("authorization", good[1][7:]),)):
                code = await call(channel, method, odd)
                assert code is grpc.StatusCode.UNAUTHENTICATED, odd

    at_hall(tmp_path, body)


def test_a_request_that_cannot_be_read_is_the_callers_mistake(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Told with a reason, and no failure of the server; who may not call hears of that alone."""
    unreadable: Any = b"\xff"

    async def body(hall: Hall) -> None:
        async with open_channel(hall.port) as channel:
            for method, (streaming, _) in kinds().items():
                if method not in GATED or "Health" in method or "Reflection" in method:
                    continue
                for caller in ("organiser", "nobody"):
                    shape: Any = channel.stream_stream if streaming else channel.unary_stream
                    made: Any = shape(method)(
                        iter([unreadable]) if streaming else unreadable,
                        metadata=hall.metadata(caller),
                    )
                    with pytest.raises(grpc.aio.AioRpcError) as refused:
                        await anext(aiter(made))
                    code, reason = refused.value.code(), _reason(refused.value)
                    if caller == "organiser":
                        assert (code.name, reason) == ("INVALID_ARGUMENT", "INVALID_INPUT"), method
                    else:
                        assert code is grpc.StatusCode.UNAUTHENTICATED, method
            health = "/grpc.health.v1.Health/Watch"
            assert await call(channel, health, ()) is grpc.StatusCode.OK

    at_hall(tmp_path, body)
    assert all(hasattr(record, "action") for record in caplog.records if record.exc_info)


def test_a_revoked_token_is_worthless_at_the_next_call(tmp_path: Path) -> None:
    """Whoever revoked it: the store is asked each time."""

    async def body(hall: Hall) -> None:
        method = "/mazzo.v1.BotService/ListBots"
        async with open_channel(hall.port) as channel:
            assert await call(channel, method, hall.metadata("alice")) is grpc.StatusCode.OK
            hall.store.revoke_token(hall.tokens["alice"].split("_")[1])
            code, _, said = await outcome(channel, method, hall.metadata("alice"))
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert "revoked" in said
            assert await call(channel, method, hall.metadata("bob")) is grpc.StatusCode.OK

    at_hall(tmp_path, body)


def test_what_a_trial_said_is_for_the_owner_and_the_organiser(tmp_path: Path) -> None:
    """The others see whether it passed."""

    async def body(hall: Hall) -> None:
        async with open_channel(hall.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            for caller in CALLERS:
                metadata = hall.metadata(caller)
                one = await stub.GetBot(bot_pb2.GetBotRequest(name="ann"), metadata=metadata)
                listed = await stub.ListBots(bot_pb2.ListBotsRequest(), metadata=metadata)
                for bot in (one.bot, listed.bots[0]):
                    assert (bot.name, bot.owner, bot.remote) == ("ann", "alice", False)
                    trial = bot.versions[-1].trial
                    private = caller in ("alice", "organiser")
                    assert trial.log == (TRIAL["log"] if private else "")
                    assert bool(trial.matches[0].reason) is private
                    assert (trial.passed, trial.matches[0].decisions) == (False, 3)
                assert listed.bots[1].remote

    at_hall(tmp_path, body, public=True)


def test_a_name_belongs_to_whoever_submitted_it_first(tmp_path: Path) -> None:
    """Another author's upload is refused, and leaves the bot as it was."""
    bot = tmp_path / "ann"
    bot.mkdir()
    (bot / "bot.py").write_text("")
    (bot / "bot.toml").write_text(
        'name = "ann"\ngames = ["briscola/2"]\ncommand = ["python", "bot.py"]\n'
        'author = "Bob"\nlicence = "Apache-2.0"\n'
    )
    archive = pack(bot)

    async def body(hall: Hall) -> None:
        before = hall.store.versions("ann")
        async with open_channel(hall.port) as channel:
            upload = [bot_pb2.SubmitBotRequest(chunk=archive)]
            with pytest.raises(grpc.aio.AioRpcError, match="belongs to alice, not to bob"):
                await bot_pb2_grpc.BotServiceStub(channel).SubmitBot(
                    iter(upload), metadata=hall.metadata("bob")
                )
        assert hall.store.versions("ann") == before

    at_hall(tmp_path, body)


def test_only_the_organiser_chooses_how_bots_are_isolated(tmp_path: Path) -> None:
    """Or an author could have his bot run with the organiser's rights."""
    upload = [bot_pb2.SubmitBotRequest(options=bot_pb2.SubmitOptions(isolation="none"))]

    async def body(hall: Hall) -> None:
        async with open_channel(hall.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError, match="only its organiser") as refused:
                await stub.SubmitBot(iter(upload), metadata=hall.metadata("alice"))
            assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
            with pytest.raises(grpc.aio.AioRpcError, match="archive"):  # let in, but empty
                await stub.SubmitBot(iter(upload), metadata=hall.metadata("organiser"))

    at_hall(tmp_path, body)


def test_a_failure_of_the_server_is_told_in_full_to_the_organiser_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It names places on the machine that others have no business to know."""

    def broken(*_: object) -> NoReturn:
        raise StoreError("cannot use the store /home/me/mazzo.db")

    async def body(hall: Hall) -> None:
        async with open_channel(hall.port) as channel:
            monkeypatch.setattr(hall.store, "bots", broken)
            for caller in CALLERS:
                code, reason, said = await outcome(
                    channel, "/mazzo.v1.BotService/ListBots", hall.metadata(caller)
                )
                assert (code, reason) == (grpc.StatusCode.INTERNAL, "STORE")
                assert ("/home/me" in said) is (caller == "organiser")
            monkeypatch.setattr(hall.store, "token", broken)
            code, _, said = await outcome(
                channel, "/mazzo.v1.BotService/GetBot", hall.metadata("organiser")
            )
            assert code is grpc.StatusCode.INTERNAL  # nobody can be told from anybody
            assert "/home/me" not in said

    at_hall(tmp_path, body, public=True)


def test_many_calls_at_once_keep_their_callers_apart(tmp_path: Path) -> None:
    """Each is answered as the one who made it."""

    async def body(hall: Hall) -> None:
        async with open_channel(hall.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)

            async def log_of(caller: str) -> bool:
                answer = await stub.GetBot(
                    bot_pb2.GetBotRequest(name="ann"), metadata=hall.metadata(caller)
                )
                return bool(answer.bot.versions[0].trial.log)

            callers = ["alice", "bob", "organiser", "robot"] * 25
            seen = await asyncio.gather(*map(log_of, callers))
        assert seen == [caller in ("alice", "organiser") for caller in callers]

    at_hall(tmp_path, body)
