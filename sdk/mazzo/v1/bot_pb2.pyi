import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BotLogKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    BOT_LOG_KIND_UNSPECIFIED: _ClassVar[BotLogKind]
    BOT_LOG_KIND_FORFEIT: _ClassVar[BotLogKind]
    BOT_LOG_KIND_WITHDRAWAL: _ClassVar[BotLogKind]
    BOT_LOG_KIND_TRIAL: _ClassVar[BotLogKind]
BOT_LOG_KIND_UNSPECIFIED: BotLogKind
BOT_LOG_KIND_FORFEIT: BotLogKind
BOT_LOG_KIND_WITHDRAWAL: BotLogKind
BOT_LOG_KIND_TRIAL: BotLogKind

class SubmitBotRequest(_message.Message):
    __slots__ = ("options", "chunk")
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    options: SubmitOptions
    chunk: bytes
    def __init__(self, options: _Optional[_Union[SubmitOptions, _Mapping]] = ..., chunk: _Optional[bytes] = ...) -> None: ...

class SubmitOptions(_message.Message):
    __slots__ = ("isolation", "detached")
    ISOLATION_FIELD_NUMBER: _ClassVar[int]
    DETACHED_FIELD_NUMBER: _ClassVar[int]
    isolation: str
    detached: bool
    def __init__(self, isolation: _Optional[str] = ..., detached: bool = ...) -> None: ...

class SubmitBotResponse(_message.Message):
    __slots__ = ("bot",)
    BOT_FIELD_NUMBER: _ClassVar[int]
    bot: Bot
    def __init__(self, bot: _Optional[_Union[Bot, _Mapping]] = ...) -> None: ...

class PlayTrialRequest(_message.Message):
    __slots__ = ("name", "version", "options", "seed")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    options: SubmitOptions
    seed: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., options: _Optional[_Union[SubmitOptions, _Mapping]] = ..., seed: _Optional[str] = ...) -> None: ...

class PlayTrialResponse(_message.Message):
    __slots__ = ("bot",)
    BOT_FIELD_NUMBER: _ClassVar[int]
    bot: Bot
    def __init__(self, bot: _Optional[_Union[Bot, _Mapping]] = ...) -> None: ...

class ActivateVersionRequest(_message.Message):
    __slots__ = ("name", "version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class ActivateVersionResponse(_message.Message):
    __slots__ = ("bot",)
    BOT_FIELD_NUMBER: _ClassVar[int]
    bot: Bot
    def __init__(self, bot: _Optional[_Union[Bot, _Mapping]] = ...) -> None: ...

class ListBotsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "include_retired")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_RETIRED_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    include_retired: bool
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_retired: bool = ...) -> None: ...

class ListBotsResponse(_message.Message):
    __slots__ = ("bots", "next_page_token")
    BOTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    bots: _containers.RepeatedCompositeFieldContainer[Bot]
    next_page_token: str
    def __init__(self, bots: _Optional[_Iterable[_Union[Bot, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class GetBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class GetBotResponse(_message.Message):
    __slots__ = ("bot", "own")
    BOT_FIELD_NUMBER: _ClassVar[int]
    OWN_FIELD_NUMBER: _ClassVar[int]
    bot: Bot
    own: bool
    def __init__(self, bot: _Optional[_Union[Bot, _Mapping]] = ..., own: bool = ...) -> None: ...

class RetireBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class RetireBotResponse(_message.Message):
    __slots__ = ("bot",)
    BOT_FIELD_NUMBER: _ClassVar[int]
    bot: Bot
    def __init__(self, bot: _Optional[_Union[Bot, _Mapping]] = ...) -> None: ...

class DeleteBotRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class DeleteBotResponse(_message.Message):
    __slots__ = ("versions",)
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    versions: int
    def __init__(self, versions: _Optional[int] = ...) -> None: ...

class ListBotLogsRequest(_message.Message):
    __slots__ = ("name", "tournament", "page_size", "page_token")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    name: str
    tournament: int
    page_size: int
    page_token: str
    def __init__(self, name: _Optional[str] = ..., tournament: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListBotLogsResponse(_message.Message):
    __slots__ = ("logs", "next_page_token")
    LOGS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    logs: _containers.RepeatedCompositeFieldContainer[BotLog]
    next_page_token: str
    def __init__(self, logs: _Optional[_Iterable[_Union[BotLog, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class BotLog(_message.Message):
    __slots__ = ("tournament", "version", "group", "seating", "seat", "deal", "decision", "termination", "owner", "reason", "log", "kind", "begin_time", "end_time", "open_matches")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    BEGIN_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    OPEN_MATCHES_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    version: int
    group: int
    seating: int
    seat: int
    deal: int
    decision: int
    termination: str
    owner: str
    reason: str
    log: str
    kind: BotLogKind
    begin_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    open_matches: _containers.RepeatedCompositeFieldContainer[OpenMatch]
    def __init__(self, tournament: _Optional[int] = ..., version: _Optional[int] = ..., group: _Optional[int] = ..., seating: _Optional[int] = ..., seat: _Optional[int] = ..., deal: _Optional[int] = ..., decision: _Optional[int] = ..., termination: _Optional[str] = ..., owner: _Optional[str] = ..., reason: _Optional[str] = ..., log: _Optional[str] = ..., kind: _Optional[_Union[BotLogKind, str]] = ..., begin_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., open_matches: _Optional[_Iterable[_Union[OpenMatch, _Mapping]]] = ...) -> None: ...

class OpenMatch(_message.Message):
    __slots__ = ("group", "seating")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    group: int
    seating: int
    def __init__(self, group: _Optional[int] = ..., seating: _Optional[int] = ...) -> None: ...

class RegisterBotRequest(_message.Message):
    __slots__ = ("name", "games", "capacity", "author", "new_key")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    NEW_KEY_FIELD_NUMBER: _ClassVar[int]
    name: str
    games: _containers.RepeatedScalarFieldContainer[str]
    capacity: int
    author: str
    new_key: bool
    def __init__(self, name: _Optional[str] = ..., games: _Optional[_Iterable[str]] = ..., capacity: _Optional[int] = ..., author: _Optional[str] = ..., new_key: bool = ...) -> None: ...

class RegisterBotResponse(_message.Message):
    __slots__ = ("bot", "key")
    BOT_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    bot: Bot
    key: str
    def __init__(self, bot: _Optional[_Union[Bot, _Mapping]] = ..., key: _Optional[str] = ...) -> None: ...

class CreateSessionRequest(_message.Message):
    __slots__ = ("previous",)
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    previous: str
    def __init__(self, previous: _Optional[str] = ...) -> None: ...

class CreateSessionResponse(_message.Message):
    __slots__ = ("session_token", "bot", "valid_seconds")
    SESSION_TOKEN_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    VALID_SECONDS_FIELD_NUMBER: _ClassVar[int]
    session_token: str
    bot: str
    valid_seconds: float
    def __init__(self, session_token: _Optional[str] = ..., bot: _Optional[str] = ..., valid_seconds: _Optional[float] = ...) -> None: ...

class Bot(_message.Message):
    __slots__ = ("name", "retired", "create_time", "versions", "owner", "remote", "connected", "chosen_version", "active_version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RETIRED_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_FIELD_NUMBER: _ClassVar[int]
    CHOSEN_VERSION_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    retired: bool
    create_time: _timestamp_pb2.Timestamp
    versions: _containers.RepeatedCompositeFieldContainer[BotVersion]
    owner: str
    remote: bool
    connected: bool
    chosen_version: int
    active_version: int
    def __init__(self, name: _Optional[str] = ..., retired: bool = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., versions: _Optional[_Iterable[_Union[BotVersion, _Mapping]]] = ..., owner: _Optional[str] = ..., remote: bool = ..., connected: bool = ..., chosen_version: _Optional[int] = ..., active_version: _Optional[int] = ...) -> None: ...

class BotVersion(_message.Message):
    __slots__ = ("version", "content_hash", "create_time", "games", "command", "capacity", "author", "licence", "description", "trial", "runtime", "qualified", "memory_mib", "processes", "disk_mib", "trial_progress")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    GAMES_FIELD_NUMBER: _ClassVar[int]
    COMMAND_FIELD_NUMBER: _ClassVar[int]
    CAPACITY_FIELD_NUMBER: _ClassVar[int]
    AUTHOR_FIELD_NUMBER: _ClassVar[int]
    LICENCE_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    TRIAL_FIELD_NUMBER: _ClassVar[int]
    RUNTIME_FIELD_NUMBER: _ClassVar[int]
    QUALIFIED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    PROCESSES_FIELD_NUMBER: _ClassVar[int]
    DISK_MIB_FIELD_NUMBER: _ClassVar[int]
    TRIAL_PROGRESS_FIELD_NUMBER: _ClassVar[int]
    version: int
    content_hash: str
    create_time: _timestamp_pb2.Timestamp
    games: _containers.RepeatedScalarFieldContainer[str]
    command: _containers.RepeatedScalarFieldContainer[str]
    capacity: int
    author: str
    licence: str
    description: str
    trial: Trial
    runtime: str
    qualified: _containers.RepeatedScalarFieldContainer[str]
    memory_mib: int
    processes: int
    disk_mib: int
    trial_progress: str
    def __init__(self, version: _Optional[int] = ..., content_hash: _Optional[str] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., games: _Optional[_Iterable[str]] = ..., command: _Optional[_Iterable[str]] = ..., capacity: _Optional[int] = ..., author: _Optional[str] = ..., licence: _Optional[str] = ..., description: _Optional[str] = ..., trial: _Optional[_Union[Trial, _Mapping]] = ..., runtime: _Optional[str] = ..., qualified: _Optional[_Iterable[str]] = ..., memory_mib: _Optional[int] = ..., processes: _Optional[int] = ..., disk_mib: _Optional[int] = ..., trial_progress: _Optional[str] = ...) -> None: ...

class Trial(_message.Message):
    __slots__ = ("passed", "start_up_seconds", "matches", "log", "checks", "seed", "memory_bytes", "limits")
    PASSED_FIELD_NUMBER: _ClassVar[int]
    START_UP_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    passed: bool
    start_up_seconds: float
    matches: _containers.RepeatedCompositeFieldContainer[TrialMatch]
    log: str
    checks: _containers.RepeatedCompositeFieldContainer[TrialCheck]
    seed: str
    memory_bytes: int
    limits: TrialLimits
    def __init__(self, passed: bool = ..., start_up_seconds: _Optional[float] = ..., matches: _Optional[_Iterable[_Union[TrialMatch, _Mapping]]] = ..., log: _Optional[str] = ..., checks: _Optional[_Iterable[_Union[TrialCheck, _Mapping]]] = ..., seed: _Optional[str] = ..., memory_bytes: _Optional[int] = ..., limits: _Optional[_Union[TrialLimits, _Mapping]] = ...) -> None: ...

class TrialLimits(_message.Message):
    __slots__ = ("start_up_seconds", "decision_seconds", "memory_bytes")
    START_UP_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DECISION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    start_up_seconds: float
    decision_seconds: float
    memory_bytes: int
    def __init__(self, start_up_seconds: _Optional[float] = ..., decision_seconds: _Optional[float] = ..., memory_bytes: _Optional[int] = ...) -> None: ...

class ProgramError(_message.Message):
    __slots__ = ("text", "frames")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    FRAMES_FIELD_NUMBER: _ClassVar[int]
    text: str
    frames: _containers.RepeatedCompositeFieldContainer[ErrorFrame]
    def __init__(self, text: _Optional[str] = ..., frames: _Optional[_Iterable[_Union[ErrorFrame, _Mapping]]] = ...) -> None: ...

class ErrorFrame(_message.Message):
    __slots__ = ("file", "line", "function", "code")
    FILE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    FUNCTION_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    file: str
    line: int
    function: str
    code: str
    def __init__(self, file: _Optional[str] = ..., line: _Optional[int] = ..., function: _Optional[str] = ..., code: _Optional[str] = ...) -> None: ...

class TrialCheck(_message.Message):
    __slots__ = ("name", "tried", "left_out", "failures")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TRIED_FIELD_NUMBER: _ClassVar[int]
    LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    FAILURES_FIELD_NUMBER: _ClassVar[int]
    name: str
    tried: int
    left_out: int
    failures: _containers.RepeatedCompositeFieldContainer[TrialFailure]
    def __init__(self, name: _Optional[str] = ..., tried: _Optional[int] = ..., left_out: _Optional[int] = ..., failures: _Optional[_Iterable[_Union[TrialFailure, _Mapping]]] = ...) -> None: ...

class TrialFailure(_message.Message):
    __slots__ = ("variant", "reason", "advice", "seat", "record", "termination", "error", "log")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ADVICE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    variant: str
    reason: str
    advice: str
    seat: int
    record: str
    termination: str
    error: ProgramError
    log: str
    def __init__(self, variant: _Optional[str] = ..., reason: _Optional[str] = ..., advice: _Optional[str] = ..., seat: _Optional[int] = ..., record: _Optional[str] = ..., termination: _Optional[str] = ..., error: _Optional[_Union[ProgramError, _Mapping]] = ..., log: _Optional[str] = ...) -> None: ...

class TrialMatch(_message.Message):
    __slots__ = ("variant", "passed", "reason", "decisions", "decision_seconds", "advice", "seat", "record", "longest_seconds", "termination", "error", "log")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    DECISION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ADVICE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    LONGEST_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    ERROR_FIELD_NUMBER: _ClassVar[int]
    LOG_FIELD_NUMBER: _ClassVar[int]
    variant: str
    passed: bool
    reason: str
    decisions: int
    decision_seconds: float
    advice: str
    seat: int
    record: str
    longest_seconds: float
    termination: str
    error: ProgramError
    log: str
    def __init__(self, variant: _Optional[str] = ..., passed: bool = ..., reason: _Optional[str] = ..., decisions: _Optional[int] = ..., decision_seconds: _Optional[float] = ..., advice: _Optional[str] = ..., seat: _Optional[int] = ..., record: _Optional[str] = ..., longest_seconds: _Optional[float] = ..., termination: _Optional[str] = ..., error: _Optional[_Union[ProgramError, _Mapping]] = ..., log: _Optional[str] = ...) -> None: ...
