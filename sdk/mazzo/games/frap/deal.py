"""One deal of Frap, from the antes to the settlement."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from mazzo.cards import FRENCH, Card, bits, mask_of
from mazzo.game import Deal, Setting
from mazzo.games.frap.rules import (
    ASK_ANSWER,
    ASK_CALL,
    ASK_LOOK,
    BEATS,
    BIT,
    BLIND,
    CALL,
    DECLINE,
    DISCARD,
    FROM_STOCK,
    HAND,
    LOOK,
    MAY_STAND,
    PASS,
    PLAYERS,
    STAND,
    WHIST,
    WITH_TRUMP,
    make_frap_rules,
    read_start,
)
from mazzo.games.frap.view import FrapView
from mazzo.receipts import pack_head, pack_receipt
from mazzo.shuffle import Shuffles
from mazzo.tricks import NEXT_SEAT, TURNS_FROM, follow_tables

__all__ = ["FrapDeal"]

_ROUNDS = 3  # of the auction
_SUIT_OF = follow_tables(FRENCH)  # the cards of a card's suit
_BEATS_BY_TRUMP = tuple(BEATS[card.suit] for card in FRENCH.cards)
_TO_DISCARDS = bytes([(card + DISCARD) % 256 for card in range(256)])  # for bytes.translate
_UNITS = (2, 1)  # what a frapper with no trick and with one trick pays
_ACE_UNITS = 3  # a blind frapper with one trick, an ace being the trump card


@lru_cache(maxsize=1 << PLAYERS[-1])
def _turns(in_play: int) -> tuple[int, ...]:
    """For each seat of the set, the next one of it in seat order; 0 for other seats."""
    seats = list(bits(in_play))
    turns = [0] * PLAYERS[-1]
    for seat, after in zip(seats, seats[1:] + seats[:1], strict=True):
        turns[seat] = after
    return tuple(turns)


class FrapDeal(Deal):
    """A deal of Frap."""

    __slots__ = (
        "_ante_paid",
        "_best",
        "_blind",
        "_dead",
        "_dealt",
        "_discards",
        "_exchanged",
        "_first_pot",
        "_frapper",
        "_laid",
        "_led",
        "_left",
        "_looked",
        "_next",
        "_order",
        "_passers",
        "_place",
        "_pot",
        "_public",
        "_round",
        "_rules",
        "_scores",
        "_since",
        "_size",
        "_stake",
        "_start_pot",
        "_taker",
        "_thrown",
        "_top",
        "_trump",
        "_trump_taker",
        "_undercutters",
        "_whisters",
    )

    def __init__(self, setting: Setting, shuffles: Shuffles) -> None:
        """Begin a deal before the first call.

        The start may have `pot`, the chips that the last deal left, and `ante`, whether antes
        are paid; raises `BadRecordError` for anything else.
        """
        variant, start = setting.variant, setting.start
        players = variant.players
        rules = make_frap_rules(variant)
        pot, ante_paid = read_start(start, players) if start else (0, True)
        deck = shuffles.draw("deck", 0, rules.ids)
        super().__init__(setting, deck)
        if not pot and ante_paid:
            self.start = {}
        first = (setting.dealer + 1) % players
        order = TURNS_FROM[players][first]
        self._rules = rules
        self._order = order
        self._next = NEXT_SEAT[players]  # seat after each seat, in play only of those who play
        # What everybody knows of the actions. The discards that only their seat knows came
        # without a break, so that one place in the public history tells where they belong.
        self._public = bytearray()
        self._discards = [b""] * players
        self._since = [0] * players  # how many public actions came before a seat's discards
        hands: list[int] = [0] * players
        cards: list[list[int]] = [[]] * players
        dealt = players * HAND
        for place, seat in enumerate(order):
            cards[seat] = one, two, three, four = deck[place:dealt:players]
            hands[seat] = BIT[one] | BIT[two] | BIT[three] | BIT[four]
        self._hands = hands
        self._dealt = cards  # by seat; never changes, so that copies can share it
        self._received = [b""] * players
        self._thrown = [0] * players  # hands that were thrown in
        self._trump = deck[dealt]
        self._top = dealt + 1  # index in the pack of the next stock card
        self._dead = b""
        self._trump_taker: int | None = None
        self._start_pot = pot
        self._ante_paid = ante_paid
        self._stake = rules.ante if ante_paid else 0  # what each seat has paid so far
        self._first_pot = self._pot = pot + players * self._stake
        self._round = 1
        self._looked = 0
        self._frapper: int | None = None
        self._blind = False
        self._whisters = 0
        self._passers = 0  # who passed on the frap
        self._undercutters = b""
        self._exchanged = bytearray(players)
        self._place = 0  # in the order, of the next seat to exchange or to undercut
        self._left = 0  # cards that the seat to move may still exchange
        self._size = 0  # how many play
        self._laid = 0  # cards of the trick on the table
        self._leader = first
        self._led = 0  # the card led
        self._best = 0  # the card that wins the trick so far
        self._taker = 0  # who laid it
        self._scores: tuple[int, ...] = ()
        self.seat = first
        self.legal = ASK_LOOK

    def apply(self, action: int) -> None:
        """Take an action for the seat to move."""
        if action < 0 or not self.legal >> action & 1:
            raise self.refusal(action)
        seat = self.seat
        assert seat is not None
        self.actions.append(action)
        if action >= DISCARD:
            self._discard(seat, action - DISCARD)
            return
        self._public.append(action)
        self._actors.append(seat)
        if action < LOOK:
            self._play(seat, action)
        elif action == LOOK:
            self._see_hand(seat)
            self.legal = ASK_CALL
        elif action == PASS and self._frapper is None:
            self._pass(seat)
        elif action == PASS:
            self._passers |= 1 << seat
            self._thrown[seat] = self._hands[seat]
            self._hands[seat] = 0
            self._ask_answer(self._next[seat])
        elif action == WHIST:
            self._whisters |= 1 << seat
            self._ask_answer(self._next[seat])
        elif action == STAND:
            self._replace(seat)
            self._go_on_exchanging()
        elif action == DECLINE:
            self._go_on_undercutting()
        elif action in (CALL, BLIND):
            self._frap(seat, blind=action == BLIND)
        else:
            self._undercut(seat, with_trump=action == WITH_TRUMP)

    def _pass(self, seat: int) -> None:
        """A pass in the auction; after the last one of a round everybody pays."""
        seat = self._next[seat]
        first = self._order[0]
        if seat == first:
            players = len(self._order)
            payment = self._counted(self._first_pot) // players
            self._stake += payment
            self._pot += players * payment
            if self._round == _ROUNDS:
                self._end([-self._stake] * players, pot=self._pot)
                return
            self._round += 1
            self._dead += bytes((self._trump,))
            self._trump = self.shuffles[0][self._top]
            self._top += 1
        self.seat = seat
        self.legal = ASK_CALL if self._looked >> seat & 1 else ASK_LOOK

    def _frap(self, seat: int, *, blind: bool) -> None:
        """The others see their hands, whether they had looked or not, and answer."""
        self._frapper = self._leader = seat
        self._blind = blind
        # All those who had not looked see their hands at once.
        looked, received, dealt = self._looked | 1 << seat, self._received, self._dealt
        head = pack_head(len(self._public), HAND)
        for other in self._order:
            if not looked >> other & 1:
                received[other] = head + bytes(sorted(dealt[other]))
        self._looked = (1 << len(self._order)) - 1 ^ blind << seat
        self._ask_answer(self._next[seat])

    def _see_hand(self, seat: int) -> None:
        """Let the seat see the hand that it was dealt."""
        self._looked |= 1 << seat
        self._received[seat] = pack_receipt(len(self._public), self._dealt[seat])

    def _receive(self, seat: int, cards: list[int]) -> None:
        """Write down which cards the seat got, after all that it knows of so far."""
        known = len(self._public) + len(self._discards[seat])
        self._received[seat] += pack_receipt(known, cards)

    def _ask_answer(self, seat: int) -> None:
        if seat == self._frapper:
            self._go_on_exchanging()
        else:
            self.seat = seat
            self.legal = ASK_ANSWER

    def _go_on_exchanging(self) -> None:
        """Ask the next of frapper and whisters, if there is one who can exchange."""
        frapper, order = self._frapper, self._order
        assert frapper is not None
        takers = self._whisters | 1 << frapper
        for place in range(self._place, len(order)):
            seat = order[place]
            if not takers >> seat & 1:
                continue
            if seat == frapper and self._blind:
                self._see_hand(seat)
                self._trump_taker = seat
                self._receive(seat, [self._trump])
                self._hold_five(seat, self._hands[seat] | BIT[self._trump])
            elif not self._ask_exchange(seat):
                continue
            self._place = place + 1
            return
        self._place = 0
        self._go_on_undercutting()

    def _ask_exchange(self, seat: int) -> bool:
        """Return whether the seat can exchange, and so is asked."""
        self._left = limit = min(self._rules.limit, len(self.shuffles[0]) - self._top)
        if limit:
            self.seat = seat
            self.legal = self._hands[seat] << DISCARD | MAY_STAND
        return limit > 0

    def _hold_five(self, seat: int, hand: int) -> None:
        """The seat has five cards and is to discard one of them."""
        self._hands[seat] = hand
        self._left = 0
        self.seat = seat
        self.legal = hand << DISCARD

    def _discard(self, seat: int, card: int) -> None:
        """One of five, or a card that is to be replaced."""
        discards = self._discards
        if not discards[seat]:
            self._since[seat] = len(self._public)
        discards[seat] += bytes((card,))
        self._hands[seat] = hand = self._hands[seat] ^ BIT[card]
        if self._left:
            self._exchanged[seat] += 1
            self._left -= 1
            if self._left:
                self.legal = hand << DISCARD | MAY_STAND
                return
            self._replace(seat)
            self._go_on_exchanging()
        elif seat != self._frapper:
            self._go_on_undercutting()
        elif not (self._rules.blind_draws and self._ask_exchange(seat)):
            self._go_on_exchanging()

    def _replace(self, seat: int) -> None:
        if count := self._exchanged[seat]:
            drawn = self._draw(count)
            self._hands[seat] |= mask_of(drawn)
            self._receive(seat, drawn)

    def _draw(self, count: int) -> list[int]:
        """Take cards from the top of the stock."""
        top = self._top
        self._top = end = top + count
        return self.shuffles[0][top:end]

    def _go_on_undercutting(self) -> None:
        """Ask the next of those who passed, if there are cards for him; else play begins."""
        stock = len(self.shuffles[0]) - self._top
        if self._rules.undercut and stock >= HAND:
            may = 1 << FROM_STOCK if stock > HAND else 0
            if self._trump_taker is None and not self._undercutters:
                may |= 1 << WITH_TRUMP
            passers, order = self._passers, self._order
            for place in range(self._place if may else len(order), len(order)):
                seat = order[place]
                if passers >> seat & 1:
                    self._place = place + 1
                    self.seat = seat
                    self.legal = may | 1 << DECLINE
                    return
        self._begin_play()

    def _undercut(self, seat: int, *, with_trump: bool) -> None:
        if not self._undercutters:
            self._leader = seat
        self._undercutters += bytes((seat,))
        if with_trump:
            self._trump_taker = seat
            cards = [*self._draw(HAND), self._trump]
        else:
            cards = self._draw(HAND + 1)
        self._receive(seat, cards)
        self._hold_five(seat, mask_of(cards))

    def _begin_play(self) -> None:
        """The first lead, or the pot for a frapper whom nobody opposes."""
        frapper = self._frapper
        assert frapper is not None
        in_play = self._whisters | mask_of(self._undercutters)
        if not in_play:
            scores = [-self._stake] * len(self._order)
            scores[frapper] += self._pot
            self._end(scores, pot=0)
            return
        in_play |= 1 << frapper
        self._next = _turns(in_play)
        self._size = in_play.bit_count()
        self.seat = leader = self._leader
        self.legal = self._hands[leader]

    def _play(self, seat: int, card: int) -> None:
        hands = self._hands
        hands[seat] ^= BIT[card]
        self._plays.append(card)
        laid = self._laid
        if not laid:
            self._led = self._best = card
            self._taker = seat
        elif _BEATS_BY_TRUMP[self._trump][self._best] >> card & 1:
            self._best = card
            self._taker = seat
        laid += 1
        if laid < self._size:
            self._laid = laid
            self.seat = seat = self._next[seat]
            hand = hands[seat]
            self.legal = hand & _SUIT_OF[self._led] or hand & _SUIT_OF[self._trump] or hand
            return
        self._laid = 0
        self.seat = self._leader = winner = self._taker
        self._winners.append(winner)
        self.legal = hands[winner]
        if len(self._winners) == HAND:
            self._settle()

    def _settle(self) -> None:
        """Pay for the tricks, and have those pay who took too few of them."""
        frapper = self._frapper
        assert frapper is not None
        pot, rules, winners = self._pot, self._rules, self._winners
        unit = self._counted(pot)
        scores = [-self._stake] * len(self._order)
        for winner in winners:
            scores[winner] += pot // HAND
        left = 0
        owing = self._whisters | mask_of(self._undercutters)
        for seat in bits(owing & ~mask_of(winners)):
            scores[seat] -= unit
            left += unit
        tricks = winners.count(frapper)
        if tricks < 2:
            units = (rules.blind_units if self._blind else _UNITS)[tricks]
            if self._blind and tricks == 1 and FRENCH.cards[self._trump].rank == "A":
                units = _ACE_UNITS
            scores[frapper] -= units * unit
            left += units * unit
        self._end(scores, pot=left)

    def _counted(self, chips: int) -> int:
        """Return what a pot counts for payments."""
        cap = self._rules.cap
        return chips if cap is None or chips < cap else cap

    def _end(self, scores: list[int], *, pot: int) -> None:
        self._scores = tuple(scores)
        self._pot = pot
        self.seat = None
        self.legal = 0

    def view(self, seat: int) -> FrapView:
        """Return what the seat may know: its hand once seen, its discards, all that is public."""
        finished = self._size * len(self._winners)
        actions, actors = bytes(self._public), bytes(self._actors)
        if discards := self._discards[seat]:
            since = self._since[seat]
            own = discards.translate(_TO_DISCARDS)
            actions = actions[:since] + own + actions[since:]
            actors = actors[:since] + bytes((seat,)) * len(own) + actors[since:]
        view = self._begin_view(FrapView, seat, finished)
        view.actions = actions
        view.actors = actors
        if not self._looked >> seat & 1:
            view.hand_mask = 0
        view.start_pot = self._start_pot
        view.ante_paid = self._ante_paid
        view.first_pot = self._first_pot
        view.pot = self._pot
        view.cap = self._rules.cap
        view.round = self._round
        view.trump_card = FRENCH.cards[self._trump]
        view.dead_trumps = self._dead
        view.trump_taker = self._trump_taker
        view.stock_count = len(self.shuffles[0]) - self._top
        view.looked = self._looked
        view.frapper = self._frapper
        view.blind = self._blind
        view.whisters = self._whisters
        view.undercutters = self._undercutters
        view.exchanged = bytes(self._exchanged)
        view.discards = discards
        view.thrown_in = self._thrown[seat]
        view.scores = self._scores
        return view

    def copy(self) -> FrapDeal:
        """Return an independent deal in the same position."""
        copied = self._begin_copy()
        copied._ante_paid = self._ante_paid
        copied._best = self._best
        copied._blind = self._blind
        copied._dead = self._dead
        copied._dealt = self._dealt
        copied._discards = self._discards.copy()
        copied._exchanged = bytearray(self._exchanged)
        copied._first_pot = self._first_pot
        copied._frapper = self._frapper
        copied._laid = self._laid
        copied._led = self._led
        copied._left = self._left
        copied._looked = self._looked
        copied._next = self._next
        copied._order = self._order
        copied._passers = self._passers
        copied._place = self._place
        copied._pot = self._pot
        copied._public = bytearray(self._public)
        copied._round = self._round
        copied._rules = self._rules
        copied._scores = self._scores
        copied._since = self._since.copy()
        copied._size = self._size
        copied._stake = self._stake
        copied._start_pot = self._start_pot
        copied._taker = self._taker
        copied._thrown = self._thrown.copy()
        copied._top = self._top
        copied._trump = self._trump
        copied._trump_taker = self._trump_taker
        copied._undercutters = self._undercutters
        copied._whisters = self._whisters
        return copied

    def hand(self, seat: int) -> tuple[Card, ...]:
        """Return a seat's cards, seen or not; for dealers and tests, not for players."""
        return FRENCH.of(self._hands[seat])

    def stock(self) -> tuple[Card, ...]:
        """Return the cards still to be drawn, top first, without the trump card."""
        return tuple(FRENCH.cards[card] for card in self.shuffles[0][self._top :])

    @property
    def scores(self) -> tuple[int, ...] | None:
        """Chips won or lost by seat, antes and payments included."""
        return self._scores if self.seat is None else None

    @property
    def result(self) -> dict[str, Any] | None:
        """What is left in the pot, tricks by seat, the frapper and whether he called blind."""
        if self.seat is not None:
            return None
        tricks = [self._winners.count(seat) for seat in range(len(self._order))]
        if self._frapper is not None and not self._winners:
            tricks[self._frapper] = HAND
        return {
            "pot": self._pot,
            "tricks": tricks,
            "frapper": self._frapper,
            "blind": self._blind,
        }

    @property
    def next_start(self) -> dict[str, Any]:
        """The pot that is left; no antes after a deal without a frap, unless `reante`."""
        return {"pot": self._pot, "ante": not self.dealt_again or self._rules.reante}

    @property
    def dealt_again(self) -> bool:
        """After a deal in which all passed three times the same dealer deals."""
        return self.seat is None and self._frapper is None

    @property
    def worst_score(self) -> int:
        """What a frapper loses who pays the most: blind at once, or after two rounds of passes."""
        first, players, rules = self._first_pot, len(self._order), self._rules
        ante = rules.ante if self._ante_paid else 0
        payment = self._counted(first) // players
        passes = _ROUNDS - 1
        blind = ante + max(*rules.blind_units, _ACE_UNITS) * self._counted(first)
        late = ante + passes * payment
        late += max(_UNITS) * self._counted(first + passes * players * payment)
        return -max(blind, late)

    @property
    def leftover(self) -> tuple[int, ...]:
        """An equal share of the pot that is left."""
        players = len(self._order)
        return (self._pot // players,) * players
