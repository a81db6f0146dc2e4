"""Draws a position of a match as one screen: the table, a decision, and what led to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from rich.text import Text

from mazzo.cards import Card
from mazzo.game import Deal, Event, View
from mazzo.match_record import MatchRecord
from mazzo_server.cli.screen.stepper import HELP, Position
from mazzo_server.cli.text.lines import wrap_lines
from mazzo_server.cli.text.retelling import Retelling, format_seconds
from mazzo_server.results import Playback, Step
from mazzo_server.results.commentary import (
    Line,
    Part,
    clean,
    join_parts,
    list_choices,
    make_action_parts,
    make_distinct_names,
    make_fact_lines,
    make_hand_parts,
    make_trick_parts,
)

__all__ = ["Board"]

# Most important first, for a narrow terminal.
_KEYS = "? help  q leave  right/left decision  down/up trick  PgDn/PgUp deal  Tab seat"
_MOST_CHOICES = 20  # that are listed


class Board:
    """Draws the positions of a match for a watcher."""

    def __init__(self, record: MatchRecord, *, symbols: bool = False) -> None:
        """`record` must be verified. With `symbols`, French suits are drawn as symbols."""
        self._record = record
        self._symbols = symbols
        self._names = make_distinct_names([item.bot for item in record.seats])
        self._starts: list[Deal] = []
        self._steps: list[list[Step]] = []
        self.tricks: list[list[int]] = []  # as a `Stepper` wants them
        for _, deal, steps in Playback(record).play_deals():
            self._starts.append(deal.copy())
            self._steps.append([])
            self.tricks.append([])
            for step in steps:
                self._steps[-1].append(step)
                self.tricks[-1].append(len(deal.view(0).trick_winners))

    def make_rows(self, at: Position, width: int, height: int) -> list[Text]:
        """Return exactly `height` rows, none of them wider than `width`."""
        body = height - 2
        if at.help:
            told = self._make_help()[: max(body, 0)]
        elif at.step == len(self._steps[at.deal]):
            told = self._end(at, width)[-body:] if body > 0 else []
        else:
            told = self._decision(at, width, body)
        rows = [self._make_header(at), *told][:height]
        if height > 1:
            rows = rows[: height - 1]
            rows += [Text()] * (height - 1 - len(rows))
            rows.append(Text(_KEYS, style="dim"))
        for row in rows:
            row.truncate(width)
        return rows

    def _make_header(self, at: Position) -> Text:
        record, steps = self._record, self._steps[at.deal]
        place = f"deal {at.deal + 1}/{len(self._steps)}"
        if at.step < len(steps):
            place += f"  trick {self.tricks[at.deal][at.step] + 1}"
            place += f"  decision {at.step + 1}/{len(steps)}"
        else:
            place += "  the end"
        seen = "all hands" if at.seat is None else f"seat {at.seat}, {self._names[at.seat]}"
        return Text(f"{place}   {seen}   {record.name}  {record.variant}", style="reverse")

    def _make_help(self) -> list[Text]:
        column = max(len(keys) for keys, _ in HELP) + 2
        return [Text(f"{keys:<{column}}{what}") for keys, what in HELP]

    def _make_lines(self, lines: Sequence[Line], width: int) -> list[Text]:
        return list(wrap_lines(lines, width, symbols=self._symbols))

    def _end(self, at: Position, width: int) -> list[Text]:
        deal, steps = self._replay_deal(at.deal, len(self._steps[at.deal]))
        told = Retelling(self._record, at.seat).make_deal_lines(at.deal, deal, steps)
        lines = list(chain.from_iterable(told))
        if at.deal + 1 == len(self._steps):
            lines.append(self._make_ranking_line())
        return self._make_lines(lines, width)

    def _make_ranking_line(self) -> Line:
        record = self._record
        order = sorted(range(len(self._names)), key=lambda seat: (record.ranking[seat], seat))
        places = [
            [f"{record.ranking[seat]} {self._names[seat]} with {record.match_scores[seat]}"]
            for seat in order
        ]
        return Line(label="Match", parts=tuple(join_parts(places)))

    def _replay_deal(self, number: int, count: int) -> tuple[Deal, Iterator[Step]]:
        """Return a deal, and the steps that continue it as they are taken."""
        deal = self._starts[number].copy()

        def steps() -> Iterator[Step]:
            for step in self._steps[number][:count]:
                yield replace(step, deal=deal)
                if step.action is not None:
                    deal.apply(step.action)

        return deal, steps()

    def _decision(self, at: Position, width: int, height: int) -> list[Text]:
        """Return the position, the decision and, as far as there is room, what led to it."""
        deal, steps = self._replay_deal(at.deal, at.step)
        story = list(chain.from_iterable(Retelling(self._record, at.seat).tell_deal(deal, steps)))
        step = replace(self._steps[at.deal][at.step], deal=deal)
        view = deal.view(step.seat if at.seat is None else at.seat)
        parts = [
            self._make_lines(make_fact_lines(view, self._names), width),
            self._make_hand_lines(at, step, width),
            self._make_lines(self._make_table_lines(view), width),
            self._make_lines(self._make_choice_lines(at, step), width),
            self._make_lines(self._make_decision_lines(at, step), width),
        ]
        for dropped in (0, 3, 1, 2, 4):  # the least important first
            while sum(map(len, parts)) > height and parts[dropped]:
                parts[dropped].pop()
        rows = [*parts[0], *parts[1], *parts[2], *parts[3], *parts[4]]
        room = height - len(rows) - 1
        return [*rows, Text(), *self._make_lines(story, width)[-room:]] if room > 0 else rows

    def _make_hand_lines(self, at: Position, step: Step, width: int) -> list[Text]:
        """Return every hand that is shown, and how many cards the others hold."""
        chosen = self._find_card(step)
        rows: list[Text] = []
        for seat, name in enumerate(self._names):
            view = step.deal.view(seat if at.seat is None else at.seat)
            mover = ">" if seat == step.seat else " "
            parts: list[Part] = [f"{name}: "]
            if seat == view.seat:
                parts += make_hand_parts(view, view.hand)
            else:
                count, known = view.hand_counts[seat], view.known(seat)
                parts += [f"{count} card{'' if count == 1 else 's'}"]
                parts += [": ", *make_hand_parts(view, known)] if known else []
            line = Line(label=f"{mover} Seat {seat}", parts=tuple(parts))
            marked = chosen if seat == step.seat else None
            rows += wrap_lines([line], width, symbols=self._symbols, marked=marked)
        return rows

    def _find_card(self, step: Step) -> Card | None:
        """Return the card that is played in the decision."""
        if step.action is None:
            return None
        return step.deal.variant.game.actions[step.action].card

    def _make_table_lines(self, view: View) -> list[Line]:
        trick = make_trick_parts(view, self._names)
        return [Line(label="Table", parts=tuple(trick))] if trick else []

    def _make_choice_lines(self, at: Position, step: Step) -> list[Line]:
        """Return the possible actions, where they are shown."""
        if at.seat not in (None, step.seat):
            return []
        legal = [[choice] for choice in list_choices(step.deal.view(step.seat))]
        if len(legal) > _MOST_CHOICES:
            legal[_MOST_CHOICES:] = [[f"and {len(legal) - _MOST_CHOICES} more"]]
        return [Line(label="Choices", parts=tuple(join_parts(legal, " ")))]

    def _make_decision_lines(self, at: Position, step: Step) -> list[Line]:
        """Return the action, its seat, its time, and what the bot said of it."""
        shown = at.seat in (None, step.seat)
        name, lines = self._names[step.seat], list[Line]()
        if step.fault is not None:
            told = f"{name}: {clean(step.fault.termination)}"
            if shown:
                told += f", by the {step.fault.owner}: {clean(step.fault.reason)}"
            lines.append(Line(label="Forfeit", parts=(told,)))
        if step.action is not None:
            parts = self._make_parts(at, step)
            if step.by_substitute and shown:
                parts.append(", played by the substitute")
            if shown and (step.micros or not step.by_substitute):
                parts.append(f" after {format_seconds(step.micros)}")
            lines.append(Line(label="Decision", parts=(f"{name} ", *parts)))
        if shown and step.note:
            lines.append(Line(label="Log", parts=(clean(step.note),)))
        return lines

    def _make_parts(self, at: Position, step: Step) -> list[Part]:
        """Return the action in words, as far as the watcher may learn it."""
        assert step.action is not None
        watcher = step.seat if at.seat is None else at.seat
        after = step.deal.copy()
        after.apply(step.action)
        before, then = step.deal.view(watcher), after.view(watcher)
        if len(then.actors) == len(before.actors):
            return ["does something that this seat does not see"]
        action = then.variant.game.actions[then.actions[-1]]
        return make_action_parts(before, then, Event(step.seat, action))
