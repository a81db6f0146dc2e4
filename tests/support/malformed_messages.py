"""Messages, frames and bytes of which few are as they should be, for Hypothesis."""

from __future__ import annotations

import struct
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from hypothesis import strategies as st

from mazzo.v1 import play_pb2
from mazzo_server.serving.grpc.interceptors.access import ACCESS

__all__ = [
    "JOIN",
    "METADATA",
    "PREFACE",
    "RAW",
    "ROLES",
    "SCRIPTS",
    "calls_by_hand",
    "frame",
    "header",
    "payloads",
    "play_request",
]


TEXTS = st.one_of(
    st.sampled_from(["briscola/2", "far", "deals:2", "off", "10+0.1", "none", "0" * 64, "1", "\0"]),
    st.text(st.characters(codec="utf-8"), max_size=20),
    st.sampled_from(["x" * 3000, "9" * 400]),
)
NUMBERS = st.one_of(st.integers(0, 3), st.sampled_from([63, 2**31 - 1, 2**31, 2**32 - 1]))
LARGE = st.one_of(  # the last moment of a year with four digits is one before
    st.integers(-3, 3), st.sampled_from([2**63 - 1, -(2**63), 253_402_300_800])
)
SIGNED = st.one_of(st.integers(-3, 3), st.sampled_from([2**31 - 1, -(2**31)]))
KINDS: dict[int, st.SearchStrategy[Any]] = {
    FieldDescriptor.TYPE_STRING: TEXTS,
    FieldDescriptor.TYPE_BYTES: st.binary(max_size=40),
    FieldDescriptor.TYPE_BOOL: st.booleans(),
    FieldDescriptor.TYPE_UINT32: NUMBERS,
    FieldDescriptor.TYPE_UINT64: NUMBERS,
    FieldDescriptor.TYPE_FIXED64: NUMBERS,
    FieldDescriptor.TYPE_INT32: SIGNED,
    FieldDescriptor.TYPE_INT64: LARGE,
    FieldDescriptor.TYPE_ENUM: st.integers(0, 5),
    FieldDescriptor.TYPE_DOUBLE: st.floats(),
}


@st.composite
def message_of(draw: st.DrawFn, descriptor: Any) -> Message:
    """A message with some of its fields set to something."""
    message = GetMessageClass(descriptor)()
    for one in descriptor.fields:
        if not draw(st.booleans()):
            continue
        of_messages = one.type == FieldDescriptor.TYPE_MESSAGE
        values = message_of(one.message_type) if of_messages else KINDS[one.type]
        if one.is_repeated:
            getattr(message, one.name).extend(draw(st.lists(values, max_size=3)))
        elif of_messages:
            getattr(message, one.name).CopyFrom(draw(values))
        else:
            setattr(message, one.name, draw(values))
    return message


@st.composite
def spoilt(draw: st.DrawFn, descriptor: Any) -> bytes:
    """Bytes that are nearly such a message."""
    data = draw(message_of(descriptor)).SerializeToString()
    cut = draw(st.integers(0, len(data)))
    return data[:cut] + draw(st.binary(max_size=12)) + data[cut + draw(st.integers(0, 3)) :]


HUGE = st.sampled_from(
    [
        b"\xff" * 11,  # a tag that never ends
        b"\x12" + b"\xff" * 9 + b"\x01",  # a length of 2**64 - 1
        b"\x12\xff\xff\xff\xff\x0f",  # a length of 4 GiB
        b"\x12\x80\x80\x40" + bytes(64),  # longer than what follows
        b"\x0a" * 3000,  # messages within messages
        b"\x13" * 3000,  # groups within groups
        bytes(2_000_000),
    ]
)


def payloads(descriptor: Any) -> st.SearchStrategy[bytes]:
    whole = message_of(descriptor).map(lambda message: message.SerializeToString())
    return st.one_of(whole, spoilt(descriptor), st.binary(max_size=60), HUGE)


def play_request(**message: Any) -> bytes:
    return play_pb2.PlayRequest(**message).SerializeToString()


JOIN = play_request(join=play_pb2.Join(sdk="fuzz", capacity=3))
MESSAGES = st.one_of(
    st.sampled_from([JOIN, play_request(pong=play_pb2.Pong()), b"\x1a\x00"]),
    payloads(play_pb2.PlayRequest.DESCRIPTOR),
)
DEEDS = st.sampled_from(["answer", "answer", "look", "half-close", "cancel", "illegal", "early"])
TURNS = st.lists(
    st.one_of(DEEDS, MESSAGES, st.binary(max_size=80).map(lambda data: (data,))),
    min_size=4,
    max_size=16,
)
SCRIPTS = st.lists(st.tuples(st.booleans(), TURNS), min_size=4, max_size=12)

METHODS = sorted(ACCESS)
ROLES = ("nobody", "wrong", "far", "author", "organiser")
METADATA = st.lists(
    st.tuples(
        st.sampled_from(["x", "x-bin", "authorization-bin", "grpc-timeout", "te", "user-agent"]),
        st.one_of(
            st.binary(max_size=20),
            st.text(st.characters(codec="ascii", categories=("L", "N", "P"))),
        ),
    ),
    max_size=3,
)


def frame(kind: int, flags: int, stream: int, payload: bytes, length: int | None = None) -> bytes:
    """A frame of HTTP/2, perhaps with another length than its own."""
    size = len(payload) if length is None else length
    head = struct.pack("!I", size & 0xFFFFFF)[1:] + bytes([kind, flags])
    return head + struct.pack("!I", stream) + payload


def header(name: bytes, value: bytes) -> bytes:
    """A header field, literally, as HPACK has it."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
FRAMES = st.builds(
    frame,
    st.integers(0, 12),
    st.integers(0, 255),
    st.sampled_from([0, 1, 2, 3, 5, 2**31 - 1, 2**31]),
    st.binary(max_size=40),
    st.one_of(st.none(), st.integers(0, 2**24 - 1)),
)
FIELDS = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from([b":method", b":path", b":scheme", b"te", b"content-type", b"X"]),
            st.binary(max_size=30),
        ),
        st.tuples(st.binary(max_size=10), st.binary(max_size=30)),
    ),
    max_size=4,
)


PATHS = st.one_of(st.sampled_from(METHODS).map(str.encode), st.binary(max_size=20))


@st.composite
def calls_by_hand(draw: st.DrawFn, paths: st.SearchStrategy[bytes] = PATHS) -> bytes:
    """A call whose headers, lengths and flags may be anything."""
    path = draw(paths)
    block = b"".join(
        header(name, value)
        for name, value in (
            (b":method", b"POST"),
            (b":path", path),
            (b":scheme", b"http"),
            (b":authority", b"x"),
            (b"te", b"trailers"),
            (b"content-type", b"application/grpc"),
            *draw(FIELDS),
        )
    )
    body = draw(st.binary(max_size=40))
    size = draw(st.one_of(st.just(len(body)), st.integers(0, 2**32 - 1)))
    data = bytes([draw(st.integers(0, 3))]) + struct.pack("!I", size) + body
    return frame(1, 4, 1, block) + frame(0, draw(st.integers(0, 1)), 1, data)


RAW = st.tuples(
    st.booleans(),
    st.lists(st.one_of(FRAMES, calls_by_hand(), st.binary(max_size=60)), min_size=4, max_size=24),
)
