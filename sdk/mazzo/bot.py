"""What a bot is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from operator import index
from random import Random
from typing import SupportsIndex, cast

from mazzo.cards import Card
from mazzo.errors import BotError
from mazzo.game import Action, Variant, View
from mazzo.illegal_actions import explain_no_action, explain_no_bot
from mazzo.note import NOTE_BYTES, make_one_line
from mazzo.shuffle import StreamRandom

__all__ = ["Bot", "MatchEnded", "MatchStarted", "choose", "expect_bot", "read_note"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchStarted:
    """What a bot is told of a match that it begins, or takes over from a lost instance."""

    variant: Variant
    seat: int
    match_format: str  # such as "best-of:3"
    seed: bytes = field(repr=False)  # that of this seat's views in this match, and no others

    @property
    def random(self) -> Random:
        """A generator for what is to hold for the whole match, made anew at each access."""
        return StreamRandom(self.seed, "match")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchEnded:
    """What a bot is told of a match that is over."""

    started: MatchStarted
    scores: tuple[float, ...]  # match score of each seat
    ranking: tuple[int, ...]  # by seat, 1 for the best; ties share
    reason: str = ""  # why it ended early: which seat did what; empty if it was played out


class Bot(ABC):
    """A player: one method, from a view to one of its legal actions.

    One instance plays any number of matches, even at the same time; everything that it
    needs to know is in the view. A bot whose answers depend only on the view and on
    `view.random` plays the same match in the same way every time.
    """

    _decision_note = ""  # of the decision that is being taken

    @abstractmethod
    def act(self, view: View) -> Action | Card | int:
        """Return one of `view.legal`, the card to play, or the number of either."""

    def on_start(self, started: MatchStarted) -> None:  # noqa: B027 (most bots need none)
        """Hear that a match begins, before the first decision in it.

        What is kept for a match is best kept by `started.seed`, which is `view.seed` in each
        of its decisions. On the platform the time counts against the first decision, and an
        instance that takes over begins in the middle of a match. A remote bot that comes back
        after a lost connection is in its matches still, and begins none of them again.
        """

    def on_end(self, ended: MatchEnded) -> None:  # noqa: B027
        """Hear that a match is over.

        Nobody tells a bot whose instance is lost before, or a remote bot whose connection is lost
        when the match ends.
        """

    def log(self, text: str) -> None:
        """Say something about the decision that is being taken, in one line.

        It is kept beside the decision for the bot's author and the organiser. What is said at
        one decision is put together, and what goes beyond 200 bytes of UTF-8 is cut. What is
        said outside of `act` belongs to no decision, and is lost.
        """
        said, text = self._decision_note, f"{text}"
        if text.strip() and len(said) < NOTE_BYTES:
            _set_note(self, f"{said}; {text}" if said else text)


def choose(bot: Bot, view: View) -> int:
    """Return the number of the action that the bot takes; raise `BotError` if it returns none.

    Whether the action is legal is for the game master, or the local match, to say. What the
    bot logged meanwhile is its `read_note` until it is asked again.
    """
    if bot._decision_note:
        _set_note(bot, "")
    answer: object = bot.act(view)
    actions = view.variant.game.actions
    number = answer if type(answer) is int else _number_of(answer, view)
    if not 0 <= number < len(actions):
        raise BotError(f"{type(bot).__name__}.act: {explain_no_action(view, answer)}")
    return number


def read_note(bot: Bot) -> str:
    """Return what the bot logged when it was last asked, fit for the wire."""
    said = bot._decision_note
    return make_one_line(said) if said else ""


def expect_bot(value: object, where: str) -> None:
    """Raise `BotError` for a class, or anything else that stands where a bot should."""
    if not isinstance(value, Bot):
        raise BotError(f"{where}: {explain_no_bot(value)}")


def _set_note(bot: Bot, note: str) -> None:
    object.__setattr__(bot, "_decision_note", note)  # for bots that are frozen, too


def _number_of(answer: object, view: View) -> int:
    """Return the number of an action or a card of this game, or a number, NumPy's too; else -1."""
    game = view.variant.game
    if isinstance(answer, Action):
        number = index(answer)
        known = game.actions[number] if number < len(game.actions) else None
        same = known is answer or (known is not None and known.code == answer.code)
        return number if same else -1
    if isinstance(answer, Card):
        return index(answer) if answer.pack is game.pack else -1
    if isinstance(answer, bool):
        return -1
    try:
        return index(cast(SupportsIndex, answer))
    except Exception:  # whatever a class of the bot's own does when it is asked
        return -1
