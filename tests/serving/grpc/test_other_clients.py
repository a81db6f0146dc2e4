"""Every refusal, read by clients that are not ours: `buf curl`, grpclib, and Node."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpclib
import pytest
from google.protobuf import json_format
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpclib.client import Channel
from grpclib.const import Cardinality
from grpclib.encoding.base import CodecBase
from grpclib.encoding.proto import ProtoStatusDetailsCodec

from mazzo.channel import open_channel
from mazzo.v1 import auth_pb2, bot_pb2, play_pb2
from mazzo_server.logs import is_ours_to_tell
from support.callers import PATIENCE, ServedPlatform, outcome, serve_callers
from support.node import NODE, packages_of

pytestmark = pytest.mark.slow

BUF = Path(sys.executable).parent / "buf"
NODE_PROGRAM = Path(__file__).parents[2] / "support" / "refused_in_node.js"
CLIENTS = ("buf", "grpclib", "node")
PLAY = "mazzo.v1.PlayService/Play"
SESSION = "mazzo.v1.BotService/CreateSession"
LIST = "mazzo.v1.BotService/ListBots"
JOIN = play_pb2.PlayRequest(join=play_pb2.Join(sdk="other", capacity=1))
ANSWER = play_pb2.PlayRequest(answer=play_pb2.Answer())
LEAVE = play_pb2.PlayRequest(leave=play_pb2.Leave())
PONG = play_pb2.PlayRequest(pong=play_pb2.Pong())
LONG = play_pb2.PlayRequest(join=play_pb2.Join(sdk="x" * 1024 * 1024))
EMPTY = play_pb2.PlayRequest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A call that is refused, and the status that says so."""

    name: str
    method: str
    by: str  # a caller of `CALLERS`, "session" for a session token, or the text of a token
    messages: tuple[Message | bytes, ...]
    code: str
    reason: str
    words: tuple[str, ...]  # what was expected, what came, what to do


def on_play(name: str, *messages: Message | bytes, by: str = "session", **said: Any) -> Refusal:
    return Refusal(name=name, method=PLAY, by=by, messages=messages, **said)


def unary(name: str, method: str, request: Message | bytes, *, by: str, **said: Any) -> Refusal:
    return Refusal(name=name, method=method, by=by, messages=(request,), **said)


OUT_OF_TURN = {"code": "FAILED_PRECONDITION", "reason": "OUT_OF_TURN"}
MALFORMED = {"code": "INVALID_ARGUMENT", "reason": "MALFORMED_MESSAGE"}
OVER_LIMIT = {"code": "RESOURCE_EXHAUSTED", "reason": "OVER_LIMIT"}
NOBODY = {"code": "UNAUTHENTICATED", "reason": "UNAUTHENTICATED"}
DENIED = {"code": "PERMISSION_DENIED", "reason": "PERMISSION_DENIED"}
REFUSALS = (
    on_play("answer first", ANSWER, **OUT_OF_TURN, words=("`join` as the first", "got `answer`")),
    on_play("leave first", LEAVE, **OUT_OF_TURN, words=("`join` as the first", "got `leave`")),
    on_play("pong first", PONG, **OUT_OF_TURN, words=("`join` as the first", "got `pong`")),
    on_play("second join", JOIN, JOIN, **OUT_OF_TURN, words=("one `join`", "got a second")),
    on_play(
        "answer before welcome", JOIN, ANSWER, **OUT_OF_TURN, words=("before `welcome`", "`answer`")
    ),
    on_play("empty", JOIN, EMPTY, **MALFORMED, words=("expected a PlayRequest", "an empty one")),
    on_play("garbage", b"\xff" * 9, **MALFORMED, words=("PlayRequest", "9 bytes", "play.proto")),
    on_play("too long", LONG, **OVER_LIMIT, words=("at most 1048576 bytes", "several messages")),
    on_play(
        "pongs unasked", JOIN, *[PONG] * 1001, **OVER_LIMIT, words=("one `pong` for each", "more")
    ),
    on_play(
        "nothing at all",
        code="FAILED_PRECONDITION",
        reason="STREAM_ENDED",
        words=("until `goodbye`", "got its end", "`leave`"),
    ),
    on_play("no session", JOIN, by="nobody", **NOBODY, words=("authorization: Bearer", "got none")),
    on_play("a key", JOIN, by="robot", **NOBODY, words=("CreateSession", "got another text")),
    unary(
        "no key",
        SESSION,
        bot_pb2.CreateSessionRequest(),
        by="nobody",
        **NOBODY,
        words=("'authorization: Bearer KEY'", "got no key", "mazzo bots register"),
    ),
    unary(
        "a wrong key",
        SESSION,
        bot_pb2.CreateSessionRequest(),
        by="wrong",
        **NOBODY,
        words=("mistyped or revoked",),
    ),
    unary(
        "an author's token for a key",
        SESSION,
        bot_pb2.CreateSessionRequest(),
        by="alice",
        **DENIED,
        words=("expected the key of a remote bot", "role author"),
    ),
    unary(
        "no token",
        LIST,
        bot_pb2.ListBotsRequest(),
        by="nobody",
        **NOBODY,
        words=("'authorization: Bearer TOKEN'", "got none", "MAZZO_ACCESS_TOKEN"),
    ),
    unary(
        "a key that reads",
        LIST,
        bot_pb2.ListBotsRequest(),
        by="robot",
        **DENIED,
        words=("expected the token of", "role bot", "nothing but play"),
    ),
    unary(
        "an author who makes tokens",
        "mazzo.v1.AuthService/CreateToken",
        auth_pb2.CreateTokenRequest(),
        by="alice",
        **DENIED,
        words=("an organiser", "role author"),
    ),
    unary(
        "no such bot",
        "mazzo.v1.BotService/GetBot",
        bot_pb2.GetBotRequest(name="nemo"),
        by="alice",
        code="NOT_FOUND",
        reason="NOT_FOUND",
        words=("nemo",),
    ),
    unary(
        "no such method",
        "mazzo.v1.BotService/Nope",
        b"",
        by="alice",
        code="UNIMPLEMENTED",
        reason="UNKNOWN_METHOD",
        words=("expected a method of this server", "/mazzo.v1.BotService/Nope", "reflection"),
    ),
    unary(
        "an unreadable request",
        LIST,
        b"\xff",
        by="alice",
        code="INVALID_ARGUMENT",
        reason="INVALID_INPUT",
        words=("expected a message of this method",),
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a client read of a refusal."""

    code: str
    reason: str
    domain: str
    text: str


@dataclass(frozen=True, slots=True)
class Ground:
    """What all clients read, and what the server logged meanwhile."""

    read: dict[tuple[str, str], Said]
    logged: list[logging.LogRecord]
    tokens: list[str]


class Listener(logging.Handler):
    """Keeps records."""

    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__()
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """One server, and every client after the other."""
    ground = Ground({}, [], [])

    async def main() -> None:
        folder = tmp_path_factory.mktemp("served")
        async with asyncio.timeout(PATIENCE), serve_callers(folder) as served:
            ground.tokens.extend(served.tokens.values())
            for client, ask in (("buf", ask_buf), ("grpclib", ask_grpclib), ("node", ask_node)):
                wanted = [one for one in REFUSALS if client in who_can_ask(one)]
                for name, said in (await ask(served, wanted)).items():
                    ground.read[client, name] = said

    listener = Listener(ground.logged)
    listener.addFilter(is_ours_to_tell)
    logging.getLogger().addHandler(listener)
    try:
        asyncio.run(main())
    finally:
        logging.getLogger().removeHandler(listener)
    return ground


def who_can_ask(refusal: Refusal) -> tuple[str, ...]:
    """The clients that can send this: `buf curl` sends no bytes that are no message."""
    is_readable = not any(isinstance(one, bytes) for one in refusal.messages)
    return CLIENTS if is_readable else CLIENTS[1:]


async def bearer(served: ServedPlatform, refusal: Refusal) -> str:
    """The value of `authorization` with which to call; "" for none."""
    if refusal.by == "session":
        token, _ = await served.platform.keys.open_session(served.tokens["robot"], previous="")
    elif refusal.by == "wrong":
        token = served.tokens["robot"][:-4] + "AAAA"
    else:
        token = served.tokens.get(refusal.by, "")
    return f"Bearer {token}" if token else ""


def encode(message: Message | bytes) -> bytes:
    return message if isinstance(message, bytes) else message.SerializeToString()


def read_info(data: bytes) -> tuple[str, str]:
    """The reason and the domain of an `ErrorInfo`."""
    info = error_details_pb2.ErrorInfo.FromString(data)
    return info.reason, info.domain


def unpad(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4))


async def ask_buf(served: ServedPlatform, refusals: list[Refusal]) -> dict[str, Said]:
    """A process a call; it asks for the contract by reflection."""

    async def ask(refusal: Refusal) -> tuple[str, Said]:
        authorization = await bearer(served, refusal)
        texts = [json_format.MessageToJson(one) for one in refusal.messages]  # type: ignore[arg-type]
        header = ("--header", f"authorization: {authorization}") if authorization else ()
        _, wrote = await run(
            *(BUF, "curl", "--http2-prior-knowledge", "--protocol", "grpc", *header),
            *("--data", "@-", f"http://{served.port}/{refusal.method}"),
            data="\n".join(texts).encode(),
        )
        shown = json.loads(wrote)
        (detail,) = shown["details"]
        assert detail["type"] == "google.rpc.ErrorInfo"
        reason, domain = read_info(unpad(detail["value"]))
        code = shown["code"].upper()
        return refusal.name, Said(code=code, reason=reason, domain=domain, text=shown["message"])

    return dict([await ask(refusal) for refusal in refusals])


async def run(*command: str | Path, data: bytes) -> tuple[bytes, bytes]:
    """What a program prints to standard output and error."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    return await process.communicate(data)


class Bytes(CodecBase):
    """Messages as they are."""

    __content_subtype__ = "proto"

    def encode(self, message: bytes, message_type: Any) -> bytes:
        return message

    def decode(self, data: bytes, message_type: Any) -> bytes:
        return data


async def ask_grpclib(served: ServedPlatform, refusals: list[Refusal]) -> dict[str, Said]:
    """It would lose the status of a stream whose requests have not ended: so they have."""
    host, _, port = served.port.rpartition(":")
    found = {}
    options: Any = {"codec": Bytes(), "status_details_codec": ProtoStatusDetailsCodec()}
    async with Channel(host, int(port), **options) as channel:
        for refusal in refusals:
            authorization = await bearer(served, refusal)
            request = channel.request(
                f"/{refusal.method}",
                Cardinality.STREAM_STREAM,
                bytes,
                bytes,
                metadata={"authorization": authorization} if authorization else None,
            )
            messages = [encode(one) for one in refusal.messages]
            with pytest.raises(grpclib.GRPCError) as caught:
                await speak(request, messages)
            error = caught.value
            assert error.details is not None
            (info,) = error.details
            found[refusal.name] = Said(
                code=error.status.name,
                reason=info.reason,
                domain=info.domain,
                text=error.message or "",
            )
    return found


async def speak(request: Any, messages: list[bytes]) -> None:
    """Send these messages, of which the last one ends the requests, and read to the end."""
    async with request as stream:
        await stream.send_request(end=not messages)
        for number, message in enumerate(messages, start=1):
            await stream.send_message(message, end=number == len(messages))
        while await stream.recv_message() is not None:
            pass


async def ask_node(served: ServedPlatform, refusals: list[Refusal]) -> dict[str, Said]:
    """All calls in one process."""
    calls = [
        {
            "path": f"/{refusal.method}",
            "authorization": await bearer(served, refusal),
            "messages": [base64.b64encode(encode(one)).decode() for one in refusal.messages],
        }
        for refusal in refusals
    ]
    shown, wrote = await run(
        *(NODE / "node", NODE_PROGRAM, packages_of("node-random")),
        data=json.dumps({"address": served.port, "calls": calls}).encode(),
    )
    assert not wrote, wrote
    found = {}
    for refusal, ended in zip(refusals, json.loads(shown), strict=True):
        status = status_pb2.Status.FromString(unpad(ended["status"]))
        reason, domain = read_info(status.details[0].value)
        (code,) = (one.name for one in grpclib.const.Status if one.value == ended["code"])
        found[refusal.name] = Said(code=code, reason=reason, domain=domain, text=ended["text"])
    return found


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda one: one.name)
def test_a_refusal_can_be_read(ground: Ground, refusal: Refusal) -> None:
    """By every client that can earn it: a status, a reason, and a text with what to do."""
    for client in who_can_ask(refusal):
        said = ground.read[client, refusal.name]
        assert (said.code, said.reason, said.domain) == (refusal.code, refusal.reason, "mazzo")
        missing = [words for words in refusal.words if words not in said.text]
        assert not missing, (client, said.text)


def test_no_refusal_leaves_a_traceback_or_a_token_in_the_log(ground: Ground) -> None:
    assert ground.logged
    for record in ground.logged:
        assert record.exc_info is None, record.getMessage()
        for token in ground.tokens:
            assert token.split("_", 2)[2] not in record.getMessage()


def test_both_versions_of_reflection_tell_the_same(tmp_path: Path) -> None:
    """To `buf curl`, and to a client of ours."""

    async def main() -> None:
        async with asyncio.timeout(PATIENCE), serve_callers(tmp_path) as served:
            lists = []
            for version in ("grpc-v1", "grpc-v1alpha"):
                shown, wrote = await run(
                    *(BUF, "curl", "--http2-prior-knowledge", "--protocol", "grpc"),
                    *("--reflect-protocol", version, "--list-services", f"http://{served.port}"),
                    data=b"",
                )
                assert not wrote, wrote
                lists.append(shown.decode().split())
            assert lists[0] == lists[1]
            assert {"mazzo.v1.PlayService", "grpc.reflection.v1.ServerReflection"} < set(lists[0])
            async with open_channel(served.port) as channel:
                for version in ("v1", "v1alpha"):
                    method = f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo"
                    code, _, _ = await outcome(channel, method, ())
                    assert code.name == "OK"

    asyncio.run(main())
