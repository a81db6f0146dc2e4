"""A match as somebody sees it who watches it, at any of its positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from mazzo.cards import Card
from mazzo.game import Deal, Event, View
from mazzo.match_record import MatchRecord
from mazzo.shuffle import bot_seed
from mazzo_server.results.commentary import (
    Line,
    Part,
    Tallies,
    list_choices,
    make_action_parts,
    make_distinct_names,
    make_tallies,
    sort_cards,
)
from mazzo_server.results.watching.match_result import describe_result
from mazzo_server.results.watching.playback import Playback, Step
from mazzo_server.results.watching.positions import Position, Positions
from mazzo_server.results.watching.retelling import DealRetelling

__all__ = ["Decision", "Hand", "WatchedMatch"]

_MICRO = 1e6  # of a second


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """What the watcher sees of the cards that a seat holds."""

    is_open: bool  # all of them; else those that everybody knows to be there
    cards: list[Card]  # as a player sorts them
    count: int  # of all that it holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A decision, and the position before it as the watcher sees it."""

    step: Step  # with the deal as it stands
    view: View  # of the seat that is watched, or else of the one to move
    hands: list[Hand]  # by seat
    is_open: bool  # whether the watcher sees what the seat to move sees
    choices: list[Part]  # what it could do; empty unless it is open
    action: list[Part]  # what it did, in words that follow its name; empty for a forfeit
    bank: float  # seconds that it had left for the deal
    story: list[Line]  # what led to it

    @property
    def card(self) -> Card | None:
        """The card that is played."""
        if self.step.action is None:
            return None
        return self.view.variant.game.actions[self.step.action].card


class WatchedMatch:
    """A verified record, of which every position can be looked at.

    A watcher of one seat is shown what that seat knew at that time, and no more.
    """

    def __init__(self, record: MatchRecord) -> None:
        self.record = record
        self.names = make_distinct_names([item.bot for item in record.seats])
        self.steps: list[list[Step]] = []  # by deal; their own deals have gone on meanwhile
        self.tricks: list[list[int]] = []  # that are complete at each decision of each deal
        self._starts: list[Deal] = []
        for _, deal, steps in Playback(record).play_deals():
            self._starts.append(deal.copy())
            self.steps.append([])
            self.tricks.append([])
            for step in steps:
                self.steps[-1].append(step)
                self.tricks[-1].append(len(deal.view(0).trick_winners))
        self.positions = Positions(self.tricks, players=record.variant.players)

    def is_end(self, at: Position) -> bool:
        """Tell whether a position is the end of its deal, where nobody decides."""
        return at.step == len(self.steps[at.deal])

    def look(self, at: Position) -> Decision:
        """Return the decision at a position that is no end of a deal."""
        deal, steps = self._replay_deal(at.deal, at.step)
        told = DealRetelling(self.record, at.seat).tell_deal(deal, steps)
        story = list(chain.from_iterable(told))
        step = replace(self.steps[at.deal][at.step], deal=deal)
        is_open = at.seat in (None, step.seat)
        return Decision(
            step=step,
            view=deal.view(step.seat if at.seat is None else at.seat),
            hands=self._list_hands(deal, at.seat),
            is_open=is_open,
            choices=list_choices(deal.view(step.seat)) if is_open else [],
            action=_describe_action(step, at.seat),
            bank=self._find_bank(at, step.seat),
            story=story,
        )

    def tell_end(self, at: Position) -> list[Line]:
        """Return the story of a whole deal; of the last one, also how the match ended."""
        deal, steps = self._replay_deal(at.deal, len(self.steps[at.deal]))
        retold = DealRetelling(self.record, at.seat).make_deal_lines(at.deal, deal, steps)
        lines = list(chain.from_iterable(retold))
        if at.deal + 1 == len(self.steps):
            told = describe_result(self.record, self.names)
            lines.append(Line(label="Result", parts=(told,)))
        return lines

    def view_end(self, at: Position) -> View:
        """Return the end of the deal as the watcher sees it."""
        deal, steps = self._replay_deal(at.deal, len(self.steps[at.deal]))
        for _ in steps:
            pass
        return deal.view(at.seat or 0)

    def list_views(self, after: Position) -> Iterator[tuple[Position, View]]:
        """Return every later decision that was taken, as the seat that took it saw it.

        For a watcher of one seat, only that seat's. The view has the seed and the number that the
        bot had, but no clock.
        """
        for number in range(after.deal, len(self.steps)):
            deal, steps = self._replay_deal(number, len(self.steps[number]))
            for place, step in enumerate(steps):
                is_later = number > after.deal or place > after.step
                is_shown = after.seat in (None, step.seat)
                if is_later and is_shown and step.action is not None:
                    yield replace(after, deal=number, step=place), self._view_decision(step, deal)

    def view_decision(self, at: Position) -> View:
        """Return what the seat to move saw at a position that is no end of a deal.

        The view has the seed and the number that the bot had, but no clock.
        """
        deal, steps = self._replay_deal(at.deal, at.step)
        for _ in steps:
            pass
        return self._view_decision(self.steps[at.deal][at.step], deal)

    def _view_decision(self, step: Step, deal: Deal) -> View:
        view = deal.view(step.seat)
        view.seed = bot_seed(self.record.seed, self.record.salt, step.seat)
        view.number = step.number
        return view

    def count_points(self, at: Position) -> Tallies:
        """Return the points from the beginning of the deal to the position, as the watcher knows.

        There is one number before the first decision, and one after each that was taken.
        """
        deal, steps = self._replay_deal(at.deal, at.step)
        views = [deal.view(at.seat or 0) for _ in steps]  # before each decision
        return make_tallies([*views, deal.view(at.seat or 0)], self.names)

    def _list_hands(self, deal: Deal, seat: int | None) -> list[Hand]:
        """Return the hands as that seat sees them; as all seats together do for None."""
        return [
            _describe_hand(deal.view(one if seat is None else seat), one)
            for one in range(len(self.names))
        ]

    def _find_bank(self, at: Position, seat: int) -> float:
        """Return the seconds that a seat has left at a position: its bank is new in each deal."""
        control = self.record.time_control
        bank = control.bank
        for step in self.steps[at.deal][: at.step]:
            if step.seat == seat:
                bank = max(bank - step.micros / _MICRO, 0.0) + control.increment
        return bank

    def _replay_deal(self, number: int, count: int) -> tuple[Deal, Iterator[Step]]:
        """Return a deal, and the steps that continue it as they are taken."""
        deal = self._starts[number].copy()

        def steps() -> Iterator[Step]:
            for step in self.steps[number][:count]:
                yield replace(step, deal=deal)
                if step.action is not None:
                    deal.apply(step.action)

        return deal, steps()


def _describe_hand(view: View, seat: int) -> Hand:
    is_open = view.seat == seat
    cards: Sequence[Card] = view.hand if is_open else view.known(seat)
    return Hand(is_open=is_open, cards=sort_cards(view, cards), count=view.hand_counts[seat])


def _describe_action(step: Step, seat: int | None) -> list[Part]:
    """Return the action in words, as far as the watcher may learn it."""
    if step.action is None:
        return []
    watcher = step.seat if seat is None else seat
    after = step.deal.copy()
    after.apply(step.action)
    before, then = step.deal.view(watcher), after.view(watcher)
    if len(then.actors) == len(before.actors):
        return ["does something that this seat does not see"]
    action = then.variant.game.actions[then.actions[-1]]
    return make_action_parts(before, then, Event(step.seat, action))
