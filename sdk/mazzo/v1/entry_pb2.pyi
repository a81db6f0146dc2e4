import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from mazzo.v1 import tournament_pb2 as _tournament_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class OpenTournamentState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OPEN_TOURNAMENT_STATE_UNSPECIFIED: _ClassVar[OpenTournamentState]
    OPEN_TOURNAMENT_STATE_ANNOUNCED: _ClassVar[OpenTournamentState]
    OPEN_TOURNAMENT_STATE_OPEN: _ClassVar[OpenTournamentState]
    OPEN_TOURNAMENT_STATE_CLOSED: _ClassVar[OpenTournamentState]
    OPEN_TOURNAMENT_STATE_WAITING: _ClassVar[OpenTournamentState]
    OPEN_TOURNAMENT_STATE_OVER: _ClassVar[OpenTournamentState]
OPEN_TOURNAMENT_STATE_UNSPECIFIED: OpenTournamentState
OPEN_TOURNAMENT_STATE_ANNOUNCED: OpenTournamentState
OPEN_TOURNAMENT_STATE_OPEN: OpenTournamentState
OPEN_TOURNAMENT_STATE_CLOSED: OpenTournamentState
OPEN_TOURNAMENT_STATE_WAITING: OpenTournamentState
OPEN_TOURNAMENT_STATE_OVER: OpenTournamentState

class Timetable(_message.Message):
    __slots__ = ("entries_from", "entries_until", "start_at", "start_with", "every")
    ENTRIES_FROM_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_UNTIL_FIELD_NUMBER: _ClassVar[int]
    START_AT_FIELD_NUMBER: _ClassVar[int]
    START_WITH_FIELD_NUMBER: _ClassVar[int]
    EVERY_FIELD_NUMBER: _ClassVar[int]
    entries_from: _timestamp_pb2.Timestamp
    entries_until: _timestamp_pb2.Timestamp
    start_at: _timestamp_pb2.Timestamp
    start_with: int
    every: str
    def __init__(self, entries_from: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., entries_until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., start_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., start_with: _Optional[int] = ..., every: _Optional[str] = ...) -> None: ...

class CreateOpenTournamentRequest(_message.Message):
    __slots__ = ("tournament", "timetable")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    TIMETABLE_FIELD_NUMBER: _ClassVar[int]
    tournament: _tournament_pb2.CreateTournamentRequest
    timetable: Timetable
    def __init__(self, tournament: _Optional[_Union[_tournament_pb2.CreateTournamentRequest, _Mapping]] = ..., timetable: _Optional[_Union[Timetable, _Mapping]] = ...) -> None: ...

class CreateOpenTournamentResponse(_message.Message):
    __slots__ = ("open_tournament",)
    OPEN_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    open_tournament: OpenTournament
    def __init__(self, open_tournament: _Optional[_Union[OpenTournament, _Mapping]] = ...) -> None: ...

class GetOpenTournamentRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class GetOpenTournamentResponse(_message.Message):
    __slots__ = ("open_tournament",)
    OPEN_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    open_tournament: OpenTournament
    def __init__(self, open_tournament: _Optional[_Union[OpenTournament, _Mapping]] = ...) -> None: ...

class ListOpenTournamentsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "include_over")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_OVER_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    include_over: bool
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_over: bool = ...) -> None: ...

class ListOpenTournamentsResponse(_message.Message):
    __slots__ = ("open_tournaments", "next_page_token")
    OPEN_TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    open_tournaments: _containers.RepeatedCompositeFieldContainer[OpenTournament]
    next_page_token: str
    def __init__(self, open_tournaments: _Optional[_Iterable[_Union[OpenTournament, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class CallOffOpenTournamentRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class CallOffOpenTournamentResponse(_message.Message):
    __slots__ = ("open_tournament",)
    OPEN_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    open_tournament: OpenTournament
    def __init__(self, open_tournament: _Optional[_Union[OpenTournament, _Mapping]] = ...) -> None: ...

class EnterBotRequest(_message.Message):
    __slots__ = ("id", "bot")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    id: int
    bot: str
    def __init__(self, id: _Optional[int] = ..., bot: _Optional[str] = ...) -> None: ...

class EnterBotResponse(_message.Message):
    __slots__ = ("open_tournament",)
    OPEN_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    open_tournament: OpenTournament
    def __init__(self, open_tournament: _Optional[_Union[OpenTournament, _Mapping]] = ...) -> None: ...

class LeaveBotRequest(_message.Message):
    __slots__ = ("id", "bot")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    id: int
    bot: str
    def __init__(self, id: _Optional[int] = ..., bot: _Optional[str] = ...) -> None: ...

class LeaveBotResponse(_message.Message):
    __slots__ = ("open_tournament",)
    OPEN_TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    open_tournament: OpenTournament
    def __init__(self, open_tournament: _Optional[_Union[OpenTournament, _Mapping]] = ...) -> None: ...

class OpenTournament(_message.Message):
    __slots__ = ("id", "state", "tournament", "timetable", "create_time", "round", "entries_total", "problem", "entries", "rounds", "enterable")
    ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    TIMETABLE_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    ENTERABLE_FIELD_NUMBER: _ClassVar[int]
    id: int
    state: OpenTournamentState
    tournament: _tournament_pb2.CreateTournamentRequest
    timetable: Timetable
    create_time: _timestamp_pb2.Timestamp
    round: int
    entries_total: int
    problem: str
    entries: _containers.RepeatedCompositeFieldContainer[Entry]
    rounds: _containers.RepeatedCompositeFieldContainer[OpenRound]
    enterable: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[int] = ..., state: _Optional[_Union[OpenTournamentState, str]] = ..., tournament: _Optional[_Union[_tournament_pb2.CreateTournamentRequest, _Mapping]] = ..., timetable: _Optional[_Union[Timetable, _Mapping]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., round: _Optional[int] = ..., entries_total: _Optional[int] = ..., problem: _Optional[str] = ..., entries: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ..., rounds: _Optional[_Iterable[_Union[OpenRound, _Mapping]]] = ..., enterable: _Optional[_Iterable[str]] = ...) -> None: ...

class Entry(_message.Message):
    __slots__ = ("bot", "enter_time", "version", "lacks", "removable")
    BOT_FIELD_NUMBER: _ClassVar[int]
    ENTER_TIME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    LACKS_FIELD_NUMBER: _ClassVar[int]
    REMOVABLE_FIELD_NUMBER: _ClassVar[int]
    bot: str
    enter_time: _timestamp_pb2.Timestamp
    version: int
    lacks: str
    removable: bool
    def __init__(self, bot: _Optional[str] = ..., enter_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., version: _Optional[int] = ..., lacks: _Optional[str] = ..., removable: bool = ...) -> None: ...

class OpenRound(_message.Message):
    __slots__ = ("number", "time", "tournament", "reason", "left_out")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    number: int
    time: _timestamp_pb2.Timestamp
    tournament: int
    reason: str
    left_out: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, number: _Optional[int] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., tournament: _Optional[int] = ..., reason: _Optional[str] = ..., left_out: _Optional[_Iterable[str]] = ...) -> None: ...
