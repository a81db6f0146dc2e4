"""The gRPC service of tables at which people play: thin, for the platform does the work."""

from __future__ import annotations

from mazzo.v1 import table_pb2, table_pb2_grpc
from mazzo_server.model import PUBLIC
from mazzo_server.play.instances import read_bearer_token
from mazzo_server.serving.grpc.calls import CALL, CALLER, Context
from mazzo_server.serving.grpc.messages import encode_table
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.tournaments.tables import TableCreator, TableRequest

__all__ = ["TableService"]


class TableService(table_pb2_grpc.TableServiceServicer):
    """Opens tables, and gives people their seats."""

    def __init__(self, platform: Platform, *, isolation: str) -> None:
        """Bots at tables are isolated by `isolation`."""
        self._tables = platform.unrated.tables
        self._isolation = isolation

    async def CreateTable(
        self, request: table_pb2.CreateTableRequest, context: Context
    ) -> table_pb2.CreateTableResponse:
        """Open a table and take a seat at it."""
        asked = TableRequest(
            variant=request.variant,
            bots=tuple(request.bots),
            name=request.name,
            match_format=request.match_format,
            isolation=self._isolation,
        )
        creator = TableCreator(token=CALL.get().token, is_public=CALLER.get() == PUBLIC)
        table, key = await self._tables.create(asked, creator=creator)
        return table_pb2.CreateTableResponse(
            table=encode_table(table), seat_key=key.text, invitation=table.invitation
        )

    async def JoinTable(
        self, request: table_pb2.JoinTableRequest, context: Context
    ) -> table_pb2.JoinTableResponse:
        """Take a seat at a table that waits for people."""
        table, key = await self._tables.join(request.id, request.invitation, request.name)
        return table_pb2.JoinTableResponse(table=encode_table(table), seat_key=key.text)

    async def LeaveTable(
        self, request: table_pb2.LeaveTableRequest, context: Context
    ) -> table_pb2.LeaveTableResponse:
        """Give a seat up before the match begins."""
        self._tables.leave(_read_key(context))
        return table_pb2.LeaveTableResponse()

    async def OpenSeat(
        self, request: table_pb2.OpenSeatRequest, context: Context
    ) -> table_pb2.OpenSeatResponse:
        """Return a session token for the person in a seat."""
        token = self._tables.open_session(_read_key(context), previous=request.previous)
        return table_pb2.OpenSeatResponse(session_token=token)

    async def GetTable(
        self, request: table_pb2.GetTableRequest, context: Context
    ) -> table_pb2.GetTableResponse:
        """Show a table to who is invited, or has a seat."""
        key = _read_key(context)
        table = self._tables.find(request.id, invitation=request.invitation, key=key)
        return table_pb2.GetTableResponse(table=encode_table(table), invitation=table.invitation)

    async def ListTables(
        self, request: table_pb2.ListTablesRequest, context: Context
    ) -> table_pb2.ListTablesResponse:
        """List the tables that wait or are played."""
        return table_pb2.ListTablesResponse(
            tables=[encode_table(table) for table in self._tables.list_open()]
        )


def _read_key(context: Context) -> str:
    """Return the key of a seat that the call shows; "" without one."""
    return read_bearer_token(context.invocation_metadata()) or ""
