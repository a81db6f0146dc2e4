"""Tells the deals of a match record in words, or as one seat saw them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mazzo.game import Deal, View
from mazzo.match_record import MatchRecord
from mazzo_server.results.commentary import (
    DealTeller,
    Line,
    clean,
    make_distinct_names,
    make_part,
)
from mazzo_server.results.watching.playback import Step

__all__ = ["DealRetelling", "format_seconds"]

_MICRO = 1e6  # of a second
_SHORT = 1000  # microseconds; a shorter time is shown as "<0.001 s"


class DealRetelling:
    """Tells the deals of a match, all of them or what one seat saw.

    A seat is told what its views, its own times and its own mistakes say; of other seats'
    mistakes it learns what their forfeit says to everybody.
    """

    def __init__(self, record: MatchRecord, seat: int | None) -> None:
        self._record = record
        self._names = make_distinct_names([item.bot for item in record.seats])
        seats = range(record.variant.players)
        self._shown: Sequence[int] = seats if seat is None else (seat,)

    def make_deal_lines(
        self, number: int, deal: Deal, steps: Iterable[Step]
    ) -> Iterator[list[Line]]:
        """Return a whole deal, with the time that everybody took."""
        times: dict[int, list[int]] = {seat: [] for seat in self._shown}
        yield from self.tell_deal(deal, self._add_time(steps, times))
        yield self._list_others_forfeits(number)
        yield self._list_time_lines(times)

    def tell_deal(self, deal: Deal, steps: Iterable[Step]) -> Iterator[list[Line]]:
        """Return a deal as far as its steps go, with its scores if it is over by then."""
        teller = DealTeller(self._names)
        for step in steps:
            yield teller.see(self._tell_views(deal))
            if step.seat in self._shown:
                yield from self._list_mishaps(step, teller)
        yield teller.see(self._tell_views(deal))
        yield teller.flush()
        if deal.scores is not None:
            yield teller.end(deal.scores, deal.variant.game.deal_winners(deal))

    def _add_time(self, steps: Iterable[Step], times: dict[int, list[int]]) -> Iterator[Step]:
        for step in steps:
            if step.seat in self._shown and not step.by_substitute:
                times[step.seat].append(step.micros)
            yield step

    def _tell_views(self, deal: Deal) -> list[View]:
        return [deal.view(seat) for seat in self._shown]

    def _list_mishaps(self, step: Step, teller: DealTeller) -> Iterator[list[Line]]:
        """Return forfeits and substituted actions of a seat that is shown."""
        name = self._names[step.seat]
        if step.fault is not None:
            fault = step.fault
            told = f"{name}: {clean(fault.termination)}, by the {fault.owner}: "
            yield teller.flush()
            yield [Line(label="Forfeit", parts=(told + clean(fault.reason),))]
        if step.by_substitute and step.action is not None:
            action = step.deal.variant.game.actions[step.action]
            seconds = f" after {format_seconds(step.micros)}" if step.micros else ""
            yield teller.flush()
            parts = ("plays ", make_part(action), f" for {name}{seconds}")
            yield [Line(label="Substitute", parts=parts)]

    def _list_others_forfeits(self, number: int) -> list[Line]:
        return [
            Line(
                label="Forfeit",
                parts=(f"{self._names[fault.seat]}: {clean(fault.termination)}",),
            )
            for fault in self._record.faults
            if fault.deal == number and fault.seat not in self._shown
        ]

    def _list_time_lines(self, times: dict[int, list[int]]) -> list[Line]:
        told = [
            f"{self._names[seat]} {format_seconds(sum(taken))} for {len(taken)}, "
            f"at most {format_seconds(max(taken))}"
            for seat, taken in times.items()
            if taken
        ]
        return [Line(label="Time", parts=("; ".join(told),))] if told else []


def format_seconds(micros: int) -> str:
    """Return a time to a thousandth of a second, for people."""
    return f"{micros / _MICRO:.3f} s" if micros >= _SHORT else "<0.001 s"
