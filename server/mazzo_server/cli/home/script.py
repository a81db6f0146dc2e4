"""What was done in a match at home so far, to be done again up to a move that is taken back."""

from __future__ import annotations

from collections import deque

from mazzo.bot import Bot, MatchEnded, MatchStarted, choose
from mazzo.game import Action, View

__all__ = ["Script"]


class Script:
    """The actions of a match in order. As its seed has the cards, they are the whole match."""

    def __init__(self) -> None:
        """Nothing was done yet."""
        self._done: list[tuple[int, int]] = []  # seat and action
        self._again: deque[tuple[int, int]] = deque()

    @property
    def repeats(self) -> bool:
        """Whether more is to be done again before anybody is asked."""
        return bool(self._again)

    def has_chosen(self, seat: int) -> bool:
        """Whether the seat has taken an action."""
        return any(actor == seat for actor, _ in self._done)

    def take_back(self, seat: int) -> None:
        """Let the match be played again up to the last action of the seat, which must have one."""
        last = max(index for index, (actor, _) in enumerate(self._done) if actor == seat)
        self._again = deque(self._done[:last])
        self._done = []

    def seat(self, bot: Bot, seat: int) -> Bot:
        """The bot, which is asked only for what is not in the script."""
        return _Scripted(self, bot, seat)

    def choose(self, seat: int, bot: Bot, view: View) -> int:
        """What the script says, or else what the bot does."""
        action = self._again.popleft()[1] if self._again else choose(bot, view)
        self._done.append((seat, action))
        return action


class _Scripted(Bot):
    def __init__(self, script: Script, bot: Bot, seat: int) -> None:
        self._script = script
        self._bot = bot
        self._seat = seat

    def act(self, view: View) -> Action | int:
        """As the script has it."""
        return self._script.choose(self._seat, self._bot, view)

    def on_start(self, started: MatchStarted) -> None:
        """As the bot has it."""
        self._bot.on_start(started)

    def on_end(self, ended: MatchEnded) -> None:
        """As the bot has it."""
        self._bot.on_end(ended)
