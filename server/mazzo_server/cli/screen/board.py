"""Draws a position of a match as one screen: the table, a decision, and what led to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from rich.text import Text

from mazzo.game import View
from mazzo.match_record import MatchRecord
from mazzo_server.cli.screen.stepper import HELP, ShownPosition
from mazzo_server.cli.text.lines import wrap_lines
from mazzo_server.clock import monotonic
from mazzo_server.results.commentary import (
    Line,
    Part,
    clean,
    join_parts,
    make_advice_line,
    make_fact_lines,
    make_hand_parts,
    make_trick_parts,
)
from mazzo_server.results.watching import Decision, WatchedMatch, format_seconds

__all__ = ["Board"]

# Most important first, for a narrow terminal.
_KEYS = "? help  q leave  right/left decision  down/up trick  PgDn/PgUp deal  Tab seat"
_MOST_CHOICES = 20  # that are listed


class Board:
    """Draws the positions of a match for a watcher."""

    def __init__(
        self,
        record: MatchRecord,
        *,
        symbols: bool = False,
        choose_as_expert: Callable[[View], int] | None = None,
    ) -> None:
        """`record` must be verified. With `symbols`, French suits are drawn as symbols.

        If it can be asked, the board also tells what `expert` would have played.
        """
        self._symbols = symbols
        self._choose_as_expert = choose_as_expert
        self._match = WatchedMatch(record)
        self._names = self._match.names
        self.positions = self._match.positions

    def make_rows(self, at: ShownPosition, width: int, height: int) -> list[Text]:
        """Return exactly `height` rows, none of them wider than `width`."""
        body = height - 2
        if at.help:
            told = self._make_help()[: max(body, 0)]
        elif self._match.is_end(at):
            lines = self._make_lines(self._match.tell_end(at), width)
            told = lines[-body:] if body > 0 else []
        else:
            told = self._draw_decision(at, width, body)
        rows = [self._make_header(at), *told][:height]
        if height > 1:
            rows = rows[: height - 1]
            rows += [Text()] * (height - 1 - len(rows))
            rows.append(Text(_KEYS, style="dim"))
        for row in rows:
            row.truncate(width)
        return rows

    def find_other_choice(self, at: ShownPosition, *, seconds: float = 2.0) -> ShownPosition:
        """Return the next decision at which `expert` would have decided otherwise.

        Without one before the end of the match or of the time, the last one that was looked at.
        """
        until = monotonic() + seconds
        if self._choose_as_expert is None:
            return at
        for there, view in self._match.list_views(at):
            at = replace(at, deal=there.deal, step=there.step)
            was = self._match.steps[there.deal][there.step].action
            if self._choose_as_expert(view) != was or monotonic() >= until:
                break
        return at

    def _make_header(self, at: ShownPosition) -> Text:
        record, steps = self._match.record, self._match.steps[at.deal]
        place = f"deal {at.deal + 1}/{len(self._match.steps)}"
        if at.step < len(steps):
            place += f"  trick {self._match.tricks[at.deal][at.step] + 1}"
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

    def _draw_decision(self, at: ShownPosition, width: int, height: int) -> list[Text]:
        """Return the position, the decision and, as far as there is room, what led to it."""
        seen = self._match.look(at)
        decision = [*self._make_decision_lines(seen), *self._make_advice_lines(at, seen)]
        parts = [
            self._make_lines(make_fact_lines(seen.view, self._names), width),
            self._make_hand_lines(seen, width),
            self._make_lines(self._make_table_lines(seen.view), width),
            self._make_lines(self._make_choice_lines(seen), width),
            self._make_lines(decision, width),
        ]
        for dropped in (0, 3, 1, 2, 4):  # the least important first
            while sum(map(len, parts)) > height and parts[dropped]:
                parts[dropped].pop()
        rows = [*parts[0], *parts[1], *parts[2], *parts[3], *parts[4]]
        room = height - len(rows) - 1
        return [*rows, Text(), *self._make_lines(seen.story, width)[-room:]] if room > 0 else rows

    def _make_hand_lines(self, seen: Decision, width: int) -> list[Text]:
        """Return every hand that is shown, and how many cards the others hold."""
        rows: list[Text] = []
        for seat, (name, hand) in enumerate(zip(self._names, seen.hands, strict=True)):
            moves = seat == seen.step.seat
            parts: list[Part] = [f"{name}: "]
            if not hand.is_open:
                parts += [f"{hand.count} card{'' if hand.count == 1 else 's'}"]
                parts += [": "] if hand.cards else []
            parts += make_hand_parts(seen.view, hand.cards)
            line = Line(label=f"{'>' if moves else ' '} Seat {seat}", parts=tuple(parts))
            marked = seen.card if moves else None
            rows += wrap_lines([line], width, symbols=self._symbols, marked=marked)
        return rows

    def _make_table_lines(self, view: View) -> list[Line]:
        trick = make_trick_parts(view, self._names)
        return [Line(label="Table", parts=tuple(trick))] if trick else []

    def _make_choice_lines(self, seen: Decision) -> list[Line]:
        """Return the possible actions, where they are shown."""
        if not seen.is_open:
            return []
        legal = [[choice] for choice in seen.choices]
        if len(legal) > _MOST_CHOICES:
            legal[_MOST_CHOICES:] = [[f"and {len(legal) - _MOST_CHOICES} more"]]
        return [Line(label="Choices", parts=tuple(join_parts(legal, " ")))]

    def _make_decision_lines(self, seen: Decision) -> list[Line]:
        """Return the action, its seat, its time, and what the bot said of it."""
        step, shown = seen.step, seen.is_open
        name, lines = self._names[step.seat], list[Line]()
        if step.fault is not None:
            told = f"{name}: {clean(step.fault.termination)}"
            if shown:
                told += f", by the {step.fault.owner}: {clean(step.fault.reason)}"
            lines.append(Line(label="Forfeit", parts=(told,)))
        if step.action is not None:
            parts = list(seen.action)
            if step.by_substitute and shown:
                parts.append(", played by the substitute")
            if shown and (step.micros or not step.by_substitute):
                parts.append(f" after {format_seconds(step.micros)}")
            lines.append(Line(label="Decision", parts=(f"{name} ", *parts)))
        if shown and step.note:
            lines.append(Line(label="Log", parts=(clean(step.note),)))
        return lines

    def _make_advice_lines(self, at: ShownPosition, seen: Decision) -> list[Line]:
        """Return what `expert` would have done, for a watcher who sees what the seat saw."""
        if self._choose_as_expert is None or not seen.is_open:
            return []
        choice = self._choose_as_expert(self._match.view_decision(at))
        action = seen.view.variant.game.actions[choice]
        return [make_advice_line("expert", action, seen.step.action)]
