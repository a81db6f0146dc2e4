import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TableState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TABLE_STATE_UNSPECIFIED: _ClassVar[TableState]
    TABLE_STATE_WAITING: _ClassVar[TableState]
    TABLE_STATE_PLAYING: _ClassVar[TableState]
    TABLE_STATE_FINISHED: _ClassVar[TableState]
    TABLE_STATE_CANCELLED: _ClassVar[TableState]
TABLE_STATE_UNSPECIFIED: TableState
TABLE_STATE_WAITING: TableState
TABLE_STATE_PLAYING: TableState
TABLE_STATE_FINISHED: TableState
TABLE_STATE_CANCELLED: TableState

class Table(_message.Message):
    __slots__ = ("id", "variant", "match_format", "state", "players", "free_seats", "tournament", "create_time", "reason")
    ID_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FORMAT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    FREE_SEATS_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    id: str
    variant: str
    match_format: str
    state: TableState
    players: _containers.RepeatedScalarFieldContainer[str]
    free_seats: int
    tournament: int
    create_time: _timestamp_pb2.Timestamp
    reason: str
    def __init__(self, id: _Optional[str] = ..., variant: _Optional[str] = ..., match_format: _Optional[str] = ..., state: _Optional[_Union[TableState, str]] = ..., players: _Optional[_Iterable[str]] = ..., free_seats: _Optional[int] = ..., tournament: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class CreateTableRequest(_message.Message):
    __slots__ = ("variant", "bots", "name", "match_format")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MATCH_FORMAT_FIELD_NUMBER: _ClassVar[int]
    variant: str
    bots: _containers.RepeatedScalarFieldContainer[str]
    name: str
    match_format: str
    def __init__(self, variant: _Optional[str] = ..., bots: _Optional[_Iterable[str]] = ..., name: _Optional[str] = ..., match_format: _Optional[str] = ...) -> None: ...

class CreateTableResponse(_message.Message):
    __slots__ = ("table", "seat_key", "invitation")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEAT_KEY_FIELD_NUMBER: _ClassVar[int]
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    table: Table
    seat_key: str
    invitation: str
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ..., seat_key: _Optional[str] = ..., invitation: _Optional[str] = ...) -> None: ...

class JoinTableRequest(_message.Message):
    __slots__ = ("id", "invitation", "name")
    ID_FIELD_NUMBER: _ClassVar[int]
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    id: str
    invitation: str
    name: str
    def __init__(self, id: _Optional[str] = ..., invitation: _Optional[str] = ..., name: _Optional[str] = ...) -> None: ...

class JoinTableResponse(_message.Message):
    __slots__ = ("table", "seat_key")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    SEAT_KEY_FIELD_NUMBER: _ClassVar[int]
    table: Table
    seat_key: str
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ..., seat_key: _Optional[str] = ...) -> None: ...

class LeaveTableRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class LeaveTableResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class OpenSeatRequest(_message.Message):
    __slots__ = ("previous",)
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    previous: str
    def __init__(self, previous: _Optional[str] = ...) -> None: ...

class OpenSeatResponse(_message.Message):
    __slots__ = ("session_token",)
    SESSION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    session_token: str
    def __init__(self, session_token: _Optional[str] = ...) -> None: ...

class GetTableRequest(_message.Message):
    __slots__ = ("id", "invitation")
    ID_FIELD_NUMBER: _ClassVar[int]
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    id: str
    invitation: str
    def __init__(self, id: _Optional[str] = ..., invitation: _Optional[str] = ...) -> None: ...

class GetTableResponse(_message.Message):
    __slots__ = ("table", "invitation")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    INVITATION_FIELD_NUMBER: _ClassVar[int]
    table: Table
    invitation: str
    def __init__(self, table: _Optional[_Union[Table, _Mapping]] = ..., invitation: _Optional[str] = ...) -> None: ...

class ListTablesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ListTablesResponse(_message.Message):
    __slots__ = ("tables",)
    TABLES_FIELD_NUMBER: _ClassVar[int]
    tables: _containers.RepeatedCompositeFieldContainer[Table]
    def __init__(self, tables: _Optional[_Iterable[_Union[Table, _Mapping]]] = ...) -> None: ...
