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
    __slots__ = ("rank", "name", "version", "rating", "mu", "sigma", "tournaments", "groups", "wins", "draws", "losses", "newest")
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
    NEWEST_FIELD_NUMBER: _ClassVar[int]
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
    newest: bool
    def __init__(self, rank: _Optional[int] = ..., name: _Optional[str] = ..., version: _Optional[int] = ..., rating: _Optional[float] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ..., tournaments: _Optional[int] = ..., groups: _Optional[int] = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ..., newest: bool = ...) -> None: ...

class ListRatingsRequest(_message.Message):
    __slots__ = ("variant", "bots", "page_size", "page_token")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    BOTS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    variant: str
    bots: _containers.RepeatedScalarFieldContainer[str]
    page_size: int
    page_token: str
    def __init__(self, variant: _Optional[str] = ..., bots: _Optional[_Iterable[str]] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ListRatingsResponse(_message.Message):
    __slots__ = ("tournaments", "next_page_token")
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    tournaments: _containers.RepeatedCompositeFieldContainer[TournamentRatings]
    next_page_token: str
    def __init__(self, tournaments: _Optional[_Iterable[_Union[TournamentRatings, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class TournamentRatings(_message.Message):
    __slots__ = ("tournament", "name", "ratings")
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    RATINGS_FIELD_NUMBER: _ClassVar[int]
    tournament: int
    name: str
    ratings: _containers.RepeatedCompositeFieldContainer[BotRating]
    def __init__(self, tournament: _Optional[int] = ..., name: _Optional[str] = ..., ratings: _Optional[_Iterable[_Union[BotRating, _Mapping]]] = ...) -> None: ...

class BotRating(_message.Message):
    __slots__ = ("bot", "version", "rating")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    bot: str
    version: int
    rating: SkillRating
    def __init__(self, bot: _Optional[str] = ..., version: _Optional[int] = ..., rating: _Optional[_Union[SkillRating, _Mapping]] = ...) -> None: ...

class ExplainRankingRequest(_message.Message):
    __slots__ = ("bot", "variant", "tournament", "groups", "page_size", "page_token")
    BOT_FIELD_NUMBER: _ClassVar[int]
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    PAGE_SIZE_FIELD_NUMBER: _ClassVar[int]
    PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    bot: str
    variant: str
    tournament: int
    groups: int
    page_size: int
    page_token: str
    def __init__(self, bot: _Optional[str] = ..., variant: _Optional[str] = ..., tournament: _Optional[int] = ..., groups: _Optional[int] = ..., page_size: _Optional[int] = ..., page_token: _Optional[str] = ...) -> None: ...

class ExplainRankingResponse(_message.Message):
    __slots__ = ("passages", "next_page_token")
    PASSAGES_FIELD_NUMBER: _ClassVar[int]
    NEXT_PAGE_TOKEN_FIELD_NUMBER: _ClassVar[int]
    passages: _containers.RepeatedCompositeFieldContainer[RatingPassage]
    next_page_token: str
    def __init__(self, passages: _Optional[_Iterable[_Union[RatingPassage, _Mapping]]] = ..., next_page_token: _Optional[str] = ...) -> None: ...

class RatingPassage(_message.Message):
    __slots__ = ("variant", "tournament", "name", "version", "inherited", "before", "after", "wins", "draws", "losses", "groups")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENT_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    INHERITED_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    GROUPS_FIELD_NUMBER: _ClassVar[int]
    variant: str
    tournament: int
    name: str
    version: int
    inherited: RatingInheritance
    before: SkillRating
    after: SkillRating
    wins: int
    draws: int
    losses: int
    groups: _containers.RepeatedCompositeFieldContainer[RatingMove]
    def __init__(self, variant: _Optional[str] = ..., tournament: _Optional[int] = ..., name: _Optional[str] = ..., version: _Optional[int] = ..., inherited: _Optional[_Union[RatingInheritance, _Mapping]] = ..., before: _Optional[_Union[SkillRating, _Mapping]] = ..., after: _Optional[_Union[SkillRating, _Mapping]] = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ..., groups: _Optional[_Iterable[_Union[RatingMove, _Mapping]]] = ...) -> None: ...

class SkillRating(_message.Message):
    __slots__ = ("rating", "mu", "sigma")
    RATING_FIELD_NUMBER: _ClassVar[int]
    MU_FIELD_NUMBER: _ClassVar[int]
    SIGMA_FIELD_NUMBER: _ClassVar[int]
    rating: float
    mu: float
    sigma: float
    def __init__(self, rating: _Optional[float] = ..., mu: _Optional[float] = ..., sigma: _Optional[float] = ...) -> None: ...

class RatingInheritance(_message.Message):
    __slots__ = ("version", "rating")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RATING_FIELD_NUMBER: _ClassVar[int]
    version: int
    rating: SkillRating
    def __init__(self, version: _Optional[int] = ..., rating: _Optional[_Union[SkillRating, _Mapping]] = ...) -> None: ...

class RatingMove(_message.Message):
    __slots__ = ("group", "rank", "before", "after", "opponents")
    GROUP_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    OPPONENTS_FIELD_NUMBER: _ClassVar[int]
    group: int
    rank: int
    before: SkillRating
    after: SkillRating
    opponents: _containers.RepeatedCompositeFieldContainer[RatingOpponent]
    def __init__(self, group: _Optional[int] = ..., rank: _Optional[int] = ..., before: _Optional[_Union[SkillRating, _Mapping]] = ..., after: _Optional[_Union[SkillRating, _Mapping]] = ..., opponents: _Optional[_Iterable[_Union[RatingOpponent, _Mapping]]] = ...) -> None: ...

class RatingOpponent(_message.Message):
    __slots__ = ("name", "version", "rank", "before")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    RANK_FIELD_NUMBER: _ClassVar[int]
    BEFORE_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    rank: int
    before: SkillRating
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ..., rank: _Optional[int] = ..., before: _Optional[_Union[SkillRating, _Mapping]] = ...) -> None: ...

class ListMeetingsRequest(_message.Message):
    __slots__ = ("bot",)
    BOT_FIELD_NUMBER: _ClassVar[int]
    bot: str
    def __init__(self, bot: _Optional[str] = ...) -> None: ...

class ListMeetingsResponse(_message.Message):
    __slots__ = ("variants",)
    VARIANTS_FIELD_NUMBER: _ClassVar[int]
    variants: _containers.RepeatedCompositeFieldContainer[VariantMeetings]
    def __init__(self, variants: _Optional[_Iterable[_Union[VariantMeetings, _Mapping]]] = ...) -> None: ...

class VariantMeetings(_message.Message):
    __slots__ = ("variant", "tournaments", "tournaments_total", "opponents")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENTS_FIELD_NUMBER: _ClassVar[int]
    TOURNAMENTS_TOTAL_FIELD_NUMBER: _ClassVar[int]
    OPPONENTS_FIELD_NUMBER: _ClassVar[int]
    variant: str
    tournaments: int
    tournaments_total: int
    opponents: _containers.RepeatedCompositeFieldContainer[Meeting]
    def __init__(self, variant: _Optional[str] = ..., tournaments: _Optional[int] = ..., tournaments_total: _Optional[int] = ..., opponents: _Optional[_Iterable[_Union[Meeting, _Mapping]]] = ...) -> None: ...

class Meeting(_message.Message):
    __slots__ = ("opponent", "wins", "draws", "losses")
    OPPONENT_FIELD_NUMBER: _ClassVar[int]
    WINS_FIELD_NUMBER: _ClassVar[int]
    DRAWS_FIELD_NUMBER: _ClassVar[int]
    LOSSES_FIELD_NUMBER: _ClassVar[int]
    opponent: str
    wins: int
    draws: int
    losses: int
    def __init__(self, opponent: _Optional[str] = ..., wins: _Optional[int] = ..., draws: _Optional[int] = ..., losses: _Optional[int] = ...) -> None: ...
