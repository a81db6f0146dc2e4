"""Checks a match record: whether it is what its seed, its actions and the rules give."""

from __future__ import annotations

import json
from dataclasses import dataclass

from mazzo.errors import quote_value
from mazzo.game import Deal
from mazzo.match import Match
from mazzo.match_record import MatchRecord
from mazzo.record import DealRecord
from mazzo.shuffle import attempt_seed, commitment, seating_salt, substitute_action

__all__ = ["Verification", "verify"]

_OWNERS = ("bot", "network", "platform")


@dataclass(frozen=True, slots=True)
class Verification:
    """What was checked and found true, in order, and the first thing that is wrong.

    `wrong` is "" where everything is true. What no record can prove is left unchecked: which
    bots sat there, how long they took, and why a seat forfeited.
    """

    checked: tuple[str, ...]
    wrong: str

    @property
    def ok(self) -> bool:
        """Whether all of it is true."""
        return not self.wrong


def verify(record: MatchRecord) -> Verification:
    """Check everything that follows from the seed, the actions and the rules.

    It ends at the first thing that is wrong. The seed must be that of the attempt, salt and
    commitment those of the seed, the deals those of the match format with the seed's dealer
    and shuffles, every action legal, those of the substitute the ones that the seed gives,
    the forfeits where they say, and the scores of deals and match and the ranking those of
    the play.
    """
    checked: list[str] = []
    try:
        _check_seeds(record, checked)
        _Replay(record).check(checked)
    except _WrongError as wrong:
        return Verification(tuple(checked), str(wrong))
    return Verification(tuple(checked), "")


class _WrongError(Exception):
    """The first thing that is wrong."""


def _expect(what: str, claimed: object, true: object) -> None:
    """Both are JSON values, tuples being lists."""
    if json.dumps(claimed, sort_keys=True) != json.dumps(true, sort_keys=True):
        raise _WrongError(f"{what}: expected {_short(true)}, got {_short(claimed)}")


def _short(value: object) -> str:
    return value if isinstance(value, str) else quote_value(value)


def _check_seeds(record: MatchRecord, checked: list[str]) -> None:
    for what, claimed, true in (
        ("seed", record.seed, attempt_seed(record.group_seed, record.attempt)),
        ("salt", record.salt, seating_salt(record.seed, record.seating)),
        ("commitment", record.commitment, commitment(record.seed, record.salt)),
    ):
        _expect(what, claimed.hex(), true.hex())
        checked.append(what)


class _Replay:
    """The match, played again from its seed and its actions."""

    def __init__(self, record: MatchRecord) -> None:
        self._record = record
        self._match = Match(record.variant, record.seed, record.match_format, draws=record.draws)
        players = record.variant.players
        self._codes = {action.code: action for action in record.variant.game.actions}
        self._decisions = [0] * players  # of each seat, those that it forfeits included
        self._choices = [0] * players  # of the substitute
        self._late = [0] * players  # decisions that the substitute played before a forfeit
        self._faults = {fault.seat: fault for fault in record.faults}
        self._forfeited: list[int] = []  # seats, in the order in which it happened

    def check(self, checked: list[str]) -> None:
        """Check the deals, then what came of the match."""
        record, match = self._record, self._match
        _expect("first dealer", record.first_dealer, match.deal.dealer)
        self._check_faults()
        for number in range(len(record.deals)):
            if match.over or self._is_lost():
                raise _WrongError(f"deals: expected {number}, got {len(record.deals)}")
            self._check_deal(number)
        if not (match.over or self._is_lost()):
            raise _WrongError(f"deals: expected more than {len(record.deals)}, the match goes on")
        actions = sum(len(deal.actions) for deal in record.deals)
        checked += [
            f"dealers and shuffles of {_count(len(record.deals), 'deal')}",
            f"{_count(actions, 'action')}, {sum(map(len, record.substituted))} of the substitute",
            "scores of the deals",
        ]
        self._check_forfeits()
        checked.append(_count(len(record.faults), "forfeit"))
        if self._is_lost():
            scores, ranking = match.forfeited(record.faults[0].seat)
        else:
            scores, ranking = match.scores, match.ranking
        _expect("match scores", list(map(str, record.match_scores)), list(map(str, scores)))
        checked.append("match scores")
        _expect("ranking", record.ranking, ranking)
        checked.append("ranking")

    def _check_faults(self) -> None:
        """Check that each fault has a seat of its own at the table, and a known owner."""
        for fault in self._record.faults:
            if fault.owner not in _OWNERS:
                raise _WrongError(
                    f"fault: expected an owner of {', '.join(_OWNERS)}, "
                    f"got {quote_value(fault.owner)}"
                )
        seats = [fault.seat for fault in self._record.faults]
        if len(set(seats)) < len(seats) or max(seats, default=0) >= len(self._decisions):
            raise _WrongError(f"faults: expected one a seat of the table, got those of {seats}")

    def _is_lost(self) -> bool:
        """Return whether one of two sides has given the match up."""
        return bool(self._forfeited) and len(self._record.variant.sides) == 2

    def _check_deal(self, number: int) -> None:
        record, deal = self._record.deals[number], self._match.deal
        where = f"deal {number + 1}"
        _expect(f"{where}, variant", record.variant.text, deal.variant.text)
        _expect(f"{where}, dealer", record.dealer, deal.dealer)
        _expect(f"{where}, draws", record.draws, deal.draws)
        _expect(f"{where}, start", dict(record.start), dict(deal.start))
        self._check_shuffles(where, record, deal)
        substituted = self._record.substituted[number]
        if list(substituted) != sorted(set(substituted)) or any(
            index >= len(record.actions) for index in substituted
        ):
            raise _WrongError(
                f"{where}: expected the substitute's actions by their indices below "
                f"{len(record.actions)}, ascending, got {_short(list(substituted))}"
            )
        if len(self._record.micros[number]) != len(record.actions):
            raise _WrongError(
                f"{where}: expected {len(record.actions)} times of actions, "
                f"got {len(self._record.micros[number])}"
            )
        for index, code in enumerate(record.actions):
            self._check_action(number, index, code, by_substitute=index in substituted)
        self._check_shuffles(where, record, deal, used=True)
        true = DealRecord.of(deal)
        _expect(f"{where}, overheard", record.overheard, true.overheard)
        if deal.seat is not None:
            self._decide(number, deal.seat)
            if not self._is_lost():
                raise _WrongError(f"{where}: expected more actions, nobody has forfeited")
        _expect(f"{where}, scores", record.scores, true.scores)
        _expect(f"{where}, result", record.result, true.result)
        if deal.seat is None:
            self._match.advance()

    def _check_shuffles(
        self, where: str, record: DealRecord, deal: Deal, *, used: bool = False
    ) -> None:
        """Check that the shuffles are those of the seed; all of them once all are `used`."""
        if record.seed is not None:
            if (record.seed, record.deal) != (self._match.seed, self._match.deal_number):
                raise _WrongError(f"{where}: expected the seed of the match and this deal's number")
            return
        shuffles = record.shuffles or ()
        if used and len(shuffles) != len(deal.shuffles):
            raise _WrongError(
                f"{where}: expected {_count(len(deal.shuffles), 'shuffle')}, got {len(shuffles)}"
            )
        cards = record.variant.game.pack.cards
        for claimed, true in zip(shuffles, deal.shuffles, strict=False):
            _expect(
                f"{where}, shuffle",
                " ".join(cards[card].code for card in claimed),
                " ".join(cards[card].code for card in true),
            )

    def _decide(self, number: int, seat: int) -> None:
        """Count a decision, at which the seat may forfeit."""
        self._decisions[seat] += 1
        fault = self._faults.get(seat)
        if fault and (fault.deal, fault.decision) == (number, self._decisions[seat]):
            self._forfeited.append(seat)

    def _check_action(self, number: int, index: int, code: str, *, by_substitute: bool) -> None:
        deal, seat = self._match.deal, self._match.deal.seat
        where = f"deal {number + 1}, action {index + 1}"
        action = self._codes.get(code)
        if seat is None or action is None or not deal.legal >> action & 1:
            legal = " ".join(option.code for option in deal.variant.game.actions_of(deal.legal))
            raise _WrongError(
                f"{where}: expected "
                + (f"one of {legal}" if legal else "none, the deal is over")
                + f", got {quote_value(code)}"
            )
        self._decide(number, seat)
        if self._is_lost():
            raise _WrongError(f"{where}: expected none, seat {seat} has forfeited")
        if by_substitute:
            self._choices[seat] += 1
            self._late[seat] += seat not in self._forfeited
            chosen = substitute_action(self._record.seed, seat, self._choices[seat] - 1, deal.legal)
            true = deal.variant.game.actions[chosen].code
            if true != code:
                raise _WrongError(f"{where}: expected {true} of the substitute, got {code}")
        elif seat in self._forfeited:
            raise _WrongError(f"{where}: expected the substitute, seat {seat} has forfeited")
        deal.apply(action)

    def _check_forfeits(self) -> None:
        """Check that forfeits happened where they say, in order, and late decisions add up."""
        record = self._record
        for fault in record.faults:
            if fault.seat not in self._forfeited:
                raise _WrongError(
                    f"fault of seat {fault.seat}: deal {fault.deal + 1} has no decision "
                    f"{fault.decision} of that seat to forfeit at"
                )
        _expect("order of the forfeits", [fault.seat for fault in record.faults], self._forfeited)
        for seat, late in enumerate(record.late):
            played = self._late[seat]
            if not played <= late <= played + (seat in self._forfeited):
                raise _WrongError(
                    f"late decisions of seat {seat}: expected {played}, which the substitute "
                    f"played, got {late}"
                )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
