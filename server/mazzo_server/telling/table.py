"""What stands on the table of any game, and what can be done there, in words."""

from __future__ import annotations

from typing import Any, Final

from mazzo.game import Event, Game, View
from mazzo.games.briscola import BRISCOLA
from mazzo.games.chiamata import CHIAMATA
from mazzo.games.frap import FRAP
from mazzo.games.frusta import FRUSTA
from mazzo.games.tressette import META_MAZZO, PIZZICHINO
from mazzo_server.telling.briscola import BriscolaWords, ChiamataWords
from mazzo_server.telling.frap import FrapWords
from mazzo_server.telling.frusta import FrustaWords
from mazzo_server.telling.lines import Line, Part, hand_parts, listed
from mazzo_server.telling.tressette import MetaMazzoWords, PizzichinoWords
from mazzo_server.telling.words import Names, Words

__all__ = ["action_parts", "fact_lines", "help_lines", "table_lines", "words_of"]

_WORDS: Final[dict[str, Words[Any]]] = {
    BRISCOLA.id: BriscolaWords(),
    CHIAMATA.id: ChiamataWords(),
    FRAP.id: FrapWords(),
    FRUSTA.id: FrustaWords(),
    META_MAZZO.id: MetaMazzoWords(),
    PIZZICHINO.id: PizzichinoWords(),
}


def words_of(game: Game) -> Words[Any]:
    """The words of a game."""
    return _WORDS[game.id]


def fact_lines(view: View, names: Names) -> list[Line]:
    """What lies open on the table, but for the trick."""
    facts = words_of(view.variant.game).table(view, names)
    return [Line(label=label, parts=tuple(parts)) for label, parts in facts]


def action_parts(before: View, after: View, event: Event) -> list[Part]:
    """What a seat did, in words that follow its name; the views are of a seat that knows of it."""
    if event.action.card is not None:
        return ["plays ", event.action.card]
    said = words_of(after.variant.game).said(before, after, event)
    return [event.action.code] if said is None else said[1]


def table_lines(view: View, names: Names) -> list[Line]:
    """What a player sees when he is to move: the table, what others hold, and his hand."""
    facts = words_of(view.variant.game).table(view, names)
    for seat in range(view.players):
        if seat != view.seat and (known := view.known(seat)):
            facts.append(("Known", [f"{names[seat]} holds ", *hand_parts(view, known)]))
    plays: list[list[Part]] = [[f"{names[seat]} ", card] for seat, card in view.trick.plays]
    winning = view.winner_so_far
    if winning is not None:
        facts.append(("Table", [*listed(plays), f"; {names[winning[0]]} is winning"]))
    elif any(action.card is not None for action in view.legal):
        facts.append(("Table", ["nothing, you lead"]))
    if view.hand_mask:
        facts.append(("Hand", hand_parts(view, view.hand)))
    return [Line(label=label, parts=tuple(parts)) for label, parts in facts]


def help_lines(view: View) -> list[str]:
    """How cards are written, and what the actions mean that play none."""
    pack = view.variant.game.pack
    suits = ", ".join(
        f"{suit} {name}" for suit, name in zip(pack.suits, pack.suit_names, strict=True)
    )
    moves = words_of(view.variant.game).moves
    return [f"Cards are rank, then suit: {suits}.", *moves]
