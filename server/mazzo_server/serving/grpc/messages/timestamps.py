"""Times as messages."""

from __future__ import annotations

import math

from google.protobuf.timestamp_pb2 import Timestamp

__all__ = ["decode_time", "encode_time"]


def encode_time(seconds: float) -> Timestamp:
    """Encode a time in Unix seconds, to the microsecond."""
    micros = math.floor(seconds * 1e6)
    return Timestamp(seconds=micros // 1_000_000, nanos=micros % 1_000_000 * 1000)


def decode_time(time: Timestamp) -> float:
    """Return a time in Unix seconds."""
    return time.seconds + time.nanos / 1e9
