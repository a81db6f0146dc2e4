from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ListRankingsRequest(_message.Message):
    __slots__ = ("variant",)
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    variant: str
    def __init__(self, variant: _Optional[str] = ...) -> None: ...

class ListRankingsResponse(_message.Message):
    __slots__ = ("rankings",)
    RANKINGS_FIELD_NUMBER: _ClassVar[int]
    rankings: _containers.RepeatedCompositeFieldContainer[Ranking]
    def __init__(self, rankings: _Optional[_Iterable[_Union[Ranking, _Mapping]]] = ...) -> None: ...

class Ranking(_message.Message):
    __slots__ = ("variant", "tournaments", "rows")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    variant: str
    tournaments: int
    rows: _containers.RepeatedCompositeFieldContainer[RankingRow]
    def __init__(self, variant: _Optional[str] = ..., tournaments: _Optional[int] = ..., rows: _Optional[_Iterable[_Union[RankingRow, _Mapping]]] = ...) -> None: ...

class RankingRow(_message.Message):
    __slots__ = ("rank", "name", "version", "rating", "mu", "sigma", "tournaments", "groups", "wins", "draws", "losses")
    RANK_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    rank: int
    name: str
    version: int
    rating: float
    mu: float
    sigma: float
    tournaments: int
    groups: int
    wins: int
    draws: int
    losses: int
    def __init__(self, rank: _Optional[int] = ..., name: _Optional[str] = ..., version: _Optional[int] = ..., rating: _Optional[float] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., tournaments: _Optional[int] = ..., groups: _Optional[int] = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ...) -> None: ...
