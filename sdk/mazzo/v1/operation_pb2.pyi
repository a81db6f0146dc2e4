import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from mazzo.v1 import hook_pb2 as _hook_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class GetStatusRequest(_message.Message):
    __slots__ = ("protections",)
    PROTECTIONS_FIELD_NUMBER: _ClassVar[int]
    protections: bool
    def __init__(self, protections: bool = ...) -> None: ...

class GetStatusResponse(_message.Message):
    __slots__ = ("version", "begin_time", "isolation", "draining", "memory_bytes", "processors", "disk", "tournaments", "trials", "uploads", "instances", "decisions_waiting", "decisions_in_flight", "matches_unstored", "matches_begun", "matches_finished", "matches_abandoned", "decisions", "decisions_late", "forfeits", "lost_instances", "nodes", "connections", "anonymous_connections", "limits_reached", "gateway_restarts", "protections", "failing_hooks")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    BEGIN_TIME_FIELD_NUMBER: _ClassVar[int]
    ISOLATION_FIELD_NUMBER: _ClassVar[int]
    DRAINING_FIELD_NUMBER: _ClassVar[int]
    MEMORY_BYTES_FIELD_NUMBER: _ClassVar[int]
    PROCESSORS_FIELD_NUMBER: _ClassVar[int]
    DISK_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    TRIALS_FIELD_NUMBER: _ClassVar[int]
    UPLOADS_FIELD_NUMBER: _ClassVar[int]
    INSTANCES_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_WAITING_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_IN_FLIGHT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_UNSTORED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_BEGUN_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FINISHED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_ABANDONED_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_LATE_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    LOST_INSTANCES_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    ANONYMOUS_CONNECTIONS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_REACHED_FIELD_NUMBER: _ClassVar[int]
    GATEWAY_RESTARTS_FIELD_NUMBER: _ClassVar[int]
    PROTECTIONS_FIELD_NUMBER: _ClassVar[int]
    FAILING_HOOKS_FIELD_NUMBER: _ClassVar[int]
    version: str
    begin_time: _timestamp_pb2.Timestamp
    isolation: str
    draining: bool
    memory_bytes: int
    processors: int
    disk: DiskSpace
    tournaments: _containers.RepeatedCompositeFieldContainer[RunningTournament]
    trials: _containers.RepeatedCompositeFieldContainer[RunningTrial]
    uploads: int
    instances: int
    decisions_waiting: int
    decisions_in_flight: int
    matches_unstored: int
    matches_begun: int
    matches_finished: int
    matches_abandoned: int
    decisions: int
    decisions_late: int
    forfeits: _containers.RepeatedCompositeFieldContainer[ForfeitCount]
    lost_instances: _containers.RepeatedCompositeFieldContainer[ForfeitCount]
    nodes: _containers.RepeatedCompositeFieldContainer[NodeCount]
    connections: int
    anonymous_connections: int
    limits_reached: int
    gateway_restarts: int
    protections: _containers.RepeatedCompositeFieldContainer[ProtectionReport]
    failing_hooks: _containers.RepeatedCompositeFieldContainer[_hook_pb2.Hook]
    def __init__(self, version: _Optional[str] = ..., begin_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., isolation: _Optional[str] = ..., draining: bool = ..., memory_bytes: _Optional[int] = ..., processors: _Optional[int] = ..., disk: _Optional[_Union[DiskSpace, _Mapping]] = ..., tournaments: _Optional[_Iterable[_Union[RunningTournament, _Mapping]]] = ..., trials: _Optional[_Iterable[_Union[RunningTrial, _Mapping]]] = ..., uploads: _Optional[int] = ..., instances: _Optional[int] = ..., decisions_waiting: _Optional[int] = ..., decisions_in_flight: _Optional[int] = ..., matches_unstored: _Optional[int] = ..., matches_begun: _Optional[int] = ..., matches_finished: _Optional[int] = ..., matches_abandoned: _Optional[int] = ..., decisions: _Optional[int] = ..., decisions_late: _Optional[int] = ..., forfeits: _Optional[_Iterable[_Union[ForfeitCount, _Mapping]]] = ..., lost_instances: _Optional[_Iterable[_Union[ForfeitCount, _Mapping]]] = ..., nodes: _Optional[_Iterable[_Union[NodeCount, _Mapping]]] = ..., connections: _Optional[int] = ..., anonymous_connections: _Optional[int] = ..., limits_reached: _Optional[int] = ..., gateway_restarts: _Optional[int] = ..., protections: _Optional[_Iterable[_Union[ProtectionReport, _Mapping]]] = ..., failing_hooks: _Optional[_Iterable[_Union[_hook_pb2.Hook, _Mapping]]] = ...) -> None: ...

class DiskSpace(_message.Message):
    __slots__ = ("total_bytes", "free_bytes", "store_bytes")
    TOTAL_BYTES_FIELD_NUMBER: _ClassVar[int]
    FREE_BYTES_FIELD_NUMBER: _ClassVar[int]
    STORE_BYTES_FIELD_NUMBER: _ClassVar[int]
    total_bytes: int
    free_bytes: int
    store_bytes: int
    def __init__(self, total_bytes: _Optional[int] = ..., free_bytes: _Optional[int] = ..., store_bytes: _Optional[int] = ...) -> None: ...

class RunningTournament(_message.Message):
    __slots__ = ("id", "workers")
    ID_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    id: int
    workers: int
    def __init__(self, id: _Optional[int] = ..., workers: _Optional[int] = ...) -> None: ...

class RunningTrial(_message.Message):
    __slots__ = ("bot", "version", "progress")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    PROGRESS_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    progress: str
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., progress: _Optional[str] = ...) -> None: ...

class ForfeitCount(_message.Message):
    __slots__ = ("owner", "termination", "count")
    OWNER_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    owner: str
    termination: str
    count: int
    def __init__(self, owner: _Optional[str] = ..., termination: _Optional[str] = ..., count: _Optional[int] = ...) -> None: ...

class NodeCount(_message.Message):
    __slots__ = ("name", "matches", "decisions", "decisions_late", "forfeits", "matches_lost")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_LATE_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_LOST_FIELD_NUMBER: _ClassVar[int]
    name: str
    matches: int
    decisions: int
    decisions_late: int
    forfeits: int
    matches_lost: int
    def __init__(self, name: _Optional[str] = ..., matches: _Optional[int] = ..., decisions: _Optional[int] = ..., decisions_late: _Optional[int] = ..., forfeits: _Optional[int] = ..., matches_lost: _Optional[int] = ...) -> None: ...

class ProtectionReport(_message.Message):
    __slots__ = ("name", "given", "meaning", "finding", "remedy")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GIVEN_FIELD_NUMBER: _ClassVar[int]
    MEANING_FIELD_NUMBER: _ClassVar[int]
    FINDING_FIELD_NUMBER: _ClassVar[int]
    REMEDY_FIELD_NUMBER: _ClassVar[int]
    name: str
    given: bool
    meaning: str
    finding: str
    remedy: str
    def __init__(self, name: _Optional[str] = ..., given: bool = ..., meaning: _Optional[str] = ..., finding: _Optional[str] = ..., remedy: _Optional[str] = ...) -> None: ...
