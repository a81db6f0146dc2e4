from mazzo.v1 import tournament_pb2 as _tournament_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CourseValue(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    COURSE_VALUE_UNSPECIFIED: _ClassVar[CourseValue]
    COURSE_VALUE_RATING: _ClassVar[CourseValue]
    COURSE_VALUE_SCORE: _ClassVar[CourseValue]
COURSE_VALUE_UNSPECIFIED: CourseValue
COURSE_VALUE_RATING: CourseValue
COURSE_VALUE_SCORE: CourseValue

class GetHeadToHeadRequest(_message.Message):
    __slots__ = ("id", "name", "opponent", "max_age_seconds")
    ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    id: int
    name: str
    opponent: str
    max_age_seconds: float
    def __init__(self, id: _Optional[int] = ..., name: _Optional[str] = ..., opponent: _Optional[str] = ..., max_age_seconds: _Optional[float] = ...) -> None: ...

class GetHeadToHeadResponse(_message.Message):
    __slots__ = ("tournament", "cell", "opposite", "forfeits", "opponent_forfeits", "late", "opponent_late", "leads")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    CELL_FIELD_NUMBER: _ClassVar[int]
    OPPOSITE_FIELD_NUMBER: _ClassVar[int]
    FORFEITS_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FORFEITS_FIELD_NUMBER: _ClassVar[int]
    LATE_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_LATE_FIELD_NUMBER: _ClassVar[int]
    LEADS_FIELD_NUMBER: _ClassVar[int]
    tournament: _tournament_pb2.Tournament
    cell: _tournament_pb2.CrosstableCell
    opposite: _tournament_pb2.CrosstableCell
    forfeits: int
    opponent_forfeits: int
    late: int
    opponent_late: int
    leads: _containers.RepeatedCompositeFieldContainer[HistogramBin]
    def __init__(self, tournament: _Optional[_Union[_tournament_pb2.Tournament, _Mapping]] = ..., cell: _Optional[_Union[_tournament_pb2.CrosstableCell, _Mapping]] = ..., opposite: _Optional[_Union[_tournament_pb2.CrosstableCell, _Mapping]] = ..., forfeits: _Optional[int] = ..., opponent_forfeits: _Optional[int] = ..., late: _Optional[int] = ..., opponent_late: _Optional[int] = ..., leads: _Optional[_Iterable[_Union[HistogramBin, _Mapping]]] = ...) -> None: ...

class HistogramBin(_message.Message):
    __slots__ = ("low", "high", "count")
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    low: float
    high: float
    count: int
    def __init__(self, low: _Optional[float] = ..., high: _Optional[float] = ..., count: _Optional[int] = ...) -> None: ...

class GetAuditRequest(_message.Message):
    __slots__ = ("id",)
    ID_FIELD_NUMBER: _ClassVar[int]
    id: int
    def __init__(self, id: _Optional[int] = ...) -> None: ...

class GetAuditResponse(_message.Message):
    __slots__ = ("tournament", "pairs")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    PAIRS_FIELD_NUMBER: _ClassVar[int]
    tournament: _tournament_pb2.Tournament
    pairs: _containers.RepeatedCompositeFieldContainer[AuditedPair]
    def __init__(self, tournament: _Optional[_Union[_tournament_pb2.Tournament, _Mapping]] = ..., pairs: _Optional[_Iterable[_Union[AuditedPair, _Mapping]]] = ...) -> None: ...

class AuditedPair(_message.Message):
    __slots__ = ("name", "opponent", "groups", "joint", "lead")
    NAME_FIELD_NUMBER: _ClassVar[int]
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    JOINT_FIELD_NUMBER: _ClassVar[int]
    LEAD_FIELD_NUMBER: _ClassVar[int]
    name: str
    opponent: str
    groups: int
    joint: Excess
    lead: Excess
    def __init__(self, name: _Optional[str] = ..., opponent: _Optional[str] = ..., groups: _Optional[int] = ..., joint: _Optional[_Union[Excess, _Mapping]] = ..., lead: _Optional[_Union[Excess, _Mapping]] = ...) -> None: ...

class Excess(_message.Message):
    __slots__ = ("points", "low", "high", "confidence", "p_value", "stands_out", "detectable", "detectable_later", "detectable_ever")
    POINTS_FIELD_NUMBER: _ClassVar[int]
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    CONFIDENCE_FIELD_NUMBER: _ClassVar[int]
    P_VALUE_FIELD_NUMBER: _ClassVar[int]
    STANDS_OUT_FIELD_NUMBER: _ClassVar[int]
    DETECTABLE_FIELD_NUMBER: _ClassVar[int]
    DETECTABLE_LATER_FIELD_NUMBER: _ClassVar[int]
    DETECTABLE_EVER_FIELD_NUMBER: _ClassVar[int]
    points: float
    low: float
    high: float
    confidence: float
    p_value: float
    stands_out: bool
    detectable: float
    detectable_later: float
    detectable_ever: float
    def __init__(self, points: _Optional[float] = ..., low: _Optional[float] = ..., high: _Optional[float] = ..., confidence: _Optional[float] = ..., p_value: _Optional[float] = ..., stands_out: bool = ..., detectable: _Optional[float] = ..., detectable_later: _Optional[float] = ..., detectable_ever: _Optional[float] = ...) -> None: ...

class GetCourseRequest(_message.Message):
    __slots__ = ("id", "max_age_seconds")
    ID_FIELD_NUMBER: _ClassVar[int]
    MAX_AGE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    id: int
    max_age_seconds: float
    def __init__(self, id: _Optional[int] = ..., max_age_seconds: _Optional[float] = ...) -> None: ...

class GetCourseResponse(_message.Message):
    __slots__ = ("spreads", "value", "moments")
    SPREADS_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    MOMENTS_FIELD_NUMBER: _ClassVar[int]
    spreads: _containers.RepeatedCompositeFieldContainer[ScoreSpread]
    value: CourseValue
    moments: _containers.RepeatedCompositeFieldContainer[CourseMoment]
    def __init__(self, spreads: _Optional[_Iterable[_Union[ScoreSpread, _Mapping]]] = ..., value: _Optional[_Union[CourseValue, str]] = ..., moments: _Optional[_Iterable[_Union[CourseMoment, _Mapping]]] = ...) -> None: ...

class ScoreSpread(_message.Message):
    __slots__ = ("name", "bins")
    NAME_FIELD_NUMBER: _ClassVar[int]
    BINS_FIELD_NUMBER: _ClassVar[int]
    name: str
    bins: _containers.RepeatedCompositeFieldContainer[HistogramBin]
    def __init__(self, name: _Optional[str] = ..., bins: _Optional[_Iterable[_Union[HistogramBin, _Mapping]]] = ...) -> None: ...

class CourseMoment(_message.Message):
    __slots__ = ("groups", "standings")
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    STANDINGS_FIELD_NUMBER: _ClassVar[int]
    groups: int
    standings: _containers.RepeatedCompositeFieldContainer[CourseStanding]
    def __init__(self, groups: _Optional[int] = ..., standings: _Optional[_Iterable[_Union[CourseStanding, _Mapping]]] = ...) -> None: ...

class CourseStanding(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: float
    def __init__(self, name: _Optional[str] = ..., value: _Optional[float] = ...) -> None: ...
