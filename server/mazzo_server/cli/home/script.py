"""The actions of a match at home, which is played again when one is taken back."""

from __future__ import annotations

from collections import deque

from mazzo.bot import Bot, MatchEnded, MatchStarted, choose
from mazzo.game import Action, View

__all__ = ["Script"]


class Script:
    """The actions of a match in order. With the seed, which gives the cards, they are the match."""

    def __init__(self) -> None:
        """Begin without actions."""
        self._done: list[tuple[int, int]] = []  # seat and action
        self._again: deque[tuple[int, int]] = deque()

    @property
    def repeats(self) -> bool:
        """Whether the match still repeats what was played before."""
        return bool(self._again)

    def has_chosen(self, seat: int) -> bool:
        """Tell whether the seat has taken an action."""
        return any(actor == seat for actor, _ in self._done)

    def take_back(self, seat: int) -> None:
        """Play the match again up to the seat's last action; the seat must have one."""
        last = max(index for index, (actor, _) in enumerate(self._done) if actor == seat)
        self._again = deque(self._done[:last])
        self._done = []

    def seat(self, bot: Bot, seat: int) -> Bot:
        """Return the bot, which is asked only for actions that are not in the script."""
        return _Scripted(self, bot, seat)

    def choose(self, seat: int, bot: Bot, view: View) -> int:
        """Return the action in the script, or else the bot's."""
        action = self._again.popleft()[1] if self._again else choose(bot, view)
        self._done.append((seat, action))
        return action


class _Scripted(Bot):
    def __init__(self, script: Script, bot: Bot, seat: int) -> None:
        self._script = script
        self._bot = bot
        self._seat = seat

    def act(self, view: View) -> Action | int:
        """Return the action in the script, or else the bot's."""
        return self._script.choose(self._seat, self._bot, view)

    def on_start(self, started: MatchStarted) -> None:
        """Tell the bot."""
        self._bot.on_start(started)

    def on_end(self, ended: MatchEnded) -> None:
        """Tell the bot."""
        self._bot.on_end(ended)
