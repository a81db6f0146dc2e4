"""The statuses of calls that fail, at a real server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import code_pb2

from mazzo.channel import open_channel
from mazzo_server import errors
from mazzo_server.play.instances import find_code
from mazzo_server.serving.grpc.interceptors.access import ACCESS, Level
from serving.grpc.test_access import GATED
from support.callers import (
    ServedPlatform,
    call,
    kinds,
    reason_of,
    run_served,
)

ROOT = Path(__file__).parents[3]


def test_the_protocol_has_every_reason_with_its_status() -> None:
    """One registry: the classes of errors. A new one has to be written down."""
    page = (ROOT / "docs" / "reference" / "protocol.md").read_text()
    rows = re.findall(r"^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \| `([A-Z_]+)` \|", page, re.MULTILINE)
    told = {reason: code for reasons, code in rows for reason in re.findall(r"\w+", reasons)}
    kinds = [one for one in vars(errors).values() if isinstance(one, type)]
    platform = [one for one in kinds if issubclass(one, errors.PlatformError)]
    known = {one.reason: code_pb2.Code.Name(find_code(one("no"))) for one in platform}
    assert told == known
    assert len(known) == len(platform)  # no reason stands for two classes


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
                    if caller == "organiser" or ACCESS[method] is Level.OPEN:
                        assert (code.name, reason) == ("INVALID_ARGUMENT", "INVALID_INPUT"), method
                    else:
                        assert code is grpc.StatusCode.UNAUTHENTICATED, method
            health = "/grpc.health.v1.Health/Watch"
            assert await call(channel, health, ()) is grpc.StatusCode.OK

    run_served(tmp_path, body)
    assert all(hasattr(record, "action") for record in caplog.records if record.exc_info)
