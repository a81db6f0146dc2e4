from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MatchState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MATCH_STATE_UNSPECIFIED: _ClassVar[MatchState]
    MATCH_STATE_WAITING: _ClassVar[MatchState]
    MATCH_STATE_HIDDEN: _ClassVar[MatchState]
    MATCH_STATE_OPEN: _ClassVar[MatchState]
    MATCH_STATE_VOID: _ClassVar[MatchState]
    MATCH_STATE_PRUNED: _ClassVar[MatchState]
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
