"""`mazzo games`: tells what can be played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.text import Text

from mazzo.errors import VariantError
from mazzo.game import Game, Variant
from mazzo.games import GAMES, find_game, parse_variant
from mazzo.options import Option
from mazzo_server.cli.shell.completion.games import complete_game
from mazzo_server.cli.shell.connection import JsonOption, fail
from mazzo_server.cli.text.output import console, make_table, print_json, print_table

__all__ = ["encode_game", "games"]


def games(
    game: Annotated[
        str,
        typer.Argument(
            metavar="[GAME]",
            autocompletion=complete_game,
            help="Such as briscola, or briscola/4 for that alone.",
        ),
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """List the games, or explain one: players, options with their defaults, actions.

    Example: mazzo games briscola/4
    """
    if not game:
        if as_json:
            print_json([encode_game(item) for item in GAMES.values()])
            return
        table = make_table("game", "players", "what it is")
        for item in GAMES.values():
            table.add_row(item.id, _describe_spans(item.players), item.summary)
        print_table(table)
        return
    try:
        if "/" in game or "?" in game:
            variant = parse_variant(game)
            chosen, players = variant.game, [variant.players]
        else:
            chosen = find_game(game)
            players = list(chosen.players)
    except VariantError as error:
        fail(error)
    if as_json:
        print_json(encode_game(chosen, players))
    else:
        _explain(chosen, players)


def encode_game(game: Game, players: Sequence[int] = ()) -> dict[str, Any]:
    """Return a game for bots in other languages: its lists by number, options and players.

    Without numbers of players, for all of them.
    """
    numbers = players or game.players
    return {
        "game": game.id,
        "title": game.title,
        "summary": game.summary,
        "players": list(numbers),
        "cards": [card.code for card in game.pack.cards],
        "options": [
            {
                "name": option.name,
                "values": list(option.values),
                "numbers": option.numbers and asdict(option.numbers),
                "possible": option.possible(),
                "default": option.default,
                "players": list(option.players),
                "meaning": option.meaning,
            }
            for option in _list_options(game, numbers)
        ],
        "actions": [action.code for action in game.actions],
        "draws": list(game.draw_modes),
        "match_formats": {
            str(number): game.default_match_format(Variant.of(game, number)) for number in numbers
        },
    }


def _describe_sides(variant: Variant) -> str:
    if len(variant.sides) > 2 and all(len(side) == 1 for side in variant.sides):
        return "each for itself"
    return " v ".join("{" + ",".join(map(str, side)) + "}" for side in variant.sides)


def _describe_spans(numbers: Sequence[int]) -> str:
    """Return ascending numbers in words, such as "2, 3, 4, 6" or "2 to 12"."""
    if len(numbers) > 4 and numbers == tuple(range(numbers[0], numbers[-1] + 1)):
        return f"{numbers[0]} to {numbers[-1]}"
    return ", ".join(map(str, numbers))


def _list_options(game: Game, players: Sequence[int]) -> list[Option]:
    """Return the options that a game has with one of these numbers of players."""
    return [option for option in game.options if set(players) & set(option.players)]


def _explain(game: Game, numbers: Sequence[int]) -> None:
    console.print(Text(f"{game.title} ({game.id})", style="bold"))
    console.print(game.summary)
    console.print()
    table = make_table("variant", "sides (seats)", "match")
    for number in numbers:
        variant = Variant.of(game, number)
        table.add_row(variant.text, _describe_sides(variant), game.default_match_format(variant))
    print_table(table)
    console.print()
    if options := _list_options(game, numbers):
        table = make_table("option", "values", "default", "players", "what it does")
        for option in options:
            table.add_row(
                option.name,
                option.possible(),
                option.default,
                _describe_spans(option.players),
                option.meaning,
            )
        print_table(table)
        console.print()
    suits = ", ".join(
        f"{suit} {name}" for suit, name in zip(game.pack.suits, game.pack.suit_names, strict=True)
    )
    console.print(f"Cards are rank then suit: ranks {' '.join(game.pack.ranks)}; suits {suits}.")
    console.print(f"Actions, by number from 0 ({len(game.actions)} in all):")
    console.print(" ".join(action.code for action in game.actions))
