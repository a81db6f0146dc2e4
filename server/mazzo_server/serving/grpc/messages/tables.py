"""Messages of tables."""

from __future__ import annotations

from typing import Final

from mazzo.v1 import table_pb2
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.tournaments.tables import OpenTable, TableState

__all__ = ["encode_table"]

_STATES: Final = {
    TableState.WAITING: table_pb2.TABLE_STATE_WAITING,
    TableState.PLAYING: table_pb2.TABLE_STATE_PLAYING,
    TableState.FINISHED: table_pb2.TABLE_STATE_FINISHED,
    TableState.CANCELLED: table_pb2.TABLE_STATE_CANCELLED,
}


def encode_table(table: OpenTable) -> table_pb2.Table:
    """Return a table as everybody may see it."""
    return table_pb2.Table(
        id=table.id,
        variant=table.plan.variant.text,
        match_format=str(table.plan.match_format),
        state=_STATES[table.state],
        players=table.names,
        free_seats=table.free_seats,
        tournament=table.tournament,
        create_time=encode_time(table.create_time),
        reason=table.reason,
    )
