"""Tells a match record in words, or as one seat saw it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from mazzo.game import Deal
from mazzo.match_record import MatchRecord
from mazzo_server.cli.text.lines import explain_cards, print_lines
from mazzo_server.cli.text.output import make_table, print_table
from mazzo_server.results import Playback, Step
from mazzo_server.results.commentary import (
    DealTeller,
    Line,
    clean,
    format_number,
    make_distinct_names,
    make_part,
)

__all__ = ["Retelling", "encode_seat", "format_seconds"]

_MICRO = 1e6  # of a second
_SHORT = 1000  # microseconds; a shorter time is shown as "<0.001 s"


class Retelling:
    """Tells a match from its record, all of it or what one seat saw.

    A seat is told what its views, its own times and its own mistakes say; of other seats'
    mistakes it learns what their forfeit says to everybody.
    """

    def __init__(self, record: MatchRecord, seat: int | None) -> None:
        self._record = record
        self._names = make_distinct_names([item.bot for item in record.seats])
        seats = range(record.variant.players)
        self._shown: Sequence[int] = seats if seat is None else (seat,)
        self._all = seat is None

    def tell(self, out: Console, only: int | None) -> None:
        """Tell every deal, or the deal with this number, and the result of the match."""
        print_lines(self._introduce(), out)
        for number, deal, steps in Playback(self._record).play_deals():
            if only in (None, number):
                out.print()
                for lines in self.make_deal_lines(number, deal, steps):
                    print_lines(lines, out)
        out.print()
        self._print_ranking()

    def _introduce(self) -> list[Line]:
        record, control = self._record, self._record.time_control
        lines = [
            Line(label="Match", parts=(f"{record.name}: {record.variant}, {record.match_format}",)),
            *(
                Line(label=f"Seat {seat}", parts=(f"{name}: version {item.version}",))
                for seat, (name, item) in enumerate(zip(self._names, record.seats, strict=True))
            ),
            Line(
                label="Time",
                parts=(f"{control.bank:g}+{control.increment:g}, limit {control.limit:g} s",),
            ),
            explain_cards(record.variant.game.pack),
        ]
        if self._all:
            lines.insert(1, Line(label="Seed", parts=(record.seed.hex(),)))
        return lines

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

    def _tell_views(self, deal: Deal) -> list[Any]:
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

    def _print_ranking(self) -> None:
        record = self._record
        table = make_table("rank", "seat", "bot", "match score", "late", right="rr rr")
        order = sorted(range(len(self._names)), key=lambda seat: (record.ranking[seat], seat))
        for seat in order:
            table.add_row(
                str(record.ranking[seat]),
                str(seat),
                Text(self._names[seat]),
                format_number(record.match_scores[seat]),
                str(record.late[seat]) if seat in self._shown else "",
            )
        print_table(table)


def format_seconds(micros: int) -> str:
    """Return a time to a thousandth of a second, for people."""
    return f"{micros / _MICRO:.3f} s" if micros >= _SHORT else "<0.001 s"


def encode_seat(record: MatchRecord, seat: int, only: int | None) -> dict[str, Any]:
    """Return what a seat saw of a match: a view for each of its decisions."""
    game = record.variant.game
    deals = []
    for number, deal, steps in Playback(record).play_deals():
        decisions = [
            {
                "decision": step.number,
                "view": deal.view(seat).to_json(),
                "action": None if step.action is None else game.actions[step.action].code,
                "by_substitute": step.by_substitute,
                "time_seconds": step.micros / _MICRO,
                "note": step.note or None,
            }
            for step in steps
            if step.seat == seat
        ]
        if only in (None, number):
            deals.append(
                {
                    "deal": number,
                    "decisions": decisions,
                    "view": deal.view(seat).to_json(),
                    "scores": deal.scores,
                }
            )
    return {
        "match": record.name,
        "variant": record.variant.text,
        "match_format": str(record.match_format),
        "seat": seat,
        "bots": [item.bot for item in record.seats],
        "commitment": record.commitment.hex(),
        "deals": deals,
        "match_scores": [str(score) for score in record.match_scores],
        "ranking": list(record.ranking),
        "faults": [
            {
                "seat": fault.seat,
                "termination": fault.termination,
                "deal": fault.deal,
                "reason": fault.reason if fault.seat == seat else None,
            }
            for fault in record.faults
        ],
        "late": record.late[seat],
    }
