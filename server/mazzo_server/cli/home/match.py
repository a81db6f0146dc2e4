"""A match at home: the plan, and the table that tells it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from rich.console import Console

from mazzo.bot import Bot, read_note
from mazzo.game import Deal, Variant
from mazzo.match import MatchFormat
from mazzo_server.cli.home.person import Person
from mazzo_server.cli.home.script import Script
from mazzo_server.cli.text.lines import explain_cards, print_lines
from mazzo_server.home import HomeBot, join_names
from mazzo_server.results.commentary import (
    DealTeller,
    Line,
    clean,
    format_number,
    make_distinct_names,
)

__all__ = ["HomePlan", "HomeTable"]

_PERSON = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePlan:
    """What is played."""

    variant: Variant
    format: MatchFormat
    draws: str  # "": the game's own
    seating: int
    seed: bytes
    bots: tuple[HomeBot | None, ...]  # by seat, None for the person
    human: int | None

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each seat for people: all different, and harmless on a terminal."""
        return make_distinct_names([_PERSON if bot is None else bot.name for bot in self.bots])

    @property
    def again(self) -> str:
        """The command that plays the same match again."""
        words = ["mazzo", "play", self.variant.text, "--match", str(self.format)]
        if given := [bot.given for bot in self.bots if bot is not None]:
            words += ["--bots", join_names(given if len(set(given)) > 1 else given[:1])]
        if self.human is not None:
            words += ["--human", str(self.human)]
        if self.draws:
            words += ["--draws", self.draws]
        if self.seating:
            words += ["--seating", str(self.seating)]
        return clean(shlex.join([*words, "--seed", self.seed.hex()]))


class HomeTable:
    """Tells the match while it is played."""

    def __init__(self, plan: HomePlan, shown: Sequence[int], out: Console) -> None:
        self._plan = plan
        self._names = plan.names
        self._shown = shown
        self._out = out
        self._muted = False
        self._script = Script()
        self._deal: Deal | None = None
        self._mover: int | None = None  # whose action comes next
        self._bots: list[Bot] = []
        self._teller = DealTeller(self._names)

    def mute(self) -> None:
        """Tell nothing."""
        self._muted = True

    def introduce(self) -> None:
        """Say who plays what, and how cards are written."""
        plan = self._plan
        self.tell(
            [
                Line(label="Match", parts=(f"{plan.variant}, {plan.format}",)),
                *(
                    Line(label=f"Seat {seat}", parts=(_describe_seat(name, bot),))
                    for seat, (name, bot) in enumerate(zip(self._names, plan.bots, strict=True))
                ),
                *_list_teams(plan.variant),
                explain_cards(plan.variant.game.pack),
            ]
        )

    def list_seated(self) -> list[Bot]:
        """Return the bot in each seat."""
        self._bots = [
            bot.seat(f"{clean(bot.name)} in seat {seat}")
            if bot is not None
            else Person(self._names, self._ask, has_chosen=partial(self._script.has_chosen, seat))
            for seat, bot in enumerate(self._plan.bots)
        ]
        if self._plan.human is None:
            return self._bots
        return [self._script.seat(bot, seat) for seat, bot in enumerate(self._bots)]

    def take_back(self) -> None:
        """Let the match be played again, silently, up to the person's last action."""
        assert self._plan.human is not None
        self._script.take_back(self._plan.human)
        self.tell([Line(label="Back", parts=("your last move, and what came after it",))])

    def watch(self, deal: Deal) -> None:
        """Tell what is new in the deal."""
        if self._muted:
            return
        is_new = deal is not self._deal
        mover, self._mover = None if is_new else self._mover, deal.seat
        if is_new:
            self._deal = deal
            self._teller = DealTeller(self._names)
        lines = self._teller.see([deal.view(seat) for seat in self._shown])
        if self._script.repeats:
            return
        if is_new:
            self._out.print()
        self.tell([*self._log(mover), *lines])
        if deal.scores is not None:
            self._tell_end(deal, deal.scores)

    def _log(self, mover: int | None) -> list[Line]:
        """Note what the bot said of the action that it has just taken."""
        if mover not in self._shown or mover is None or not (note := read_note(self._bots[mover])):
            return []
        return [Line(label="Log", parts=(f"{self._names[mover]}: {note}",))]

    def _tell_end(self, deal: Deal, scores: Sequence[int]) -> None:
        self.tell(self._teller.flush())
        game, human = deal.variant.game, self._plan.human
        winners = game.deal_winners(deal)
        lines = self._teller.end(scores, winners)
        if human is not None:
            side = next(n for n, seats in enumerate(deal.variant.sides) if human in seats)
            if not game.counts_wins:
                came = f"you score {format_number(scores[human], signed=True)}"
            elif side not in winners:
                came = "you have lost it"
            else:
                came = "you have won it" if len(winners) == 1 else "it is level"
            self._out.print()
            lines.insert(0, Line(label="Over", parts=(f"deal {deal.match.deal + 1}: {came}",)))
        self.tell(lines)

    def _ask(self, lines: Sequence[Line]) -> None:
        self.tell(self._teller.flush())
        self._out.print()
        self.tell(lines)
        self._out.print("> ", end="")

    def tell(self, lines: Sequence[Line]) -> None:
        """Print the lines, wrapped beside their labels."""
        if not self._muted:
            print_lines(lines, self._out)


def _list_teams(variant: Variant) -> list[Line]:
    """Return who plays with whom, where that is known before the deal."""
    if all(len(seats) == 1 for seats in variant.sides):
        return []
    teams = " against ".join(", ".join(map(str, seats)) for seats in variant.sides)
    return [Line(label="Teams", parts=(f"seats {teams}",))]


def _describe_seat(name: str, bot: HomeBot | None) -> str:
    if bot is None:
        return f"{name}: you"
    return name if bot.given == bot.name else f"{name}: {clean(bot.given)}"
