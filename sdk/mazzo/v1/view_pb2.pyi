from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class View(_message.Message):
    __slots__ = ("variant", "seat", "dealer", "match", "hand", "legal", "history_actions", "history_seats", "trick_leader", "trick_cards", "briscola")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    HISTORY_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    HISTORY_SEATS_FIELD_NUMBER: _ClassVar[int]
    TRICK_LEADER_FIELD_NUMBER: _ClassVar[int]
    TRICK_CARDS_FIELD_NUMBER: _ClassVar[int]
    BRISCOLA_FIELD_NUMBER: _ClassVar[int]
    variant: str
    seat: int
    dealer: int
    match: MatchProgress
    hand: bytes
    legal: bytes
    history_actions: bytes
    history_seats: bytes
    trick_leader: int
    trick_cards: bytes
    briscola: BriscolaView
    def __init__(self, variant: _Optional[str] = ..., seat: _Optional[int] = ..., dealer: _Optional[int] = ..., match: _Optional[_Union[MatchProgress, _Mapping]] = ..., hand: _Optional[bytes] = ..., legal: _Optional[bytes] = ..., history_actions: _Optional[bytes] = ..., history_seats: _Optional[bytes] = ..., trick_leader: _Optional[int] = ..., trick_cards: _Optional[bytes] = ..., briscola: _Optional[_Union[BriscolaView, _Mapping]] = ...) -> None: ...

class MatchProgress(_message.Message):
    __slots__ = ("format", "deal", "scores")
    FORMAT_FIELD_NUMBER: _ClassVar[int]
    DEAL_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    format: str
    deal: int
    scores: _containers.RepeatedScalarFieldContainer[float]
    def __init__(self, format: _Optional[str] = ..., deal: _Optional[int] = ..., scores: _Optional[_Iterable[float]] = ...) -> None: ...

class BriscolaView(_message.Message):
    __slots__ = ("trump_card", "trump_holder", "stock_count", "hand_counts", "points", "trick_winners", "past_cards")
    TRUMP_CARD_FIELD_NUMBER: _ClassVar[int]
    TRUMP_HOLDER_FIELD_NUMBER: _ClassVar[int]
    STOCK_COUNT_FIELD_NUMBER: _ClassVar[int]
    HAND_COUNTS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    TRICK_WINNERS_FIELD_NUMBER: _ClassVar[int]
    PAST_CARDS_FIELD_NUMBER: _ClassVar[int]
    trump_card: int
    trump_holder: int
    stock_count: int
    hand_counts: bytes
    points: bytes
    trick_winners: bytes
    past_cards: bytes
    def __init__(self, trump_card: _Optional[int] = ..., trump_holder: _Optional[int] = ..., stock_count: _Optional[int] = ..., hand_counts: _Optional[bytes] = ..., points: _Optional[bytes] = ..., trick_winners: _Optional[bytes] = ..., past_cards: _Optional[bytes] = ...) -> None: ...
