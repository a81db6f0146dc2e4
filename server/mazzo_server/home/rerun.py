"""Plays a recorded match again at home, with the present code of one of its bots."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from mazzo.bot import Bot, MatchEnded, MatchStarted, choose
from mazzo.game import Deal, View
from mazzo.local import LocalMatch, play_match
from mazzo.match_record import MatchRecord
from mazzo_server.home.bots import HomeBot, HomeBotError
from mazzo_server.home.clocked_seat import ClockedSeat
from mazzo_server.model import TimeControl
from mazzo_server.results.watching import Playback

__all__ = [
    "ChangedDecision",
    "HomeRerun",
    "play_rerun",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedDecision:
    """The first decision of a deal that is not the recorded one."""

    deal: int  # from 0
    seat: int
    number: int  # of the seat's decision in the recorded match, from 1
    step: int  # decisions of all seats in the deal before it
    then: int | None  # number of the action; None: the record ends there, with a forfeit
    by_substitute: bool  # whether then the platform played for the bot
    now: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeRerun:
    """The result of a recorded match that was played again, with other code in some seats."""

    changes: tuple[ChangedDecision, ...]  # the first one of each deal that has any
    played: LocalMatch | None  # None: it ended early, see `missing` and `failure`
    deal_scores: tuple[tuple[int, ...], ...]  # by deal that came to its end, and seat
    missing: int | None  # the seat that had to decide, but whose bot is not at home
    failure: str  # of a bot, for a person; "": there is none
    late: Mapping[int, int]  # by seat that was played anew: decisions later than its clock allowed


def play_rerun(
    record: MatchRecord, own: Mapping[int, HomeBot], others: Mapping[int, HomeBot]
) -> HomeRerun:
    """Play a verified record again with new code; both mappings are by seat.

    The bots of `own` take their decisions anew. All others answer as recorded while a deal goes
    as recorded, then by the bots of `others`; without one there, play ends. A deal goes as recorded
    if it begins as the recorded one does, and as long as all actions are the same. Raises
    `HomeBotError` for a bot that cannot be made; one that fails later ends the match.
    """
    recorded = _RecordedPlay(record)
    control = record.time_control
    clock = TimeControl(bank=control.bank, increment=control.increment, limit=control.limit)
    seats: list[Bot] = []
    anew: dict[int, ClockedSeat] = {}
    found: dict[int, ChangedDecision] = {}
    for seat in range(record.variant.players):
        if seat in own:
            bot = own[seat].seat(f"{own[seat].name} in seat {seat}")
            anew[seat] = ClockedSeat(bot, clock)
            seats.append(_OwnSeat(anew[seat], recorded, found))
        else:
            seats.append(_RecordedSeat(seat, recorded, None))
            if seat in others:
                bot = others[seat].seat(f"{others[seat].name} in seat {seat}")
                seats[seat] = _RecordedSeat(seat, recorded, ClockedSeat(bot, clock))
    played, missing, failure = None, None, ""
    try:
        played = play_match(
            record.variant,
            seats,
            seed=record.seed,
            match_format=str(record.match_format),
            draws=record.draws,
            seating=record.seating,
            watch=recorded.watch,
        )
    except _MissingBotError as error:
        missing = error.seat
    except HomeBotError as error:
        failure = str(error)
    return HomeRerun(
        changes=tuple(found[deal] for deal in sorted(found)),
        played=played,
        deal_scores=tuple(recorded.scores),
        missing=missing,
        failure=failure,
        late={seat: bot.late for seat, bot in anew.items()},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RecordedStep:
    action: int | None  # None: a forfeit, with which the record ends
    number: int  # of the seat's decision in the match, from 1
    step: int  # decisions of all seats in the deal before it
    by_substitute: bool


class _RecordedPlay:
    """What was decided next, while the deal in play goes as recorded."""

    def __init__(self, record: MatchRecord) -> None:
        self._begins = [(deal.dealer, json.dumps(dict(deal.start))) for deal in record.deals]
        self._steps = [
            [
                _RecordedStep(
                    action=step.action,
                    number=step.number,
                    step=place,
                    by_substitute=step.by_substitute,
                )
                for place, step in enumerate(steps)
            ]
            for _, _, steps in Playback(record).play_deals()
        ]
        self.scores: list[tuple[int, ...]] = []  # of the deals that are over, by seat
        self._deal: Deal | None = None  # in play
        self._is_as_recorded = False

    def watch(self, deal: Deal) -> None:
        """Look at a deal before its first action and after each one."""
        if deal is not self._deal:
            self._deal, number = deal, deal.match.deal
            begin = (deal.dealer, json.dumps(dict(deal.start)))
            self._is_as_recorded = number < len(self._begins) and begin == self._begins[number]
        elif self._is_as_recorded:
            then = self._steps[deal.match.deal][len(deal.actions) - 1].action
            self._is_as_recorded = then == deal.actions[-1]
        if deal.scores is not None:
            self.scores.append(deal.scores)

    def find_next(self) -> _RecordedStep | None:
        """Return the next step; None if the deal does not go as recorded."""
        if self._deal is None or not self._is_as_recorded:
            return None
        return self._steps[self._deal.match.deal][len(self._deal.actions)]


class _MissingBotError(Exception):
    """A seat has to decide what is not recorded, and its bot is not at home."""

    def __init__(self, seat: int) -> None:
        super().__init__()
        self.seat = seat


class _OwnSeat(Bot):
    """Decides anew, and notes what is not as recorded."""

    def __init__(
        self, bot: Bot, recorded: _RecordedPlay, found: dict[int, ChangedDecision]
    ) -> None:
        self._bot = bot
        self._recorded = recorded
        self._found = found  # by deal

    def act(self, view: View) -> int:
        now = choose(self._bot, view)
        then = self._recorded.find_next()
        if then is not None and then.action != now:
            self._found[view.match.deal] = ChangedDecision(
                deal=view.match.deal,
                seat=view.seat,
                number=then.number,
                step=then.step,
                then=then.action,
                by_substitute=then.by_substitute,
                now=now,
            )
        return now

    def on_start(self, started: MatchStarted) -> None:
        self._bot.on_start(started)

    def on_end(self, ended: MatchEnded) -> None:
        self._bot.on_end(ended)


class _RecordedSeat(Bot):
    """Answers as recorded, and otherwise by another bot."""

    def __init__(self, seat: int, recorded: _RecordedPlay, other: Bot | None) -> None:
        self._seat = seat
        self._recorded = recorded
        self._other = other

    def act(self, view: View) -> int:
        then = self._recorded.find_next()
        if then is not None and then.action is not None:
            return then.action
        if self._other is None:
            raise _MissingBotError(self._seat)
        return choose(self._other, view)

    def on_start(self, started: MatchStarted) -> None:
        if self._other is not None:
            self._other.on_start(started)

    def on_end(self, ended: MatchEnded) -> None:
        if self._other is not None:
            self._other.on_end(ended)
