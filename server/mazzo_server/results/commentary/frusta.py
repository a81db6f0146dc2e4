"""The words of Frusta."""

from __future__ import annotations

from collections.abc import Container, Sequence

from mazzo.cards import ITALIAN
from mazzo.games.frusta import FrustaView
from mazzo_server.results.commentary.lines import Part
from mazzo_server.results.commentary.words import Names, Said, Words, list_by_name, name_suit

__all__ = ["FrustaWords"]


class FrustaWords(Words[FrustaView]):
    public_draws = True
    draw_verb = "gets"
    counted = "Tricks of stage 2"
    usual = 5

    def tell_start(self, view: FrustaView, names: Names) -> list[Said]:
        prize: list[Part] = [
            "the first prize is ",
            view.trump_card,
            f": {name_suit(ITALIAN, view.trump)}",
        ]
        return [("Trumps", prize)]

    def tell_trick(self, before: FrustaView, after: FrustaView, names: Names) -> list[Part]:
        if before.stage == 1:
            return []
        return [f"tricks {list_by_name(names, after.tricks_taken[: after.players])}"]

    def tell_events(
        self, before: FrustaView, after: FrustaView, names: Names, shown: Container[int]
    ) -> list[Said]:
        facts: list[Said] = []
        if len(after.prizes) > len(before.prizes):
            facts.append(("Prize", [ITALIAN.cards[after.prizes[-1]]]))
        elif before.stage == 1 and after.stage == 2:
            facts.append(("Stage 2", ["the stock is gone, from now on tricks count"]))
        if after.tiebreak and not before.tiebreak:
            leader = after.trick_leader
            led, answer = (ITALIAN.cards[card] for card in after.tiebreak)
            plays: list[Part] = [
                f"level; {names[leader]} leads ",
                led,
                f", {names[1 - leader]} ",
                answer,
            ]
            facts.append(("Tie-break", plays))
        return facts

    def list_facts(self, view: FrustaView, names: Names) -> list[Said]:
        facts: list[Said] = [("Trumps", [name_suit(ITALIAN, view.trump)])]
        if view.prize is None:
            return [*facts, ("Tricks", [list_by_name(names, view.tricks_taken)])]
        return [*facts, ("Prize", [view.prize, f", stock {view.stock_count} with it"])]

    def count_points(self, view: FrustaView) -> Sequence[int]:
        return view.tricks_taken

    def tell_trick_worth(self, view: FrustaView) -> list[Part]:
        return ["one trick"] if view.prize is None else ["the prize is ", view.prize]
