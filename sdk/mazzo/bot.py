"""What a bot is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from operator import index
from typing import cast

from mazzo.cards import Card
from mazzo.errors import BotError, shown
from mazzo.game import Action, View

__all__ = ["Bot", "choose"]


class Bot(ABC):
    """A player: one method, from a view to one of its legal actions.

    One instance plays any number of matches, even at the same time; everything that it
    needs to know is in the view. A bot whose answers depend only on the view and on
    `view.random` plays the same match in the same way every time.
    """

    @abstractmethod
    def act(self, view: View) -> Action | Card:
        """One of `view.legal`, or the card to play."""


def choose(bot: Bot, view: View) -> int:
    """The number of the action that the bot takes; `BotError` if it returns no action at all.

    Whether the action is legal is for the game master, or the local match, to say.
    """
    action: object = bot.act(view)
    number = _number_of(action)
    if number is None or not 0 <= number < len(view.variant.game.actions):
        legal = " ".join(option.code for option in view.legal)
        raise BotError(
            f"{type(bot).__name__}.act: expected one of view.legal ({legal}), got {shown(action)}"
        )
    return number


def _number_of(action: object) -> int | None:
    """A plain number, whatever methods a class of the bot's own has; None for what is none."""
    if isinstance(action, bool) or not issubclass(type(action), int):
        return None
    return index(cast(int, action))
