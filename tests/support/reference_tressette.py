"""A second Tressette in Due, both games, slow and plain, written from the rules alone.

It shares nothing with the package: cards and actions are texts, hands and packets are lists,
and the position is kept as the rules tell it.
"""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["PACK", "ReferenceMetaMazzo", "ReferencePizzichino", "card_points", "follower_wins"]

SUITS = "dcsb"
PACK = [rank + suit for suit in SUITS for rank in "A234567JHK"]
LOW_TO_HIGH = "4567JHKA23"
HONOURS = "32A"
THIRDS = {"A": 3, "3": 1, "2": 1, "K": 1, "H": 1, "J": 1, "7": 0, "6": 0, "5": 0, "4": 0}
DECLARATIONS = ["declare:" + rank for rank in HONOURS]
DECLARATIONS += ["declare:napoletana-" + suit for suit in SUITS]


def card_points(thirds: int) -> int:
    """A player's card points."""
    return thirds // 3


def follower_wins(led: str, reply: str) -> bool:
    """Whether the second card of a trick takes it."""
    return reply[1] == led[1] and LOW_TO_HIGH.index(reply[0]) > LOW_TO_HIGH.index(led[0])


def combinations(hand: list[str]) -> dict[str, list[str]]:
    """What a hand could declare, and the cards that each declaration shows."""
    found = {"declare:" + rank: [card for card in hand if card[0] == rank] for rank in HONOURS}
    for suit in SUITS:
        of_suit = [card for card in hand if card[1] == suit and card[0] in HONOURS]
        found["declare:napoletana-" + suit] = of_suit
    return {code: cards for code, cards in found.items() if len(cards) >= 3}


class _Tressette:
    """What both games share: the play of a trick, the declarations and the count."""

    OPTIONS: frozenset[str] = frozenset({"buongiochi", "declare-scope"})
    OTHER_ACTIONS: tuple[str, ...] = ()

    def __init__(
        self,
        players: int,
        options: dict[str, str],
        dealer: int,
        shuffles: list[list[str]],
        start: Mapping[str, object] | None = None,
        draws: str = "top",
    ) -> None:
        """Deal the cards; options that are not given have their defaults."""
        assert players == 2
        assert not start
        assert set(options) <= self.OPTIONS
        assert sorted(shuffles[0]) == sorted(PACK)
        self.options = options
        self.dealt_count = options.get("buongiochi", "on") == "on"
        # Whether combinations made by a drawn or plucked card count.
        self.later_count = self.dealt_count and options.get("declare-scope", "all") == "all"
        self.draws = draws
        self.dealer = dealer
        self.first = 1 - dealer
        self.hands: list[list[str]] = [[], []]
        self.packets: list[list[str]] = []  # of Pizzichino; the top is the first card
        self.up: list[list[int]] = [[], []]  # the numbers of each seat's packets that lie open
        self.led: str | None = None
        self.open: list[list[str]] = [[], []]  # declarations not yet made or passed over
        self.declared: list[list[str]] = [[], []]
        self.buongiochi = [0, 0]
        self.thirds = [0, 0]
        self.tricks = 0
        self.to_move: int | None = self.first
        self.scores: list[int] | None = None
        self.result: dict[str, object] | None = None
        self._deal(shuffles[0])

    def legal(self) -> list[str]:
        """The codes that the seat to move may choose from, in ascending action number."""
        if self.to_move is None:
            return []
        allowed = self._allowed(self.to_move)
        return [code for code in (*PACK, *DECLARATIONS, *self.OTHER_ACTIONS) if code in allowed]

    def apply(self, code: str) -> None:
        """Let the seat to move do this; ValueError if it may not."""
        seat = self.to_move
        if seat is None or code not in self.legal():
            raise ValueError(f"not legal: {code}")
        if code in DECLARATIONS:
            # Three cards are worth 3 points, four are worth 4.
            self.buongiochi[seat] += len(combinations(self.hands[seat])[code])
            self.declared[seat].append(code)
            self.open[seat].remove(code)
            return
        self.open[seat] = []
        if code in PACK:
            self._play(seat, code)
        else:
            self._do_other(seat, code)

    def _offer_dealt(self, seat: int) -> None:
        self.open[seat] = list(combinations(self.hands[seat])) if self.dealt_count else []

    def _offer_with(self, seat: int, card: str) -> None:
        found = combinations(self.hands[seat]) if self.later_count else {}
        self.open[seat] = [code for code, cards in found.items() if card in cards]

    def _cards_to_play(self, seat: int) -> list[str]:
        tops = [self.packets[i][0] for i in self.up[seat] if self.packets[i]]
        visible = self.hands[seat] + tops
        return [card for card in visible if self.led and card[1] == self.led[1]] or visible

    def _play(self, seat: int, card: str) -> None:
        next(pile for pile in [self.hands[seat], *self.packets] if card in pile).remove(card)
        if self.led is None:
            self.led = card
            self.to_move = 1 - seat
            return
        winner = seat if follower_wins(self.led, card) else 1 - seat
        self.thirds[winner] += THIRDS[self.led[0]] + THIRDS[card[0]]
        self.led = None
        self.tricks += 1
        self.to_move = winner
        if self.tricks < 20:
            self._after_trick(winner)
            return
        self.thirds[winner] += 3
        self.to_move = None
        self.scores = [card_points(self.thirds[s]) + self.buongiochi[s] for s in (0, 1)]
        self.result = {"thirds": self.thirds, "buongiochi": self.buongiochi}

    # From here on: what the two games do each in their own way.

    def _deal(self, deck: list[str]) -> None:
        raise NotImplementedError

    def _allowed(self, seat: int) -> list[str]:
        return self._cards_to_play(seat) + self.open[seat]

    def _do_other(self, seat: int, code: str) -> None:
        raise NotImplementedError

    def _after_trick(self, winner: int) -> None:
        pass


class ReferenceMetaMazzo(_Tressette):
    """Tressette in Due a Metà Mazzo: half the pack is drawn."""

    OTHER_ACTIONS = ("skip",)

    def _deal(self, deck: list[str]) -> None:
        self.hands[self.first] = deck[0:5] + deck[10:15]
        self.hands[self.dealer] = deck[5:10] + deck[15:20]
        self.stock = deck[20:]
        self.still_to_draw: list[tuple[int, str]] = []  # after this trick: seat, card
        self.asked = False  # whether the seat to move has just drawn an honour
        self.next_leader = self.first
        for seat in (0, 1):
            self._offer_dealt(seat)

    def _allowed(self, seat: int) -> list[str]:
        return [*self.open[seat], "skip"] if self.asked else super()._allowed(seat)

    def _do_other(self, seat: int, code: str) -> None:
        assert code == "skip"
        self._go_on_drawing()

    def _after_trick(self, winner: int) -> None:
        if not self.stock:
            return
        self.next_leader = winner
        of_round, self.stock = self.stock[:2], self.stock[2:]
        takers = [winner, 1 - winner] if self.draws == "top" else [self.first, self.dealer]
        self.still_to_draw = list(zip(takers, of_round, strict=True))
        self.still_to_draw.sort(key=lambda drawn: drawn[0] != winner)  # the winner draws first
        self._go_on_drawing()

    def _go_on_drawing(self) -> None:
        self.asked = False
        while self.still_to_draw:
            seat, card = self.still_to_draw.pop(0)
            self.hands[seat].append(card)
            if card[0] in HONOURS and self.later_count:
                self._offer_with(seat, card)
                self.asked = True
                self.to_move = seat
                return
        self.to_move = self.next_leader


class ReferencePizzichino(_Tressette):
    """Tressette in Due a Pizzichino: two packets lie open, two are the hand."""

    OPTIONS = _Tressette.OPTIONS | {"packets", "reuse"}
    OTHER_ACTIONS = tuple(f"{verb}:{i}" for verb in ("packet", "up", "pluck") for i in range(8))

    def _deal(self, deck: list[str]) -> None:
        assert self.draws == "top"
        self.packets = [deck[5 * i : 5 * i + 5] for i in range(8)]
        self.own: list[list[int]] = [[], []]  # the numbers of each seat's four packets
        if self.options.get("packets", "ask") == "auto":
            for code in ("packet:0", "packet:1", "packet:2", "packet:3", "up:0", "up:1"):
                self._do_other(self.first, code)
            for code in ("up:4", "up:5"):
                self._do_other(self.dealer, code)

    def _allowed(self, seat: int) -> list[str]:
        if len(self.own[self.first]) < 4:
            return [f"packet:{i}" for i in range(8) if i not in self.own[seat]]
        if len(self.up[seat]) < 2:
            return [f"up:{i}" for i in self.own[seat] if i not in self.up[seat]]
        honours = [i for i in self.up[seat] if self.packets[i] and self.packets[i][0][0] in HONOURS]
        return super()._allowed(seat) + [f"pluck:{i}" for i in honours]

    def _do_other(self, seat: int, code: str) -> None:
        verb, number = code.split(":")
        i = int(number)
        if verb == "packet":
            self.own[seat].append(i)
            if len(self.own[seat]) == 4:
                self.own[1 - seat] = [j for j in range(8) if j not in self.own[seat]]
        elif verb == "up":
            self._turn_up(seat, i)
        else:
            card = self.packets[i].pop(0)
            self.hands[seat].append(card)
            self._offer_with(seat, card)
            if self.options.get("reuse", "off") == "off":
                # Sets only: a napoletana becomes complete once, so it is never offered again.
                spent = self.declared[seat]
                self.open[seat] = [code for code in self.open[seat] if code not in spent]

    def _turn_up(self, seat: int, i: int) -> None:
        self.up[seat].append(i)
        if len(self.up[seat]) < 2:
            return
        for j in self.own[seat]:
            if j not in self.up[seat]:
                self.hands[seat] += self.packets[j]
                self.packets[j] = []
        self._offer_dealt(seat)
        self.to_move = self.dealer if seat == self.first else self.first
