"""Between the domain and protobuf: the only file that knows both.

Law: `decode_view(encode_view(view)) == view` for every view of every game, and equal
views give equal bytes.
"""

from __future__ import annotations

from functools import lru_cache

from mazzo.cards import ITALIAN
from mazzo.errors import MazzoError, ProtocolError
from mazzo.game import Clock, MatchProgress, Variant, View
from mazzo.games import parse_variant
from mazzo.games.briscola import BriscolaView
from mazzo.v1 import view_pb2

__all__ = ["decode_view", "encode_view", "variant_of", "view_bytes", "write_view"]

_cached_variant = lru_cache(maxsize=1024)(parse_variant)


def _mask_bytes(mask: int) -> bytes:
    return mask.to_bytes((mask.bit_length() + 7) >> 3, "little")


@lru_cache(maxsize=1024)
def _encode_progress(
    match_format: str, deal: int, scores: tuple[float, ...]
) -> view_pb2.MatchProgress:
    return view_pb2.MatchProgress(format=match_format, deal=deal, scores=scores)


def write_view(view: View, message: view_pb2.View) -> None:
    """Fill an empty wire message with a view."""
    if not isinstance(view, BriscolaView):
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
    message.trick_leader = view.trick_leader
    message.trick_cards = view.trick_cards
    public = message.briscola
    public.trump_card = view.trump_card
    if view.trump_holder is not None:
        public.trump_holder = view.trump_holder
    public.stock_count = view.stock_count
    public.hand_counts = view.hand_counts
    public.points = bytes(view.points)
    public.trick_winners = view.trick_winners
    public.past_cards = view.past_cards


def encode_view(view: View) -> view_pb2.View:
    """The wire message of a view."""
    message = view_pb2.View()
    write_view(view, message)
    return message


def view_bytes(view: View) -> bytes:
    """The bytes of a view on the wire."""
    return encode_view(view).SerializeToString(deterministic=True)


def decode_view(
    message: view_pb2.View, *, clock: Clock | None = None, number: int = 0, seed: bytes = b""
) -> View:
    """A view from its wire message, with what stands beside it in a decision.

    Raises `ProtocolError` for a message that no game master of this version sends.
    """
    if not message.HasField("briscola"):
        raise ProtocolError("expected a view of a game that this SDK knows: update mazzo")
    public = message.briscola
    match = message.match
    try:
        variant = _cached_variant(message.variant)
        return BriscolaView(
            variant=variant,
            seat=message.seat,
            dealer=message.dealer,
            match=MatchProgress(format=match.format, deal=match.deal, scores=tuple(match.scores)),
            hand_mask=int.from_bytes(message.hand, "little"),
            legal_mask=int.from_bytes(message.legal, "little"),
            actions=message.history_actions,
            actors=message.history_seats,
            trick_leader=message.trick_leader,
            trick_cards=message.trick_cards,
            trump_card=ITALIAN.cards[public.trump_card],
            trump_holder=public.trump_holder if public.HasField("trump_holder") else None,
            stock_count=public.stock_count,
            hand_counts=public.hand_counts,
            points=tuple(public.points),
            trick_winners=public.trick_winners,
            past_cards=public.past_cards,
            clock=clock,
            number=number,
            seed=seed,
        )
    except (IndexError, MazzoError) as error:
        raise ProtocolError(f"a view that cannot be read: {error}") from error


def variant_of(text: str) -> Variant:
    """The variant of a text from the wire; parsed once for each text."""
    return _cached_variant(text)
