"""`mazzo games` says what the engine plays, and nothing else."""

from __future__ import annotations

import pytest

from mazzo.game import Variant
from mazzo.games import GAMES, parse_variant
from support.command import Home


def test_games_are_listed_with_their_players(home: Home) -> None:
    out = home("games").out
    for game in GAMES.values():
        assert game.id in out
        few = ", ".join(map(str, game.players))
        assert (few if len(game.players) < 5 else "2 to 12") in out
    assert not home.path.exists()


def test_json_agrees_with_the_engine(home: Home) -> None:
    facts = home.inside("games", "--json").json
    assert [fact["game"] for fact in facts] == list(GAMES)
    for fact in facts:
        game = GAMES[fact["game"]]
        assert fact["players"] == list(game.players)
        assert fact["cards"] == [card.code for card in game.pack.cards]
        assert fact["actions"] == [action.code for action in game.actions]
        assert fact["draws"] == list(game.draw_modes)
        assert {
            option["name"]: (option["values"], option["default"]) for option in fact["options"]
        } == {option.name: (list(option.values), option.default) for option in game.options}
        assert fact["match_formats"] == {
            str(players): game.default_match_format(Variant.of(game, players))
            for players in game.players
        }
        assert home.inside("games", game.id, "--json").json == fact


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_one_game_is_explained_for_people(home: Home, game: object) -> None:
    known = next(item for item in GAMES.values() if item is game)
    lines = home.inside("games", known.id).out.splitlines()
    text = "\n".join(lines)
    for option in known.options:
        assert option.name in text
        assert option.default in text
    shown = text.split("in all):\n")[1].split()
    assert shown == [action.code for action in known.actions]
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("text", ["briscola/2", "briscola/3", "frap/6?deck=52", "frusta/2"])
def test_of_a_variant_what_holds_for_its_players_is_explained(home: Home, text: str) -> None:
    variant = parse_variant(text)
    game, players = variant.game, variant.players
    every = home.inside("games", game.id, "--json").json
    known = [option.name for option in game.options if players in option.players]
    assert home.inside("games", text, "--json").json == every | {
        "players": [players],
        "options": [option for option in every["options"] if option["name"] in known],
        "match_formats": {str(players): every["match_formats"][str(players)]},
    }
    shown = home.inside("games", text).out
    assert f"{game.id}/{players} " in shown
    for other in {*game.players} - {players}:
        assert f"{game.id}/{other} " not in shown
    rows = [line.split()[0] for line in shown.splitlines() if line and not line.startswith(" ")]
    names = {option.name for option in game.options}
    assert [row for row in rows if row in names] == known


def test_no_other_variants_are_explained(home: Home) -> None:
    for variant, part in (("briscola/9", "got 9"), ("bridge/4", "'bridge'"), ("frap/4?x=1", "x")):
        result = home.inside("games", variant, status=2)
        assert result.out == ""
        assert part in result.err
