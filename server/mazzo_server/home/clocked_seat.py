"""A seat at home in which the time is measured."""

from __future__ import annotations

from time import perf_counter

from mazzo.bot import Bot, MatchEnded, MatchStarted, choose, read_note
from mazzo.game import Clock, View
from mazzo_server.model import TimeControl

__all__ = ["ClockedSeat"]


class ClockedSeat(Bot):
    """Asks a bot for its decisions in one match, and measures their time.

    With a time control the bot sees a clock, as on the platform, but is never stopped.
    """

    def __init__(
        self, bot: Bot, control: TimeControl | None, times: list[float] | None = None
    ) -> None:
        """The seconds of each decision are added to `times`, which all seats may share."""
        self._bot = bot
        self._times = times
        self._control = control
        self._bank = 0.0
        self._deal = -1  # the deal to which the bank belongs
        self.decisions = 0
        self.late = 0
        self.seconds = 0.0

    def act(self, view: View) -> int:
        """Return the bot's answer, and log what it logs; a late answer is counted, but played."""
        control = self._control
        if control is not None:
            if view.match.deal != self._deal:
                self._deal, self._bank = view.match.deal, control.bank
            view.clock = Clock(
                bank=self._bank, increment=control.increment, limit=control.limit, latency=0.0
            )
        begin = perf_counter()
        action = choose(self._bot, view)
        seconds = perf_counter() - begin
        self.seconds += seconds
        self.decisions += 1
        if self._times is not None:
            self._times.append(seconds)
        self.log(read_note(self._bot))
        if control is not None:
            self.late += seconds > min(self._bank, control.limit)
            self._bank = max(0.0, self._bank - seconds) + control.increment
        return action

    def on_start(self, started: MatchStarted) -> None:
        """Pass the start of the match on to the bot."""
        self._bot.on_start(started)

    def on_end(self, ended: MatchEnded) -> None:
        """Pass the end of the match on to the bot."""
        self._bot.on_end(ended)
