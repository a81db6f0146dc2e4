"""Promise 1 for Briscola: a second implementation, written from the rules, agrees move by move."""

from __future__ import annotations

from typing import cast

import pytest

from mazzo.cards import ITALIAN
from mazzo.game import Variant
from mazzo.games.briscola import BRISCOLA, BriscolaDeal
from support.reference_briscola import Table
from support.strategies import CASES, Start, choose, examine, legal_codes

BRISCOLA_CASES = [(variant, draws) for variant, draws in CASES if variant.game is BRISCOLA]


def agree(start: Start) -> None:
    """The deal and the second implementation, side by side, from the first card to the last."""
    variant = start.variant
    deal = cast(BriscolaDeal, start.deal())
    names = ITALIAN.cards
    table = Table(
        variant.players,
        [names[card].code for card in deal.shuffles[0]],
        dealer=start.dealer,
        draws=start.draws,
        talk=dict(variant.options).get("talk") not in (None, "off"),
    )
    generator = start.random()
    seats = range(variant.players)
    while True:
        assert deal.seat == table.to_move
        assert legal_codes(deal) == table.legal()
        for seat in seats:
            assert {card.code for card in deal.hand(seat)} == set(table.hands[seat])
        assert [card.code for card in deal.stock()] == table.stock
        view = deal.view(generator.choice(seats))
        assert view.points == tuple(table.points())
        assert view.trump_holder == table.trump_holder()
        assert view.stock_count == len(table.stock)
        assert list(view.hand_counts) == [len(cards) for cards in table.hands]
        assert [(seat, card.code) for seat, card in view.trick.plays] == table.table
        assert [
            (trick.leader, [card.code for card in trick.cards], trick.winner)
            for trick in view.tricks
        ] == table.tricks
        heard = [(talk.trick, talk.seat, talk.token) for talk in view.talk]
        if dict(variant.options).get("talk") == "signal":
            friends = {view.seat, *view.partners}
            heard = [item for item in heard if item[1] in friends]
            assert heard == [item for item in table.talked if item[1] in friends]
        else:
            assert heard == table.talked
        assert (None if deal.scores is None else list(deal.scores)) == table.scores()
        assert deal.result == table.result()
        if deal.seat is None:
            return
        action = choose(deal, generator)
        deal.apply(action)
        table.act(BRISCOLA.actions[action].code)


CASE_NAMES = [f"{variant}-{draws}" for variant, draws in BRISCOLA_CASES]


@pytest.mark.parametrize(("variant", "draws"), BRISCOLA_CASES, ids=CASE_NAMES)
def test_second_implementation_agrees(variant: Variant, draws: str) -> None:
    """Promise 1: a deal is the same, move for move, in an independent implementation."""
    examine(agree, variant, draws, examples=50)


@pytest.mark.prove
@pytest.mark.parametrize(("variant", "draws"), BRISCOLA_CASES, ids=CASE_NAMES)
def test_second_implementation_agrees_at_length(variant: Variant, draws: str) -> None:
    """Promise 1, at full size: 2,000 deals of every variant in every drawing mode."""
    examine(agree, variant, draws, examples=2000)
