"""Who may call what: every method, with every kind of caller, at a real server."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import table_pb2, table_pb2_grpc
from mazzo_server.serving.grpc.interceptors.access import ACCESS
from support.callers import (
    CALLERS,
    ServedPlatform,
    call,
    kinds,
    outcome,
    run_served,
)
from support.stored_rows import add_tournament

# Who is let in, whatever comes of the call; `ann` is a bot of alice's.
OPEN = set(CALLERS)
READ = {"alice", "bob", "organiser"}  # a bot's key can do nothing but play
AUTHORS = {"alice", "bob", "organiser"}
OWNER = {"alice", "organiser"}
ORGANISER = {"organiser"}
EXPECTED = {
    "/grpc.health.v1.Health/Check": OPEN,
    "/grpc.health.v1.Health/Watch": OPEN,
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo": OPEN,
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo": OPEN,
    "/mazzo.v1.AuthService/CreateToken": ORGANISER,
    "/mazzo.v1.AuthService/GetCaller": READ,
    "/mazzo.v1.AuthService/ListTokens": ORGANISER,
    "/mazzo.v1.AuthService/RevokeToken": ORGANISER,
    "/mazzo.v1.BotService/ActivateVersion": OWNER,
    "/mazzo.v1.BotService/CreateSession": OPEN,
    "/mazzo.v1.BotService/DeleteBot": OWNER,
    "/mazzo.v1.BotService/GetBot": READ,
    "/mazzo.v1.BotService/ListBotLogs": OWNER,
    "/mazzo.v1.BotService/ListBots": READ,
    "/mazzo.v1.BotService/PlayTrial": OWNER,
    "/mazzo.v1.BotService/RegisterBot": AUTHORS,
    "/mazzo.v1.BotService/RetireBot": OWNER,
    "/mazzo.v1.BotService/SubmitBot": AUTHORS,
    "/mazzo.v1.ChallengeService/CancelChallenge": AUTHORS,
    "/mazzo.v1.ChallengeService/CreateChallenge": OWNER,
    "/mazzo.v1.ChallengeService/ListChallenges": READ,
    "/mazzo.v1.EntryService/CallOffOpenTournament": ORGANISER,
    "/mazzo.v1.EntryService/CreateOpenTournament": ORGANISER,
    "/mazzo.v1.EntryService/EnterBot": OWNER,
    "/mazzo.v1.EntryService/GetOpenTournament": READ,
    "/mazzo.v1.EntryService/LeaveBot": OWNER,
    "/mazzo.v1.EntryService/ListOpenTournaments": READ,
    "/mazzo.v1.HookService/AddHook": ORGANISER,
    "/mazzo.v1.HookService/GetHook": ORGANISER,
    "/mazzo.v1.HookService/ListHooks": ORGANISER,
    "/mazzo.v1.HookService/RemoveHook": ORGANISER,
    "/mazzo.v1.HookService/TestHook": ORGANISER,
    "/mazzo.v1.LadderService/CreateLadder": ORGANISER,
    "/mazzo.v1.LadderService/EndSeason": ORGANISER,
    "/mazzo.v1.LadderService/GetLadder": READ,
    "/mazzo.v1.LadderService/JoinLadder": OWNER,
    "/mazzo.v1.LadderService/LeaveLadder": OWNER,
    "/mazzo.v1.LadderService/ListLadders": READ,
    "/mazzo.v1.LadderService/PauseLadder": ORGANISER,
    "/mazzo.v1.LadderService/ResumeLadder": ORGANISER,
    "/mazzo.v1.OperationService/GetStatus": ORGANISER,
    "/mazzo.v1.PlayService/Play": OPEN,
    "/mazzo.v1.RankingService/ExplainRanking": READ,
    "/mazzo.v1.RankingService/ListMeetings": READ,
    "/mazzo.v1.RankingService/ListRankings": READ,
    "/mazzo.v1.RankingService/ListRatings": READ,
    "/mazzo.v1.ReplayService/FindMatches": READ,
    "/mazzo.v1.ReplayService/GetMatch": READ,
    "/mazzo.v1.ReplayService/ListMatches": READ,
    "/mazzo.v1.StandingsService/GetAudit": ORGANISER,
    "/mazzo.v1.StandingsService/GetCourse": READ,
    "/mazzo.v1.StandingsService/GetHeadToHead": READ,
    "/mazzo.v1.TableService/CreateTable": AUTHORS,
    "/mazzo.v1.TableService/GetTable": OPEN,
    "/mazzo.v1.TableService/JoinTable": OPEN,
    "/mazzo.v1.TableService/LeaveTable": OPEN,
    "/mazzo.v1.TableService/ListTables": READ,
    "/mazzo.v1.TableService/OpenSeat": OPEN,
    "/mazzo.v1.TournamentService/AddEntrant": ORGANISER,
    "/mazzo.v1.TournamentService/CancelTournament": ORGANISER,
    "/mazzo.v1.TournamentService/CreateTournament": ORGANISER,
    "/mazzo.v1.TournamentService/DeleteTournament": ORGANISER,
    "/mazzo.v1.TournamentService/ExportTournament": ORGANISER,
    "/mazzo.v1.TournamentService/GetTournament": READ,
    "/mazzo.v1.TournamentService/ImportTournament": ORGANISER,
    "/mazzo.v1.TournamentService/ListTournaments": READ,
    "/mazzo.v1.TournamentService/PlanTournament": ORGANISER,
    "/mazzo.v1.TournamentService/PruneTournaments": ORGANISER,
    "/mazzo.v1.TournamentService/RerunMatch": ORGANISER,
    "/mazzo.v1.TournamentService/RetireEntrant": ORGANISER,
    "/mazzo.v1.TournamentService/StartTournament": ORGANISER,
    "/mazzo.v1.TournamentService/StopTournament": ORGANISER,
    "/mazzo.v1.TournamentService/WatchTournament": READ,
}
# These know other tokens than the gate does, and let in nobody else, at the socket neither.
THEIR_OWN: dict[str, set[str]] = {
    "/mazzo.v1.BotService/CreateSession": {"robot"},
    "/mazzo.v1.PlayService/Play": set(),
    "/mazzo.v1.TableService/LeaveTable": set(),
    "/mazzo.v1.TableService/OpenSeat": set(),
}
GATED = {method: who for method, who in EXPECTED.items() if method not in THEIR_OWN}


def test_every_method_there_is_stands_in_the_table() -> None:
    """Of every proto, of health and of reflection, and nothing else."""
    assert set(ACCESS) == set(kinds()) == set(EXPECTED)
    assert list(ACCESS) == sorted(ACCESS)


@pytest.mark.parametrize("public", [False, True])
def test_every_method_lets_in_whom_it_should_and_nobody_else(tmp_path: Path, public: bool) -> None:
    async def body(served: ServedPlatform) -> None:
        add_tournament(served.store)  # ann takes part in it, so no caller can delete her
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
                        assert "authorization: Bearer" in said
                        assert "MAZZO_ACCESS_TOKEN" in said
                    else:
                        assert code is grpc.StatusCode.PERMISSION_DENIED, where
                        assert reason == "PERMISSION_DENIED"
                        assert "expected the token of" in said or "belongs to alice" in said

    run_served(tmp_path, body, public=public)


@pytest.mark.parametrize("public", [False, True])
@pytest.mark.parametrize("public_play", [False, True])
def test_the_public_plays_where_it_may(tmp_path: Path, public: bool, public_play: bool) -> None:
    """Which says nothing of what it may read. The key of a bot opens no table."""

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            for method, is_open in (
                ("/mazzo.v1.TableService/CreateTable", public_play),
                ("/mazzo.v1.TableService/ListTables", public),
            ):
                _, reason, _ = await outcome(channel, method, ())
                assert (reason == "UNAUTHENTICATED") == (not is_open), method
                _, reason, _ = await outcome(channel, method, served.metadata("robot"))
                assert reason == "PERMISSION_DENIED", method

    run_served(tmp_path, body, public=public, public_play=public_play)


def test_a_token_opens_one_table_at_a_time(tmp_path: Path) -> None:
    """At a port; the public, which shows none, leaves one table to those with a token."""
    full = grpc.StatusCode.RESOURCE_EXHAUSTED

    async def body(served: ServedPlatform) -> None:
        async with open_channel(served.port) as channel:
            stub = table_pb2_grpc.TableServiceStub(channel)
            request = table_pb2.CreateTableRequest(variant="briscola/2", name="Ann")

            async def create(caller: str) -> grpc.StatusCode:
                try:
                    await stub.CreateTable(request, metadata=served.metadata(caller))
                except grpc.aio.AioRpcError as error:
                    return error.code()
                return grpc.StatusCode.OK

            ok = grpc.StatusCode.OK
            assert [await create("nobody") for _ in range(4)] == [ok, ok, ok, full]
            assert [await create("alice") for _ in range(2)] == [ok, full]
            assert await create("bob") is full  # four in all

    run_served(tmp_path, body, public_play=True)


@pytest.mark.parametrize("public", [False, True])
def test_a_key_opens_sessions_and_nothing_else_plays(tmp_path: Path, public: bool) -> None:
    """Not even the organiser: a session belongs to one bot."""

    async def body(served: ServedPlatform) -> None:
        for address in (served.port, served.socket):
            async with open_channel(address) as channel:
                for method, allowed in THEIR_OWN.items():
                    for caller in CALLERS:
                        code, _, said = await outcome(channel, method, served.metadata(caller))
                        if caller in allowed:
                            expected = grpc.StatusCode.OK
                        elif caller == "nobody" or "CreateSession" not in method:
                            expected = grpc.StatusCode.UNAUTHENTICATED
                            assert "authorization: Bearer" in said
                        else:
                            expected = grpc.StatusCode.PERMISSION_DENIED
                            assert "expected the key of a remote bot" in said
                        assert code is expected, (method, caller, said)

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
