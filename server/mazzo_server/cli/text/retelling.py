"""Tells a match record in words, or as one seat saw it."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from mazzo.match_record import MatchRecord
from mazzo_server.cli.text.lines import explain_cards, print_lines
from mazzo_server.cli.text.output import make_table, print_table
from mazzo_server.results.commentary import Line, format_number, make_distinct_names
from mazzo_server.results.watching import DealRetelling, Playback

__all__ = ["Retelling", "encode_seat"]

_MICRO = 1e6  # of a second


class Retelling:
    """Tells a match from its record, all of it or what one seat saw: see `DealRetelling`."""

    def __init__(self, record: MatchRecord, seat: int | None) -> None:
        self._record = record
        self._seat = seat
        self._names = make_distinct_names([item.bot for item in record.seats])

    def tell(self, out: Console, only: int | None) -> None:
        """Tell every deal, or the deal with this number, and the result of the match."""
        print_lines(self._introduce(), out)
        deals = DealRetelling(self._record, self._seat)
        for number, deal, steps in Playback(self._record).play_deals():
            if only in (None, number):
                out.print()
                for lines in deals.make_deal_lines(number, deal, steps):
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
        if self._seat is None:
            lines.insert(1, Line(label="Seed", parts=(record.seed.hex(),)))
        return lines

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
                str(record.late[seat]) if self._seat in (None, seat) else "",
            )
        print_table(table)


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
