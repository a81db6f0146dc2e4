"""Live matches: what is left of one when it is over."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator

import pytest

from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo_server.model import TimeControl
from mazzo_server.model.outcome import InstanceLog, Owner, Termination
from mazzo_server.play.live_match import LiveMatch, SeatState
from mazzo_server.play.table import Ask, Ended, Table
from support.stored_rows import log_of


class Holder:
    """Remembers what it owes, and nothing else."""

    name = "ann"

    def __init__(self) -> None:
        self.owed: list[SeatState] = []

    def read_log(self, since: int) -> InstanceLog:
        return log_of("")

    def on_ask(self, seat: SeatState) -> None:
        self.owed.append(seat)

    def on_match_end(self, seat: SeatState, ended: Ended) -> None:
        pass

    def on_match_abandoned(self, seat: SeatState) -> None:
        if seat in self.owed:
            self.owed.remove(seat)


def played_out(live: LiveMatch, holder: Holder) -> None:
    while holder.owed:
        seat = holder.owed.pop()
        assert isinstance(seat.ask, Ask)
        legal = seat.ask.deal.legal
        live.answer(seat, (legal & -legal).bit_length() - 1, 0.0)


def forfeited(live: LiveMatch, holder: Holder) -> None:
    live.lose(holder.owed.pop(), Termination.CRASHED, Owner.BOT, "its process crashed")


def abandoned(live: LiveMatch, holder: Holder) -> None:
    live.abandon()


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("finish", [played_out, forfeited, abandoned])
def test_a_match_that_is_over_is_freed_at_once(
    finish: Callable[[LiveMatch, Holder], None],
) -> None:
    """Bar 2: memory does not grow with the matches that were played."""
    holder = Holder()
    match = Match(parse_variant("briscola/2"), bytes(32), MatchFormat.parse("deals:1"))
    live = LiveMatch(
        Table(match, TimeControl()), key=(0, 0), holders=[holder, holder], on_end=lambda _: None
    )
    left: list[weakref.ref[LiveMatch] | weakref.ref[Table]] = [
        weakref.ref(live),
        weakref.ref(live.table),
    ]
    live.start()
    finish(live, holder)
    assert live.is_over
    del live
    assert [reference() for reference in left] == [None, None]
