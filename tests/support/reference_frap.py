"""A second Frap, slow and plain, written from the rules alone.

It shares nothing with the package: cards and actions are texts, and a deal is told from the
ante to the settlement by generators that stop at each decision.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping

__all__ = ["ACTIONS", "ReferenceFrap", "pack", "playable"]

LOW_TO_HIGH = ["2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "A"]
SUITS = ["c", "d", "h", "s"]
CARDS = [rank + suit for suit in SUITS for rank in LOW_TO_HIGH]
WORDS = ["look", "blind", "frap", "pass", "whist", "stand"]
UNDERCUTS = ["undercut:stock", "undercut:trump", "decline"]
# The number of an action is its place in this list.
ACTIONS = [*CARDS, *WORDS, *UNDERCUTS, *("discard:" + card for card in CARDS)]
DEFAULTS = {
    "deck": "auto",
    "ante": "4",
    "draw-limit": "auto",
    "reante": "off",
    "undercut": "on",
    "blind-draws": "off",
    "blind-penalty": "seed",
    "pot-cap": "auto",
}

Asking = Generator[tuple[int, list[str]], str, None]
"""Yields a seat and the codes that it may choose from, and is sent the code chosen."""


def pack(players: int, deck: str = "auto") -> list[str]:
    """The cards in use in ascending id; `deck` matters only for five and six players."""
    if players <= 4:
        size = 32
    elif players >= 7:
        size = 52
    elif deck == "auto":
        size = 36 if players == 5 else 52
    else:
        size = int(deck)
    lowest = {32: "7", 36: "6", 52: "2"}[size]
    ranks = LOW_TO_HIGH[LOW_TO_HIGH.index(lowest) :]
    return [card for card in CARDS if card[0] in ranks]


def playable(hand: list[str], led: str | None, trump: str) -> list[str]:
    """The cards of a hand that may go to a trick where the suit `led` was led, if any was."""
    followers = [card for card in hand if card[1] == led]
    trumps = [card for card in hand if card[1] == trump]
    if led is None:
        return list(hand)
    return followers or trumps or list(hand)


class ReferenceFrap:
    """A deal as the people around the table see it, all cards face up."""

    def __init__(
        self,
        players: int,
        options: dict[str, str],
        dealer: int,
        shuffles: list[list[str]],
        start: Mapping[str, object] | None = None,
        draws: str = "top",
    ) -> None:
        """Take the antes, deal the cards and go to the first decision."""
        assert 2 <= players <= 12
        assert 0 <= dealer < players
        assert draws == "top"
        assert set(options) <= set(DEFAULTS)
        settings = DEFAULTS | options
        [deck] = shuffles
        assert sorted(deck) == sorted(pack(players, settings["deck"]))

        self.players = players
        self.first_seat = (dealer + 1) % players
        self.undercuts_allowed = settings["undercut"] == "on"
        self.blind_draws = settings["blind-draws"] == "on"
        self.graded = settings["blind-penalty"] == "graded"
        ante = int(settings["ante"])
        self.cap: int | None = 16 * players * ante
        if settings["pot-cap"] == "none":
            self.cap = None
        elif settings["pot-cap"] != "auto":
            self.cap = int(settings["pot-cap"])
            assert self.cap % (4 * players) == 0
        assert ante % 4 == 0

        left = (start or {}).get("pot", 0)
        assert isinstance(left, int)
        assert left % (4 * players) == 0
        self.pot = left
        self.chips = [0] * players  # won or lost in this deal so far
        if (start or {}).get("ante", True):
            for seat in range(players):
                self._pay(seat, ante)
        self.opening_pot = self.pot  # P0 of the rules

        self.hands: list[list[str]] = [[] for _ in range(players)]
        for index in range(4 * players):
            self.hands[(self.first_seat + index) % players].append(deck[index])
        self.trump_card = deck[4 * players]
        self.dead_trump_cards: list[str] = []
        self.trump_taken_by: int | None = None
        self.stock = deck[4 * players + 1 :]
        if settings["draw-limit"] != "auto":
            self.draw_limit = int(settings["draw-limit"])
        else:
            self.draw_limit = 4 if len(self.stock) >= 4 * players else 3

        self.round = 1
        self.looked: set[int] = set()
        self.frapper: int | None = None
        self.blind = False
        self.whisters: list[int] = []
        self.passers: list[int] = []  # those whose answer to the frap was pass
        self.undercutters: list[int] = []  # in the order in which they came back
        self.discards: list[list[str]] = [[] for _ in range(players)]
        self.table: list[tuple[int, str]] = []
        self.tricks = [0] * players

        self.to_move: int | None = None
        self.scores: list[int] | None = None
        self.result: dict[str, object] | None = None
        self._codes: list[str] = []
        self._story = self._deal()
        self._show(next(self._story))

    def legal(self) -> list[str]:
        """The codes that the seat to move may choose from, in ascending action number."""
        return list(self._codes)

    def apply(self, code: str) -> None:
        """Do what the seat to move has chosen, and go on to the next decision or the end."""
        if code not in self._codes:
            raise ValueError(f"not a legal action: {code}")
        try:
            self._show(self._story.send(code))
        except StopIteration:
            self.to_move = None
            self._codes = []

    def _show(self, decision: tuple[int, list[str]]) -> None:
        self.to_move = decision[0]
        self._codes = sorted(decision[1], key=ACTIONS.index)

    def _from(self, first: int) -> list[int]:
        """All seats in seat order, beginning with `first`."""
        return [(first + k) % self.players for k in range(self.players)]

    def _pay(self, seat: int, chips: int) -> None:
        self.chips[seat] -= chips
        self.pot += chips

    def _take(self, seat: int, chips: int) -> None:
        self.chips[seat] += chips
        self.pot -= chips

    def _capped(self, chips: int) -> int:
        return chips if self.cap is None else min(chips, self.cap)

    def _draw(self, seat: int, count: int) -> None:
        """Give a seat that many cards from the top of the stock."""
        assert count <= len(self.stock)
        self.hands[seat] += self.stock[:count]
        self.stock = self.stock[count:]

    def _deal(self) -> Asking:
        """The whole deal, step by step."""
        yield from self._auction()
        if self.frapper is None:
            self._finish()
            return
        yield from self._answers(self.frapper)
        yield from self._exchange(self.frapper)
        if self.undercuts_allowed:
            yield from self._undercuts()
        if not self.whisters and not self.undercutters:
            self.tricks[self.frapper] = 4
            self._take(self.frapper, self.pot)
        else:
            at_play = self.pot
            yield from self._play(self.frapper)
            self._settle(self.frapper, at_play)
        self._finish()

    def _finish(self) -> None:
        self.scores = list(self.chips)
        self.result = {
            "pot": self.pot,
            "tricks": list(self.tricks),
            "frapper": self.frapper,
            "blind": self.blind,
        }

    def _auction(self) -> Asking:
        """Up to three rounds, until someone fraps; each round of passes is paid for."""
        for self.round in (1, 2, 3):
            for seat in self._from(self.first_seat):
                if self.round == 1:
                    choice = yield seat, ["look", "blind"]
                    if choice == "blind":
                        self.frapper, self.blind = seat, True
                        return
                    self.looked.add(seat)
                choice = yield seat, ["frap", "pass"]
                if choice == "frap":
                    self.frapper = seat
                    return
            for seat in range(self.players):
                self._pay(seat, self._capped(self.opening_pot) // self.players)
            if self.round < 3:
                self.dead_trump_cards.append(self.trump_card)
                self.trump_card = self.stock.pop(0)

    def _answers(self, frapper: int) -> Asking:
        """The others see their hands and whist or pass."""
        others = self._from(frapper)[1:]
        self.looked.update(others)
        for seat in others:
            choice = yield seat, ["whist", "pass"]
            if choice == "whist":
                self.whisters.append(seat)
            else:
                self.passers.append(seat)
                self.hands[seat] = []

    def _exchange(self, frapper: int) -> Asking:
        """Frapper and whisters change cards, the blind frapper in his own way."""
        for seat in self._from(self.first_seat):
            if seat == frapper and self.blind:
                self.trump_taken_by = seat
                self.hands[seat].append(self.trump_card)
                self.looked.add(seat)
                # He gives one of five away whatever the stock holds: this is no exchange.
                yield from self._throw_one(seat)
                if self.blind_draws:
                    yield from self._change_cards(seat)
            elif seat == frapper or seat in self.whisters:
                yield from self._change_cards(seat)

    def _change_cards(self, seat: int) -> Asking:
        """Discard cards one by one up to the seat's limit, then get as many."""
        limit = min(self.draw_limit, len(self.stock))
        gone = 0
        while gone < limit:
            choice = yield seat, ["stand", *("discard:" + card for card in self.hands[seat])]
            if choice == "stand":
                break
            self._throw(seat, choice)
            gone += 1
        self._draw(seat, gone)

    def _throw_one(self, seat: int) -> Asking:
        choice = yield seat, ["discard:" + card for card in self.hands[seat]]
        self._throw(seat, choice)

    def _throw(self, seat: int, code: str) -> None:
        card = code.removeprefix("discard:")
        self.hands[seat].remove(card)
        self.discards[seat].append(card)

    def _undercuts(self) -> Asking:
        """Those who passed on the frap may come back with five new cards."""
        for seat in self._from(self.first_seat):
            if seat not in self.passers:
                continue
            ways = []
            if len(self.stock) >= 5:
                ways.append("undercut:stock")
            if len(self.stock) >= 4 and self.trump_taken_by is None and not self.undercutters:
                ways.append("undercut:trump")
            if not ways:
                continue
            choice = yield seat, [*ways, "decline"]
            if choice == "decline":
                continue
            self.undercutters.append(seat)
            if choice == "undercut:trump":
                self.trump_taken_by = seat
                self.hands[seat].append(self.trump_card)
                self._draw(seat, 4)
            else:
                self._draw(seat, 5)
            yield from self._throw_one(seat)

    def _play(self, frapper: int) -> Asking:
        """Four tricks among those who are in."""
        trump = self.trump_card[1]
        leader = self.undercutters[0] if self.undercutters else frapper
        taking_part = [frapper, *self.whisters, *self.undercutters]
        for _ in range(4):
            self.table = []
            for seat in self._from(leader):
                if seat in taking_part:
                    led = self.table[0][1][1] if self.table else None
                    card = yield seat, playable(self.hands[seat], led, trump)
                    self.hands[seat].remove(card)
                    self.table.append((seat, card))
            leader = self._winner()
            self.tricks[leader] += 1

    def _winner(self) -> int:
        trump, led = self.trump_card[1], self.table[0][1][1]
        in_play = [play for play in self.table if play[1][1] == trump]
        if not in_play:
            in_play = [play for play in self.table if play[1][1] == led]
        in_play.sort(key=lambda play: LOW_TO_HIGH.index(play[1][0]))
        return in_play[-1][0]

    def _settle(self, frapper: int, at_play: int) -> None:
        """Tricks take the pot; who has taken too few pays into the next one."""
        for seat in range(self.players):
            self._take(seat, self.tricks[seat] * (at_play // 4))
        assert self.pot == 0
        unit = self._capped(at_play)
        for seat in [*self.whisters, *self.undercutters]:
            if self.tricks[seat] == 0:
                self._pay(seat, unit)
        self._pay(frapper, self._units_of_frapper(self.tricks[frapper]) * unit)

    def _units_of_frapper(self, tricks: int) -> int:
        """How many times the unit the frapper pays for that many tricks."""
        if tricks >= 2:
            return 0
        if not self.blind:
            return 1 if tricks == 1 else 2
        if tricks == 0:
            return 4 if self.graded else 2
        if self.trump_card[0] == "A":
            return 3
        return 2 if self.graded else 4
