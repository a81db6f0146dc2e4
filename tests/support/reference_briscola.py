"""A second Briscola, slow and plain, written from the rules alone.

It shares nothing with the package: cards, tokens and hands are lists of texts, the winner
of a trick is found by sorting, and the position is kept as the rules tell it.
"""

from __future__ import annotations

__all__ = ["TOKENS", "WORTH", "Table", "pack"]

SUITS = ["d", "c", "s", "b"]
RANKS = ["A", "2", "3", "4", "5", "6", "7", "J", "H", "K"]
LOW_TO_HIGH = ["2", "4", "5", "6", "7", "J", "H", "K", "3", "A"]
WORTH = {"A": 11, "3": 10, "K": 4, "H": 3, "J": 2, "7": 0, "6": 0, "5": 0, "4": 0, "2": 0}
TOKENS = [
    "trump-ace",
    "trump-three",
    "trump-king",
    "trump-horse",
    "trump-jack",
    "low-trump",
    "no-trump",
    "carico",
    "no-carico",
    "play-trump",
    "play-high-trump",
    "play-points",
    "play-low",
    "leave-it",
    "mine",
    "strong",
]


def pack(players: int) -> list[str]:
    """The cards of the pack in ascending id."""
    cards = [rank + suit for suit in SUITS for rank in RANKS]
    if players == 3:
        cards.remove("2d")
    if players == 6:
        cards = [card for card in cards if not card.startswith("2")]
    return cards


class Table:
    """A deal as the people around the table see it, all cards face up."""

    def __init__(
        self, players: int, deck: list[str], *, dealer: int, draws: str = "top", talk: bool = False
    ) -> None:
        """Deal the cards; `talk` is whether tokens may be said aloud."""
        assert sorted(deck) == sorted(pack(players))
        self.players = players
        self.dealer = dealer
        self.draws = draws
        self.talk = talk
        self.hands: list[list[str]] = [[] for _ in range(players)]
        for k in range(players):
            self.hands[(dealer + 1 + k) % players] = [deck[3 * k], deck[3 * k + 1], deck[3 * k + 2]]
        self.trump_card = deck[3 * players]
        self.stock = [*deck[3 * players + 1 :], self.trump_card]
        self.to_move: int | None = (dealer + 1) % players
        self.table: list[tuple[int, str]] = []
        self.taken: list[list[str]] = [[] for _ in range(players)]
        self.tricks: list[tuple[int, list[str], int]] = []  # leader, cards, winner
        self.said: list[str] = []
        self.talked: list[tuple[int, int, str]] = []  # trick, seat, token

    def legal(self) -> list[str]:
        """The codes that the seat to move may choose from, in ascending action number."""
        if self.to_move is None:
            return []
        codes = [card for card in pack(self.players) if card in self.hands[self.to_move]]
        if self.talk and len(self.said) < 3:
            codes += ["say:" + token for token in TOKENS if token not in self.said]
        return codes

    def act(self, code: str) -> None:
        """Say a token or play a card."""
        assert code in self.legal()
        seat = self.to_move
        assert seat is not None
        if code.startswith("say:"):
            token = code.split(":")[1]
            self.said.append(token)
            self.talked.append((len(self.tricks), seat, token))
            return
        self.said = []
        self.hands[seat].remove(code)
        self.table.append((seat, code))
        if len(self.table) < self.players:
            self.to_move = (seat + 1) % self.players
            return
        winner = self._winner()
        cards = [card for _, card in self.table]
        self.tricks.append((self.table[0][0], cards, winner))
        self.taken[winner] += cards
        self.table = []
        if self.stock:
            self._draw(winner)
        self.to_move = winner if self.hands[winner] else None

    def _winner(self) -> int:
        trump, led = self.trump_card[1], self.table[0][1][1]
        in_play = [play for play in self.table if play[1][1] == trump]
        if not in_play:
            in_play = [play for play in self.table if play[1][1] == led]
        in_play.sort(key=lambda play: LOW_TO_HIGH.index(play[1][0]))
        return in_play[-1][0]

    def _draw(self, winner: int) -> None:
        drawing = [(winner + k) % self.players for k in range(self.players)]
        of_round, self.stock = self.stock[: self.players], self.stock[self.players :]
        if self.draws == "top":
            for seat, card in zip(drawing, of_round, strict=True):
                self.hands[seat].append(card)
            return
        from_first = [(self.dealer + 1 + k) % self.players for k in range(self.players)]
        if self.trump_card in of_round:
            of_round.remove(self.trump_card)
            from_first.remove(drawing[-1])
            self.hands[drawing[-1]].append(self.trump_card)
        for seat in from_first:
            self.hands[seat].append(of_round.pop(0))

    def points(self) -> list[int]:
        """Card points that each seat has taken."""
        return [sum(WORTH[card[0]] for card in cards) for cards in self.taken]

    def partners(self, seat: int) -> list[int]:
        """The seats of the seat's side, itself included."""
        if self.players in (2, 3):
            return [seat]
        return [other for other in range(self.players) if other % 2 == seat % 2]

    def scores(self) -> list[int] | None:
        """What the deal is worth to each seat once it is over."""
        if self.to_move is not None:
            return None
        points = self.points()
        return [sum(points[other] for other in self.partners(seat)) for seat in range(self.players)]

    def result(self) -> dict[str, object] | None:
        """The further facts of a finished deal."""
        if self.to_move is not None:
            return None
        return {"points": self.points(), "last": self.tricks[-1][2]}

    def trump_holder(self) -> int | None:
        """Who holds the drawn trump card."""
        for seat, hand in enumerate(self.hands):
            if self.trump_card in hand:
                return seat
        return None
