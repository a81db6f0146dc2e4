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

class LadderState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LADDER_STATE_UNSPECIFIED: _ClassVar[LadderState]
    LADDER_STATE_PLAYED: _ClassVar[LadderState]
    LADDER_STATE_WAITING: _ClassVar[LadderState]
    LADDER_STATE_PAUSED: _ClassVar[LadderState]
    LADDER_STATE_OVER: _ClassVar[LadderState]

class NextReason(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NEXT_REASON_UNSPECIFIED: _ClassVar[NextReason]
    NEXT_REASON_WAITING: _ClassVar[NextReason]
    NEXT_REASON_NEW: _ClassVar[NextReason]
    NEXT_REASON_UNKNOWN: _ClassVar[NextReason]
    NEXT_REASON_DOUBTFUL: _ClassVar[NextReason]
LADDER_STATE_UNSPECIFIED: LadderState
LADDER_STATE_PLAYED: LadderState
LADDER_STATE_WAITING: LadderState
LADDER_STATE_PAUSED: LadderState
LADDER_STATE_OVER: LadderState
NEXT_REASON_UNSPECIFIED: NextReason
NEXT_REASON_WAITING: NextReason
NEXT_REASON_NEW: NextReason
NEXT_REASON_UNKNOWN: NextReason
NEXT_REASON_DOUBTFUL: NextReason

class CreateLadderRequest(_message.Message):
    __slots__ = ("tournament", "confidence", "share")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    tournament: _tournament_pb2.CreateTournamentRequest
    confidence: float
    share: float
    def __init__(self, tournament: _Optional[_Union[_tournament_pb2.CreateTournamentRequest, _Mapping]] = ..., confidence: _Optional[float] = ..., share: _Optional[float] = ...) -> None: ...

class CreateLadderResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: LadderSeason
    def __init__(self, season: _Optional[_Union[LadderSeason, _Mapping]] = ...) -> None: ...

class ListLaddersRequest(_message.Message):
    __slots__ = ("page_size", "page_token")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListLaddersResponse(_message.Message):
    __slots__ = ("seasons", "next_page_token")
    SEASONS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    seasons: _containers.RepeatedCompositeFieldContainer[LadderSeason]
    next_page_token: str
    def __init__(self, seasons: _Optional[_Iterable[_Union[LadderSeason, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetLadderRequest(_message.Message):
    __slots__ = ("variant", "season", "max_age_seconds")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    variant: str
    season: int
    max_age_seconds: float
    def __init__(self, variant: _Optional[str] = ..., season: _Optional[int] = ..., max_age_seconds: _Optional[float] = ...) -> None: ...

class GetLadderResponse(_message.Message):
    __slots__ = ("season", "rows", "next_tables", "final")
    SEASON_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    NEXT_TABLES_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    season: LadderSeason
    rows: _containers.RepeatedCompositeFieldContainer[LadderRow]
    next_tables: _containers.RepeatedCompositeFieldContainer[NextTable]
    final: int
    def __init__(self, season: _Optional[_Union[LadderSeason, _Mapping]] = ..., rows: _Optional[_Iterable[_Union[LadderRow, _Mapping]]] = ..., next_tables: _Optional[_Iterable[_Union[NextTable, _Mapping]]] = ..., final: _Optional[int] = ...) -> None: ...

class LadderSeason(_message.Message):
    __slots__ = ("tournament", "variant", "season", "state", "confidence", "share", "matches_played", "bots", "create_time", "end_time")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEASON_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PLAYED_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    variant: str
    season: int
    state: LadderState
    confidence: float
    share: float
    matches_played: int
    bots: _containers.RepeatedScalarFieldContainer[str]
    create_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    def __init__(self, tournament: _Optional[int] = ..., variant: _Optional[str] = ..., season: _Optional[int] = ..., state: _Optional[_Union[LadderState, str]] = ..., confidence: _Optional[float] = ..., share: _Optional[float] = ..., matches_played: _Optional[int] = ..., bots: _Optional[_Iterable[str]] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class LadderRow(_message.Message):
    __slots__ = ("rank", "bot", "version", "mu", "sigma", "rating", "trend", "groups", "wins", "draws", "losses", "active", "waits", "surer_than_next", "withdrawn", "level_with_next")
    RANK_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    TREND_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_FIELD_NUMBER: _ClassVar[int]
    WAITS_FIELD_NUMBER: _ClassVar[int]
    SURER_THAN_NEXT_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    LEVEL_WITH_NEXT_FIELD_NUMBER: _ClassVar[int]
    rank: int
    bot: str
    version: int
    mu: float
    sigma: float
    rating: float
    trend: float
    groups: int
    wins: int
    draws: int
    losses: int
    active: bool
    waits: int
    surer_than_next: float
    withdrawn: str
    level_with_next: bool
    def __init__(self, rank: _Optional[int] = ..., bot: _Optional[str] = ..., version: _Optional[int] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., rating: _Optional[float] = ..., trend: _Optional[float] = ..., groups: _Optional[int] = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ..., active: bool = ..., waits: _Optional[int] = ..., surer_than_next: _Optional[float] = ..., withdrawn: _Optional[str] = ..., level_with_next: bool = ...) -> None: ...

class NextTable(_message.Message):
    __slots__ = ("entrants", "reason", "pair")
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PAIR_FIELD_NUMBER: _ClassVar[int]
    entrants: _containers.RepeatedScalarFieldContainer[str]
    reason: NextReason
    pair: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, entrants: _Optional[_Iterable[str]] = ..., reason: _Optional[_Union[NextReason, str]] = ..., pair: _Optional[_Iterable[str]] = ...) -> None: ...

class JoinLadderRequest(_message.Message):
    __slots__ = ("variant", "bot")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    variant: str
    bot: str
    def __init__(self, variant: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class JoinLadderResponse(_message.Message):
    __slots__ = ("version", "first_group")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    FIRST_GROUP_FIELD_NUMBER: _ClassVar[int]
    version: int
    first_group: int
    def __init__(self, version: _Optional[int] = ..., first_group: _Optional[int] = ...) -> None: ...

class LeaveLadderRequest(_message.Message):
    __slots__ = ("variant", "bot")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    variant: str
    bot: str
    def __init__(self, variant: _Optional[str] = ..., bot: _Optional[str] = ...) -> None: ...

class LeaveLadderResponse(_message.Message):
    __slots__ = ("first_group",)
    FIRST_GROUP_FIELD_NUMBER: _ClassVar[int]
    first_group: int
    def __init__(self, first_group: _Optional[int] = ...) -> None: ...

class PauseLadderRequest(_message.Message):
    __slots__ = ("variant",)
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    variant: str
    def __init__(self, variant: _Optional[str] = ...) -> None: ...

class PauseLadderResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: LadderSeason
    def __init__(self, season: _Optional[_Union[LadderSeason, _Mapping]] = ...) -> None: ...

class ResumeLadderRequest(_message.Message):
    __slots__ = ("variant",)
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    variant: str
    def __init__(self, variant: _Optional[str] = ...) -> None: ...

class ResumeLadderResponse(_message.Message):
    __slots__ = ("season",)
    SEASON_FIELD_NUMBER: _ClassVar[int]
    season: LadderSeason
    def __init__(self, season: _Optional[_Union[LadderSeason, _Mapping]] = ...) -> None: ...

class EndSeasonRequest(_message.Message):
    __slots__ = ("variant", "finalists", "last")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    FINALISTS_FIELD_NUMBER: _ClassVar[int]
    LAST_FIELD_NUMBER: _ClassVar[int]
    variant: str
    finalists: int
    last: bool
    def __init__(self, variant: _Optional[str] = ..., finalists: _Optional[int] = ..., last: bool = ...) -> None: ...

class EndSeasonResponse(_message.Message):
    __slots__ = ("season", "final", "next")
    SEASON_FIELD_NUMBER: _ClassVar[int]
    FINAL_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    season: LadderSeason
    final: int
    next: LadderSeason
    def __init__(self, season: _Optional[_Union[LadderSeason, _Mapping]] = ..., final: _Optional[int] = ..., next: _Optional[_Union[LadderSeason, _Mapping]] = ...) -> None: ...
