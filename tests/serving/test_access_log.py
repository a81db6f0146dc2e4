"""What the log says of who is refused, and of tokens and keys."""

from __future__ import annotations

import asyncio
import weakref
from pathlib import Path

import grpc
import pytest

from mazzo.channel import open_channel
from mazzo.v1 import play_pb2
from mazzo_server.errors import PermissionDeniedError
from mazzo_server.logs import LogAction
from mazzo_server.serving.grpc.calls import Call
from mazzo_server.serving.grpc.interceptors.statuses import RefusalLog
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore
from support.callers import ServedPlatform, call, run_served
from support.malformed_messages import play_request
from support.remote_bots import Raw, RemoteServer, mint, run_with_server


def test_whoever_is_refused_is_logged_with_the_method_and_the_token(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """By the gate, by a method that checks its callers itself, and for another's bot."""

    async def body(served: ServedPlatform) -> None:
        wrong = served.tokens["robot"][:-4] + "AAAA"
        calls = (
            ("/mazzo.v1.AuthService/ListTokens", served.metadata("alice")),
            ("/mazzo.v1.BotService/CreateSession", (("authorization", f"Bearer {wrong}"),)),
            ("/mazzo.v1.BotService/RetireBot", served.metadata("bob")),
            ("/mazzo.v1.PlayService/Play", (("authorization", "Bearer used-token"),)),
        )
        caplog.clear()
        async with open_channel(served.port) as channel:
            for method, metadata in calls:
                assert await call(channel, method, metadata) is not grpc.StatusCode.OK
        logged = [
            (vars(record)["method"], vars(record)["token"])
            for record in caplog.records
            if vars(record).get("action") == LogAction.ACCESS_REFUSED
        ]
        ids = [served.tokens[name].split("_")[1] for name in ("alice", "robot", "bob")]
        assert logged == list(zip([method for method, _ in calls], [*ids, None], strict=True))
        for text in (*served.tokens.values(), wrong, "used-token"):
            assert text.split("_", 2)[-1] not in caplog.text

    run_served(tmp_path, body)


def test_what_a_bot_sends_out_of_turn_is_logged_with_its_key(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One record for each stream that is refused, and none of it as a traceback."""

    async def body(server: RemoteServer) -> None:
        caplog.clear()
        key = server.key.split("_")[1]
        async with open_channel(server.address) as channel:
            for message in (b"", b"\xff", play_request(answer=play_pb2.Answer())):
                raw = Raw(channel, token := await mint(channel, server.key))
                await raw.write(message)
                assert await raw.status() is not grpc.StatusCode.OK
                assert token not in caplog.text
        facts = [vars(record) for record in caplog.records]
        assert [(one["action"], one["reason"], one["token"]) for one in facts] == [
            (LogAction.STREAM_REFUSED, "MALFORMED_MESSAGE", key),
            (LogAction.STREAM_REFUSED, "MALFORMED_MESSAGE", key),
            (LogAction.STREAM_REFUSED, "OUT_OF_TURN", key),
        ]

    run_with_server(body)


def test_no_stranger_fills_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """Ten refusals a second are written; the next one says how many were not."""
    now = 0.0
    refusals = RefusalLog(lambda: now)
    call = Call(method="/m", token=None)

    def written() -> list[int]:
        return [vars(record)["left_out"] for record in caplog.records]

    for _ in range(25):
        refusals.add(call, PermissionDeniedError("no"))
    assert written() == [0] * 10
    now = 1.0
    refusals.add(call, PermissionDeniedError("no"))
    assert written() == [0] * 10 + [15]
    assert "15 more" in caplog.messages[-1]


def test_who_keeps_a_record_keeps_no_call(caplog: pytest.LogCaptureFixture) -> None:
    """An error keeps its call alive, and 64 living calls fill the connection of the caller."""
    error = PermissionDeniedError("no")
    kept = weakref.ref(error)
    RefusalLog().add(Call(method="/m", token=None), error)
    del error
    assert len(caplog.records) == 1
    assert kept() is None


def test_tokens_and_keys_leave_a_trace(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Made, revoked and renewed, by their ids."""
    caplog.set_level("INFO", logger="mazzo_server")
    platform = Platform(Settings(home=tmp_path / "home"), MemoryStore())

    async def main() -> list[str]:
        _, first = await platform.bots.register("far", games=[], capacity=1, writer="")
        return [first, await platform.bots.renew_key("far"), await platform.bots.renew_key("far")]

    texts = asyncio.run(main())
    first, second, third = (text.split("_")[1] for text in texts)
    told = [(vars(record)["action"], vars(record).get("token")) for record in caplog.records]
    assert told == [
        (LogAction.BOT_REGISTERED, None),
        (LogAction.TOKEN_CREATED, first),
        (LogAction.TOKEN_CREATED, second),
        (LogAction.TOKEN_REVOKED, first),
        (LogAction.KEY_RENEWED, None),
        (LogAction.TOKEN_CREATED, third),
        (LogAction.TOKEN_REVOKED, second),  # and not the first one again
        (LogAction.KEY_RENEWED, None),
    ]
    assert not any(text in caplog.text for text in texts)
