"""What of isolation `docker` needs no engine; the rest is tested by `make test-docker`."""

from __future__ import annotations

import asyncio
import itertools
import os
import struct
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.errors import IsolationError
from mazzo_server.sandbox import Limits, check_required, open_sandbox, protections
from mazzo_server.sandbox.capture import Capture
from mazzo_server.sandbox.containers.attachment import Attachment
from mazzo_server.sandbox.containers.engine import Engine
from mazzo_server.settings import Isolation

UPGRADED = b"HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n"


@asynccontextmanager
async def engine(*pieces: bytes) -> AsyncIterator[str]:
    """Something that answers every request with these pieces, and then hangs up."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0)
        writer.close()
        await writer.wait_closed()

    with tempfile.TemporaryDirectory() as folder:
        async with await asyncio.start_unix_server(answer, f"{folder}/s"):
            yield f"{folder}/s"


def read(*pieces: bytes) -> str:
    """The log of a container whose engine sends this."""

    async def main() -> str:
        output = Capture(1000)
        async with engine(*pieces) as address:
            attachment = await Attachment.open(address, "/containers/bot/attach", output)
            async with asyncio.timeout(20):
                await attachment.ended.wait()
            attachment.close()
            attachment.end_input()
        return output.read()

    return asyncio.run(main())


@given(
    st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=8),
    st.lists(st.integers(0, 300), max_size=8),
)
def test_what_was_written_is_read_however_it_comes(
    written: list[tuple[int, bytes]], cuts: list[int]
) -> None:
    """Each piece has a header, and the engine may cut anywhere, also in headers."""
    whole = UPGRADED + b"".join(
        struct.pack(">BxxxI", stream, len(text)) + text for stream, text in written
    )
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    pieces = [whole[a:b] for a, b in itertools.pairwise(places)]
    assert read(*pieces) == b"".join(text for _, text in written).decode(errors="replace")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (b"HTTP/1.1 404 Not Found\r\n\r\nno such container", "404 Not Found no such container"),
        (b"HTTP/1.1 200 OK\r\n\r\n", "does not attach to a container"),
        (b"nonsense" * 20_000, "does not attach to a container"),
        (b"HTTP/1.1 101 UPGR", "hung up"),
        (b"", "hung up"),
    ],
)
def test_an_engine_that_does_not_attach_is_told(answer: bytes, words: str) -> None:
    """Nobody waits for it, and no bot is blamed."""
    with pytest.raises(IsolationError, match=words):
        read(answer)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("unix:///no/such/socket", "no container engine can be used at unix:///no/such/socket"),
        ("tcp://127.0.0.1:2375", "expected DOCKER_HOST to be a Unix socket"),
    ],
)
def test_a_machine_without_an_engine_says_so(
    monkeypatch: pytest.MonkeyPatch, address: str, words: str
) -> None:
    """Before anything is played."""
    monkeypatch.setenv("DOCKER_HOST", address)
    with pytest.raises(IsolationError, match=words):
        open_sandbox(Isolation.DOCKER)


def test_without_its_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The platform runs without."""
    monkeypatch.setitem(sys.modules, "docker", None)
    with pytest.raises(IsolationError, match=r"pip install 'mazzo\[server,docker\]'"):
        open_sandbox(Isolation.DOCKER)


def test_what_is_required_is_asked_of_containers_not_of_bubblewrap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where it does not work, an engine may."""

    async def examine() -> dict[str, str]:
        return dict.fromkeys(protections.PROTECTIONS, "not here")

    monkeypatch.setattr(protections, "examine", examine)
    asyncio.run(check_required(frozenset({"seccomp", "memory", "limits"}), "docker"))
    with pytest.raises(IsolationError, match="uid \\(all containers have the same user"):
        asyncio.run(check_required(frozenset({"seccomp", "uid"}), "docker"))


def test_an_engine_that_cannot_keep_to_some_processors_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Some engines would let a ladder's bots run on all of them, and only warn."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    unable = Engine(cast(Any, None), "", binds_processors=False)
    with pytest.raises(IsolationError, match="--share 1"):
        unable.create(
            "bot",
            image="bots",
            command=["python"],
            mounts={},
            scratch=str(tmp_path),
            limits=Limits(processor_share=0.5),
        )
