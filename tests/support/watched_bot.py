"""A bot that is watched by the tests."""

from __future__ import annotations

from mazzo import Action, Bot, View

__all__ = ["Watched"]


class Watched(Bot):
    """Keeps what another bot was asked and what it answered."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.decisions: list[tuple[View, int]] = []

    def act(self, view: View) -> Action:
        action = self.bot.act(view)
        self.decisions.append((view, action))
        return view.variant.game.actions[action]
