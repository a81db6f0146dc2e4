"""A match in play: its table, and the players in its seats. Sans-I/O."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from mazzo.shuffle import bot_seed, commitment, seating_salt
from mazzo_server.model import InstanceLog, Owner, Termination
from mazzo_server.play.note_budget import MOST_GROUPS_WITH_NOTES, NoteBudget
from mazzo_server.play.table import Ask, Effect, Ended, Table

__all__ = ["LiveMatch", "SeatHolder", "SeatState"]


class SeatHolder(Protocol):
    """A player that fills seats of matches."""

    @property
    def name(self) -> str:
        """The name of its bot."""

    def read_log(self, since: int) -> InstanceLog:
        """Return what its instance wrote after its first `since` bytes."""

    def on_ask(self, seat: SeatState) -> None:
        """Take over the open decision `seat.ask`."""

    def on_match_end(self, seat: SeatState, ended: Ended) -> None:
        """Note that a match in which it had a seat is over."""

    def on_match_abandoned(self, seat: SeatState) -> None:
        """Note that a match in which it had a seat is given up: it owes nothing there any more."""


@dataclass(slots=True, eq=False, kw_only=True)
class SeatState:
    """A seat at one match, and the decision that its player owes there."""

    live: LiveMatch
    seat: int
    handle: int  # the bot's number for the match; it tells nothing of the match
    bot_seed: bytes = field(repr=False)
    notes: NoteBudget = field(default_factory=NoteBudget, repr=False)
    ask: Ask | None = None
    offered_at: float | None = None  # on the clock of its player; None while it is not offered
    log_start: int = 0  # the bytes that its instance had written when the decision was offered
    cut: bool = False  # the bot lost its connection while the decision was in flight

    @property
    def owner_of_delay(self) -> Owner:
        """Whose fault a delay of the decision in flight is."""
        return Owner.NETWORK if self.cut else Owner.BOT


class LiveMatch:
    """A table with its players; it hands every effect to the seat that it concerns."""

    def __init__(
        self,
        table: Table,
        *,
        key: tuple[int, int],
        holders: Sequence[SeatHolder | None],
        on_end: Callable[[LiveMatch], None],
        groups_before: Sequence[int] = (),
        groups_with_notes: int = MOST_GROUPS_WITH_NOTES,
    ) -> None:
        """`key` is (group, seating); `holders` by seat, None where the substitute plays.

        `groups_before` is by seat too, see `NoteBudget`; without it all notes have room.
        """
        self.table = table
        table.log_of = self._read_kept_log
        self.key = key
        self.is_over = False
        self._on_end = on_end
        seed = table.match.seed
        salt = seating_salt(seed, key[1])
        self.commitment = commitment(seed, salt)
        self.names = tuple(holder.name for holder in holders if holder is not None)
        self._seats: dict[int, tuple[SeatHolder, SeatState]] = {
            seat: (
                holder,
                SeatState(
                    live=self,
                    seat=seat,
                    bot_seed=(own := bot_seed(seed, salt, seat)),
                    handle=int.from_bytes(hashlib.sha256(own).digest()[:8]),
                    notes=NoteBudget(
                        groups_before[seat] if groups_before else 0,
                        groups_with_notes=groups_with_notes,
                    ),
                ),
            )
            for seat, holder in enumerate(holders)
            if holder is not None
        }

    def start(self) -> None:
        """Begin to play."""
        self._dispatch(self.table.start())

    def answer(self, seat: SeatState, action: int, elapsed: float, note: str = "") -> None:
        """Answer the decision that the seat owes, in time, after `elapsed` seconds."""
        if self._has_open_decision(seat):
            kept = seat.notes.take_note(note) if note else ""
            self._dispatch(self.table.answer(action, elapsed, kept))

    def expire(self, seat: SeatState, elapsed: float, owner: Owner) -> None:
        """Give up the decision that the seat owes, which was not answered in time.

        `owner` is whose fault the delay was.
        """
        if self._has_open_decision(seat):
            self._dispatch(self.table.expire(elapsed, owner=owner))

    def lose(self, seat: SeatState, termination: Termination, owner: Owner, reason: str) -> None:
        """Forfeit for the seat that owes a decision: its bot failed."""
        if self._has_open_decision(seat):
            self._dispatch(self.table.lose(termination, owner, reason))

    def _has_open_decision(self, seat: SeatState) -> bool:
        """Tell whether the decision that the seat was asked last is still open."""
        return not self.is_over and self.table.asked is seat.ask

    def _dispatch(self, effect: Effect) -> None:
        if isinstance(effect, Ask):
            holder, seat = self._seats[effect.seat]
            seat.ask = effect
            holder.on_ask(seat)
            return
        for holder, seat in self._close():
            holder.on_match_end(seat, effect)
        self._on_end(self)

    def abandon(self) -> None:
        """Stop without an outcome."""
        for holder, seat in self._close():
            holder.on_match_abandoned(seat)

    def _close(self) -> list[tuple[SeatHolder, SeatState]]:
        """Mark the match as over and return its seats.

        A seat knows its match, and a match that still knew its seats would be freed by the
        collector of cycles alone: a thousand finished matches later.
        """
        self.is_over = True
        seats = list(self._seats.values())
        self._seats.clear()
        self.table.log_of = _return_no_log
        return seats

    def _read_kept_log(self, seat: int) -> InstanceLog:
        holder, state = self._seats[seat]
        log = holder.read_log(state.log_start)
        return replace(log, text=state.notes.take_log(log.text))


def _return_no_log(seat: int) -> None:
    return None
