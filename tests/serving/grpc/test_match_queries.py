"""What strangers may ask of matches on the wire."""

from __future__ import annotations

import pytest
from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import replay_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.serving.grpc.messages import decode_match_query

FAR = 2**63 - 1


@pytest.mark.parametrize(
    "fields",
    [
        {"order": 77},
        {"verdict": 77},
        {"opponent": "bob"},
        {"seat": 0},
        {"verdict": replay_pb2.MATCH_VERDICT_WON},
        {"verdict": replay_pb2.MATCH_VERDICT_LOST},
        {"order": replay_pb2.MATCH_ORDER_SWING},
        {"order": replay_pb2.MATCH_ORDER_MARGIN},
    ],
)
def test_what_is_no_question(fields: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError, match=r"^expected "):
        decode_match_query(replay_pb2.FindMatchesRequest(**fields))  # type: ignore[arg-type]


@pytest.mark.parametrize("time", [Timestamp(seconds=FAR), Timestamp(seconds=-FAR, nanos=-7)])
def test_any_time_is_a_time(time: Timestamp) -> None:
    """The library refuses such times with an error of its own, which would be a fault of ours."""
    query = decode_match_query(replay_pb2.FindMatchesRequest(since_time=time))
    assert query.since == pytest.approx(time.seconds)
