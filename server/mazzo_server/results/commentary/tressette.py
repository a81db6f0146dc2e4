"""The words of both kinds of Tressette for two."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar, TypeVar

from mazzo.cards import ITALIAN, Card
from mazzo.game import Action, Event, View
from mazzo.games.tressette import MetaMazzoView, PizzichinoView
from mazzo_server.results.commentary.lines import Part, format_number, join_parts, name_card
from mazzo_server.results.commentary.words import (
    Names,
    Said,
    Words,
    name_suit,
    read_kind,
    read_rest,
)

__all__ = ["MetaMazzoWords", "PizzichinoWords"]

_ViewT = TypeVar("_ViewT", bound=View)
_THIRDS = 3  # in a point
_RANKS = {"3": "threes", "2": "twos", "A": "aces"}


class TressetteWords(Words[_ViewT]):
    counted = "Points"
    usual = 6
    moves: ClassVar[tuple[tuple[str, str], ...]] = (
        ("declare:3, declare:2, declare:A", "show three or four of the rank, 3 or 4 points"),
        ("declare:napoletana-S", "show 3, 2 and A of the suit, 3 points"),
    )

    def tell_action(self, before: _ViewT, after: _ViewT, event: Event) -> Said | None:
        kind = read_kind(event)
        assert isinstance(after, MetaMazzoView | PizzichinoView)
        assert isinstance(before, MetaMazzoView | PizzichinoView)
        if kind == "declare":
            shown = after.declarations[-1]
            parts = ["shows ", *join_parts([[card] for card in shown.cards], " ")]
            return "Declares", [*parts, f" for {shown.points} points"]
        return self._find_other(before, after, event, kind)

    def _find_other(self, before: Any, after: Any, event: Event, kind: str) -> Said | None:
        return None

    def tell_trick(self, before: _ViewT, after: _ViewT, names: Names) -> list[Part]:
        assert isinstance(after, MetaMazzoView | PizzichinoView)
        assert isinstance(before, MetaMazzoView | PizzichinoView)
        winner = after.trick_winners[-1]
        gain = Fraction(after.thirds[winner] - before.thirds[winner], _THIRDS)
        return [f"{format_number(gain)} to {names[winner]}"] if gain else []

    def tell_outcome(self, view: _ViewT, names: Names) -> list[Said]:
        assert isinstance(view, MetaMazzoView | PizzichinoView)
        return [("Cards", [self._describe_cards(view, names)])]

    def _describe_cards(self, view: MetaMazzoView | PizzichinoView, names: Names) -> str:
        """Return the card points to the third, and what was declared."""
        return ", ".join(
            f"{name} {format_number(Fraction(thirds, _THIRDS))}"
            + (f" and {declared} declared" if declared else "")
            for name, thirds, declared in zip(names, view.thirds, view.buongiochi, strict=True)
        )

    def count_points(self, view: _ViewT) -> Sequence[Fraction]:
        assert isinstance(view, MetaMazzoView | PizzichinoView)
        return [
            Fraction(thirds, _THIRDS) + declared
            for thirds, declared in zip(view.thirds, view.buongiochi, strict=True)
        ]

    def tell_trick_worth(self, view: _ViewT) -> list[Part]:
        assert isinstance(view, MetaMazzoView | PizzichinoView)
        thirds = sum(view.card_thirds(card) for card in view.trick.cards)
        return [f"{format_number(Fraction(thirds, _THIRDS))} points so far"]

    def describe_card(self, view: _ViewT, card: Card) -> str:
        assert isinstance(view, MetaMazzoView | PizzichinoView)
        thirds = view.card_thirds(card)
        if not thirds:
            return ""
        return "1 point" if thirds == _THIRDS else f"{thirds}/{_THIRDS} of a point"

    def explain_action(self, view: _ViewT, action: Action) -> str:
        kind, rest = read_kind(action), read_rest(action)
        if kind != "declare":
            return ""
        if (suit := rest.removeprefix("napoletana-")) != rest:
            return f"show three, two and ace of {name_suit(ITALIAN, suit)}"
        return f"show your {_RANKS[rest]}"


class MetaMazzoWords(TressetteWords[MetaMazzoView]):
    public_draws = True
    moves = (*TressetteWords.moves, ("skip", "declare nothing with the card drawn"))

    def list_facts(self, view: MetaMazzoView, names: Names) -> list[Said]:
        return [("Points", [f"{self._describe_cards(view, names)}; stock {view.stock_count}"])]


class PizzichinoWords(TressetteWords[PizzichinoView]):
    moves = (
        *TressetteWords.moves,
        ("packet:N", "take the packet"),
        ("up:N", "turn the packet up; those not turned up are your hand"),
        ("pluck:N", "put the honour on top of the packet into your hand"),
    )

    def tell_start(self, view: PizzichinoView, names: Names) -> list[Said]:
        return self._describe_packets(view, names)

    def _find_other(
        self, before: PizzichinoView, after: PizzichinoView, event: Event, kind: str
    ) -> Said | None:
        packet = int(read_rest(event))
        if kind == "packet":
            return "Packets", [f"takes packet {packet}"]
        if kind == "up":
            return "Packets", [f"turns up packet {packet}: ", after.tops[packet]]
        top, shows = before.tops[packet], after.tops.get(packet)
        parts: list[Part] = ["plucks ", top, f" from packet {packet}"]
        return "Plucks", parts if shows is None else [*parts, ", which shows ", shows]

    def tell_uncovered(self, before: PizzichinoView, after: PizzichinoView) -> list[Part]:
        for packet, shown in enumerate(after.packet_shown):
            if len(shown) > len(before.packet_shown[packet]):
                return [f" (packet {packet} shows ", ITALIAN.cards[shown[-1]], ")"]
        return []

    def is_card_named(self, event: Event) -> bool:
        return read_kind(event) == "pluck"

    def tell_private(self, before: PizzichinoView, after: PizzichinoView) -> list[Said]:
        seen = after.peeked_cards
        if not seen or before.peeked == after.peeked:
            return []
        return [("Peeks", ["sees ", *_group_by_packet(seen)])]

    def list_facts(self, view: PizzichinoView, names: Names) -> list[Said]:
        facts = self._describe_packets(view, names)
        if view.peeked_cards:
            facts.append(("Peeked", _group_by_packet(view.peeked_cards)))
        return [*facts, ("Points", [self._describe_cards(view, names)])]

    def explain_action(self, view: PizzichinoView, action: Action) -> str:
        if read_kind(action) == "pluck":
            return name_card(view.tops[int(read_rest(action))])
        return super().explain_action(view, action)

    def _describe_packets(self, view: PizzichinoView, names: Names) -> list[Said]:
        """Return the tops of each seat's packets, and how many cards lie under them."""
        facts: list[Said] = []
        for seat, name in enumerate(names):
            if tops := view.tops_of(seat):
                counts = view.packet_counts
                groups: list[list[Part]] = [
                    [f"{packet} ", card, f" over {counts[packet] - 1}"]
                    for packet, card in tops.items()
                ]
                facts.append(("Packets", [f"{name}: ", *join_parts(groups)]))
            elif (owned := view.packets_of(seat)) and not view.hand_counts[seat]:
                facts.append(("Packets", [f"{name}: {', '.join(map(str, owned))}"]))
        return facts


def _group_by_packet(cards: dict[int, Card]) -> list[Part]:
    return join_parts([card, f" on packet {packet}"] for packet, card in cards.items())
