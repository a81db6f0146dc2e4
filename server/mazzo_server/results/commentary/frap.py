"""The words of Frap."""

from __future__ import annotations

from collections.abc import Container, Sequence

from mazzo.cards import FRENCH, bits
from mazzo.game import Action, Event
from mazzo.games.frap import FrapView
from mazzo_server.results.commentary.lines import Part, format_number, name_card
from mazzo_server.results.commentary.words import (
    Names,
    Said,
    Words,
    list_by_name,
    name_suit,
    read_kind,
    read_rest,
)

__all__ = ["FrapWords"]

_ALL_TRICKS = 4


class FrapWords(Words[FrapView]):
    signed = True
    draw_label = "Exchange"
    counted = "Tricks"
    usual = _ALL_TRICKS
    moves = (
        ("look", "look at your hand, then call or pass"),
        ("blind", "frap without looking; you get the trump card too"),
        ("frap", "you will take two tricks or more"),
        ("pass", "no; on a frap you throw your hand in"),
        ("whist", "you will take one trick at least"),
        ("discard:CARD", "lay it down; what you exchange is replaced when you are done"),
        ("stand", "exchange no more"),
        ("undercut:stock, undercut:trump", "come back with five new cards"),
        ("decline", "stay out"),
    )

    def tell_start(self, view: FrapView, names: Names) -> list[Said]:
        antes = "antes paid" if view.ante_paid else "no antes"
        return [
            ("Pot", [f"{format_number(view.first_pot)} chips, {antes}"]),
            ("Trumps", [view.trump_card, f", {name_suit(FRENCH, view.trump)}"]),
        ]

    def tell_action(self, before: FrapView, after: FrapView, event: Event) -> Said | None:
        match read_kind(event), read_rest(event):
            case "look", _:
                return "Auction", ["looks"]
            case "blind", _:
                return "Auction", ["fraps without looking"]
            case "frap", _:
                return "Auction", ["fraps"]
            case "pass", _:
                return ("Auction" if before.frapper is None else "Answers"), ["passes"]
            case "whist", _:
                return "Answers", ["whists"]
            case "stand", _:
                counted = after.exchanged[event.seat] and event.seat != after.seat
                return None if counted else ("Exchange", ["exchanges no more"])
            case "discard", card:
                undercut = event.seat in after.undercutters
                label = "Undercut" if undercut else "Exchange"
                return label, ["discards ", FRENCH.parse(card)]
            case "undercut", "stock":
                return "Undercut", ["comes back with five cards of the stock"]
            case "undercut", _:
                return "Undercut", ["comes back with the trump card and four of the stock"]
            case _:
                return "Undercut", ["stays out"]

    def tell_trick(self, before: FrapView, after: FrapView, names: Names) -> list[Part]:
        chips = format_number(before.pot // _ALL_TRICKS)
        return [f"{chips} chips to {names[after.trick_winners[-1]]}"]

    def tell_events(
        self, before: FrapView, after: FrapView, names: Names, shown: Container[int]
    ) -> list[Said]:
        facts: list[Said] = []
        if after.frapper is None and after.pot > before.pot:
            each = (after.pot - before.pot) // after.players
            paid = f"all passed and pay {format_number(each)} each"
            facts.append(("Pot", [f"{paid}: {format_number(after.pot)} chips"]))
        if len(after.dead_trumps) > len(before.dead_trumps):
            suit = name_suit(FRENCH, after.trump)
            facts.append(("Trumps", [f"round {after.round}: ", after.trump_card, f", {suit}"]))
        if after.trump_taker is not None and before.trump_taker is None and after.blind:
            facts.append(
                (
                    "Exchange",
                    [f"{names[after.trump_taker]} takes the trump card ", after.trump_card],
                )
            )
        for seat, count in enumerate(after.exchanged):
            replaced = after.hand_counts[seat] > before.hand_counts[seat]
            if count and replaced and seat not in shown:
                facts.append(("Exchange", [f"{names[seat]} exchanges {count}"]))
        return facts

    def tell_outcome(self, view: FrapView, names: Names) -> list[Said]:
        if view.frapper is None:
            return [
                (
                    "Result",
                    [f"nobody called; {format_number(view.pot)} chips stay in the pot"],
                )
            ]
        tricks = [
            f"{name} {count}"
            for seat, (name, count) in enumerate(zip(names, view.tricks_taken, strict=True))
            if seat in view.seats_in_play
        ]
        alone = "" if view.trick_winners else ", unopposed"
        left = f"{format_number(view.pot)} chips in the next pot"
        return [("Result", [f"tricks {', '.join(tricks)}{alone}; {left}"])]

    def list_facts(self, view: FrapView, names: Names) -> list[Said]:
        pot = format_number(view.pot)
        facts: list[Said] = [
            ("Pot", [f"{pot} chips, round {view.round}, stock {view.stock_count}"]),
            ("Trumps", [view.trump_card, f", {name_suit(FRENCH, view.trump)}"]),
        ]
        if view.frapper is not None:
            calls = f"{names[view.frapper]} fraps" + (" blind" if view.blind else "")
            calls += "".join(f", {names[seat]} whists" for seat in bits(view.whisters))
            calls += "".join(f", {names[seat]} undercuts" for seat in view.undercutters)
            facts.append(("Calls", [calls]))
        if view.trick_winners:
            taken = {names[seat]: view.tricks_taken[seat] for seat in view.seats_in_play}
            facts.append(("Tricks", [list_by_name(list(taken), list(taken.values()))]))
        return facts

    def list_counted_sides(self, view: FrapView) -> Sequence[tuple[int, ...]]:
        return [(seat,) for seat in view.seats_in_play]

    def count_points(self, view: FrapView) -> Sequence[int]:
        return view.tricks_taken

    def tell_trick_worth(self, view: FrapView) -> list[Part]:
        return [f"{format_number(view.pot // _ALL_TRICKS)} chips"]

    def explain_action(self, view: FrapView, action: Action) -> str:
        kind, rest = read_kind(action), read_rest(action)
        if kind == "undercut":
            cards = "five cards" if rest == "stock" else "the trump card and four"
            return f"come back with {cards} of the stock"
        return name_card(FRENCH.parse(rest)) if kind == "discard" else ""
