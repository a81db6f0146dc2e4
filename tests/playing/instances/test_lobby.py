"""The lobby: sessions of remote bots, their tokens, and who is served first."""

from __future__ import annotations

import asyncio
import gc
from typing import Any

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.errors import KeyRefusedError
from mazzo.v1 import play_pb2
from mazzo_server.errors import UnauthenticatedError
from mazzo_server.model.roles import Role
from mazzo_server.play.instances.lobby import MOST_WAITING, UNUSED_SECONDS, Lobby, Session
from mazzo_server.play.instances.stream import BotStream
from mazzo_server.serving.grpc.interceptors.statuses import ErrorStatuses, RefusalLog
from mazzo_server.serving.grpc.play import make_play_handler
from support.remote_bots import Good, Raw, RemoteServer, mint, run_with_server
from support.scripted_tournaments import GOOD, PATIENCE, Arena


def test_a_session_token_is_good_once_and_for_a_bot(arena: Arena) -> None:
    """Used, made up, none, or the key itself: refused, and nobody is the wiser."""

    async def body(remote_server: RemoteServer) -> None:
        async with open_channel(remote_server.address) as channel:
            token = await mint(channel, remote_server.key)
            first = Raw(channel, token)
            await first.join()
            await remote_server.wait_until_connected()
            for other in (token, "x" * 43, "", None, remote_server.key):
                assert await Raw(channel, other).status() is grpc.StatusCode.UNAUTHENTICATED
            assert remote_server.platform.lobby.is_connected("far")

    run_with_server(body)


def test_only_the_key_of_a_remote_bot_makes_sessions() -> None:
    async def body(remote_server: RemoteServer) -> None:
        organiser, _ = await remote_server.platform.tokens.create(Role.ORGANISER, "", label="")
        expected = {
            "": grpc.StatusCode.UNAUTHENTICATED,
            "nonsense": grpc.StatusCode.UNAUTHENTICATED,
            organiser.text: grpc.StatusCode.PERMISSION_DENIED,
        }
        async with open_channel(remote_server.address) as channel:
            for key, code in expected.items():
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await mint(channel, key)
                assert caught.value.code() is code
        with pytest.raises(KeyRefusedError, match="--new-key") as refused:
            await remote_server.make_player(Good(), key="mazzo_nonsense").run()
        assert "nonsense" not in str(refused.value)

    run_with_server(body)


def test_so_many_wait_and_no_more() -> None:
    """The next one is refused; when one has left there is room."""

    async def body(remote_server: RemoteServer) -> None:
        async with open_channel(remote_server.address) as channel:
            waiting = []
            for _ in range(MOST_WAITING):
                waiting.append(Raw(channel, await mint(channel, remote_server.key)))
                await waiting[-1].join()
                await waiting[-1].call.initial_metadata()
            late = Raw(channel, await mint(channel, remote_server.key))
            assert await late.status() is grpc.StatusCode.FAILED_PRECONDITION
            await waiting[0].send(leave=play_pb2.Leave())
            assert await waiting[0].status() is grpc.StatusCode.OK
            last = Raw(channel, await mint(channel, remote_server.key))
            await last.join()
            await last.call.initial_metadata()
            assert not last.call.done()

    run_with_server(body)


def test_who_does_not_join_is_sent_away() -> None:
    """A stream that says nothing takes no place for long."""

    async def main() -> None:
        async def valid(_: str) -> bool:
            return True

        lobby = Lobby(valid)
        server = grpc.aio.server(interceptors=(ErrorStatuses(RefusalLog()),))
        server.add_generic_rpc_handlers((make_play_handler(lobby, join_seconds=0.05),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with asyncio.timeout(PATIENCE), open_channel(f"127.0.0.1:{port}") as channel:
            raw = Raw(channel, lobby.mint("far", "k"))
            assert await raw.status() is grpc.StatusCode.DEADLINE_EXCEEDED
            assert not lobby.is_connected("far")
        await server.stop(None)

    asyncio.run(main())


def test_a_revoked_key_plays_nothing_more(arena: Arena) -> None:
    """Who waits is told goodbye at once, or when a tournament calls; the SDK then gives up."""

    async def body(remote_server: RemoteServer) -> None:
        task = asyncio.create_task(remote_server.make_player(Good()).run())
        await remote_server.wait_until_connected()
        old, remote_server.key = (
            remote_server.key,
            await remote_server.platform.bots.renew_key("far"),
        )
        with pytest.raises(KeyRefusedError, match="revoked"):
            await task
        assert not any(old in line or remote_server.key in line for line in remote_server.said)

        task = asyncio.create_task(remote_server.make_player(Good()).run())
        await remote_server.wait_until_connected()
        remote_server.store.revoke_token(remote_server.key.split("_")[1])  # by another process
        assert remote_server.platform.lobby.is_connected("far")
        result = await arena.run([remote_server.make_spec(start_up=0.1), arena.spec(GOOD)])
        assert "nobody dialled in" in result.withdrawals[0]
        with pytest.raises(KeyRefusedError):
            await task

    run_with_server(body)


class Clock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def _valid(_: str) -> bool:
    return True


def test_who_comes_back_is_recognised() -> None:
    """Also where no match referred to the lost session: the log says that it is back."""

    async def main() -> None:
        lobby = Lobby(_valid)
        token = lobby.mint("far", "k")
        session = lobby.redeem(token)
        assert not session.back
        lobby.enter(session, BotStream(lambda _: None))
        lobby.leave(session)
        del session
        gc.collect()
        assert lobby.redeem(lobby.mint("far", "k", previous=token)).back

    asyncio.run(main())


def test_unused_tokens_expire_and_are_few() -> None:
    """So that nobody fills the memory of the server with them."""
    clock = Clock()
    lobby = Lobby(_valid, clock=clock)
    old = lobby.mint("far", "k")
    clock.now = UNUSED_SECONDS
    with pytest.raises(UnauthenticatedError, match="not older than 60 s"):
        lobby.redeem(old)
    other = lobby.mint("near", "k")
    tokens = [lobby.mint("far", "k") for _ in range(17)]
    with pytest.raises(UnauthenticatedError):
        lobby.redeem(tokens[0])
    assert [lobby.redeem(token).bot for token in tokens[1:]] == ["far"] * 16
    session = lobby.redeem(other)
    assert (session.bot, other in repr(session)) == ("near", False)


class Waiting:
    """What the lobby needs of a stream that waits."""

    def __init__(self) -> None:
        self.capacity = 1
        self.is_over = False

    def vanish(self) -> None:
        self.is_over = True


def dialled_in(lobby: Lobby, previous: str = "") -> tuple[str, Any, Session]:
    """The token of a session, its stream, and the session."""
    token = lobby.mint("far", "k", previous=previous)
    stream: Any = Waiting()
    session = lobby.redeem(token)
    lobby.enter(session, stream)
    lobby.mark_joined(session)
    return token, stream, session


def test_who_comes_back_gets_its_own_seat_again() -> None:
    """Partners are two programs of one bot, and neither may see the other one's cards."""

    async def main() -> None:
        lobby = Lobby(_valid)

        def lose(session: Session) -> asyncio.Task[BotStream]:
            """The claim of the instance whose session it was."""
            assert session.stream is not None
            session.stream.vanish()
            lobby.leave(session)
            return asyncio.create_task(lobby.call("far", back=session.stream))

        _, first, north = dialled_in(lobby)
        token, second, south = dialled_in(lobby)
        assert {await lobby.call("far"), await lobby.call("far")} == {first, second}
        claims = [lose(north), lose(south)]
        await asyncio.sleep(0)
        token, second, south = dialled_in(lobby, token)
        assert await claims[1] is second
        assert not claims[0].done()
        claims[1] = lose(south)
        await asyncio.sleep(0)
        token = lobby.mint("far", "k", previous=token)  # and it is lost before it dials in
        _, second, south = dialled_in(lobby, token)
        assert await claims[1] is second
        assert not claims[0].done()
        _, stranger, _ = dialled_in(lobby)  # better than nobody
        assert await claims[0] is stranger

    asyncio.run(asyncio.wait_for(main(), 5.0))


def test_who_lost_its_connection_is_served_first() -> None:
    """Its clock runs; the session that dialled in last is the surest to be there."""

    async def main() -> None:
        lobby = Lobby(_valid)
        order: list[tuple[str, object]] = []
        _, lost, session = dialled_in(lobby)
        assert await lobby.call("far") is lost
        lost.vanish()
        lobby.leave(session)

        async def claim(name: str, back: Any) -> None:
            order.append((name, await lobby.call("far", back=back)))

        async with asyncio.TaskGroup() as group:
            for name in ("first", "second", "back"):
                group.create_task(claim(name, lost if name == "back" else None))
            await asyncio.sleep(0)
            streams = [dialled_in(lobby)[1] for _ in range(3)]
        assert order == [("back", streams[0]), ("first", streams[1]), ("second", streams[2])]
        gone = asyncio.create_task(lobby.call("far"))
        await asyncio.sleep(0)
        _, stream, _ = dialled_in(lobby)
        gone.cancel()  # in the moment in which it is served
        await asyncio.wait((gone,))
        assert await lobby.call("far") is stream

    asyncio.run(main())
