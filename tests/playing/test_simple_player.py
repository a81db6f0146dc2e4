"""The simple player, which settles deals after a forfeit (Time and faults; B.8)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from mazzo.cards import FRENCH, mask_of
from mazzo.game import Deal, Variant, View
from mazzo.games import GAMES, parse_variant
from mazzo.games.briscola import BriscolaView
from mazzo.games.frap import FrapView
from mazzo.shuffle import SeededShuffles
from mazzo_server.play.table.simple_player import choose_action
from support.strategies import CASES, Start

CASE_NAMES = [f"{variant}-{draws}" for variant, draws in CASES]
TRUMPS = {
    suit: mask_of(card for card in FRENCH.cards if card.suit == suit) for suit in FRENCH.suits
}
PLAYED = {
    # The actions of three deals, as a hash.
    "briscola/2": "31db8f862a6e4c0f",
    "briscola/3": "ca39985730817c9e",
    "briscola/4": "90f838b104bb5490",
    "briscola/6": "83e5b32a597822b1",
    "briscola-chiamata/5": "b5654a0f17284642",
    "frusta/2": "27c775c22b05ff18",
    "tressette-meta-mazzo/2": "595cfd08233c3af3",
    "tressette-pizzichino/2": "7bd1067e9fb50fe7",
    "frap/2": "d6426f5823a9ff2b",
    "frap/5": "e456e764f417d835",
    "frap/12": "c4a903a99800c72b",
}


def deal_of(variant: Variant, draws: str, number: int) -> Deal:
    shuffles = SeededShuffles(bytes([number]) * 32, number)
    return variant.game.deal(variant, shuffles, dealer=number % variant.players, draws=draws)


def positions(variant: Variant, draws: str, number: int) -> Iterator[Deal]:
    """Positions of so many deals that were played at random."""
    for each in range(number):
        yield Start(
            variant=variant,
            draws=draws,
            dealer=each % variant.players,
            seed=bytes([each]) * 32,
            number=each,
            choices=each,
        ).position()


def choices_in(name: str) -> Iterator[tuple[View, set[str], str]]:
    """Decisions of simple players from such positions on: view, legal codes, and the choice."""
    variant = parse_variant(name)
    for deal in positions(variant, variant.game.draw_modes[0], 60):
        while deal.seat is not None:
            view = deal.view(deal.seat)
            action = choose_action(view)
            yield view, {legal.code for legal in view.legal}, variant.game.actions[action].code
            deal.apply(action)


def play_out(deal: Deal) -> bytes:
    first = len(deal.actions)
    while deal.seat is not None:
        deal.apply(choose_action(deal.view(deal.seat)))
    assert deal.scores is not None
    return bytes(deal.actions[first:])


@pytest.mark.parametrize(("variant", "draws"), CASES, ids=CASE_NAMES)
def test_it_plays_every_variant_to_the_end_from_any_position(variant: Variant, draws: str) -> None:
    """Its actions are legal, and follow from the position alone."""
    for deal in positions(variant, draws, 6):
        assert play_out(deal.copy()) == play_out(deal)


@pytest.mark.parametrize("variant", PLAYED)
def test_it_plays_as_it_always_did(variant: str) -> None:
    """Promise 5: what a forfeit is worth stays the same from version to version."""
    known = parse_variant(variant)
    deals = [deal_of(known, known.game.draw_modes[0], number) for number in range(3)]
    played = b"".join(map(play_out, deals))
    assert hashlib.sha256(played).hexdigest()[:16] == PLAYED[variant]


@pytest.mark.parametrize("variant", ["tressette-meta-mazzo/2", "tressette-pizzichino/2"])
def test_it_declares_and_plucks_what_it_can(variant: str) -> None:
    """Random players pass most buongiochi by, which took points from the others."""
    found = 0
    for _, legal, choice in choices_in(variant):
        if any(code.startswith(("declare:", "pluck:")) for code in legal):
            assert choice.startswith(("declare:", "pluck:"))
            found += 1
    assert found


@pytest.mark.parametrize("variant", ["briscola/2", "briscola/4", "briscola/6"])
def test_it_gives_no_trump_for_a_trick_without_points(variant: str) -> None:
    """Nor does it ever talk."""
    found = 0
    for view, _, choice in choices_in(variant):
        assert isinstance(view, BriscolaView)
        assert not choice.startswith("say:")
        plain = [card for card in view.hand if card.suit != view.trump]
        if plain and view.trick.cards and not any(map(view.card_points, view.trick.cards)):
            assert view.pack.parse(choice) in plain
            found += 1
    assert found


def test_it_risks_no_pot_of_frap_on_unknown_cards() -> None:
    """It looks before it calls, and calls with a trump at least."""
    asked = set()
    for view, _, choice in choices_in("frap/5"):
        assert isinstance(view, FrapView)
        asked.add(view.asked)
        assert choice not in {"blind", "undercut:stock"}
        assert choice != "frap" or view.hand_mask & TRUMPS[view.trump]
    assert asked == {"look", "call", "answer", "exchange", "discard", "undercut", "play"}


def test_there_is_none_but_known_games() -> None:
    """A game without rules of thumb would fail at its first forfeit."""
    assert {variant.split("/")[0] for variant in PLAYED} == set(GAMES)
