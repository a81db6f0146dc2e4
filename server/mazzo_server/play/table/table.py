"""One match, sans-I/O: answers, expiries and losses in, one frozen effect out.

At any time exactly one seat is to move, so every input leads to one effect: the next seat is asked,
or the match has ended. The caller owns the clock and the connections; the table owns the time
banks, the substitute, the strikes and the forfeits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import add
from typing import NamedTuple

from mazzo.game import Deal, View
from mazzo.match import Match
from mazzo.shuffle import substitute_action
from mazzo_server.model import (
    DealPlay,
    Fault,
    InstanceLog,
    MatchOutcome,
    Owner,
    Termination,
    TimeControl,
)
from mazzo_server.play.table.settlement import Settlement

__all__ = ["Ask", "Effect", "Ended", "Table"]

_LATE_FORGIVEN = 2  # late decisions per match that the substitute plays; the next one forfeits


class Ask(NamedTuple):
    """A request for decision `number` of seat `seat`.

    This is a tuple, since one is created for every decision and a frozen dataclass takes three
    times as long.
    """

    seat: int
    number: int  # counted for this seat, from 1
    deal: Deal
    bank: float  # seconds left for the deal
    allowance: float  # seconds that the decision may take

    @property
    def view(self) -> View:
        """What the seat may know; built at each access, until the decision is taken."""
        return self.deal.view(self.seat)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The end of the match, with scores and ranking by seat.

    `reason` is what every seat may know: who forfeited and by which kind of fault, empty after a
    normal end. The faults themselves say more, such as the legal actions of a hand.
    """

    scores: tuple[Fraction, ...]
    ranking: tuple[int, ...]
    reason: str


Effect = Ask | Ended


class Table:
    """A match between bots, with its clocks and faults.

    The substitute plays the `substituted` seats from the start. Times are seconds of one
    monotonic clock; `elapsed` is the time that the caller measured for a decision.
    """

    def __init__(
        self, match: Match, control: TimeControl, *, substituted: Sequence[int] = ()
    ) -> None:
        """Set the table up; `start` begins the match."""
        self.match = match
        self.control = control
        # Return what a seat's bot wrote since it was asked, which is kept with its forfeit.
        self.log_of: Callable[[int], InstanceLog | None] = lambda seat: None
        self.faults: list[Fault] = []
        self.deals: list[DealPlay] = []
        players = match.variant.players
        self._substituted = set(substituted)  # seats that the substitute plays to the end
        self._choices = [0] * players  # the number of the substitute's choices, by seat
        self._late = [0] * players
        self._thinking = [0.0] * players
        self._numbers = [0] * players  # the number of each seat's last decision
        self._asked: Ask | None = None
        self._ended: Ended | None = None
        self._settlement: Settlement | None = None  # since the first forfeit
        self._begin_deal()

    def _begin_deal(self) -> None:
        self._banks = [self.control.bank] * self.match.variant.players
        self._micros: list[int] = []
        self._by_substitute: list[int] = []
        self._notes: list[tuple[int, str]] = []

    def start(self) -> Effect:
        """Return the first effect."""
        return self._advance()

    @property
    def asked(self) -> Ask | None:
        """The decision that is open; None before the start and after the end."""
        return self._asked

    def answer(self, action: int, elapsed: float, note: str = "") -> Effect:
        """Answer the open decision after `elapsed` seconds.

        An answer that came too late counts as none; an illegal one forfeits. `note` is the bot's
        comment on it, as it will be kept.
        """
        asked = self._asked or self._open()
        if elapsed > asked.allowance:
            return self.expire(elapsed)
        deal = self.match.deal
        self._charge(asked.seat, elapsed)
        if note:
            self._notes.append((len(deal.actions), note))
        if action < 0 or not deal.legal >> action & 1:
            reason = str(deal.refusal(action))
            return self._forfeit(asked, Termination.ILLEGAL_ACTION, Owner.BOT, reason)
        deal.apply(action)
        self._micros.append(round(elapsed * 1e6))
        return self._advance()

    def expire(self, elapsed: float, *, owner: Owner = Owner.BOT) -> Effect:
        """Give up the open decision, which was not answered in time: substitute or forfeit.

        `owner` is whose fault the delay was: the network's while the bot was cut off.
        """
        asked = self._open()
        self._charge(asked.seat, elapsed)
        self._late[asked.seat] += 1
        if self._late[asked.seat] > _LATE_FORGIVEN:
            reason = "late for the third time in the match"
            return self._forfeit(asked, Termination.OUT_OF_TIME, owner, reason)
        self._substitute(asked.seat, elapsed)
        return self._advance()

    def lose(self, termination: Termination, owner: Owner, reason: str) -> Effect:
        """Forfeit at the open decision: the bot failed in a way that ends its match."""
        return self._forfeit(self._open(), termination, owner, reason)

    def _open(self) -> Ask:
        if self._asked is None:
            raise ValueError("no decision is open at this table")
        return self._asked

    def _charge(self, seat: int, elapsed: float) -> None:
        left = self._banks[seat] - elapsed
        self._banks[seat] = (left if left > 0.0 else 0.0) + self.control.increment
        self._thinking[seat] += elapsed

    def _substitute(self, seat: int, elapsed: float = 0.0) -> None:
        """Play a random legal action, drawn from the match's seed."""
        match, number = self.match, self._choices[seat]
        self._choices[seat] += 1
        self._by_substitute.append(len(match.deal.actions))
        match.deal.apply(substitute_action(match.seed, seat, number, match.deal.legal))
        self._micros.append(round(elapsed * 1e6))

    def _advance(self) -> Effect:
        """Play on until a bot is to move or the match is over."""
        match = self.match
        while True:
            deal = match.deal
            seat = deal.seat
            if seat is None:
                match.advance()
                self._record_deal(deal)
                if match.over:
                    return self._end(match.scores, match.ranking)
                self._begin_deal()
            elif seat in self._substituted:
                self._substitute(seat)
            else:
                number = self._numbers[seat] = self._numbers[seat] + 1
                bank, limit = self._banks[seat], self.control.limit
                self._asked = Ask(seat, number, deal, bank, limit if limit < bank else bank)
                return self._asked

    def _forfeit(self, asked: Ask, termination: Termination, owner: Owner, reason: str) -> Effect:
        self.faults.append(
            Fault(
                seat=asked.seat,
                termination=termination,
                owner=owner,
                reason=reason,
                deal=self.match.deal_number,
                decision=asked.number,
                log=self.log_of(asked.seat),
            )
        )
        side = next(side for side in self.match.variant.sides if asked.seat in side)
        if self._settlement is None:
            self._settlement = Settlement(self.match)
        self._settlement.forfeit(side, deal=self.match.deal_number)
        if len(self.match.variant.sides) > 2:
            self._substituted.add(asked.seat)
            return self._advance()
        self._record_deal(self.match.deal)
        return self._end(*self.match.forfeited(asked.seat))

    def _record_deal(self, deal: Deal) -> None:
        scores = deal.scores or ()
        if scores and self.match.over:
            scores = tuple(map(add, scores, deal.leftover))
        self.deals.append(
            DealPlay(
                dealer=deal.dealer,
                actions=bytes(deal.actions),
                scores=scores,
                micros=tuple(self._micros),
                substituted=tuple(self._by_substitute),
                forfeited=bool(self.faults),
                notes=tuple(self._notes),
            )
        )

    def _end(self, scores: tuple[Fraction, ...], ranking: tuple[int, ...]) -> Ended:
        self._asked = None
        reason = "; ".join(
            f"seat {fault.seat} forfeited: {fault.termination}" for fault in self.faults
        )
        self._ended = Ended(scores=scores, ranking=ranking, reason=reason)
        return self._ended

    def outcome(self, *, group: int, seating: int, entrants: tuple[int, ...]) -> MatchOutcome:
        """Return the outcome of the match, once it has ended; `entrants` are by seat."""
        if self._ended is None:
            raise ValueError("the match has not ended")
        settled = self._settlement
        counted: tuple[tuple[int, ...], ...] = ()
        if settled is not None:
            counted = tuple(deal.scores for deal in self.deals[: settled.first]) + settled.scores
        return MatchOutcome(
            group=group,
            seating=seating,
            entrants=entrants,
            match_scores=self._ended.scores,
            deals=tuple(self.deals),
            faults=tuple(self.faults),
            late=tuple(self._late),
            decisions=tuple(self._numbers),
            thinking_seconds=tuple(self._thinking),
            counted=counted,
        )
