"""Plays the deals of a match record again, decision by decision."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mazzo.game import Deal
from mazzo.match import Match
from mazzo.match_record import FaultRecord, MatchRecord

__all__ = ["Playback", "Step"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One decision: the deal before it, and the action; without an action, a forfeit."""

    deal: Deal
    seat: int
    number: int  # number of the seat's decision in the match, from 1
    action: int | None
    micros: int
    by_substitute: bool
    fault: FaultRecord | None
    note: str  # the bot's note; "" where there is none, or it may not be shown


class Playback:
    """A verified record, from its first deal to its last."""

    def __init__(self, record: MatchRecord) -> None:
        """Begin before the first deal."""
        self._record = record
        self._match = Match(record.variant, record.seed, record.match_format, draws=record.draws)
        self._decisions = [0] * record.variant.players
        self._faults = {(fault.seat, fault.deal, fault.decision): fault for fault in record.faults}

    def play_deals(self) -> Iterator[tuple[int, Deal, Iterator[Step]]]:
        """Return each deal with its number and its steps; take all steps before the next deal.

        Every step has the same deal object, which changes when the next step is asked for.
        """
        for number in range(len(self._record.deals)):
            deal = self._match.deal
            steps = self._list_steps(number, deal)
            yield number, deal, steps
            for _ in steps:
                pass
            if deal.seat is None:
                self._match.advance()

    def _list_steps(self, number: int, deal: Deal) -> Iterator[Step]:
        record = self._record
        codes = {action.code: action for action in record.variant.game.actions}
        notes = dict(record.notes[number]) if record.notes else {}
        timed = zip(record.deals[number].actions, record.micros[number], strict=True)
        end = 0
        for index, (code, micros) in enumerate(timed):
            yield self._step(number, index, deal, codes[code], micros, notes.get(index, ""))
            deal.apply(codes[code])
            end = index + 1
        if deal.seat is not None:
            yield self._step(number, end, deal, None, 0, notes.get(end, ""))

    def _step(
        self, number: int, index: int, deal: Deal, action: int | None, micros: int, note: str
    ) -> Step:
        seat = deal.seat
        assert seat is not None
        self._decisions[seat] += 1
        decision = self._decisions[seat]
        return Step(
            deal=deal,
            seat=seat,
            number=decision,
            action=action,
            micros=micros,
            by_substitute=index in self._record.substituted[number],
            fault=self._faults.get((seat, number, decision)),
            note=note,
        )
