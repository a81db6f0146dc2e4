"""Counts the cards: knows what is unseen, weighs every play, solves the end exactly.

All values are card points, as a difference: what this side gains and the others lose.
"""

from collections.abc import Iterable

from mazzo import Bot, Card, View, run
from mazzo.games.briscola import RANK_ORDER, BriscolaView

# What a card still in the hand is expected to bring, more than a worthless one. The numbers
# were found by play for two against itself and `greedy`.
WORTH = dict(zip(RANK_ORDER, (5, 5, 2, 1.5, 1, 0, 0, 0, 0, 0), strict=True))
TRUMP_WORTH = dict(zip(RANK_ORDER, (14, 11, 7, 5, 3.5, 2.2, 2.1, 2, 1.9, 1.8), strict=True))
LARGE_TABLE = 2  # trumps are worth so many times more where more than two lay points into a trick
LEAD = -2  # winning a trick means leading the next, with the others to answer
END = 2  # from so many cards in the stock on, a deal for two is searched to its end

Hand = frozenset[Card]


class CountingBot(Bot):
    """Briscola by counting; never talks."""

    def act(self, view: View) -> Card:
        """The card to play."""
        assert isinstance(view, BriscolaView)
        if view.players == 2 and view.stock_count <= END:
            return best_at_the_end(view)
        return max(view.hand, key=Table(view).value)


class Table:
    """The trick on the table, for any number of players.

    A simplification: those who are still to play are taken for one player, an opponent or a
    mate, who holds all their cards and lays the best of them.
    """

    def __init__(self, view: BriscolaView) -> None:
        self.view = view
        self.hidden = view.hidden
        self.worth_of = {card: self.worth(card) for card in (*view.hand, *self.hidden)}
        later = view.later_seats
        self.mates_hold = sum(view.hand_counts[seat] for seat in later if seat in view.partners)
        self.others_hold = sum(view.hand_counts[seat] for seat in later) - self.mates_hold
        winning = view.winner_so_far
        self.best = winning[1] if winning else None
        self.ours = winning is not None and winning[0] in view.partners
        self.prize: float = LEAD + sum(map(view.card_points, view.trick.cards))
        if view.stock_count == view.players:
            # Who wins the trick before the last draw leaves the trump card to the seat behind,
            # an opponent, and gets any card instead.
            mean = sum(self.worth_of[card] for card in self.hidden) / len(self.hidden)
            self.prize += mean - self.worth(view.trump_card)

    def worth(self, card: Card) -> float:
        """What the card is expected to bring in a later trick."""
        if card.suit != self.view.trump:
            return WORTH[card.rank]
        return TRUMP_WORTH[card.rank] * (1 if self.view.players == 2 else LARGE_TABLE)

    def value(self, card: Card) -> float:
        """What playing the card is expected to bring."""
        view = self.view
        takes = self.best is None or view.beats(card, self.best)
        best = card if self.best is None or takes else self.best
        ours = takes or self.ours
        prize = self.prize + view.card_points(card)
        held = self.others_hold if ours else self.mates_hold
        if held:
            replies = []
            for reply in self.hidden:
                more = prize + view.card_points(reply)
                gain = more if view.beats(reply, best) else -more
                replies.append(gain - self.worth_of[reply])
            answer = expected_best(replies, held)
            return (-answer if ours else answer) - self.worth_of[card]
        return (prize if ours else -prize) - self.worth_of[card]


def expected_best(values: Iterable[float], held: int) -> float:
    """The mean of the highest of `held` values that are drawn from these at random."""
    ordered = sorted(values, reverse=True)
    mean, no_better = 0.0, 1.0
    for index, value in enumerate(ordered):
        left = len(ordered) - index
        here = no_better * held / left
        mean += here * value
        no_better -= here
        if left == held:
            break
    return mean


def best_at_the_end(view: BriscolaView) -> Card:
    """For two players: the best card when the stock is empty or has two cards left.

    Without stock the other hand is known, and the answer exact. With two cards left one of
    the hidden cards is on top and the others are the other hand: each of these few worlds is
    solved as if both players saw it.
    """
    hidden = frozenset(view.hidden)
    worlds: list[tuple[Hand, tuple[Card, ...]]] = [(hidden, ())]
    if view.stock_count:
        worlds = [(hidden - {top}, (top, view.trump_card)) for top in sorted(hidden)]
    search = Search(view)

    def value(card: Card) -> int:
        rest = frozenset(view.hand) - {card}
        if view.trick.cards:
            led = view.trick.cards[0]
            return sum(search.settle(led, card, rest, theirs, draws) for theirs, draws in worlds)
        return -sum(search.follow(card, theirs, rest, draws) for theirs, draws in worlds)

    return max(view.hand, key=value)


class Search:
    """Perfect play of two who see all cards; values are points, for whoever is to play.

    `mine` is the hand of that player, `theirs` the other's. `draws` has the winner's and the
    loser's card of the last draw, and nothing after it.
    """

    def __init__(self, view: BriscolaView) -> None:
        self.view = view
        self.known: dict[tuple[Hand, Hand], int] = {}

    def lead(self, mine: Hand, theirs: Hand) -> int:
        """The value of leading, without stock."""
        value = self.known.get((mine, theirs))
        if value is None:
            values = [-self.follow(card, theirs, mine - {card}, ()) for card in mine]
            value = self.known[mine, theirs] = max(values, default=0)
        return value

    def follow(self, led: Card, mine: Hand, theirs: Hand, draws: tuple[Card, ...]) -> int:
        """The value of answering the card led."""
        return max([self.settle(led, card, mine - {card}, theirs, draws) for card in mine])

    def settle(
        self, led: Card, card: Card, mine: Hand, theirs: Hand, draws: tuple[Card, ...]
    ) -> int:
        """The value of having answered with this card."""
        points = self.view.card_points(led) + self.view.card_points(card)
        if self.view.beats(card, led):
            return points + self.lead(mine.union(draws[:1]), theirs.union(draws[1:]))
        return -points - self.lead(theirs.union(draws[:1]), mine.union(draws[1:]))


if __name__ == "__main__":
    run(CountingBot)
