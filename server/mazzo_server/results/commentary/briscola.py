"""The words of Briscola and of Briscola chiamata."""

from __future__ import annotations

from collections.abc import Container, Sequence

from mazzo.cards import ITALIAN, Card
from mazzo.game import Action, Event
from mazzo.games.briscola import BriscolaView
from mazzo.games.chiamata import ChiamataView
from mazzo.tricks import BRISCOLA_POINTS
from mazzo_server.results.commentary.lines import Part, name_card
from mazzo_server.results.commentary.words import (
    Names,
    Said,
    Words,
    count_points_taken,
    list_by_name,
    name_suit,
    read_kind,
    read_rest,
)

__all__ = ["BriscolaWords", "ChiamataWords"]

_TALK = {
    "trump-ace": "I hold the ace of trumps",
    "trump-three": "I hold the three of trumps",
    "trump-king": "I hold the king of trumps",
    "trump-horse": "I hold the horse of trumps",
    "trump-jack": "I hold the jack of trumps",
    "low-trump": "I hold a low trump",
    "no-trump": "I hold no trump",
    "carico": "I hold an ace or a three that is no trump",
    "no-carico": "I hold no ace or three but trumps",
    "play-trump": "play a trump",
    "play-high-trump": "play a high trump",
    "play-points": "play points",
    "play-low": "play a low card",
    "leave-it": "leave this trick to them",
    "mine": "this trick is mine",
    "strong": "my hand is strong",
}
"""What each word of the talk says, true or not."""


class BriscolaWords(Words[BriscolaView]):
    public_draws = True
    moves = (
        (
            "say:TOKEN",
            "talk before you play, true or not, three at most: what you hold, what your partner "
            "should do, how this trick stands",
        ),
    )

    def tell_start(self, view: BriscolaView, names: Names) -> list[Said]:
        return [("Trumps", [view.trump_card, f", {name_suit(ITALIAN, view.trump)}"])]

    def tell_action(self, before: BriscolaView, after: BriscolaView, event: Event) -> Said | None:
        return "Talk", [f'"{read_rest(event)}"']

    def tell_trick(self, before: BriscolaView, after: BriscolaView, names: Names) -> list[Part]:
        return count_points_taken(before.points, after.points, names)

    def list_facts(self, view: BriscolaView, names: Names) -> list[Said]:
        trumps: list[Part] = [name_suit(ITALIAN, view.trump), ", ", view.trump_card]
        trumps.append(f" under a stock of {view.stock_count}" if view.stock_count else " was drawn")
        facts: list[Said] = [("Trumps", trumps)]
        if now := [talk for talk in view.talk if talk.trick == len(view.trick_winners)]:
            facts.append(("Talk", [", ".join(f"{names[talk.seat]} {talk.token}" for talk in now)]))
        return [*facts, ("Points", [list_by_name(names, view.points)])]

    def count_points(self, view: BriscolaView) -> Sequence[int]:
        return view.points

    def tell_trick_worth(self, view: BriscolaView) -> list[Part]:
        return _describe_worth(view)

    def describe_card(self, view: BriscolaView, card: Card) -> str:
        return _describe_value(card)

    def explain_action(self, view: BriscolaView, action: Action) -> str:
        return _TALK[read_rest(action)]


class ChiamataWords(Words[ChiamataView]):
    signed = True
    usual = 30
    moves = (
        ("bid:N", "your side will take N card points; higher than the last bid"),
        ("pass", "leave the auction"),
        ("trump:S", "make the suit trumps"),
        ("call:CARD", "whoever holds the card is your partner"),
    )

    def tell_action(self, before: ChiamataView, after: ChiamataView, event: Event) -> Said | None:
        kind, rest = read_kind(event), read_rest(event)
        if kind == "trump":
            return "Calls", [f"makes {name_suit(ITALIAN, rest)} trumps"]
        if kind == "call":
            return "Calls", ["calls ", ITALIAN.parse(rest)]
        return "Auction", ["passes" if kind == "pass" else f"bids {rest}"]

    def tell_trick(self, before: ChiamataView, after: ChiamataView, names: Names) -> list[Part]:
        return count_points_taken(before.points, after.points, names)

    def tell_events(
        self, before: ChiamataView, after: ChiamataView, names: Names, shown: Container[int]
    ) -> list[Said]:
        called, caller = after.called, after.caller
        if called is None or caller is None or before.past_cards == after.past_cards:
            return []
        for seat, card in after.tricks[-1].plays:
            if card == called:
                partner = "plays alone" if seat == caller else f"and {names[seat]} are partners"
                return [("Partner", [called, f" has come: {names[caller]} {partner}"])]
        return []

    def tell_outcome(self, view: ChiamataView, names: Names) -> list[Said]:
        caller, holder = view.caller, view.holder
        if caller is None or holder is None:
            return [("Result", ["nobody made a bid"])]
        side = sorted({caller, holder})
        points = sum(view.points[seat] for seat in side)
        made = "made" if points >= view.bid else "missed"
        who = names[caller] + ("" if caller == holder else f" with {names[holder]}")
        return [("Result", [f"{who} took {points} points of {view.bid}: {made}"])]

    def list_facts(self, view: ChiamataView, names: Names) -> list[Said]:
        if view.bidder is None:
            return [("Auction", ["no bid yet"])]
        if view.trump is None or view.called is None:
            last = f"{names[view.bidder]} has bid {view.bid}"
            return [("Auction", [last])]
        known = "" if view.holder is None else f", held by {names[view.holder]}"
        contract = (
            f"{names[view.bidder]} at {view.bid}, {name_suit(ITALIAN, view.trump)} trumps, calls "
        )
        return [
            ("Contract", [contract, view.called, known]),
            ("Points", [list_by_name(names, view.points)]),
        ]

    def count_points(self, view: ChiamataView) -> Sequence[int]:
        return view.points

    def tell_trick_worth(self, view: ChiamataView) -> list[Part]:
        return _describe_worth(view)

    def describe_card(self, view: ChiamataView, card: Card) -> str:
        return _describe_value(card)

    def explain_action(self, view: ChiamataView, action: Action) -> str:
        kind, rest = read_kind(action), read_rest(action)
        if kind == "trump":
            return f"{name_suit(ITALIAN, rest)} trumps"
        return name_card(ITALIAN.parse(rest)) if kind == "call" else ""


def _describe_worth(view: BriscolaView | ChiamataView) -> list[Part]:
    return [f"{sum(BRISCOLA_POINTS[card] for card in view.trick.cards)} points so far"]


def _describe_value(card: Card) -> str:
    points = BRISCOLA_POINTS[card]
    return f"{points} points" if points else ""
