"""Speaks to the game master as somebody else, of something else, or far too often."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import queue
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import grpc

import mazzo.v1
from attacks.bots.attempt import attempt, say
from mazzo.v1 import play_pb2

ADDRESS, TOKEN = os.environ["MAZZO_ADDRESS"], os.environ["MAZZO_TOKEN"]
PLAY = "/mazzo.v1.PlayService/Play"
SECONDS = 20.0
MANY = 100


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


def methods() -> Iterator[str]:
    """Every method of every service that the platform has anywhere, but for Play."""
    for module in pkgutil.iter_modules(mazzo.v1.__path__):
        if module.name.endswith("_pb2"):
            file = importlib.import_module(f"mazzo.v1.{module.name}").DESCRIPTOR
            for service in file.services_by_name.values():
                yield from (f"/{service.full_name}/{method.name}" for method in service.methods)
    yield "/grpc.health.v1.Health/Check"
    yield "/grpc.health.v1.Health/Watch"
    yield "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"
    yield "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo"
    yield "/grpc.channelz.v1.Channelz/GetServers"


def play_call(channel: grpc.Channel) -> grpc.StreamStreamMultiCallable[bytes, bytes]:
    """Play, with messages as bytes."""
    return channel.stream_stream(PLAY)


def code_of(channel: grpc.Channel, method: str) -> str:
    """How the master answers a call of a method."""
    call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(method)
    try:
        call(b"", metadata=bearer(TOKEN), timeout=SECONDS)
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"


def connection() -> grpc.Channel:
    """One of its own, as the master takes one at a time."""
    options = {
        "grpc.use_local_subchannel_pool": 1,
        "grpc.initial_reconnect_backoff_ms": 100,
        "grpc.max_reconnect_backoff_ms": 100,
    }
    return grpc.insecure_channel(ADDRESS, list(options.items()))


def join_as(channel: grpc.Channel, token: str, timeout: float = SECONDS) -> str:
    """How the master answers who joins with a token."""
    request = play_pb2.PlayRequest(join=play_pb2.Join(sdk="thief", capacity=1))
    call = play_call(channel)(
        iter([request.SerializeToString()]),
        metadata=bearer(token),
        timeout=timeout,
        wait_for_ready=True,
    )
    try:
        next(call)
    except grpc.RpcError as error:
        return str(error.code().name)
    except StopIteration:
        return "OK"
    return "joined"


def guesses() -> dict[str, str]:
    stolen = json.loads(Path("stolen.json").read_text())
    return {
        "stolen": stolen["token"],
        "nearly its own": TOKEN[:-1] + ("a" if TOKEN[-1] != "a" else "b"),
        "its own in capitals": TOKEN.upper(),
        "its own and more": TOKEN + "a",
        "nothing": "",
        "a word": "admin",
    }


def connect(path: str) -> str:
    with socket.socket(socket.AF_UNIX) as door:
        door.settimeout(SECONDS)
        door.connect(path)
        return "connected" if door.recv(1) else "turned away"


def main() -> None:
    with connection() as channel:
        for method in methods():
            if method != PLAY:
                say(method, code_of(channel, method))
    for name, token in guesses().items():
        with connection() as channel:
            say(f"token: {name}", join_as(channel, token))
    stolen = json.loads(Path("stolen.json").read_text())
    attempt("another's socket", partial(connect, stolen["socket"]))
    outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    channel = connection()
    play = play_call(channel)(iter(outbox.get, None), metadata=bearer(TOKEN), wait_for_ready=True)
    name = "\x1b[2J\n" + "x" * 900_000
    most = play_pb2.PlayRequest(join=play_pb2.Join(sdk=name, capacity=2**32 - 1))
    outbox.put(most.SerializeToString())
    asked = 0
    for data in play:
        response = play_pb2.PlayResponse.FromString(data)
        if response.HasField("goodbye"):
            os._exit(0)
        if response.HasField("ping"):
            outbox.put(play_pb2.PlayRequest(pong=play_pb2.Pong()).SerializeToString())
        for decision in response.frame.decisions:
            asked += 1
            if asked == 1:
                open_many(channel)
                outbox.put(of_others(decision))
            outbox.put(own(decision))


def open_many(channel: grpc.Channel) -> None:
    """More streams in its connection, more connections, more of both with its own token."""
    codes = set()
    calls = [play_call(channel)(iter([]), metadata=bearer(TOKEN), timeout=1.0) for _ in range(MANY)]
    for call in calls:
        try:
            next(call)
            codes.add("served")
        except grpc.RpcError as error:
            codes.add(str(error.code().name))
    say("a hundred streams", str(sorted(codes)))
    path = ADDRESS.removeprefix("unix:")
    say("a hundred connections", str(sorted({door(path) for _ in range(MANY)})))
    with connection() as another:
        say("its token again", join_as(another, TOKEN, timeout=2.0))


def door(path: str) -> str:
    try:
        return connect(path)
    except OSError as error:
        return type(error).__name__


def own(decision: Any) -> bytes:
    mask = int.from_bytes(decision.view.legal, "little")
    return answer((decision.match, decision.number, (mask & -mask).bit_length() - 1))


def of_others(decision: Any) -> bytes:
    """Answers in every match that has a number near its own, that would make anybody forfeit."""
    return answer(
        *(
            (match, number, 63)
            for match in range(max(0, decision.match - 10), decision.match + 10)
            for number in range(40)
            if match != decision.match
        )
    )


def answer(*chosen: tuple[int, int, int]) -> bytes:
    actions = [
        play_pb2.ChosenAction(match=match, number=number, action=action)
        for match, number, action in chosen
    ]
    return play_pb2.PlayRequest(answer=play_pb2.Answer(actions=actions)).SerializeToString()


if __name__ == "__main__":
    main()
