"""A match that is being played: its table, and who fills which seat. Sans-I/O."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from mazzo.shuffle import bot_seed, commitment, seating_salt
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.play.table import Ask, Effect, Ended, Table

__all__ = ["LiveMatch", "Place", "SeatHolder"]


class SeatHolder(Protocol):
    """Who fills seats."""

    @property
    def name(self) -> str:
        """Of the bot."""

    def forfeit_log(self) -> str:
        """The end of what its bot wrote, to be kept with a forfeit."""

    def ask(self, place: Place) -> None:
        """The decision `place.ask` is owed."""

    def match_ended(self, place: Place, ended: Ended) -> None:
        """A match in which it had a seat is over."""

    def forget(self, place: Place) -> None:
        """A match in which it had a seat is abandoned: nothing is owed any more."""


@dataclass(slots=True, eq=False, kw_only=True)
class Place:
    """A seat at one match, and the decision that whoever fills it owes there."""

    live: LiveMatch
    seat: int
    handle: int  # number of the match for whoever plays here; it says nothing of the match
    bot_seed: bytes = field(repr=False)
    ask: Ask | None = None
    offered_at: float | None = None  # on the clock of its player; None while it is not offered
    cut: bool = False  # the bot lost its connection while the decision was in flight


class LiveMatch:
    """A table with the players at its seats; hands every effect to whom it concerns."""

    def __init__(
        self,
        table: Table,
        *,
        key: tuple[int, int],
        holders: Sequence[SeatHolder | None],
        on_end: Callable[[LiveMatch], None],
    ) -> None:
        """`key` is (group, seating); `holders` by seat, None where the house plays."""
        self.table = table
        table.log_of = partial(_log_of, holders)
        self.key = key
        self.over = False
        self._on_end = on_end
        seed = table.match.seed
        salt = seating_salt(seed, key[1])
        self.commitment = commitment(seed, salt)
        self.names = tuple(holder.name for holder in holders if holder is not None)
        self._seats: dict[int, tuple[SeatHolder, Place]] = {
            seat: (
                holder,
                Place(
                    live=self,
                    seat=seat,
                    bot_seed=(own := bot_seed(seed, salt, seat)),
                    handle=int.from_bytes(hashlib.sha256(own).digest()[:8]),
                ),
            )
            for seat, holder in enumerate(holders)
            if holder is not None
        }

    def start(self) -> None:
        """Begin to play."""
        self._dispatch(self.table.start())

    def answer(self, place: Place, action: int, elapsed: float, note: str = "") -> None:
        """The decision owed at a place was answered in time, after `elapsed` seconds."""
        if self._owes(place):
            self._dispatch(self.table.answer(action, elapsed, note))

    def expire(self, place: Place, elapsed: float, owner: Owner) -> None:
        """The decision owed at a place was not answered in time, by whose fault."""
        if self._owes(place):
            self._dispatch(self.table.expire(elapsed, owner=owner))

    def lose(self, place: Place, termination: Termination, owner: Owner, reason: str) -> None:
        """Whoever owes the decision at a place failed in a way that forfeits the match."""
        if self._owes(place):
            self._dispatch(self.table.lose(termination, owner, reason))

    def _owes(self, place: Place) -> bool:
        """Whether the decision that the place owed last is still open."""
        return not self.over and self.table.asked is place.ask

    def _dispatch(self, effect: Effect) -> None:
        """Hand on an effect of the table."""
        if isinstance(effect, Ask):
            holder, place = self._seats[effect.seat]
            place.ask = effect
            holder.ask(place)
            return
        for holder, place in self._stand_up():
            holder.match_ended(place, effect)
        self._on_end(self)

    def abandon(self) -> None:
        """Stop without an outcome; nobody answers for it any more."""
        for holder, place in self._stand_up():
            holder.forget(place)

    def _stand_up(self) -> list[tuple[SeatHolder, Place]]:
        """It is over; who sat where.

        A place knows its match, and a match that still knew its places would be freed by the
        collector of cycles alone: a thousand finished matches later.
        """
        self.over = True
        seats = list(self._seats.values())
        self._seats.clear()
        return seats


def _log_of(holders: Sequence[SeatHolder | None], seat: int) -> str:
    holder = holders[seat]
    assert holder is not None
    return holder.forfeit_log()
