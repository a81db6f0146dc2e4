import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MatchVerdict(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_VERDICT_UNSPECIFIED: _ClassVar[MatchVerdict]
    MATCH_VERDICT_WON: _ClassVar[MatchVerdict]
    MATCH_VERDICT_DRAWN: _ClassVar[MatchVerdict]
    MATCH_VERDICT_LOST: _ClassVar[MatchVerdict]

class MatchOrder(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_ORDER_UNSPECIFIED: _ClassVar[MatchOrder]
    MATCH_ORDER_TIME: _ClassVar[MatchOrder]
    MATCH_ORDER_SWING: _ClassVar[MatchOrder]
    MATCH_ORDER_MARGIN: _ClassVar[MatchOrder]

class MatchState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_STATE_UNSPECIFIED: _ClassVar[MatchState]
    MATCH_STATE_WAITING: _ClassVar[MatchState]
    MATCH_STATE_HIDDEN: _ClassVar[MatchState]
    MATCH_STATE_OPEN: _ClassVar[MatchState]
    MATCH_STATE_VOID: _ClassVar[MatchState]
    MATCH_STATE_PRUNED: _ClassVar[MatchState]
MATCH_VERDICT_UNSPECIFIED: MatchVerdict
MATCH_VERDICT_WON: MatchVerdict
MATCH_VERDICT_DRAWN: MatchVerdict
MATCH_VERDICT_LOST: MatchVerdict
MATCH_ORDER_UNSPECIFIED: MatchOrder
MATCH_ORDER_TIME: MatchOrder
MATCH_ORDER_SWING: MatchOrder
MATCH_ORDER_MARGIN: MatchOrder
MATCH_STATE_UNSPECIFIED: MatchState
MATCH_STATE_WAITING: MatchState
MATCH_STATE_HIDDEN: MatchState
MATCH_STATE_OPEN: MatchState
MATCH_STATE_VOID: MatchState
MATCH_STATE_PRUNED: MatchState

class ListMatchesRequest(_message.Message):
    __slots__ = ("tournament", "bot", "page_size", "page_token")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    bot: str
    page_size: int
    page_token: str
    def __init__(self, tournament: _Optional[int] = ..., bot: _Optional[str] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[ScheduledMatch]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[ScheduledMatch, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class FindMatchesRequest(_message.Message):
    __slots__ = ("bot", "opponent", "variant", "tournament", "seat", "verdict", "forfeited", "late", "spoilt", "since_time", "order", "reverse", "page_size", "page_token")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    SPOILT_FIELD_NUMBER: _ClassVar[int]
    SINCE_TIME_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    REVERSE_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    bot: str
    opponent: str
    variant: str
    tournament: int
    seat: int
    verdict: MatchVerdict
    forfeited: bool
    late: bool
    spoilt: bool
    since_time: _timestamp_pb2.Timestamp
    order: MatchOrder
    reverse: bool
    page_size: int
    page_token: str
    def __init__(self, bot: _Optional[str] = ..., opponent: _Optional[str] = ..., variant: _Optional[str] = ..., tournament: _Optional[int] = ..., seat: _Optional[int] = ..., verdict: _Optional[_Union[MatchVerdict, str]] = ..., forfeited: bool = ..., late: bool = ..., spoilt: bool = ..., since_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., order: _Optional[_Union[MatchOrder, str]] = ..., reverse: bool = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class FindMatchesResponse(_message.Message):
    __slots__ = ("matches", "next_page_token")
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    matches: _containers.RepeatedCompositeFieldContainer[FoundMatch]
    next_page_token: str
    def __init__(self, matches: _Optional[_Iterable[_Union[FoundMatch, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class FoundMatch(_message.Message):
    __slots__ = ("tournament", "group", "seating", "variant", "deals", "seats", "end_time", "spoilt", "result", "pruned", "void")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    SPOILT_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    PRUNED_FIELD_NUMBER: _ClassVar[int]
    VOID_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    group: int
    seating: int
    variant: str
    deals: int
    seats: _containers.RepeatedCompositeFieldContainer[FoundSeat]
    end_time: _timestamp_pb2.Timestamp
    spoilt: int
    result: FoundResult
    pruned: bool
    void: bool
    def __init__(self, tournament: _Optional[int] = ..., group: _Optional[int] = ..., seating: _Optional[int] = ..., variant: _Optional[str] = ..., deals: _Optional[int] = ..., seats: _Optional[_Iterable[_Union[FoundSeat, _Mapping]]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., spoilt: _Optional[int] = ..., result: _Optional[_Union[FoundResult, _Mapping]] = ..., pruned: bool = ..., void: bool = ...) -> None: ...

class FoundSeat(_message.Message):
    __slots__ = ("bot", "version", "match_score", "points", "late", "termination", "reason")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MATCH_SCORE_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    match_score: float
    points: int
    late: int
    termination: str
    reason: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., match_score: _Optional[float] = ..., points: _Optional[int] = ..., late: _Optional[int] = ..., termination: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class FoundResult(_message.Message):
    __slots__ = ("seat", "verdict", "margin", "swing")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    MARGIN_FIELD_NUMBER: _ClassVar[int]
    SWING_FIELD_NUMBER: _ClassVar[int]
    seat: int
    verdict: MatchVerdict
    margin: float
    swing: float
    def __init__(self, seat: _Optional[int] = ..., verdict: _Optional[_Union[MatchVerdict, str]] = ..., margin: _Optional[float] = ..., swing: _Optional[float] = ...) -> None: ...

class GetMatchRequest(_message.Message):
    __slots__ = ("tournament", "group", "seating", "notes")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    group: int
    seating: int
    notes: bool
    def __init__(self, tournament: _Optional[int] = ..., group: _Optional[int] = ..., seating: _Optional[int] = ..., notes: bool = ...) -> None: ...

class GetMatchResponse(_message.Message):
    __slots__ = ("text", "verified", "problem")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    text: str
    verified: bool
    problem: str
    def __init__(self, text: _Optional[str] = ..., verified: bool = ..., problem: _Optional[str] = ...) -> None: ...

class ScheduledMatch(_message.Message):
    __slots__ = ("group", "seating", "entrants", "commitment", "state")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    group: int
    seating: int
    entrants: _containers.RepeatedScalarFieldContainer[str]
    commitment: str
    state: MatchState
    def __init__(self, group: _Optional[int] = ..., seating: _Optional[int] = ..., entrants: _Optional[_Iterable[str]] = ..., commitment: _Optional[str] = ..., state: _Optional[_Union[MatchState, str]] = ...) -> None: ...
