"""The frames of HTTP/2, found in the bytes that pass, and what a client may send of them.

RFC 9113, section 4.1: three bytes of length, one of type, one of flags, four of the stream, then
the payload.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Final, NamedTuple

from mazzo_server.clock import monotonic
from mazzo_server.serving.bucket import Bucket

__all__ = [
    "HEAD",
    "PREFACE",
    "Flag",
    "Frame",
    "FrameBudget",
    "FrameCount",
    "FrameCounter",
    "FrameType",
]

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEAD: Final = 9  # bytes before the payload

_BURST = 1_000  # frames
_PER_SECOND = 50
# A client that reads answers to each part of them: with a window for the stream and one for the
# connection, and with a ping that measures the line.
_PER_ANSWER = 4
_SHIFT = 9  # of a length: as much as one more frame for every 512 bytes


class FrameType(IntEnum):
    """The types that matter here."""

    DATA = 0
    HEADERS = 1
    SETTINGS = 4
    GOAWAY = 7
    CONTINUATION = 9


class Flag(IntEnum):
    """The flags that matter here."""

    END_STREAM = 0x1  # of DATA and HEADERS
    ACK = 0x1  # of SETTINGS
    END_HEADERS = 0x4
    PADDED = 0x8
    PRIORITY = 0x20


class Frame(NamedTuple):
    """The head of a frame."""

    length: int  # bytes of the payload
    type: int
    flags: int
    stream: int

    @classmethod
    def parse(cls, data: bytes | bytearray, offset: int = 0) -> Frame:
        """Read the head that begins there."""
        return cls(
            int.from_bytes(data[offset : offset + 3], "big"),
            data[offset + 3],
            data[offset + 4],
            int.from_bytes(data[offset + 5 : offset + HEAD], "big") & 0x7FFF_FFFF,
        )

    def strip(self, payload: bytes) -> bytes:
        """Return the part of the payload of HEADERS, or of CONTINUATION, that holds headers."""
        if self.type != FrameType.HEADERS:
            return payload
        begin, end = 0, len(payload)
        if self.flags & Flag.PADDED and payload:
            begin, end = 1, end - payload[0]
        if self.flags & Flag.PRIORITY:
            begin += 5
        return payload[begin:end]

    def pack(self, payload: bytes) -> bytes:
        """Return the whole frame, whose length is that of the payload."""
        head = len(payload).to_bytes(3, "big") + bytes((self.type, self.flags))
        return head + self.stream.to_bytes(4, "big") + payload


class FrameCount(NamedTuple):
    """What begins in some bytes."""

    data: int  # frames of DATA that are not empty
    headers: int  # frames of HEADERS
    cost: int  # of all frames but `data`: 1 each, and 1 for every 512 bytes


class FrameCounter:
    """Counts frames in the bytes of one direction, which come in parts of any size."""

    __slots__ = ("_head", "_left")

    def __init__(self) -> None:
        """Begin where a frame begins."""
        self._head = b""
        self._left = 0  # bytes of the current frame's payload that are still to come

    @property
    def is_between_frames(self) -> bool:
        """Whether all that came are whole frames."""
        return not self._head and not self._left

    def count(self, data: bytes) -> FrameCount:
        """Return what frames begin here, and what they cost."""
        carrying = headers = cost = 0
        offset = 0
        if self._left:
            if self._left >= len(data):
                self._left -= len(data)
                return FrameCount(0, 0, 0)
            offset = self._left
        if self._head:
            data, offset = self._head + data, 0
        end = len(data) - HEAD
        while offset <= end:
            length = data[offset] << 16 | data[offset + 1] << 8 | data[offset + 2]
            kind = data[offset + 3]
            if length and kind == FrameType.DATA:
                carrying += 1
            else:
                headers += kind == FrameType.HEADERS
                cost += 1 + (length >> _SHIFT)
            offset += HEAD + length
        self._head = data[offset:]
        self._left = max(0, offset - len(data))
        return FrameCount(carrying, headers, cost)


class FrameBudget:
    """What a client may send in frames that carry no message: PING, SETTINGS, HEADERS and so on.

    Each costs the server an answer, some work or memory, and the client nothing. So it may spend a
    thousand, and then 50 a second, and four more for each frame of an answer that it gets. A
    stranger spends and earns together with all others of its address, or else it would be sent
    away and begin anew, again and again.
    """

    __slots__ = ("_own", "_shared")

    def __init__(self, shared: Bucket, clock: Callable[[], float] = monotonic) -> None:
        """`shared` is that of the strangers of an address."""
        self._own = Bucket(_BURST, per_second=_PER_SECOND, clock=clock)
        self._shared: Bucket | None = shared

    def leave_shared(self) -> None:
        """From now on count alone, for the client is no stranger any more."""
        self._shared = None

    def earn(self, answers: int) -> None:
        """Allow more, since so many frames of answers went to the client."""
        for bucket in (self._own, self._shared):
            if bucket is not None:
                bucket.add(answers * _PER_ANSWER)

    def spend(self, cost: int) -> bool:
        """Return whether the client might send what costs so much."""
        return self._own.take(cost) and (self._shared is None or self._shared.take(cost))
