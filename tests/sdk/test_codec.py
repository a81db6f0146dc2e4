"""The wire form of views, beside the law that they survive it."""

from __future__ import annotations

from dataclasses import fields

import pytest

from mazzo import codec
from mazzo.errors import ProtocolError
from mazzo.game import Clock, MatchProgress
from mazzo.games import parse_variant
from mazzo.games.briscola import BriscolaView
from mazzo.shuffle import SeededShuffles
from mazzo.v1 import view_pb2
from support.strategies import CASES


@pytest.mark.parametrize(
    "match",
    [
        MatchProgress(),
        MatchProgress(format="best-of:3", deal=2, scores=(1.0, 0.0)),
        MatchProgress(format="deals:3", deal=1, scores=(1 / 3, 0.5, 0.0)),
        MatchProgress(format="target:61", deal=39, scores=(-12.0, 0.0)),
    ],
)
def test_codec_carries_the_progress_of_the_match(match: MatchProgress) -> None:
    """Law of the codec: the match so far is the same on the other side."""
    for players in (2, 3):
        variant = parse_variant(f"briscola/{players}")
        deal = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0, match=match)
        view = deal.view(1)
        back = codec.decode_view(view_pb2.View.FromString(codec.view_bytes(view)))
        assert back.match == match
        assert back == view


def test_codec_tells_absent_from_seat_zero() -> None:
    """The holder of the trump card: nobody, seat 0, and seat 1 are three different things."""
    variant = parse_variant("briscola/2")
    deal = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0)
    view = deal.view(0)
    assert isinstance(view, BriscolaView)
    found = {}
    for holder in (None, 0, 1):
        view.trump_holder = holder
        found[codec.view_bytes(view)] = holder
    assert len(found) == 3
    for message, holder in found.items():
        back = codec.decode_view(view_pb2.View.FromString(message))
        assert isinstance(back, BriscolaView)
        assert back.trump_holder == holder


def test_codec_the_seats_own_clock_is_no_part_of_the_view() -> None:
    """Promise 2: clock, number and seed stand beside the view and change no byte of it."""
    variant = parse_variant("briscola/2")
    view = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0).view(0)
    plain = codec.view_bytes(view)
    view.number, view.seed = 12, b"secret"
    view.clock = Clock(bank=1.0, increment=0.0, limit=1.0, latency=0.0)
    assert codec.view_bytes(view) == plain
    assert b"secret" not in plain
    assert "secret" not in repr(view)


def wire_message() -> view_pb2.View:
    variant = parse_variant("briscola/2")
    view = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0).view(0)
    return codec.encode_view(view)


def test_codec_refuses_what_it_cannot_read() -> None:
    """A view of an unknown game, variant or card is a fault of the peer, and said so."""
    with pytest.raises(ProtocolError, match="update mazzo"):
        codec.decode_view(view_pb2.View())
    for variant in ("", "poker/2", "briscola/5", "briscola/4?talk=loud"):
        message = wire_message()
        message.variant = variant
        with pytest.raises(ProtocolError):
            codec.decode_view(message)
    message = wire_message()
    message.briscola.trump_card = 40
    with pytest.raises(ProtocolError):
        codec.decode_view(message)


def test_codec_knows_every_game() -> None:
    """Every game has a wire message; a view of something else is the caller's mistake."""
    for variant, draws in CASES:
        deal = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0, draws=draws)
        assert codec.view_bytes(deal.view(0))

    class StrangerView(BriscolaView):
        """No game's own view."""

    variant = parse_variant("briscola/2")
    view = variant.game.deal(variant, SeededShuffles(bytes(32), 0), dealer=0).view(0)
    values = {field.name: getattr(view, field.name) for field in fields(view)}
    with pytest.raises(TypeError, match="no wire message"):
        codec.encode_view(StrangerView(**values))
