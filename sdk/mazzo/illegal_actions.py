"""Explains to an author why an answer is no legal action, and what to do."""

from __future__ import annotations

import inspect

from mazzo.cards import Card
from mazzo.errors import quote_value
from mazzo.game import Action, View

__all__ = ["explain_illegal_action", "explain_no_action", "explain_no_bot"]

_MOST = 40  # codes that an error lists


def explain_no_action(view: View, answer: object) -> str:
    """Return what to say of an answer that stands for no action of the view's game."""
    hint = _hint(view, answer)
    return f"expected one of view.legal ({_legal(view)}), got {quote_value(answer)}" + (
        hint and f"; {hint}"
    )


def explain_illegal_action(view: View, number: int) -> str:
    """Return what to say of an action that is not legal at this decision."""
    action = view.variant.game.actions[number]
    if action.card is None:
        why = "which is not legal now"
    elif view.hand_mask >> number & 1:
        why = "which is not legal: it is in the hand, but something else has to be played"
    else:
        why = "which is not legal: it is not in the hand"
    return f"expected one of {_legal(view)}, got {action.code!r}, {why}"


def explain_no_bot(value: object) -> str:
    """Return what to say of something that stands where a bot should."""
    if not isinstance(value, type):
        return f"expected a mazzo.Bot, got {quote_value(value)}"
    if inspect.isabstract(value):
        return f"expected a mazzo.Bot, got the class {value.__name__}, which has no method act"
    return f"expected a mazzo.Bot, got the class {value.__name__}: make one, {value.__name__}()"


def _legal(view: View) -> str:
    codes = [action.code for action in view.legal]
    if len(codes) <= _MOST:
        return " ".join(codes)
    return f"{' '.join(codes[:_MOST])} … {len(codes)} in all"


def _hint(view: View, answer: object) -> str:
    """Return what the author may have meant."""
    game = view.variant.game
    match answer:
        case None:
            return "act has to return it"
        case bool():
            return "return the card, not whether it is one"
        case Card() if answer.pack is not game.pack:
            return f"{game.id} is played with the cards of view.variant.game.pack"
        case Action():
            return f"that is an action of another game than {game.id}"
        case int():
            return f"{game.id} has the actions 0 to {len(game.actions) - 1}"
        case str():
            legal = any(action.code == answer for action in view.legal)
            return f"return view.action({answer!r})" if legal else "return an action, not its code"
        case list() | tuple() | dict() | set() | frozenset():
            return "return one of them"
    if inspect.iscoroutine(answer):
        answer.close()  # nobody is going to await it
        return "write def act, not async def act"
    return "return a member of view.legal, a card of view.playable, or its number"
