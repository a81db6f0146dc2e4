from mazzo.v1 import view_pb2 as _view_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PlayRequest(_message.Message):
    __slots__ = ("join", "answer", "leave", "pong")
    JOIN_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    PONG_FIELD_NUMBER: _ClassVar[int]
    join: Join
    answer: Answer
    leave: Leave
    pong: Pong
    def __init__(self, join: _Optional[_Union[Join, _Mapping]] = ..., answer: _Optional[_Union[Answer, _Mapping]] = ..., leave: _Optional[_Union[Leave, _Mapping]] = ..., pong: _Optional[_Union[Pong, _Mapping]] = ...) -> None: ...

class PlayResponse(_message.Message):
    __slots__ = ("welcome", "frame", "goodbye", "ping")
    WELCOME_FIELD_NUMBER: _ClassVar[int]
    FRAME_FIELD_NUMBER: _ClassVar[int]
    GOODBYE_FIELD_NUMBER: _ClassVar[int]
    PING_FIELD_NUMBER: _ClassVar[int]
    welcome: Welcome
    frame: Frame
    goodbye: Goodbye
    ping: Ping
    def __init__(self, welcome: _Optional[_Union[Welcome, _Mapping]] = ..., frame: _Optional[_Union[Frame, _Mapping]] = ..., goodbye: _Optional[_Union[Goodbye, _Mapping]] = ..., ping: _Optional[_Union[Ping, _Mapping]] = ...) -> None: ...

class Join(_message.Message):
    __slots__ = ("sdk", "capacity")
    SDK_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    sdk: str
    capacity: int
    def __init__(self, sdk: _Optional[str] = ..., capacity: _Optional[int] = ...) -> None: ...

class Welcome(_message.Message):
    __slots__ = ("capacity",)
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    capacity: int
    def __init__(self, capacity: _Optional[int] = ...) -> None: ...

class Leave(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Goodbye(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Ping(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Pong(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Frame(_message.Message):
    __slots__ = ("started", "decisions", "ended")
    STARTED_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    started: _containers.RepeatedCompositeFieldContainer[MatchStarted]
    decisions: _containers.RepeatedCompositeFieldContainer[Decision]
    ended: _containers.RepeatedCompositeFieldContainer[MatchEnded]
    def __init__(self, started: _Optional[_Iterable[_Union[MatchStarted, _Mapping]]] = ..., decisions: _Optional[_Iterable[_Union[Decision, _Mapping]]] = ..., ended: _Optional[_Iterable[_Union[MatchEnded, _Mapping]]] = ...) -> None: ...

class MatchStarted(_message.Message):
    __slots__ = ("match", "variant", "seat", "match_format", "commitment", "bot_seed", "time_control")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    MATCH_FORMAT_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    BOT_SEED_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    match: int
    variant: str
    seat: int
    match_format: str
    commitment: bytes
    bot_seed: bytes
    time_control: TimeControl
    def __init__(self, match: _Optional[int] = ..., variant: _Optional[str] = ..., seat: _Optional[int] = ..., match_format: _Optional[str] = ..., commitment: _Optional[bytes] = ..., bot_seed: _Optional[bytes] = ..., time_control: _Optional[_Union[TimeControl, _Mapping]] = ...) -> None: ...

class TimeControl(_message.Message):
    __slots__ = ("bank_seconds", "increment_seconds", "limit_seconds")
    BANK_SECONDS_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    LIMIT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    bank_seconds: float
    increment_seconds: float
    limit_seconds: float
    def __init__(self, bank_seconds: _Optional[float] = ..., increment_seconds: _Optional[float] = ..., limit_seconds: _Optional[float] = ...) -> None: ...

class Decision(_message.Message):
    __slots__ = ("match", "number", "view", "bank_seconds", "latency_seconds")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    VIEW_FIELD_NUMBER: _ClassVar[int]
    BANK_SECONDS_FIELD_NUMBER: _ClassVar[int]
    LATENCY_SECONDS_FIELD_NUMBER: _ClassVar[int]
    match: int
    number: int
    view: _view_pb2.View
    bank_seconds: float
    latency_seconds: float
    def __init__(self, match: _Optional[int] = ..., number: _Optional[int] = ..., view: _Optional[_Union[_view_pb2.View, _Mapping]] = ..., bank_seconds: _Optional[float] = ..., latency_seconds: _Optional[float] = ...) -> None: ...

class Answer(_message.Message):
    __slots__ = ("actions",)
    ACTIONS_FIELD_NUMBER: _ClassVar[int]
    actions: _containers.RepeatedCompositeFieldContainer[ChosenAction]
    def __init__(self, actions: _Optional[_Iterable[_Union[ChosenAction, _Mapping]]] = ...) -> None: ...

class ChosenAction(_message.Message):
    __slots__ = ("match", "number", "action", "note")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    match: int
    number: int
    action: int
    note: str
    def __init__(self, match: _Optional[int] = ..., number: _Optional[int] = ..., action: _Optional[int] = ..., note: _Optional[str] = ...) -> None: ...

class MatchEnded(_message.Message):
    __slots__ = ("match", "scores", "ranking", "reason")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    RANKING_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    match: int
    scores: _containers.RepeatedScalarFieldContainer[float]
    ranking: _containers.RepeatedScalarFieldContainer[int]
    reason: str
    def __init__(self, match: _Optional[int] = ..., scores: _Optional[_Iterable[float]] = ..., ranking: _Optional[_Iterable[int]] = ..., reason: _Optional[str] = ...) -> None: ...
