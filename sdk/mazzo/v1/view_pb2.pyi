from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class View(_message.Message):
    __slots__ = ("variant", "seat", "dealer", "match", "hand", "legal", "history_actions", "history_seats", "hand_counts", "trick_leader", "trick_cards", "trick_winners", "past_cards", "briscola", "chiamata", "frusta", "meta_mazzo", "pizzichino", "frap", "received")
    VARIANT_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    MATCH_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    LEGAL_FIELD_NUMBER: _ClassVar[int]
    HISTORY_ACTIONS_FIELD_NUMBER: _ClassVar[int]
    HISTORY_SEATS_FIELD_NUMBER: _ClassVar[int]
    HAND_COUNTS_FIELD_NUMBER: _ClassVar[int]
    TRICK_LEADER_FIELD_NUMBER: _ClassVar[int]
    TRICK_CARDS_FIELD_NUMBER: _ClassVar[int]
    TRICK_WINNERS_FIELD_NUMBER: _ClassVar[int]
    PAST_CARDS_FIELD_NUMBER: _ClassVar[int]
    BRISCOLA_FIELD_NUMBER: _ClassVar[int]
    CHIAMATA_FIELD_NUMBER: _ClassVar[int]
    FRUSTA_FIELD_NUMBER: _ClassVar[int]
    META_MAZZO_FIELD_NUMBER: _ClassVar[int]
    PIZZICHINO_FIELD_NUMBER: _ClassVar[int]
    FRAP_FIELD_NUMBER: _ClassVar[int]
    RECEIVED_FIELD_NUMBER: _ClassVar[int]
    variant: str
    seat: int
    dealer: int
    match: MatchProgress
    hand: bytes
    legal: bytes
    history_actions: bytes
    history_seats: bytes
    hand_counts: bytes
    trick_leader: int
    trick_cards: bytes
    trick_winners: bytes
    past_cards: bytes
    briscola: BriscolaView
    chiamata: ChiamataView
    frusta: FrustaView
    meta_mazzo: MetaMazzoView
    pizzichino: PizzichinoView
    frap: FrapView
    received: bytes
    def __init__(self, variant: _Optional[str] = ..., seat: _Optional[int] = ..., dealer: _Optional[int] = ..., match: _Optional[_Union[MatchProgress, _Mapping]] = ..., hand: _Optional[bytes] = ..., legal: _Optional[bytes] = ..., history_actions: _Optional[bytes] = ..., history_seats: _Optional[bytes] = ..., hand_counts: _Optional[bytes] = ..., trick_leader: _Optional[int] = ..., trick_cards: _Optional[bytes] = ..., trick_winners: _Optional[bytes] = ..., past_cards: _Optional[bytes] = ..., briscola: _Optional[_Union[BriscolaView, _Mapping]] = ..., chiamata: _Optional[_Union[ChiamataView, _Mapping]] = ..., frusta: _Optional[_Union[FrustaView, _Mapping]] = ..., meta_mazzo: _Optional[_Union[MetaMazzoView, _Mapping]] = ..., pizzichino: _Optional[_Union[PizzichinoView, _Mapping]] = ..., frap: _Optional[_Union[FrapView, _Mapping]] = ..., received: _Optional[bytes] = ...) -> None: ...

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
    __slots__ = ("trump_card", "trump_holder", "stock_count", "points")
    TRUMP_CARD_FIELD_NUMBER: _ClassVar[int]
    TRUMP_HOLDER_FIELD_NUMBER: _ClassVar[int]
    STOCK_COUNT_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    trump_card: int
    trump_holder: int
    stock_count: int
    points: bytes
    def __init__(self, trump_card: _Optional[int] = ..., trump_holder: _Optional[int] = ..., stock_count: _Optional[int] = ..., points: _Optional[bytes] = ...) -> None: ...

class ChiamataView(_message.Message):
    __slots__ = ("bid", "bidder", "passed", "trump", "called", "holder", "points")
    BID_FIELD_NUMBER: _ClassVar[int]
    BIDDER_FIELD_NUMBER: _ClassVar[int]
    PASSED_FIELD_NUMBER: _ClassVar[int]
    TRUMP_FIELD_NUMBER: _ClassVar[int]
    CALLED_FIELD_NUMBER: _ClassVar[int]
    HOLDER_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    bid: int
    bidder: int
    passed: int
    trump: int
    called: int
    holder: int
    points: bytes
    def __init__(self, bid: _Optional[int] = ..., bidder: _Optional[int] = ..., passed: _Optional[int] = ..., trump: _Optional[int] = ..., called: _Optional[int] = ..., holder: _Optional[int] = ..., points: _Optional[bytes] = ...) -> None: ...

class FrustaView(_message.Message):
    __slots__ = ("prizes", "stock_count", "known", "tricks_taken", "tiebreak")
    PRIZES_FIELD_NUMBER: _ClassVar[int]
    STOCK_COUNT_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    TRICKS_TAKEN_FIELD_NUMBER: _ClassVar[int]
    TIEBREAK_FIELD_NUMBER: _ClassVar[int]
    prizes: bytes
    stock_count: int
    known: _containers.RepeatedScalarFieldContainer[bytes]
    tricks_taken: bytes
    tiebreak: bytes
    def __init__(self, prizes: _Optional[bytes] = ..., stock_count: _Optional[int] = ..., known: _Optional[_Iterable[bytes]] = ..., tricks_taken: _Optional[bytes] = ..., tiebreak: _Optional[bytes] = ...) -> None: ...

class Declaration(_message.Message):
    __slots__ = ("seat", "action", "cards", "points")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    POINTS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    action: int
    cards: bytes
    points: int
    def __init__(self, seat: _Optional[int] = ..., action: _Optional[int] = ..., cards: _Optional[bytes] = ..., points: _Optional[int] = ...) -> None: ...

class MetaMazzoView(_message.Message):
    __slots__ = ("stock_count", "drawn_cards", "known", "declarations", "thirds", "buongiochi")
    STOCK_COUNT_FIELD_NUMBER: _ClassVar[int]
    DRAWN_CARDS_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    DECLARATIONS_FIELD_NUMBER: _ClassVar[int]
    THIRDS_FIELD_NUMBER: _ClassVar[int]
    BUONGIOCHI_FIELD_NUMBER: _ClassVar[int]
    stock_count: int
    drawn_cards: bytes
    known: _containers.RepeatedScalarFieldContainer[bytes]
    declarations: _containers.RepeatedCompositeFieldContainer[Declaration]
    thirds: bytes
    buongiochi: bytes
    def __init__(self, stock_count: _Optional[int] = ..., drawn_cards: _Optional[bytes] = ..., known: _Optional[_Iterable[bytes]] = ..., declarations: _Optional[_Iterable[_Union[Declaration, _Mapping]]] = ..., thirds: _Optional[bytes] = ..., buongiochi: _Optional[bytes] = ...) -> None: ...

class PizzichinoView(_message.Message):
    __slots__ = ("packet_owners", "packets_up", "packet_counts", "packet_shown", "peeked", "known", "declarations", "thirds", "buongiochi")
    PACKET_OWNERS_FIELD_NUMBER: _ClassVar[int]
    PACKETS_UP_FIELD_NUMBER: _ClassVar[int]
    PACKET_COUNTS_FIELD_NUMBER: _ClassVar[int]
    PACKET_SHOWN_FIELD_NUMBER: _ClassVar[int]
    PEEKED_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    DECLARATIONS_FIELD_NUMBER: _ClassVar[int]
    THIRDS_FIELD_NUMBER: _ClassVar[int]
    BUONGIOCHI_FIELD_NUMBER: _ClassVar[int]
    packet_owners: bytes
    packets_up: int
    packet_counts: bytes
    packet_shown: _containers.RepeatedScalarFieldContainer[bytes]
    peeked: bytes
    known: _containers.RepeatedScalarFieldContainer[bytes]
    declarations: _containers.RepeatedCompositeFieldContainer[Declaration]
    thirds: bytes
    buongiochi: bytes
    def __init__(self, packet_owners: _Optional[bytes] = ..., packets_up: _Optional[int] = ..., packet_counts: _Optional[bytes] = ..., packet_shown: _Optional[_Iterable[bytes]] = ..., peeked: _Optional[bytes] = ..., known: _Optional[_Iterable[bytes]] = ..., declarations: _Optional[_Iterable[_Union[Declaration, _Mapping]]] = ..., thirds: _Optional[bytes] = ..., buongiochi: _Optional[bytes] = ...) -> None: ...

class FrapView(_message.Message):
    __slots__ = ("start_pot", "ante_paid", "first_pot", "pot", "cap", "round", "trump_card", "dead_trumps", "trump_taker", "stock_count", "looked", "frapper", "blind", "whisters", "undercutters", "exchanged", "discards", "thrown_in", "scores")
    START_POT_FIELD_NUMBER: _ClassVar[int]
    ANTE_PAID_FIELD_NUMBER: _ClassVar[int]
    FIRST_POT_FIELD_NUMBER: _ClassVar[int]
    POT_FIELD_NUMBER: _ClassVar[int]
    CAP_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    TRUMP_CARD_FIELD_NUMBER: _ClassVar[int]
    DEAD_TRUMPS_FIELD_NUMBER: _ClassVar[int]
    TRUMP_TAKER_FIELD_NUMBER: _ClassVar[int]
    STOCK_COUNT_FIELD_NUMBER: _ClassVar[int]
    LOOKED_FIELD_NUMBER: _ClassVar[int]
    FRAPPER_FIELD_NUMBER: _ClassVar[int]
    BLIND_FIELD_NUMBER: _ClassVar[int]
    WHISTERS_FIELD_NUMBER: _ClassVar[int]
    UNDERCUTTERS_FIELD_NUMBER: _ClassVar[int]
    EXCHANGED_FIELD_NUMBER: _ClassVar[int]
    DISCARDS_FIELD_NUMBER: _ClassVar[int]
    THROWN_IN_FIELD_NUMBER: _ClassVar[int]
    SCORES_FIELD_NUMBER: _ClassVar[int]
    start_pot: str
    ante_paid: bool
    first_pot: str
    pot: str
    cap: str
    round: int
    trump_card: int
    dead_trumps: bytes
    trump_taker: int
    stock_count: int
    looked: int
    frapper: int
    blind: bool
    whisters: int
    undercutters: bytes
    exchanged: bytes
    discards: bytes
    thrown_in: bytes
    scores: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, start_pot: _Optional[str] = ..., ante_paid: bool = ..., first_pot: _Optional[str] = ..., pot: _Optional[str] = ..., cap: _Optional[str] = ..., round: _Optional[int] = ..., trump_card: _Optional[int] = ..., dead_trumps: _Optional[bytes] = ..., trump_taker: _Optional[int] = ..., stock_count: _Optional[int] = ..., looked: _Optional[int] = ..., frapper: _Optional[int] = ..., blind: bool = ..., whisters: _Optional[int] = ..., undercutters: _Optional[bytes] = ..., exchanged: _Optional[bytes] = ..., discards: _Optional[bytes] = ..., thrown_in: _Optional[bytes] = ..., scores: _Optional[_Iterable[str]] = ...) -> None: ...
