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

__all__ = ["HEAD", "PREFACE", "Flag", "Frame", "FrameBudget", "FrameCounter", "FrameType"]

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEAD: Final = 9  # bytes before the payload

_BURST = 1_000  # frames
_PER_SECOND = 50
# A client that reads answers to each part of them: with a window for the stream and one for the
# connection, and with a ping that measures the line.
_PER_ANSWER = 4


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

    def count(self, data: bytes) -> tuple[int, int]:
        """Return how many frames begin here: those that carry something, and all others.

        DATA that is not empty carries something. The rest is control, or can be had for nothing.
        """
        carrying = others = 0
        offset = 0
        if self._left:
            if self._left >= len(data):
                self._left -= len(data)
                return 0, 0
            offset = self._left
        if self._head:
            data, offset = self._head + data, 0
        end = len(data) - HEAD
        while offset <= end:
            length = data[offset] << 16 | data[offset + 1] << 8 | data[offset + 2]
            if length and not data[offset + 3]:
                carrying += 1
            else:
                others += 1
            offset += HEAD + length
        self._head = data[offset:]
        self._left = max(0, offset - len(data))
        return carrying, others


class FrameBudget:
    """What a client may send in frames that carry nothing: PING, SETTINGS, PRIORITY and so on.

    Each costs the server an answer or some work, and the client nothing. So it may send a
    thousand, and then 50 a second, and four more for each frame that it gets.
    """

    __slots__ = ("_bucket",)

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._bucket = Bucket(_BURST, per_second=_PER_SECOND, clock=clock)

    def earn(self, answers: int) -> None:
        """Allow more, since so many frames with something in them went to the client."""
        self._bucket.add(answers * _PER_ANSWER)

    def spend(self, frames: int) -> bool:
        """Return whether the client might send so many more."""
        return self._bucket.take(frames)
