"""Frap: unlooked and thrown-in hands, the hands in play, discards and the stock.

A world needs more than cards here: which cards the others discarded is an action that this
seat's view does not have. An arrangement says what each of the others holds and what it
discarded; which of its cards were dealt and which were drawn then leaves equally many
possibilities, with one exception: a blind frapper who goes on to exchange. The trump card
that he took is none of the cards that he drew, so that there are fewer possibilities where
he kept it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from math import comb

from mazzo.cards import FRENCH, bits, mask_of
from mazzo.games.frap.rules import DISCARD, deck_of
from mazzo.games.frap.view import FrapView
from mazzo.layout import Layout, World, fill

__all__ = ["layouts"]

_HAND = 4  # cards


@dataclass(slots=True, kw_only=True)
class _Seat:
    """What has become of a seat's cards."""

    played: list[int]
    holds: int  # cards in the hand
    discarded: int = 0  # cards
    drawn: int = 0  # cards, in the exchange or by an undercut, the trump card not counted
    takes_trump: bool = False
    undercuts: bool = False
    thrown_in: bool = False
    void: set[str] = field(default_factory=set)  # suits that it has no card of


def layouts(view: FrapView) -> list[Layout]:
    """Return a group for each other hand in play and for each seat's discards, one for the rest.

    Two layouts where a blind frapper who exchanged may have kept the trump card or not.
    """
    seats = _seats(view)
    me = view.seat
    trump = int(view.trump_card)
    looked = bool(view.looked >> me & 1)
    own = mask_of(seats[me].played) | mask_of(view.discards) | view.hand_mask | view.thrown_in
    public = mask_of(view.past_cards) | mask_of(view.trick_cards) | mask_of(view.dead_trumps)
    seen = own | public | 1 << trump
    unseen = mask_of(deck_of(view.variant)) & ~seen
    taker = view.trump_taker
    trump_hidden = taker is not None and taker != me and not public >> trump & 1
    cards = unseen | 1 << trump if trump_hidden else unseen

    active = [seat for seat in range(view.players) if seat != me and _changed(seats[seat])]
    groups: list[tuple[int, int]] = []
    for seat in active:
        allowed = cards & ~mask_of(c for c in FRENCH.cards if c.suit in seats[seat].void)
        if seat != taker:
            allowed &= ~(1 << trump)
        groups.append((seats[seat].holds, allowed))
    for seat in active:
        groups.append((seats[seat].discarded, cards if seat == taker else unseen))
    placed = sum(size for size, _ in groups)
    groups.append((cards.bit_count() - placed, unseen))

    def complete(arranged: list[list[int]], rng: random.Random) -> World:
        hands = dict(zip(active, arranged[: len(active)], strict=True))
        discards = dict(zip(active, arranged[len(active) : -1], strict=True))
        if looked:
            hands[me], discards[me] = list(bits(view.hand_mask)), list(view.discards)
        deck = _deck(view, seats, hands, discards, arranged[-1], rng)
        unheard = {seat: [DISCARD + card for card in discards[seat]] for seat in active}
        return World(shuffles=[deck], start=_start(view), unheard=unheard)

    drawn = seats[taker].drawn if taker is not None and not seats[taker].undercuts else 0
    if not trump_hidden or not drawn:
        return [Layout(cards=cards, groups=tuple(groups), complete=complete)]
    assert taker is not None
    index = active.index(taker)
    kept, gone = list(groups), list(groups)
    discards_index = len(active) + index
    kept[discards_index] = (groups[discards_index][0], unseen)
    gone[index] = (groups[index][0], groups[index][1] & ~(1 << trump))
    return [
        Layout(cards=cards, groups=tuple(kept), complete=complete, weight=comb(_HAND - 1, drawn)),
        Layout(cards=cards, groups=tuple(gone), complete=complete, weight=comb(_HAND, drawn)),
    ]


def _changed(seat: _Seat) -> bool:
    """Return whether the seat's cards are other ones than those dealt to it, or no longer free."""
    return bool(seat.played or seat.discarded or seat.drawn or seat.takes_trump or seat.void)


def _seats(view: FrapView) -> list[_Seat]:
    """Return what everybody knows of each seat's cards."""
    seats = []
    plays = view.plays
    for seat in range(view.players):
        played = [int(card) for who, card in plays if who == seat]
        holds, exchanged = view.hand_counts[seat], view.exchanged[seat]
        total = holds + len(played)
        facts = _Seat(played=played, holds=holds, takes_trump=view.trump_taker == seat)
        if seat in view.undercutters:
            facts.thrown_in = facts.undercuts = True
            facts.drawn = _HAND if facts.takes_trump else _HAND + 1
            facts.discarded = _HAND + 1 - total
        elif facts.takes_trump:
            facts.discarded = exchanged + (total != _HAND + 1)
            facts.drawn = exchanged if total == _HAND else 0
        else:
            facts.discarded = exchanged
            facts.drawn = exchanged if total == _HAND else 0
            facts.thrown_in = not total and not exchanged
        seats.append(facts)
    for _, seat, suits in view.voids_shown:
        seats[seat].void.update(suits)
    return seats


def _deck(
    view: FrapView,
    seats: list[_Seat],
    hands: dict[int, list[int]],
    discards: dict[int, list[int]],
    rest: list[int],
    rng: random.Random,
) -> list[int]:
    """Return a pack that was dealt and drawn from like this; `rest` fills what is left open."""
    players = view.players
    first = (view.dealer + 1) % players
    deck = [-1] * len(deck_of(view.variant))
    trump_place = _HAND * players
    trumps = [*view.dead_trumps, int(view.trump_card)]
    fill(range(trump_place, trump_place + len(trumps)), trumps, deck)
    top = trump_place + len(trumps)  # of the stock
    order = [(first + step) % players for step in range(players)]
    # First everybody exchanges, then those who passed may undercut.
    for seat in sorted(order, key=lambda seat: seats[seat].undercuts):
        facts = seats[seat]
        if seat not in hands:
            continue
        had = [card for card in hands[seat] + facts.played if card != int(view.trump_card)]
        gone = [card for card in discards[seat] if card != int(view.trump_card)]
        if seat == view.seat:
            drawn = _drawn(view)
        elif facts.undercuts:
            drawn = had + gone
        else:
            drawn = rng.sample(had, facts.drawn)
            if not facts.thrown_in:
                dealt = [card for card in had if card not in drawn] + gone
                _deal(order.index(seat), dealt, players, deck, rng)
        rng.shuffle(drawn)
        fill(range(top, top + facts.drawn), drawn, deck)
        top += facts.drawn
    if view.received:
        dealt = [int(card) for card in view.received[0].cards]
        _deal(order.index(view.seat), dealt, players, deck, rng)
    fill([place for place, card in enumerate(deck) if card < 0], rest, deck)
    return deck


def _drawn(view: FrapView) -> list[int]:
    """Return the cards that the view's seat drew from the stock."""
    later = [int(card) for receipt in view.received[1:] for card in receipt.cards]
    return [card for card in later if card != int(view.trump_card)]


def _deal(place: int, cards: list[int], players: int, deck: list[int], rng: random.Random) -> None:
    """Give the seat at this place from the first seat on its four cards."""
    rng.shuffle(cards)
    fill(range(place, _HAND * players, players), cards, deck)


def _start(view: FrapView) -> dict[str, object]:
    if not view.start_pot and view.ante_paid:
        return {}
    return {"pot": view.start_pot, "ante": view.ante_paid}
