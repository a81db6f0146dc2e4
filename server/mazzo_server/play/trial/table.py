"""A table of a trial: one seat is the bot's, the substitute plays the others."""

from __future__ import annotations

from mazzo.match import Match
from mazzo.record import DealRecord
from mazzo_server.model import Owner, Termination, TimeControl
from mazzo_server.play.table import Ask, Effect, Table

__all__ = ["TrialTable"]


class TrialTable(Table):
    """A table that forgives no late decision, and keeps the position of a fault."""

    def __init__(
        self, match: Match, seat: int, *, bank: float | None = None, once: bool = False
    ) -> None:
        """Set the table up in the position that the match has.

        `bank` is the time that the seat has left in this deal. With `once` the substitute plays
        on for the seat after one decision.
        """
        substituted = [other for other in range(match.variant.players) if other != seat]
        super().__init__(match, TimeControl(), substituted=substituted)
        self.seat = seat
        self.position: tuple[DealRecord, Ask] | None = None  # where the bot failed
        self.longest = 0.0  # seconds, of a decision of the seat
        self._once = once
        if bank is not None:
            self._banks[seat] = bank

    @property
    def thought(self) -> float:
        """The seconds that the seat took for its decisions so far."""
        return self._thinking[self.seat]

    def answer(self, action: int, elapsed: float, note: str = "") -> Effect:
        """See `Table`."""
        self.longest = max(self.longest, elapsed)
        if self._once:
            self._substituted.add(self.seat)
        return super().answer(action, elapsed, note)

    def expire(self, elapsed: float, *, owner: Owner = Owner.BOT) -> Effect:
        """Count a late decision as a fault at once."""
        asked = self._open()
        left = " left of the deal's bank" if asked.allowance < self.control.limit else ""
        reason = f"it took {elapsed:.2f} s and had {asked.allowance:.2f} s{left}"
        return self._forfeit(asked, Termination.OUT_OF_TIME, owner, reason)

    def _forfeit(self, asked: Ask, termination: Termination, owner: Owner, reason: str) -> Effect:
        self.position = DealRecord.of(self.match.deal), asked
        return super()._forfeit(asked, termination, owner, reason)
