"""The games, and variants by their text.

`GAMES` has every game by its id, such as "briscola".
"""

from __future__ import annotations

import copyreg
import re
from collections.abc import Callable

from mazzo.errors import VariantError, quote_value
from mazzo.game import Game, Variant
from mazzo.games.briscola import BRISCOLA
from mazzo.games.chiamata import CHIAMATA
from mazzo.games.frap import FRAP
from mazzo.games.frusta import FRUSTA
from mazzo.games.tressette import META_MAZZO, PIZZICHINO

__all__ = ["GAMES", "find_game", "parse_variant"]

GAMES: dict[str, Game] = {
    game.id: game for game in (BRISCOLA, CHIAMATA, FRUSTA, META_MAZZO, PIZZICHINO, FRAP)
}


def find_game(game_id: str) -> Game:
    """Return the game with this id; the error lists the games that there are."""
    game = GAMES.get(game_id)
    if game is None:
        raise VariantError(f"expected a game ({', '.join(GAMES)}), got {quote_value(game_id)}")
    return game


def _by_id(game: Game) -> tuple[Callable[[str], Game], tuple[str]]:
    return find_game, (game.id,)


for _kind in {type(game) for game in GAMES.values()}:
    # A copy of a view, in this process or another one, is of the same game.
    copyreg.pickle(_kind, _by_id)


def parse_variant(text: str) -> Variant:
    """Return a variant from text such as "briscola/4?talk=off"; raises `VariantError`.

    The text need not be canonical: a default may be written out, the order is free. The
    number of players may be left out where the game has only one.
    """
    name, _, query = text.partition("?")
    game_id, slash, players_text = name.partition("/")
    game = find_game(game_id)
    if not slash and len(game.players) == 1:
        players = game.players[0]
    elif re.fullmatch("[1-9][0-9]?", players_text):
        players = int(players_text)
    else:
        examples = ", ".join(f"{game.id}/{number}" for number in game.players)
        raise VariantError(
            f"expected a number of players as in {examples}, got {quote_value(text)}"
        )
    options: dict[str, str] = {}
    for part in query.split("&") if query else ():
        key, equals, value = part.partition("=")
        if key in options:
            raise VariantError(f"option {quote_value(key)} is given twice in {quote_value(text)}")
        if not equals:
            raise VariantError(
                f"expected options as in '?name=value&name=value', got {quote_value(text)}"
            )
        options[key] = value
    return Variant.of(game, players, options)
