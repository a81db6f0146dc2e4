import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class TournamentState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TOURNAMENT_STATE_UNSPECIFIED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_CREATED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_RUNNING: _ClassVar[TournamentState]
    TOURNAMENT_STATE_INTERRUPTED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_FINISHED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_PAUSED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_CANCELLED: _ClassVar[TournamentState]
    TOURNAMENT_STATE_INCOMPLETE: _ClassVar[TournamentState]
TOURNAMENT_STATE_UNSPECIFIED: TournamentState
TOURNAMENT_STATE_CREATED: TournamentState
TOURNAMENT_STATE_RUNNING: TournamentState
TOURNAMENT_STATE_INTERRUPTED: TournamentState
TOURNAMENT_STATE_FINISHED: TournamentState
TOURNAMENT_STATE_PAUSED: TournamentState
TOURNAMENT_STATE_CANCELLED: TournamentState
TOURNAMENT_STATE_INCOMPLETE: TournamentState

class CreateTournamentRequest(_message.Message):
    __slots__ = ("variant", "bots", "deals", "groups", "match_format", "mirror", "time_control", "isolation", "name", "seed", "concurrency", "limit_seconds", "start_up_seconds", "grace_seconds", "allow_remote_mirror", "pairing", "tables", "hero", "rounds", "until_separated", "max_deals", "cpu", "limits", "seeding", "confidence", "advance", "pools", "qualify")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    MATCH_FORMAT_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    TIME_CONTROL_FIELD_NUMBER: _ClassVar[int]
    ISOLATION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    LIMIT_SECONDS_FIELD_NUMBER: _ClassVar[int]
    START_UP_SECONDS_FIELD_NUMBER: _ClassVar[int]
    GRACE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    ALLOW_REMOTE_MIRROR_FIELD_NUMBER: _ClassVar[int]
    PAIRING_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    HERO_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_SEPARATED_FIELD_NUMBER: _ClassVar[int]
    MAX_DEALS_FIELD_NUMBER: _ClassVar[int]
    CPU_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    SEEDING_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    ADVANCE_FIELD_NUMBER: _ClassVar[int]
    POOLS_FIELD_NUMBER: _ClassVar[int]
    QUALIFY_FIELD_NUMBER: _ClassVar[int]
    variant: str
    bots: _containers.RepeatedScalarFieldContainer[str]
    deals: int
    groups: int
    match_format: str
    mirror: str
    time_control: str
    isolation: str
    name: str
    seed: str
    concurrency: int
    limit_seconds: float
    start_up_seconds: float
    grace_seconds: float
    allow_remote_mirror: bool
    pairing: str
    tables: int
    hero: str
    rounds: int
    until_separated: float
    max_deals: int
    cpu: str
    limits: str
    seeding: str
    confidence: float
    advance: int
    pools: int
    qualify: int
    def __init__(self, variant: _Optional[str] = ..., bots: _Optional[_Iterable[str]] = ..., deals: _Optional[int] = ..., groups: _Optional[int] = ..., match_format: _Optional[str] = ..., mirror: _Optional[str] = ..., time_control: _Optional[str] = ..., isolation: _Optional[str] = ..., name: _Optional[str] = ..., seed: _Optional[str] = ..., concurrency: _Optional[int] = ..., limit_seconds: _Optional[float] = ..., start_up_seconds: _Optional[float] = ..., grace_seconds: _Optional[float] = ..., allow_remote_mirror: bool = ..., pairing: _Optional[str] = ..., tables: _Optional[int] = ..., hero: _Optional[str] = ..., rounds: _Optional[int] = ..., until_separated: _Optional[float] = ..., max_deals: _Optional[int] = ..., cpu: _Optional[str] = ..., limits: _Optional[str] = ..., seeding: _Optional[str] = ..., confidence: _Optional[float] = ..., advance: _Optional[int] = ..., pools: _Optional[int] = ..., qualify: _Optional[int] = ...) -> None: ...

class CreateTournamentResponse(_message.Message):
    __slots__ = ("tournament", "unqualified")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    UNQUALIFIED_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    unqualified: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., unqualified: _Optional[_Iterable[str]] = ...) -> None: ...

class StartTournamentRequest(_message.Message):
    __slots__ = ("id", "concurrency", "workers", "executor", "nodes_alike")
    ID_FIELD_NUMBER: _ClassVar[int]
    CONCURRENCY_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    EXECUTOR_FIELD_NUMBER: _ClassVar[int]
    NODES_ALIKE_FIELD_NUMBER: _ClassVar[int]
    id: int
    concurrency: int
    workers: int
    executor: str
    nodes_alike: bool
    def __init__(self, id: _Optional[int] = ..., concurrency: _Optional[int] = ..., workers: _Optional[int] = ..., executor: _Optional[str] = ..., nodes_alike: bool = ...) -> None: ...

class StartTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class StopTournamentRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class StopTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class PlanTournamentRequest(_message.Message):
    __slots__ = ("tournament", "executor", "nodes_alike")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    EXECUTOR_FIELD_NUMBER: _ClassVar[int]
    NODES_ALIKE_FIELD_NUMBER: _ClassVar[int]
    tournament: CreateTournamentRequest
    executor: str
    nodes_alike: bool
    def __init__(self, tournament: _Optional[_Union[CreateTournamentRequest, _Mapping]] = ..., executor: _Optional[str] = ..., nodes_alike: bool = ...) -> None: ...

class PlanTournamentResponse(_message.Message):
    __slots__ = ("tournament", "groups", "matches", "deals", "adaptive", "tables", "tables_total", "seconds", "basis", "unqualified", "workers", "workers_reason", "nodes", "speed_difference")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    ADAPTIVE_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    TABLES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    BASIS_FIELD_NUMBER: _ClassVar[int]
    UNQUALIFIED_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    WORKERS_REASON_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    SPEED_DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    groups: int
    matches: int
    deals: int
    adaptive: bool
    tables: _containers.RepeatedCompositeFieldContainer[PlannedTable]
    tables_total: int
    seconds: float
    basis: str
    unqualified: _containers.RepeatedScalarFieldContainer[str]
    workers: int
    workers_reason: str
    nodes: _containers.RepeatedCompositeFieldContainer[PlannedNode]
    speed_difference: float
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., groups: _Optional[int] = ..., matches: _Optional[int] = ..., deals: _Optional[int] = ..., adaptive: bool = ..., tables: _Optional[_Iterable[_Union[PlannedTable, _Mapping]]] = ..., tables_total: _Optional[int] = ..., seconds: _Optional[float] = ..., basis: _Optional[str] = ..., unqualified: _Optional[_Iterable[str]] = ..., workers: _Optional[int] = ..., workers_reason: _Optional[str] = ..., nodes: _Optional[_Iterable[_Union[PlannedNode, _Mapping]]] = ..., speed_difference: _Optional[float] = ...) -> None: ...

class PlannedNode(_message.Message):
    __slots__ = ("name", "slots", "decisions_per_second", "unfit")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SLOTS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    UNFIT_FIELD_NUMBER: _ClassVar[int]
    name: str
    slots: int
    decisions_per_second: float
    unfit: str
    def __init__(self, name: _Optional[str] = ..., slots: _Optional[int] = ..., decisions_per_second: _Optional[float] = ..., unfit: _Optional[str] = ...) -> None: ...

class PlannedTable(_message.Message):
    __slots__ = ("entrants", "groups")
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    entrants: _containers.RepeatedScalarFieldContainer[str]
    groups: int
    def __init__(self, entrants: _Optional[_Iterable[str]] = ..., groups: _Optional[int] = ...) -> None: ...

class CancelTournamentRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class CancelTournamentResponse(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class AddEntrantRequest(_message.Message):
    __slots__ = ("id", "bot")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    id: int
    bot: str
    def __init__(self, id: _Optional[int] = ..., bot: _Optional[str] = ...) -> None: ...

class AddEntrantResponse(_message.Message):
    __slots__ = ("version", "first_group")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    FIRST_GROUP_FIELD_NUMBER: _ClassVar[int]
    version: int
    first_group: int
    def __init__(self, version: _Optional[int] = ..., first_group: _Optional[int] = ...) -> None: ...

class RetireEntrantRequest(_message.Message):
    __slots__ = ("id", "bot")
    ID_FIELD_NUMBER: _ClassVar[int]
    BOT_FIELD_NUMBER: _ClassVar[int]
    id: int
    bot: str
    def __init__(self, id: _Optional[int] = ..., bot: _Optional[str] = ...) -> None: ...

class RetireEntrantResponse(_message.Message):
    __slots__ = ("first_group",)
    FIRST_GROUP_FIELD_NUMBER: _ClassVar[int]
    first_group: int
    def __init__(self, first_group: _Optional[int] = ...) -> None: ...

class RerunMatchRequest(_message.Message):
    __slots__ = ("id", "group", "seating")
    ID_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    id: int
    group: int
    seating: int
    def __init__(self, id: _Optional[int] = ..., group: _Optional[int] = ..., seating: _Optional[int] = ...) -> None: ...

class RerunMatchResponse(_message.Message):
    __slots__ = ("identical", "difference", "entrants", "stored_scores", "played_scores", "stored_faults", "played_faults")
    IDENTICAL_FIELD_NUMBER: _ClassVar[int]
    DIFFERENCE_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    STORED_SCORES_FIELD_NUMBER: _ClassVar[int]
    PLAYED_SCORES_FIELD_NUMBER: _ClassVar[int]
    STORED_FAULTS_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FAULTS_FIELD_NUMBER: _ClassVar[int]
    identical: bool
    difference: RerunDifference
    entrants: _containers.RepeatedScalarFieldContainer[str]
    stored_scores: _containers.RepeatedScalarFieldContainer[str]
    played_scores: _containers.RepeatedScalarFieldContainer[str]
    stored_faults: _containers.RepeatedCompositeFieldContainer[MatchFault]
    played_faults: _containers.RepeatedCompositeFieldContainer[MatchFault]
    def __init__(self, identical: bool = ..., difference: _Optional[_Union[RerunDifference, _Mapping]] = ..., entrants: _Optional[_Iterable[str]] = ..., stored_scores: _Optional[_Iterable[str]] = ..., played_scores: _Optional[_Iterable[str]] = ..., stored_faults: _Optional[_Iterable[_Union[MatchFault, _Mapping]]] = ..., played_faults: _Optional[_Iterable[_Union[MatchFault, _Mapping]]] = ...) -> None: ...

class RerunDifference(_message.Message):
    __slots__ = ("deal", "step", "seat", "stored", "played")
    DEAL_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    STORED_FIELD_NUMBER: _ClassVar[int]
    PLAYED_FIELD_NUMBER: _ClassVar[int]
    deal: int
    step: int
    seat: int
    stored: str
    played: str
    def __init__(self, deal: _Optional[int] = ..., step: _Optional[int] = ..., seat: _Optional[int] = ..., stored: _Optional[str] = ..., played: _Optional[str] = ...) -> None: ...

class GetTournamentRequest(_message.Message):
    __slots__ = ("id", "max_age_seconds")
    ID_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    id: int
    max_age_seconds: float
    def __init__(self, id: _Optional[int] = ..., max_age_seconds: _Optional[float] = ...) -> None: ...

class GetTournamentResponse(_message.Message):
    __slots__ = ("tournament", "workers")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    WORKERS_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    workers: int
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ..., workers: _Optional[int] = ...) -> None: ...

class ListTournamentsRequest(_message.Message):
    __slots__ = ("page_size", "page_token", "include_tables", "include_challenges", "finished")
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_TABLES_FIELD_NUMBER: _ClassVar[int]
    INCLUDE_CHALLENGES_FIELD_NUMBER: _ClassVar[int]
    FINISHED_FIELD_NUMBER: _ClassVar[int]
    page_size: int
    page_token: str
    include_tables: bool
    include_challenges: bool
    finished: bool
    def __init__(self, page_size: _Optional[int] = ..., page_token: _Optional[str] = ..., include_tables: bool = ..., include_challenges: bool = ..., finished: bool = ...) -> None: ...

class ListTournamentsResponse(_message.Message):
    __slots__ = ("tournaments", "next_page_token")
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[Tournament]
    next_page_token: str
    def __init__(self, tournaments: _Optional[_Iterable[_Union[Tournament, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class PruneTournamentsRequest(_message.Message):
    __slots__ = ("older_than_days", "ids", "dry_run", "compact")
    OLDER_THAN_DAYS_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    COMPACT_FIELD_NUMBER: _ClassVar[int]
    older_than_days: float
    ids: _containers.RepeatedScalarFieldContainer[int]
    dry_run: bool
    compact: bool
    def __init__(self, older_than_days: _Optional[float] = ..., ids: _Optional[_Iterable[int]] = ..., dry_run: bool = ..., compact: bool = ...) -> None: ...

class PruneTournamentsResponse(_message.Message):
    __slots__ = ("tournaments",)
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[PrunedTournament]
    def __init__(self, tournaments: _Optional[_Iterable[_Union[PrunedTournament, _Mapping]]] = ...) -> None: ...

class PrunedTournament(_message.Message):
    __slots__ = ("id", "name", "matches", "bytes")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    matches: int
    bytes: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., matches: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class DeleteTournamentRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class DeleteTournamentResponse(_message.Message):
    __slots__ = ("matches",)
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    matches: int
    def __init__(self, matches: _Optional[int] = ...) -> None: ...

class ExportTournamentRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class ExportTournamentResponse(_message.Message):
    __slots__ = ("chunk", "matches_written", "matches_total")
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    MATCHES_WRITTEN_FIELD_NUMBER: _ClassVar[int]
    MATCHES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    matches_written: int
    matches_total: int
    def __init__(self, chunk: _Optional[bytes] = ..., matches_written: _Optional[int] = ..., matches_total: _Optional[int] = ...) -> None: ...

class ImportTournamentRequest(_message.Message):
    __slots__ = ("chunk",)
    CHUNK_FIELD_NUMBER: _ClassVar[int]
    chunk: bytes
    def __init__(self, chunk: _Optional[bytes] = ...) -> None: ...

class ImportTournamentResponse(_message.Message):
    __slots__ = ("tournament",)
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    tournament: Tournament
    def __init__(self, tournament: _Optional[_Union[Tournament, _Mapping]] = ...) -> None: ...

class WatchTournamentRequest(_message.Message):
    __slots__ = ("id", "sequence", "run")
    ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    id: int
    sequence: int
    run: str
    def __init__(self, id: _Optional[int] = ..., sequence: _Optional[int] = ..., run: _Optional[str] = ...) -> None: ...

class WatchTournamentResponse(_message.Message):
    __slots__ = ("matches_played", "matches_total", "deals_played", "decisions_taken", "running_seconds", "faults", "withdrawn", "failure", "begun", "sequence", "run")
    MATCHES_PLAYED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    DEALS_PLAYED_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_TAKEN_FIELD_NUMBER: _ClassVar[int]
    RUNNING_SECONDS_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    BEGUN_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    RUN_FIELD_NUMBER: _ClassVar[int]
    matches_played: int
    matches_total: int
    deals_played: int
    decisions_taken: int
    running_seconds: float
    faults: int
    withdrawn: int
    failure: str
    begun: _containers.RepeatedCompositeFieldContainer[MatchBegun]
    sequence: int
    run: str
    def __init__(self, matches_played: _Optional[int] = ..., matches_total: _Optional[int] = ..., deals_played: _Optional[int] = ..., decisions_taken: _Optional[int] = ..., running_seconds: _Optional[float] = ..., faults: _Optional[int] = ..., withdrawn: _Optional[int] = ..., failure: _Optional[str] = ..., begun: _Optional[_Iterable[_Union[MatchBegun, _Mapping]]] = ..., sequence: _Optional[int] = ..., run: _Optional[str] = ...) -> None: ...

class MatchBegun(_message.Message):
    __slots__ = ("group", "seating", "entrants", "commitment")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    group: int
    seating: int
    entrants: _containers.RepeatedScalarFieldContainer[str]
    commitment: str
    def __init__(self, group: _Optional[int] = ..., seating: _Optional[int] = ..., entrants: _Optional[_Iterable[str]] = ..., commitment: _Optional[str] = ...) -> None: ...

class Tournament(_message.Message):
    __slots__ = ("id", "name", "state", "variant", "pairing", "match_format", "mirror", "draws", "groups", "isolation", "clock_seconds", "draw_probability", "entrants", "seed_commitment", "seed_chosen", "seed", "salt", "matches_played", "matches_total", "create_time", "end_time", "standings", "tables", "hero", "rounds", "pruned", "until_separated", "cpu", "nodes", "limits", "kind", "seeding", "confidence", "advance", "pools", "qualify")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    PAIRING_FIELD_NUMBER: _ClassVar[int]
    MATCH_FORMAT_FIELD_NUMBER: _ClassVar[int]
    MIRROR_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    ISOLATION_FIELD_NUMBER: _ClassVar[int]
    CLOCK_SECONDS_FIELD_NUMBER: _ClassVar[int]
    DRAW_PROBABILITY_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    SEED_COMMITMENT_FIELD_NUMBER: _ClassVar[int]
    SEED_CHOSEN_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    MATCHES_PLAYED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    CREATE_TIME_FIELD_NUMBER: _ClassVar[int]
    END_TIME_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    TABLES_FIELD_NUMBER: _ClassVar[int]
    HERO_FIELD_NUMBER: _ClassVar[int]
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    PRUNED_FIELD_NUMBER: _ClassVar[int]
    UNTIL_SEPARATED_FIELD_NUMBER: _ClassVar[int]
    CPU_FIELD_NUMBER: _ClassVar[int]
    NODES_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SEEDING_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    ADVANCE_FIELD_NUMBER: _ClassVar[int]
    POOLS_FIELD_NUMBER: _ClassVar[int]
    QUALIFY_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    state: TournamentState
    variant: str
    pairing: str
    match_format: str
    mirror: str
    draws: str
    groups: int
    isolation: str
    clock_seconds: TournamentClock
    draw_probability: float
    entrants: _containers.RepeatedCompositeFieldContainer[TournamentEntrant]
    seed_commitment: str
    seed_chosen: bool
    seed: str
    salt: str
    matches_played: int
    matches_total: int
    create_time: _timestamp_pb2.Timestamp
    end_time: _timestamp_pb2.Timestamp
    standings: Standings
    tables: int
    hero: str
    rounds: int
    pruned: bool
    until_separated: float
    cpu: str
    nodes: _containers.RepeatedCompositeFieldContainer[TournamentNode]
    limits: InstanceLimits
    kind: str
    seeding: str
    confidence: float
    advance: int
    pools: int
    qualify: int
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., state: _Optional[_Union[TournamentState, str]] = ..., variant: _Optional[str] = ..., pairing: _Optional[str] = ..., match_format: _Optional[str] = ..., mirror: _Optional[str] = ..., draws: _Optional[str] = ..., groups: _Optional[int] = ..., isolation: _Optional[str] = ..., clock_seconds: _Optional[_Union[TournamentClock, _Mapping]] = ..., draw_probability: _Optional[float] = ..., entrants: _Optional[_Iterable[_Union[TournamentEntrant, _Mapping]]] = ..., seed_commitment: _Optional[str] = ..., seed_chosen: bool = ..., seed: _Optional[str] = ..., salt: _Optional[str] = ..., matches_played: _Optional[int] = ..., matches_total: _Optional[int] = ..., create_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., end_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., standings: _Optional[_Union[Standings, _Mapping]] = ..., tables: _Optional[int] = ..., hero: _Optional[str] = ..., rounds: _Optional[int] = ..., pruned: bool = ..., until_separated: _Optional[float] = ..., cpu: _Optional[str] = ..., nodes: _Optional[_Iterable[_Union[TournamentNode, _Mapping]]] = ..., limits: _Optional[_Union[InstanceLimits, _Mapping]] = ..., kind: _Optional[str] = ..., seeding: _Optional[str] = ..., confidence: _Optional[float] = ..., advance: _Optional[int] = ..., pools: _Optional[int] = ..., qualify: _Optional[int] = ...) -> None: ...

class InstanceLimits(_message.Message):
    __slots__ = ("memory_mib", "processes", "disk_mib")
    MEMORY_MIB_FIELD_NUMBER: _ClassVar[int]
    PROCESSES_FIELD_NUMBER: _ClassVar[int]
    DISK_MIB_FIELD_NUMBER: _ClassVar[int]
    memory_mib: int
    processes: int
    disk_mib: int
    def __init__(self, memory_mib: _Optional[int] = ..., processes: _Optional[int] = ..., disk_mib: _Optional[int] = ...) -> None: ...

class TournamentNode(_message.Message):
    __slots__ = ("name", "matches", "decisions", "late_decisions", "forfeits", "late_by_more_than_luck")
    NAME_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    LATE_DECISIONS_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    LATE_BY_MORE_THAN_LUCK_FIELD_NUMBER: _ClassVar[int]
    name: str
    matches: int
    decisions: int
    late_decisions: int
    forfeits: int
    late_by_more_than_luck: bool
    def __init__(self, name: _Optional[str] = ..., matches: _Optional[int] = ..., decisions: _Optional[int] = ..., late_decisions: _Optional[int] = ..., forfeits: _Optional[int] = ..., late_by_more_than_luck: bool = ...) -> None: ...

class TournamentClock(_message.Message):
    __slots__ = ("bank", "increment", "limit", "start_up", "grace")
    BANK_FIELD_NUMBER: _ClassVar[int]
    INCREMENT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    START_UP_FIELD_NUMBER: _ClassVar[int]
    GRACE_FIELD_NUMBER: _ClassVar[int]
    bank: float
    increment: float
    limit: float
    start_up: float
    grace: float
    def __init__(self, bank: _Optional[float] = ..., increment: _Optional[float] = ..., limit: _Optional[float] = ..., start_up: _Optional[float] = ..., grace: _Optional[float] = ...) -> None: ...

class TournamentEntrant(_message.Message):
    __slots__ = ("name", "version", "content_hash", "remote")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CONTENT_HASH_FIELD_NUMBER: _ClassVar[int]
    REMOTE_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    content_hash: str
    remote: bool
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., content_hash: _Optional[str] = ..., remote: bool = ...) -> None: ...

class Standings(_message.Message):
    __slots__ = ("rows", "crosstable", "faults", "groups", "groups_counted", "groups_void", "faults_total", "fault_kinds", "seat_bias", "swiss", "bracket")
    ROWS_FIELD_NUMBER: _ClassVar[int]
    CROSSTABLE_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_COUNTED_FIELD_NUMBER: _ClassVar[int]
    GROUPS_VOID_FIELD_NUMBER: _ClassVar[int]
    FAULTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    FAULT_KINDS_FIELD_NUMBER: _ClassVar[int]
    SEAT_BIAS_FIELD_NUMBER: _ClassVar[int]
    SWISS_FIELD_NUMBER: _ClassVar[int]
    BRACKET_FIELD_NUMBER: _ClassVar[int]
    rows: _containers.RepeatedCompositeFieldContainer[StandingsRow]
    crosstable: _containers.RepeatedCompositeFieldContainer[CrosstableCell]
    faults: _containers.RepeatedCompositeFieldContainer[MatchFault]
    groups: int
    groups_counted: int
    groups_void: int
    faults_total: int
    fault_kinds: _containers.RepeatedCompositeFieldContainer[FaultKind]
    seat_bias: SeatBias
    swiss: _containers.RepeatedCompositeFieldContainer[SwissRow]
    bracket: Bracket
    def __init__(self, rows: _Optional[_Iterable[_Union[StandingsRow, _Mapping]]] = ..., crosstable: _Optional[_Iterable[_Union[CrosstableCell, _Mapping]]] = ..., faults: _Optional[_Iterable[_Union[MatchFault, _Mapping]]] = ..., groups: _Optional[int] = ..., groups_counted: _Optional[int] = ..., groups_void: _Optional[int] = ..., faults_total: _Optional[int] = ..., fault_kinds: _Optional[_Iterable[_Union[FaultKind, _Mapping]]] = ..., seat_bias: _Optional[_Union[SeatBias, _Mapping]] = ..., swiss: _Optional[_Iterable[_Union[SwissRow, _Mapping]]] = ..., bracket: _Optional[_Union[Bracket, _Mapping]] = ...) -> None: ...

class Bracket(_message.Message):
    __slots__ = ("rounds", "over", "pools")
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    POOLS_FIELD_NUMBER: _ClassVar[int]
    rounds: _containers.RepeatedCompositeFieldContainer[BracketRound]
    over: bool
    pools: _containers.RepeatedCompositeFieldContainer[Pool]
    def __init__(self, rounds: _Optional[_Iterable[_Union[BracketRound, _Mapping]]] = ..., over: bool = ..., pools: _Optional[_Iterable[_Union[Pool, _Mapping]]] = ...) -> None: ...

class Pool(_message.Message):
    __slots__ = ("number", "rows", "over")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    OVER_FIELD_NUMBER: _ClassVar[int]
    number: int
    rows: _containers.RepeatedCompositeFieldContainer[PoolRow]
    over: bool
    def __init__(self, number: _Optional[int] = ..., rows: _Optional[_Iterable[_Union[PoolRow, _Mapping]]] = ..., over: bool = ...) -> None: ...

class PoolRow(_message.Message):
    __slots__ = ("name", "seed", "score_per_deal", "groups", "goes_on", "has_left")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SCORE_PER_DEAL_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    GOES_ON_FIELD_NUMBER: _ClassVar[int]
    HAS_LEFT_FIELD_NUMBER: _ClassVar[int]
    name: str
    seed: int
    score_per_deal: float
    groups: int
    goes_on: bool
    has_left: bool
    def __init__(self, name: _Optional[str] = ..., seed: _Optional[int] = ..., score_per_deal: _Optional[float] = ..., groups: _Optional[int] = ..., goes_on: bool = ..., has_left: bool = ...) -> None: ...

class BracketRound(_message.Message):
    __slots__ = ("bouts",)
    BOUTS_FIELD_NUMBER: _ClassVar[int]
    bouts: _containers.RepeatedCompositeFieldContainer[Bout]
    def __init__(self, bouts: _Optional[_Iterable[_Union[Bout, _Mapping]]] = ...) -> None: ...

class Bout(_message.Message):
    __slots__ = ("stage", "round", "advance", "entrants", "groups", "reason", "certainty")
    STAGE_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    ADVANCE_FIELD_NUMBER: _ClassVar[int]
    ENTRANTS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CERTAINTY_FIELD_NUMBER: _ClassVar[int]
    stage: str
    round: int
    advance: int
    entrants: _containers.RepeatedCompositeFieldContainer[BoutEntrant]
    groups: int
    reason: str
    certainty: float
    def __init__(self, stage: _Optional[str] = ..., round: _Optional[int] = ..., advance: _Optional[int] = ..., entrants: _Optional[_Iterable[_Union[BoutEntrant, _Mapping]]] = ..., groups: _Optional[int] = ..., reason: _Optional[str] = ..., certainty: _Optional[float] = ...) -> None: ...

class BoutEntrant(_message.Message):
    __slots__ = ("name", "seed", "score_per_deal", "goes_on")
    NAME_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    SCORE_PER_DEAL_FIELD_NUMBER: _ClassVar[int]
    GOES_ON_FIELD_NUMBER: _ClassVar[int]
    name: str
    seed: int
    score_per_deal: float
    goes_on: bool
    def __init__(self, name: _Optional[str] = ..., seed: _Optional[int] = ..., score_per_deal: _Optional[float] = ..., goes_on: bool = ...) -> None: ...

class StandingsRow(_message.Message):
    __slots__ = ("rank", "name", "version", "rating", "mu", "sigma", "groups", "wins", "draws", "losses", "match_points", "deals", "score_per_deal", "score_low", "score_high", "probability_better_than_next", "faults", "late", "forfeited_deals", "decisions", "decision_seconds", "withdrawn", "retired", "more_deals", "separated", "scores_less_than_next")
    RANK_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    MATCH_POINTS_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SCORE_PER_DEAL_FIELD_NUMBER: _ClassVar[int]
    SCORE_LOW_FIELD_NUMBER: _ClassVar[int]
    SCORE_HIGH_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_BETTER_THAN_NEXT_FIELD_NUMBER: _ClassVar[int]
    FAULTS_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_DEALS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    DECISION_SECONDS_FIELD_NUMBER: _ClassVar[int]
    WITHDRAWN_FIELD_NUMBER: _ClassVar[int]
    RETIRED_FIELD_NUMBER: _ClassVar[int]
    MORE_DEALS_FIELD_NUMBER: _ClassVar[int]
    SEPARATED_FIELD_NUMBER: _ClassVar[int]
    SCORES_LESS_THAN_NEXT_FIELD_NUMBER: _ClassVar[int]
    rank: int
    name: str
    version: int
    rating: float
    mu: float
    sigma: float
    groups: int
    wins: int
    draws: int
    losses: int
    match_points: float
    deals: int
    score_per_deal: float
    score_low: float
    score_high: float
    probability_better_than_next: float
    faults: int
    late: int
    forfeited_deals: int
    decisions: int
    decision_seconds: float
    withdrawn: str
    retired: bool
    more_deals: int
    separated: bool
    scores_less_than_next: bool
    def __init__(self, rank: _Optional[int] = ..., name: _Optional[str] = ..., version: _Optional[int] = ..., rating: _Optional[float] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., groups: _Optional[int] = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ..., match_points: _Optional[float] = ..., deals: _Optional[int] = ..., score_per_deal: _Optional[float] = ..., score_low: _Optional[float] = ..., score_high: _Optional[float] = ..., probability_better_than_next: _Optional[float] = ..., faults: _Optional[int] = ..., late: _Optional[int] = ..., forfeited_deals: _Optional[int] = ..., decisions: _Optional[int] = ..., decision_seconds: _Optional[float] = ..., withdrawn: _Optional[str] = ..., retired: bool = ..., more_deals: _Optional[int] = ..., separated: bool = ..., scores_less_than_next: bool = ...) -> None: ...

class SwissRow(_message.Message):
    __slots__ = ("name", "points", "byes", "buchholz_cut_1", "buchholz", "sonneborn_berger", "direct_encounter")
    NAME_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    BYES_FIELD_NUMBER: _ClassVar[int]
    BUCHHOLZ_CUT_1_FIELD_NUMBER: _ClassVar[int]
    BUCHHOLZ_FIELD_NUMBER: _ClassVar[int]
    SONNEBORN_BERGER_FIELD_NUMBER: _ClassVar[int]
    DIRECT_ENCOUNTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    points: float
    byes: int
    buchholz_cut_1: float
    buchholz: float
    sonneborn_berger: float
    direct_encounter: float
    def __init__(self, name: _Optional[str] = ..., points: _Optional[float] = ..., byes: _Optional[int] = ..., buchholz_cut_1: _Optional[float] = ..., buchholz: _Optional[float] = ..., sonneborn_berger: _Optional[float] = ..., direct_encounter: _Optional[float] = ...) -> None: ...

class CrosstableCell(_message.Message):
    __slots__ = ("name", "opponent", "wins", "draws", "losses", "score_per_deal", "deals", "score_low", "score_high", "probability_better")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    SCORE_PER_DEAL_FIELD_NUMBER: _ClassVar[int]
    DEALS_FIELD_NUMBER: _ClassVar[int]
    SCORE_LOW_FIELD_NUMBER: _ClassVar[int]
    SCORE_HIGH_FIELD_NUMBER: _ClassVar[int]
    PROBABILITY_BETTER_FIELD_NUMBER: _ClassVar[int]
    name: str
    opponent: str
    wins: int
    draws: int
    losses: int
    score_per_deal: float
    deals: int
    score_low: float
    score_high: float
    probability_better: float
    def __init__(self, name: _Optional[str] = ..., opponent: _Optional[str] = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ..., score_per_deal: _Optional[float] = ..., deals: _Optional[int] = ..., score_low: _Optional[float] = ..., score_high: _Optional[float] = ..., probability_better: _Optional[float] = ...) -> None: ...

class MatchFault(_message.Message):
    __slots__ = ("name", "group", "seating", "deal", "decision", "termination", "owner", "reason", "seat")
    NAME_FIELD_NUMBER: _ClassVar[int]
    GROUP_FIELD_NUMBER: _ClassVar[int]
    SEATING_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    name: str
    group: int
    seating: int
    deal: int
    decision: int
    termination: str
    owner: str
    reason: str
    seat: int
    def __init__(self, name: _Optional[str] = ..., group: _Optional[int] = ..., seating: _Optional[int] = ..., deal: _Optional[int] = ..., decision: _Optional[int] = ..., termination: _Optional[str] = ..., owner: _Optional[str] = ..., reason: _Optional[str] = ..., seat: _Optional[int] = ...) -> None: ...

class FaultKind(_message.Message):
    __slots__ = ("name", "termination", "owner", "matches", "first")
    NAME_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    name: str
    termination: str
    owner: str
    matches: int
    first: MatchFault
    def __init__(self, name: _Optional[str] = ..., termination: _Optional[str] = ..., owner: _Optional[str] = ..., matches: _Optional[int] = ..., first: _Optional[_Union[MatchFault, _Mapping]] = ...) -> None: ...

class SeatBias(_message.Message):
    __slots__ = ("blocks", "score_per_deal", "seats", "turns")
    BLOCKS_FIELD_NUMBER: _ClassVar[int]
    SCORE_PER_DEAL_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    blocks: int
    score_per_deal: float
    seats: _containers.RepeatedCompositeFieldContainer[PlaceScore]
    turns: _containers.RepeatedCompositeFieldContainer[PlaceScore]
    def __init__(self, blocks: _Optional[int] = ..., score_per_deal: _Optional[float] = ..., seats: _Optional[_Iterable[_Union[PlaceScore, _Mapping]]] = ..., turns: _Optional[_Iterable[_Union[PlaceScore, _Mapping]]] = ...) -> None: ...

class PlaceScore(_message.Message):
    __slots__ = ("place", "score_per_deal", "deviation", "p_value", "alarm")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SCORE_PER_DEAL_FIELD_NUMBER: _ClassVar[int]
    DEVIATION_FIELD_NUMBER: _ClassVar[int]
    P_VALUE_FIELD_NUMBER: _ClassVar[int]
    ALARM_FIELD_NUMBER: _ClassVar[int]
    place: int
    score_per_deal: float
    deviation: float
    p_value: float
    alarm: bool
    def __init__(self, place: _Optional[int] = ..., score_per_deal: _Optional[float] = ..., deviation: _Optional[float] = ..., p_value: _Optional[float] = ..., alarm: bool = ...) -> None: ...
