import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ChallengeState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHALLENGE_STATE_UNSPECIFIED: _ClassVar[ChallengeState]
    CHALLENGE_STATE_WAITING: _ClassVar[ChallengeState]
    CHALLENGE_STATE_PLAYING: _ClassVar[ChallengeState]
    CHALLENGE_STATE_PAUSED: _ClassVar[ChallengeState]
    CHALLENGE_STATE_CANCELLED: _ClassVar[ChallengeState]
    CHALLENGE_STATE_FINISHED: _ClassVar[ChallengeState]
CHALLENGE_STATE_UNSPECIFIED: ChallengeState
CHALLENGE_STATE_WAITING: ChallengeState
CHALLENGE_STATE_PLAYING: ChallengeState
CHALLENGE_STATE_PAUSED: ChallengeState
CHALLENGE_STATE_CANCELLED: ChallengeState
CHALLENGE_STATE_FINISHED: ChallengeState

class Challenge(_message.Message):
    __slots__ = ("id", "author", "bot", "version", "opponent", "opponent_version", "variant", "groups", "state", "place", "matches_played", "matches_total", "create_time", "end_time", "own", "wins", "draws", "losses")
    ID_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_VERSION_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    PLACE_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PLAYED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    id: int
    author: str
    bot: str
    version: int
    opponent: str
    opponent_version: int
    variant: str
    groups: int
    state: ChallengeState
    place: int
    matches_played: int
    matches_total: int
    create_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    own: bool
    wins: int
    draws: int
    losses: int
    def __init__(self, id: _Optional[int] = ..., author: _Optional[str] = ..., bot: _Optional[str] = ..., version: _Optional[int] = ..., opponent: _Optional[str] = ..., opponent_version: _Optional[int] = ..., variant: _Optional[str] = ..., groups: _Optional[int] = ..., state: _Optional[_Union[ChallengeState, str]] = ..., place: _Optional[int] = ..., matches_played: _Optional[int] = ..., matches_total: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., own: bool = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ...) -> None: ...

class CreateChallengeRequest(_message.Message):
    __slots__ = ("bot", "version", "opponent", "opponent_version", "variant", "groups")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_VERSION_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    opponent: str
    opponent_version: int
    variant: str
    groups: int
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., opponent: _Optional[str] = ..., opponent_version: _Optional[int] = ..., variant: _Optional[str] = ..., groups: _Optional[int] = ...) -> None: ...

class CreateChallengeResponse(_message.Message):
    __slots__ = ("challenge",)
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    challenge: Challenge
    def __init__(self, challenge: _Optional[_Union[Challenge, _Mapping]] = ...) -> None: ...

class ListChallengesRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "results")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    results: bool
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., results: bool = ...) -> None: ...

class ListChallengesResponse(_message.Message):
    __slots__ = ("challenges", "next_page_token", "per_day", "asked_today")
    CHALLENGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    PER_DAY_FIELD_NUMBER: _ClassVar[int]
    ASKED_TODAY_FIELD_NUMBER: _ClassVar[int]
    challenges: _containers.RepeatedCompositeFieldContainer[Challenge]
    next_page_token: str
    per_day: int
    asked_today: int
    def __init__(self, challenges: _Optional[_Iterable[_Union[Challenge, _Mapping]]] = ..., next_page_token: _Optional[str] = ..., per_day: _Optional[int] = ..., asked_today: _Optional[int] = ...) -> None: ...

class CancelChallengeRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class CancelChallengeResponse(_message.Message):
    __slots__ = ("challenge",)
    CHALLENGE_FIELD_NUMBER: _ClassVar[int]
    challenge: Challenge
    def __init__(self, challenge: _Optional[_Union[Challenge, _Mapping]] = ...) -> None: ...
