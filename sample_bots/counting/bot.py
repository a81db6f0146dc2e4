"""Counts the cards: knows what is unseen, weighs every play, solves the end exactly.

All values are card points, as a difference: what the own side gains and the other loses.
"""

from collections.abc import Iterable

from mazzo import Bot, Card, View, run
from mazzo.games.briscola import RANK_ORDER, BriscolaView

WORTH = dict(zip(RANK_ORDER, (5, 4, 2, 1.5, 1, 0, 0, 0, 0, 0), strict=True))
TRUMP_WORTH = dict(zip(RANK_ORDER, (19, 16, 9, 8, 7, 6, 6, 6, 5, 5), strict=True))
LEAD = -1.0


class CountingBot(Bot):
    """Briscola by expectation; never talks."""

    def act(self, view: View) -> Card:
        """The card to play."""
        assert isinstance(view, BriscolaView)
        if view.players == 2 and view.stock_count == 0:
            return End(view).best()
        table = Table(view)
        return max(view.hand, key=table.value)


class Table:
    """What the cards of a hand are worth in the trick on the table."""

    def __init__(self, view: BriscolaView) -> None:
        self.view = view
        self.hidden = hidden(view)
        self.points = sum(map(view.card_points, view.trick.cards))
        mates = view.partners
        later = later_seats(view)
        self.rivals_hold = sum(view.hand_counts[s] for s in later if s not in mates)
        self.mates_hold = sum(view.hand_counts[s] for s in later if s in mates)
        best = view.winner_so_far
        self.best = best[1] if best else None
        self.ours = best is not None and best[0] in mates
        self.prize = LEAD
        self.loss = 0.5 if view.players == 3 else 1.0
        if view.stock_count == view.players:
            mean = sum(map(self.worth, self.hidden)) / len(self.hidden)
            self.prize += mean - self.worth(view.trump_card)

    def worth(self, card: Card) -> float:
        """What a card in the hand is expected to bring later."""
        return (TRUMP_WORTH if card.suit == self.view.trump else WORTH)[card.rank]

    def value(self, card: Card) -> float:
        """What playing the card is expected to bring."""
        view = self.view
        takes = self.best is None or view.beats(card, self.best)
        best = card if takes or self.best is None else self.best
        ours = takes or self.ours
        points = self.points + view.card_points(card)
        stake = points + self.prize
        replying = self.rivals_hold if ours else self.mates_hold
        if not replying:
            return (stake if ours else -self.loss * stake) - self.worth(card)
        replies = []
        for reply in self.hidden:
            more = stake + view.card_points(reply)
            replies.append((more if view.beats(reply, best) else -more) - self.worth(reply))
        result = expected_best(replies, replying)
        return (-result if ours else result) - self.worth(card)


def expected_best(values: Iterable[float], held: int) -> float:
    """The mean of the highest of `held` values that are drawn from these at random."""
    ordered = sorted(values, reverse=True)
    mean, left = 0.0, 1.0
    for index, value in enumerate(ordered):
        here = left * held / (len(ordered) - index)
        mean += here * value
        left -= here
        if left < 1e-9: break
    return mean


def later_seats(view: BriscolaView) -> list[int]:
    """The seats that play to this trick after this one."""
    after = view.players - 1 - len(view.trick.cards)
    return [(view.seat + step) % view.players for step in range(1, after + 1)]


def hidden(view: BriscolaView) -> tuple[Card, ...]:
    """Every card that another seat may hold."""
    holder = view.trump_holder
    if holder is None or holder == view.seat:
        return view.unseen
    return (*view.unseen, view.trump_card)


class End:
    """The end of a deal for two, without stock: both hands are known."""

    def __init__(self, view: BriscolaView) -> None:
        self.view = view

    def best(self) -> Card:
        """The card that brings the most, whatever the other does."""
        view = self.view
        mine, theirs, table = view.hand, hidden(view), view.trick.cards

        def value(card: Card) -> int:
            rest = without(mine, card)
            if table:
                return self.settle(table[0], card, theirs, rest)
            return -self.follow(card, theirs, rest)

        return max(mine, key=value)

    def lead(self, mine: tuple[Card, ...], theirs: tuple[Card, ...]) -> int:
        if not mine:
            return 0
        return max(-self.follow(card, theirs, without(mine, card)) for card in mine)

    def follow(self, led: Card, mine: tuple[Card, ...], theirs: tuple[Card, ...]) -> int:
        return max(self.settle(led, card, theirs, without(mine, card)) for card in mine)

    def settle(
        self, led: Card, card: Card, theirs: tuple[Card, ...], mine: tuple[Card, ...]
    ) -> int:
        points = self.view.card_points(led) + self.view.card_points(card)
        if self.view.beats(card, led):
            return points + self.lead(mine, theirs)
        return -points - self.lead(theirs, mine)


def without(cards: tuple[Card, ...], card: Card) -> tuple[Card, ...]:
    return tuple([other for other in cards if other != card])


if __name__ == "__main__":
    run(CountingBot)
