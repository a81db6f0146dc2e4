"""A request is held back until it is known to be gRPC's, in parts of any size."""

from __future__ import annotations

import pytest
from hpack import Encoder
from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.serving.gateway.frames import PREFACE, Frame
from mazzo_server.serving.gateway.opening import Opening

SETTINGS = Frame(0, 4, 0, 0).pack(b"")


def request(content_type: str, *, parts: int) -> bytes:
    """HEADERS and CONTINUATIONs of a call."""
    block = Encoder().encode([(":path", "/x"), ("content-type", content_type)])
    size = -(-len(block) // parts)
    frames = [block[begin : begin + size] for begin in range(0, len(block), size)]
    return b"".join(
        Frame(0, 9 if index else 1, 4 if index == len(frames) - 1 else 0, 1).pack(part)
        for index, part in enumerate(frames)
    )


@given(st.integers(1, 30), st.integers(1, 40), st.booleans())
def test_a_request_is_read_however_it_is_parted(parts: int, size: int, is_grpc: bool) -> None:
    kind = "application/grpc" if is_grpc else "application/json"
    data = PREFACE + SETTINGS + request(kind, parts=parts) + b"rest"
    opening, passed = Opening(), b""
    for begin in range(0, len(data), size):
        part = data[begin : begin + size]
        if opening.is_over:
            passed += part
        elif not opening.is_refused:
            passed += opening.receive(part)
    assert opening.is_over == is_grpc
    assert opening.is_refused != is_grpc
    assert passed == (data[len(PREFACE) :] if is_grpc else SETTINGS)


def test_bytes_that_drip_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bug: each byte had all that was held read again, so 1.25 kB a second took a core."""
    reads, parse = 0, Frame.parse

    def count(data: bytes | bytearray, offset: int = 0) -> Frame:
        nonlocal reads
        reads += 1
        return parse(data, offset)

    monkeypatch.setattr(Frame, "parse", count)
    held = PREFACE + SETTINGS + Frame(0, 1, 0, 1).pack(b"") + Frame(0, 9, 0, 1).pack(b"") * 1_000
    opening = Opening()
    opening.receive(held)
    for byte in Frame(0, 9, 0, 1).pack(b"") * 100:
        opening.receive(bytes((byte,)))
    assert reads < 3_000
