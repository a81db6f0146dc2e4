"""Who may call what: every method, with every kind of caller, at a real server."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path
from typing import Any

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import bot_pb2, bot_pb2_grpc
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.errors import InvalidInputError, PermissionDeniedError
from mazzo_server.serving.grpc.access import ACCESS
from mazzo_server.serving.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.callers import (
    CALLERS,
    TRIAL,
    ServedPlatform,
    call,
    kinds,
    outcome,
    reason_of,
    run_served,
)
from support.sample_bots import write_bot

# Who is let in, whatever comes of the call; `ann` is a bot of alice's.
OPEN = set(CALLERS)
READ = {"robot", "alice", "bob", "organiser"}
AUTHORS = {"alice", "bob", "organiser"}
OWNER = {"alice", "organiser"}
ORGANISER = {"organiser"}
EXPECTED = {
    "/grpc.health.v1.Health/Check": OPEN,
    "/grpc.health.v1.Health/Watch": OPEN,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": OPEN,
    "/mazzo.v1.AuthService/CreateToken": ORGANISER,
    "/mazzo.v1.AuthService/ListTokens": ORGANISER,
    "/mazzo.v1.AuthService/RevokeToken": ORGANISER,
    "/mazzo.v1.BotService/ActivateVersion": OWNER,
    "/mazzo.v1.BotService/CreateSession": OPEN,
    "/mazzo.v1.BotService/GetBot": READ,
    "/mazzo.v1.BotService/ListBotLogs": OWNER,
    "/mazzo.v1.BotService/ListBots": READ,
    "/mazzo.v1.BotService/PlayTrial": OWNER,
    "/mazzo.v1.BotService/RegisterBot": AUTHORS,
    "/mazzo.v1.BotService/RetireBot": OWNER,
    "/mazzo.v1.BotService/SubmitBot": AUTHORS,
    "/mazzo.v1.PlayService/Play": OPEN,
    "/mazzo.v1.RankingService/ExplainRanking": READ,
    "/mazzo.v1.RankingService/ListRankings": READ,
    "/mazzo.v1.ReplayService/GetMatch": READ,
    "/mazzo.v1.ReplayService/ListMatches": READ,
    "/mazzo.v1.TournamentService/AddEntrant": ORGANISER,
    "/mazzo.v1.TournamentService/CancelTournament": ORGANISER,
    "/mazzo.v1.TournamentService/CreateTournament": ORGANISER,
    "/mazzo.v1.TournamentService/GetTournament": READ,
    "/mazzo.v1.TournamentService/ListTournaments": READ,
    "/mazzo.v1.TournamentService/PlanTournament": ORGANISER,
    "/mazzo.v1.TournamentService/PruneTournaments": ORGANISER,
    "/mazzo.v1.TournamentService/RerunMatch": ORGANISER,
    "/mazzo.v1.TournamentService/RetireEntrant": ORGANISER,
    "/mazzo.v1.TournamentService/StartTournament": ORGANISER,
    "/mazzo.v1.TournamentService/StopTournament": ORGANISER,
    "/mazzo.v1.TournamentService/WatchTournament": READ,
}
# These know other tokens than the gate does: see the tests of remote bots.
THEIR_OWN = {"/mazzo.v1.BotService/CreateSession", "/mazzo.v1.PlayService/Play"}
GATED = {method: who for method, who in EXPECTED.items() if method not in THEIR_OWN}


def test_every_method_there_is_stands_in_the_table() -> None:
    """Of every proto, of health and of reflection, and nothing else."""
    assert set(ACCESS) == set(kinds()) == set(EXPECTED)
    assert list(ACCESS) == sorted(ACCESS)


@pytest.mark.parametrize("public", [False, True])
def test_every_method_lets_in_whom_it_should_and_nobody_else(tmp_path: Path, public: bool) -> None:
    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            for method, expected in GATED.items():
                allowed = expected | {"nobody"} if public and expected is READ else expected
                for caller in CALLERS:
                    code, reason, said = await outcome(channel, method, served.metadata(caller))
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

    run_served(tmp_path, body, public=public)


def test_whoever_opens_the_socket_is_the_organiser(tmp_path: Path) -> None:
    """Its file is for the owner alone, and no token is asked for."""

    async def body(served: ServedPlatform) -> None:
        mode = os.stat(served.socket.removeprefix("unix:")).st_mode
        assert (stat.S_ISSOCK(mode), stat.S_IMODE(mode)) == (True, 0o600)
        async with open_channel(served.socket) as channel:
            for method in GATED:
                code = await call(channel, method, ())
                assert code not in (
                    grpc.StatusCode.UNAUTHENTICATED,
                    grpc.StatusCode.PERMISSION_DENIED,
                    grpc.StatusCode.UNKNOWN,
                ), (method, code)

    run_served(tmp_path, body)


def test_nothing_is_kept_of_a_bot_that_is_refused(tmp_path: Path) -> None:
    """Not its files either, or strangers could fill the disk."""
    platform = Platform(Settings(home=tmp_path / "home"), MemoryStore())
    mine, other = (
        pack(write_bot(tmp_path / place, "ann", act=f"return view.legal[{number}]"))
        for number, place in enumerate(("mine", "other"))
    )
    far = pack(write_bot(tmp_path, "far", act="return view.legal[-1]"))

    async def main() -> None:
        await platform.bots.submit(mine, isolation="none", author="alice")
        kept = stored_bundles(tmp_path)
        with pytest.raises(PermissionDeniedError, match="belongs to alice"):
            await platform.bots.submit(other, isolation="none", author="bob")
        await platform.bots.register("far", games=[], capacity=1, writer="")
        with pytest.raises(InvalidInputError, match="'far' is a remote bot"):
            await platform.bots.submit(far, isolation="none")
        assert stored_bundles(tmp_path) == kept

    asyncio.run(main())


def stored_bundles(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "home" / "bundles").iterdir())


def test_a_method_that_is_not_in_the_table_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the organiser too: whoever adds a method has to say who may call it."""
    method = "/mazzo.v1.BotService/ListBots"
    monkeypatch.delitem(ACCESS, method)

    async def body(served: ServedPlatform) -> None:
        for address in (served.port, served.socket):
            async with open_channel(address) as channel:
                code = await call(channel, method, served.metadata("organiser"))
                assert code is grpc.StatusCode.PERMISSION_DENIED

    run_served(tmp_path, body)


@pytest.mark.parametrize("public", [False, True])
def test_odd_metadata_is_refused_calmly(tmp_path: Path, public: bool) -> None:
    """Whatever stands there, and the server goes on; where everybody may read, too."""

    async def body(served: ServedPlatform) -> None:
        good = served.metadata("organiser")[0]
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
        async with open_channel(served.port) as channel:
            for method in ("/mazzo.v1.BotService/ListBots", "/mazzo.v1.AuthService/ListTokens"):
                for metadata in odd:
                    code = await call(channel, method, metadata)
                    assert code is grpc.StatusCode.UNAUTHENTICATED, metadata
                huge = (("authorization", "Bearer " + "x" * 100_000),)
                assert await call(channel, method, huge) is not grpc.StatusCode.OK
                assert await call(channel, method, (good,)) is grpc.StatusCode.OK

    run_served(tmp_path, body, public=public)


def test_two_keys_are_no_key(tmp_path: Path) -> None:
    """Where the method checks its callers itself, too."""
    method = "/mazzo.v1.BotService/CreateSession"

    async def body(served: ServedPlatform) -> None:
        good, other = served.metadata("robot")[0], served.metadata("organiser")[0]
        async with open_channel(served.port) as channel:
            assert await call(channel, method, (good,)) is grpc.StatusCode.OK
            for odd in ((other, good), (good, good), (("authorization", good[1][7:]),)):
                code = await call(channel, method, odd)
                assert code is grpc.StatusCode.UNAUTHENTICATED, odd

    run_served(tmp_path, body)


def test_a_request_that_cannot_be_read_is_the_callers_mistake(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Told with a reason, and no failure of the server; who may not call hears of that alone."""
    unreadable: Any = b"\xff"

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            for method, (streaming, _) in kinds().items():
                if method not in GATED or "Health" in method or "Reflection" in method:
                    continue
                for caller in ("organiser", "nobody"):
                    shape: Any = channel.stream_stream if streaming else channel.unary_stream
                    made: Any = shape(method)(
                        iter([unreadable]) if streaming else unreadable,
                        metadata=served.metadata(caller),
                    )
                    with pytest.raises(grpc.aio.AioRpcError) as refused:
                        await anext(aiter(made))
                    code, reason = refused.value.code(), reason_of(refused.value)
                    if caller == "organiser":
                        assert (code.name, reason) == ("INVALID_ARGUMENT", "INVALID_INPUT"), method
                    else:
                        assert code is grpc.StatusCode.UNAUTHENTICATED, method
            health = "/grpc.health.v1.Health/Watch"
            assert await call(channel, health, ()) is grpc.StatusCode.OK

    run_served(tmp_path, body)
    assert all(hasattr(record, "action") for record in caplog.records if record.exc_info)


def test_a_revoked_token_is_worthless_at_the_next_call(tmp_path: Path) -> None:
    """Whoever revoked it: the store is asked each time."""

    async def body(served: ServedPlatform) -> None:
        method = "/mazzo.v1.BotService/ListBots"
        async with open_channel(served.port) as channel:
            assert await call(channel, method, served.metadata("alice")) is grpc.StatusCode.OK
            served.store.revoke_token(served.tokens["alice"].split("_")[1])
            code, _, said = await outcome(channel, method, served.metadata("alice"))
            assert code is grpc.StatusCode.UNAUTHENTICATED
            assert "revoked" in said
            assert await call(channel, method, served.metadata("bob")) is grpc.StatusCode.OK

    run_served(tmp_path, body)


def test_what_a_trial_said_is_for_the_owner_and_the_organiser(tmp_path: Path) -> None:
    """The others see whether it passed."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            for caller in CALLERS:
                metadata = served.metadata(caller)
                one = await stub.GetBot(bot_pb2.GetBotRequest(name="ann"), metadata=metadata)
                listed = await stub.ListBots(bot_pb2.ListBotsRequest(), metadata=metadata)
                for bot in (one.bot, listed.bots[0]):
                    assert (bot.name, bot.owner, bot.remote) == ("ann", "alice", False)
                    trial = bot.versions[-1].trial
                    private = caller in ("alice", "organiser")
                    whole = private and bot is one.bot  # a list has not what is long
                    assert trial.log == (TRIAL.log if whole else "")
                    for told in (trial.matches[0], trial.checks[0].failures[0]):
                        named = bool(told.reason), bool(told.advice), told.seat, told.record != ""
                        assert named == (private, private, int(whole), whole)
                    assert ("Ad" in str(bot)) is private
                    assert (trial.passed, trial.matches[0].decisions) == (False, 3)
                assert listed.bots[1].remote

    run_served(tmp_path, body, public=True)


def test_only_the_organiser_chooses_the_deals_of_a_trial(tmp_path: Path) -> None:
    """Or an author could look for some that his bot plays well."""

    async def body(served: ServedPlatform) -> None:
        request = bot_pb2.PlayTrialRequest(name="ann", seed="00" * 32)
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            for caller, chosen in (("alice", False), ("organiser", True)):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await stub.PlayTrial(request, metadata=served.metadata(caller))
                told = caught.value.details() or ""
                # Nothing of that bot is in the folder of bundles, which is as far as it gets.
                assert ("only the organiser may choose the deals" in told) is not chosen
                assert ("put that folder back" in told) is chosen

    run_served(tmp_path, body)


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

    async def body(served: ServedPlatform) -> None:
        before = served.store.versions("ann")
        async with open_channel(served.port) as channel:
            upload = [bot_pb2.SubmitBotRequest(chunk=archive)]
            with pytest.raises(grpc.aio.AioRpcError, match="belongs to alice, not to bob"):
                await bot_pb2_grpc.BotServiceStub(channel).SubmitBot(
                    iter(upload), metadata=served.metadata("bob")
                )
        assert served.store.versions("ann") == before

    run_served(tmp_path, body)


def test_only_the_organiser_chooses_how_bots_are_isolated(tmp_path: Path) -> None:
    """Or an author could have his bot run with the organiser's rights."""
    upload = [bot_pb2.SubmitBotRequest(options=bot_pb2.SubmitOptions(isolation="none"))]

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            stub = bot_pb2_grpc.BotServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError, match="only its organiser") as refused:
                await stub.SubmitBot(iter(upload), metadata=served.metadata("alice"))
            assert refused.value.code() is grpc.StatusCode.PERMISSION_DENIED
            with pytest.raises(grpc.aio.AioRpcError, match="archive"):  # let in, but empty
                await stub.SubmitBot(iter(upload), metadata=served.metadata("organiser"))

    run_served(tmp_path, body)
