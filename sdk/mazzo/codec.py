"""Between the domain and protobuf: the only file that knows both.

Law: `decode_view(encode_view(view)) == view` for every view of every game, and equal
views give equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, Self

from mazzo.bot import MatchStarted
from mazzo.cards import FRENCH, ITALIAN
from mazzo.errors import MazzoError, ProtocolError
from mazzo.game import Clock, MatchProgress, Variant, View
from mazzo.games import parse_variant
from mazzo.games.briscola import BRISCOLA, BriscolaView
from mazzo.games.chiamata import CHIAMATA, ChiamataView
from mazzo.games.frap import FRAP, FrapView
from mazzo.games.frusta import FRUSTA, FrustaView
from mazzo.games.tressette import (
    META_MAZZO,
    PIZZICHINO,
    Declaration,
    MetaMazzoView,
    PizzichinoView,
)
from mazzo.v1 import play_pb2, view_pb2

__all__ = [
    "MatchReader",
    "decode_view",
    "encode_view",
    "view_bytes",
    "write_view",
]

_cached_variant = lru_cache(maxsize=1024)(parse_variant)


def _mask_bytes(mask: int) -> bytes:
    return mask.to_bytes((mask.bit_length() + 7) >> 3, "little")


def _mask(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _masks(data: Iterable[bytes]) -> tuple[int, ...]:
    return tuple([_mask(item) for item in data])


@lru_cache(maxsize=1024)
def _encode_progress(
    match_format: str, deal: int, scores: tuple[float, ...]
) -> view_pb2.MatchProgress:
    return view_pb2.MatchProgress(format=match_format, deal=deal, scores=scores)


def write_view(view: View, message: view_pb2.View) -> None:
    """Fill an empty wire message with a view."""
    write_game = _WRITERS.get(type(view))
    if write_game is None:
        raise TypeError(f"no wire message for {type(view).__name__}")
    match = view.match
    message.variant = view.variant.text
    message.seat = view.seat
    message.dealer = view.dealer
    message.match.CopyFrom(_encode_progress(match.format, match.deal, match.scores))
    message.hand = _mask_bytes(view.hand_mask)
    message.legal = _mask_bytes(view.legal_mask)
    message.history_actions = view.actions
    message.history_seats = view.actors
    message.received = view.received_bytes
    message.hand_counts = view.hand_counts
    message.trick_leader = view.trick_leader
    message.trick_cards = view.trick_cards
    message.trick_winners = view.trick_winners
    message.past_cards = view.past_cards
    write_game(view, message)


def _write_briscola(view: BriscolaView, message: view_pb2.View) -> None:
    facts = message.briscola
    facts.trump_card = view.trump_card
    if view.trump_holder is not None:
        facts.trump_holder = view.trump_holder
    facts.stock_count = view.stock_count
    facts.points = bytes(view.points)


def _read_briscola(message: view_pb2.View, view: BriscolaView) -> None:
    facts = message.briscola
    view.trump_card = ITALIAN.cards[facts.trump_card]
    view.trump_holder = facts.trump_holder if facts.HasField("trump_holder") else None
    view.stock_count = facts.stock_count
    view.points = tuple(facts.points)


def _write_chiamata(view: ChiamataView, message: view_pb2.View) -> None:
    facts = message.chiamata
    facts.bid = view.bid
    if view.bidder is not None:
        facts.bidder = view.bidder
    facts.passed = view.passed
    if view.trump is not None:
        facts.trump = ITALIAN.suits.index(view.trump)
    if view.called is not None:
        facts.called = view.called
    if view.holder is not None:
        facts.holder = view.holder
    facts.points = bytes(view.points)


def _read_chiamata(message: view_pb2.View, view: ChiamataView) -> None:
    facts = message.chiamata
    view.bid = facts.bid
    view.bidder = facts.bidder if facts.HasField("bidder") else None
    view.passed = facts.passed
    view.trump = ITALIAN.suits[facts.trump] if facts.HasField("trump") else None
    view.called = ITALIAN.cards[facts.called] if facts.HasField("called") else None
    view.holder = facts.holder if facts.HasField("holder") else None
    view.points = tuple(facts.points)


def _write_frusta(view: FrustaView, message: view_pb2.View) -> None:
    facts = message.frusta
    facts.prizes = view.prizes
    facts.stock_count = view.stock_count
    facts.known.extend([_mask_bytes(mask) for mask in view.known_masks])
    facts.tricks_taken = view.tricks_taken
    facts.tiebreak = view.tiebreak


def _read_frusta(message: view_pb2.View, view: FrustaView) -> None:
    facts = message.frusta
    view.prizes = facts.prizes
    view.stock_count = facts.stock_count
    view.known_masks = _masks(facts.known)
    view.tricks_taken = facts.tricks_taken
    view.tiebreak = facts.tiebreak


def _write_declarations(
    declarations: Sequence[Declaration],
    facts: view_pb2.MetaMazzoView | view_pb2.PizzichinoView,
) -> None:
    for declaration in declarations:
        facts.declarations.add(
            seat=declaration.seat,
            action=declaration.action,
            cards=_mask_bytes(declaration.mask),
            points=declaration.points,
        )


def _read_declarations(messages: Iterable[view_pb2.Declaration]) -> tuple[Declaration, ...]:
    return tuple(
        Declaration(
            seat=message.seat,
            action=message.action,
            mask=_mask(message.cards),
            points=message.points,
        )
        for message in messages
    )


def _write_meta_mazzo(view: MetaMazzoView, message: view_pb2.View) -> None:
    facts = message.meta_mazzo
    facts.stock_count = view.stock_count
    facts.drawn_cards = view.drawn_cards
    facts.known.extend([_mask_bytes(mask) for mask in view.known_masks])
    _write_declarations(view.declarations, facts)
    facts.thirds = view.thirds
    facts.buongiochi = view.buongiochi


def _read_meta_mazzo(message: view_pb2.View, view: MetaMazzoView) -> None:
    facts = message.meta_mazzo
    view.stock_count = facts.stock_count
    view.drawn_cards = facts.drawn_cards
    view.known_masks = _masks(facts.known)
    view.declarations = _read_declarations(facts.declarations)
    view.thirds = facts.thirds
    view.buongiochi = facts.buongiochi


def _write_pizzichino(view: PizzichinoView, message: view_pb2.View) -> None:
    facts = message.pizzichino
    facts.packet_owners = view.packet_owners
    facts.packets_up = view.packets_up
    facts.packet_counts = view.packet_counts
    facts.packet_shown.extend(view.packet_shown)
    facts.peeked = view.peeked
    facts.known.extend([_mask_bytes(mask) for mask in view.known_masks])
    _write_declarations(view.declarations, facts)
    facts.thirds = view.thirds
    facts.buongiochi = view.buongiochi


def _read_pizzichino(message: view_pb2.View, view: PizzichinoView) -> None:
    facts = message.pizzichino
    view.packet_owners = facts.packet_owners
    view.packets_up = facts.packets_up
    view.packet_counts = facts.packet_counts
    view.packet_shown = tuple(facts.packet_shown)
    view.peeked = facts.peeked
    view.known_masks = _masks(facts.known)
    view.declarations = _read_declarations(facts.declarations)
    view.thirds = facts.thirds
    view.buongiochi = facts.buongiochi


def _write_frap(view: FrapView, message: view_pb2.View) -> None:
    facts = message.frap
    facts.start_pot = str(view.start_pot)
    facts.ante_paid = view.ante_paid
    facts.first_pot = str(view.first_pot)
    facts.pot = str(view.pot)
    if view.cap is not None:
        facts.cap = str(view.cap)
    facts.round = view.round
    facts.trump_card = view.trump_card
    facts.dead_trumps = view.dead_trumps
    if view.trump_taker is not None:
        facts.trump_taker = view.trump_taker
    facts.stock_count = view.stock_count
    facts.looked = view.looked
    if view.frapper is not None:
        facts.frapper = view.frapper
    facts.blind = view.blind
    facts.whisters = view.whisters
    facts.undercutters = view.undercutters
    facts.exchanged = view.exchanged
    facts.discards = view.discards
    facts.thrown_in = _mask_bytes(view.thrown_in)
    facts.scores.extend([str(score) for score in view.scores])


def _read_frap(message: view_pb2.View, view: FrapView) -> None:
    facts = message.frap
    view.start_pot = int(facts.start_pot)
    view.ante_paid = facts.ante_paid
    view.first_pot = int(facts.first_pot)
    view.pot = int(facts.pot)
    view.cap = int(facts.cap) if facts.cap else None
    view.round = facts.round
    view.trump_card = FRENCH.cards[facts.trump_card]
    view.dead_trumps = facts.dead_trumps
    view.trump_taker = facts.trump_taker if facts.HasField("trump_taker") else None
    view.stock_count = facts.stock_count
    view.looked = facts.looked
    view.frapper = facts.frapper if facts.HasField("frapper") else None
    view.blind = facts.blind
    view.whisters = facts.whisters
    view.undercutters = facts.undercutters
    view.exchanged = facts.exchanged
    view.discards = facts.discards
    view.thrown_in = _mask(facts.thrown_in)
    view.scores = tuple([int(score) for score in facts.scores])


_WRITERS: dict[type[View], Callable[[Any, view_pb2.View], None]] = {
    BriscolaView: _write_briscola,
    ChiamataView: _write_chiamata,
    FrapView: _write_frap,
    FrustaView: _write_frusta,
    MetaMazzoView: _write_meta_mazzo,
    PizzichinoView: _write_pizzichino,
}
_READERS: dict[str | None, tuple[str, Callable[[view_pb2.View, Any], None]]] = {
    "briscola": (BRISCOLA.id, _read_briscola),
    "chiamata": (CHIAMATA.id, _read_chiamata),
    "frap": (FRAP.id, _read_frap),
    "frusta": (FRUSTA.id, _read_frusta),
    "meta_mazzo": (META_MAZZO.id, _read_meta_mazzo),
    "pizzichino": (PIZZICHINO.id, _read_pizzichino),
}
"""By field of the message: the game, and what reads its facts."""
_VIEW_CLASSES: dict[str, type[View]] = {
    BRISCOLA.id: BriscolaView,
    CHIAMATA.id: ChiamataView,
    FRAP.id: FrapView,
    FRUSTA.id: FrustaView,
    META_MAZZO.id: MetaMazzoView,
    PIZZICHINO.id: PizzichinoView,
}


def encode_view(view: View) -> view_pb2.View:
    """Return the wire message of a view."""
    message = view_pb2.View()
    write_view(view, message)
    return message


def view_bytes(view: View) -> bytes:
    """Return the bytes of a view on the wire."""
    return encode_view(view).SerializeToString(deterministic=True)


def decode_view(
    message: view_pb2.View, *, clock: Clock | None = None, number: int = 0, seed: bytes = b""
) -> View:
    """Return a view from its wire message, with what stands beside it in a decision.

    Raises `ProtocolError` for a message that cannot be read, or is of another game than its
    variant. Beyond that the game master is trusted: what it says of the cards is not checked.
    """
    _facts_reader(message)
    variant = _variant(message.variant)
    view_class = _VIEW_CLASSES[variant.game.id]
    view = view_class.__new__(view_class)
    view.variant = variant
    view.legal_mask = _mask(message.legal)
    view.clock = clock
    view.number = number
    view.seed = seed
    _read_view(view, message)
    return view


@dataclass(frozen=True, slots=True)
class MatchReader:
    """Reads the decisions of one match that was started."""

    started: MatchStarted
    _view_class: type[View]
    _increment: float
    _limit: float

    @classmethod
    def of(cls, started: play_pb2.MatchStarted) -> Self:
        """Return the reader of a match; raises `ProtocolError` for a variant that is not known."""
        control = started.time_control
        variant = _variant(started.variant)
        return cls(
            MatchStarted(
                variant=variant,
                seat=started.seat,
                match_format=started.match_format,
                seed=started.bot_seed,
            ),
            _VIEW_CLASSES[variant.game.id],
            control.increment_seconds,
            control.limit_seconds,
        )

    def view(self, decision: play_pb2.Decision) -> View:
        """Return the view of a decision, with the clock.

        Most of it is read when it is first asked for, so that a bot pays for what it looks
        at; a message that cannot be read raises `ProtocolError` then.
        """
        view = self._view_class.__new__(self._view_class)
        view.variant = self.started.variant
        view.legal_mask = _mask(decision.view.legal)
        view.number = decision.number
        view.seed = self.started.seed
        view._unread = partial(_read_decision, self, decision)
        return view


def _read_decision(reader: MatchReader, decision: play_pb2.Decision, view: View) -> None:
    view.clock = Clock(
        bank=decision.bank_seconds,
        increment=reader._increment,
        limit=reader._limit,
        latency=decision.latency_seconds,
    )
    _read_view(view, decision.view)


def _variant(text: str) -> Variant:
    try:
        return _cached_variant(text)
    except MazzoError as error:
        raise ProtocolError(f"expected a variant that this SDK knows: {error}") from error


def _facts_reader(message: view_pb2.View) -> tuple[str, Callable[[view_pb2.View, Any], None]]:
    """Return the game whose facts are in the message, and what reads them."""
    known = _READERS.get(message.WhichOneof("game"))
    if known is None:
        raise ProtocolError("expected a view of a game that this SDK knows: update mazzo")
    return known


def _read_view(view: View, message: view_pb2.View) -> None:
    """Set the fields that are in the message, but for `legal_mask`."""
    game_id, read_game = _facts_reader(message)
    if view.variant.game.id != game_id:
        raise ProtocolError(f"expected the facts of {view.variant}, got those of {game_id}")
    match = message.match
    view.seat = message.seat
    view.dealer = message.dealer
    view.match = MatchProgress(format=match.format, deal=match.deal, scores=tuple(match.scores))
    view.hand_mask = _mask(message.hand)
    view.actions = message.history_actions
    view.actors = message.history_seats
    view.received_bytes = message.received
    view.hand_counts = message.hand_counts
    view.trick_leader = message.trick_leader
    view.trick_cards = message.trick_cards
    view.trick_winners = message.trick_winners
    view.past_cards = message.past_cards
    try:
        read_game(message, view)
    except (IndexError, ValueError) as error:
        raise ProtocolError(f"a view that cannot be read: {error}") from error
