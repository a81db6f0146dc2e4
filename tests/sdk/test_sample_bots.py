"""The sample bots, loaded from their folders as an author would submit them."""

from __future__ import annotations

import gc
import hashlib
import importlib.util
import sys
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from statistics import fmean
from types import ModuleType

import pytest

from mazzo import Bot
from mazzo.game import Variant
from mazzo.games import GAMES, parse_variant
from mazzo.games.briscola import BRISCOLA, BriscolaDeal
from mazzo.local import LocalMatch, play_match, play_mirrored
from mazzo.shuffle import SeededShuffles
from support.strategies import CASES, Start, choose
from support.watched_bot import Watched

ROOT = Path(__file__).parents[2]
NAMES = ("random", "greedy", "counting", "endgame", "expert", "ismcts")
VARIANTS = (
    "briscola/2",
    "briscola/3",
    "briscola/4",
    "briscola/4?talk=off",
    "briscola/6",
    "briscola/6?talk=off",
)
OTHERS = tuple(
    str(Variant.of(game, players))
    for game in GAMES.values()
    if game is not BRISCOLA
    for players in game.players
)
PLAYED = {  # the forms to try in matches, by bot
    "random": (*VARIANTS, *OTHERS),
    "greedy": (*VARIANTS, *OTHERS),
    "counting": VARIANTS,
    "endgame": (*VARIANTS, "frusta/2", "tressette-meta-mazzo/2", "tressette-pizzichino/2"),
    "expert": (*VARIANTS, *OTHERS),
    "ismcts": (*VARIANTS, *OTHERS),
}
# So that it is quick, and no clock decides what it plays.
SETTINGS = {"endgame": {"seconds": 60}, "ismcts": {"seconds": 60, "playouts": 6}}
FORMS = [(name, variant) for name in NAMES for variant in PLAYED[name]]


def seed(label: str) -> bytes:
    return hashlib.sha256(label.encode()).digest()


@cache
def module(name: str) -> ModuleType:
    path = ROOT / "sample_bots" / name / "bot.py"
    spec = importlib.util.spec_from_file_location(f"sample_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))  # as it is for `python bot.py`
    try:
        spec.loader.exec_module(loaded)
    finally:
        sys.path.remove(str(path.parent))
        for beside in path.parent.glob("*.py"):  # other bots have modules of the same names
            sys.modules.pop(beside.stem, None)
    return loaded


def sample(name: str) -> Bot:
    bot = getattr(module(name), f"{name.capitalize()}Bot")(**SETTINGS.get(name, {}))
    assert isinstance(bot, Bot)
    return bot


def play(variant: str, bots: Sequence[Bot], label: str) -> LocalMatch:
    draws = parse_variant(variant).game.draw_modes[-1]  # `seats`, where the game has it
    return play_match(variant, bots, seed=seed(label), match_format="deals:2", draws=draws)


def players_of(variant: str) -> int:
    return parse_variant(variant).players


@pytest.mark.parametrize("name", NAMES)
def test_the_manifest_says_what_the_bot_is(name: str) -> None:
    manifest = tomllib.loads((ROOT / "sample_bots" / name / "bot.toml").read_text("utf-8"))
    assert manifest.pop("author")
    assert manifest.pop("description")
    assert manifest == {
        "name": name,
        "games": [game for game in GAMES if any(v.startswith(f"{game}/") for v in PLAYED[name])],
        "command": ["python", "bot.py"],
        "capacity": 1 if name in ("endgame", "ismcts") else 64,  # those that think take one
        "licence": "Apache-2.0",
    }


@pytest.mark.parametrize("name", NAMES)
def test_it_reads_as_an_example(name: str) -> None:
    """In fewer than 300 lines, all its modules together, with its idea in a README."""
    folder = ROOT / "sample_bots" / name
    assert sum(len(file.read_text().splitlines()) for file in folder.glob("*.py")) < 300
    assert (folder / "README.md").read_text().startswith(f"# {name}\n")


@pytest.mark.parametrize(("name", "variant"), FORMS)
def test_every_form_is_played_legally(name: str, variant: str) -> None:
    """`play_match` refuses an action that is not legal; random company reaches odd positions."""
    for number in range(6):
        bots = [sample("random")] * players_of(variant)
        bots[number % len(bots)] = sample(name)
        assert len(play(variant, bots, f"legal/{number}").deals) == 2


@pytest.mark.parametrize(("name", "rounds", "least"), [("greedy", 4, 300), ("expert", 1, 50)])
def test_it_is_legal_in_every_position(name: str, rounds: int, least: int) -> None:
    """Where random play leads, in every variant and drawing mode, for the seat to move."""
    bot, asked = sample(name), dict.fromkeys(GAMES, 0)
    for number in range(rounds):
        for variant, draws in CASES:
            start = Start(
                variant=variant,
                draws=draws,
                dealer=number % variant.players,
                seed=seed("positions"),
                number=number,
                choices=number,
            )
            deal, generator = start.deal(), start.random()
            while deal.seat is not None:
                action = bot.act(deal.view(deal.seat))
                assert deal.legal >> action & 1, (start, deal.actions, action)
                asked[variant.game.id] += 1
                deal.apply(choose(deal, generator))
    assert min(asked.values()) > least


def test_greedy_refuses_a_game_that_it_does_not_know() -> None:
    class Unknown:
        variant = "patience/1"

    with pytest.raises(TypeError, match="patience/1"):
        sample("greedy").act(Unknown())  # type: ignore[arg-type]


def test_ismcts_that_fails_leaves_the_garbage_collector_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        assert not gc.isenabled()
        raise ValueError("expected this")

    monkeypatch.setattr(module("ismcts"), "solve", fail)
    deal = BRISCOLA.deal(parse_variant("briscola/2"), SeededShuffles(bytes(32), 0), dealer=0)
    with pytest.raises(ValueError, match="expected this"):
        sample("ismcts").act(deal.view(1))
    assert gc.isenabled()


@pytest.mark.parametrize(("name", "variant"), FORMS)
def test_answers_depend_on_the_view_alone(name: str, variant: str) -> None:
    """A new bot, asked the same things backwards, answers the same."""
    watched = Watched(sample(name))
    play(variant, [watched] * players_of(variant), "again")
    again = sample(name)
    for view, action in reversed(watched.decisions):
        assert again.act(view) == action


def best_difference(deal: BriscolaDeal, seat: int) -> int:
    """By brute force: the final difference in points of `seat`, when both know all the cards."""
    if deal.seat is None:
        scores = deal.scores
        assert scores is not None
        return scores[seat] - scores[1 - seat]
    outcomes = []
    for action in BRISCOLA.actions_of(deal.legal):
        after = deal.copy()
        after.apply(action)
        outcomes.append(best_difference(after, seat))
    return max(outcomes) if deal.seat == seat else min(outcomes)


@pytest.mark.parametrize("name", ["counting", "expert"])
@pytest.mark.parametrize("number", range(30))
def test_the_end_is_played_exactly(number: int, name: str) -> None:
    """In every position of the last three tricks, whoever leads, no play is better."""
    bot, company = sample(name), sample("random")
    shuffles = SeededShuffles(seed("end"), number)
    deal = BRISCOLA.deal(parse_variant("briscola/2"), shuffles, dealer=number % 2)
    assert isinstance(deal, BriscolaDeal)
    asked = 0
    while (seat := deal.seat) is not None:
        view = deal.view(seat)
        view.number = len(deal.actions)
        if view.stock_count == 0:
            best = best_difference(deal, seat)
            after = deal.copy()
            after.apply(bot.act(view))
            assert best_difference(after, seat) == best
            asked += 1
        deal.apply(company.act(view))
    assert asked == 6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("better", "worse", "variant", "deals", "least"),
    [
        ("greedy", "random", "briscola/2", 160, 0),
        ("counting", "greedy", "briscola/2", 480, 0),
        ("counting", "random", "briscola/2", 160, 0),
        ("greedy", "random", "briscola/3", 360, 0),
        ("counting", "greedy", "briscola/3", 360, 0),
        ("greedy", "random", "briscola/4", 100, 0),
        ("counting", "greedy", "briscola/4", 480, 0),
        ("greedy", "random", "briscola/6", 100, 0),
        ("counting", "greedy", "briscola/6", 480, 0),
        ("expert", "greedy", "briscola/2", 60, 0),
        ("expert", "greedy", "briscola/4", 60, 0),
        # By about half of what other cards give.
        ("greedy", "random", "briscola-chiamata/5", 200, 0.4),
        ("greedy", "random", "frusta/2", 100, 2.0),
        ("greedy", "random", "tressette-meta-mazzo/2", 100, 2.5),
        ("greedy", "random", "tressette-pizzichino/2", 100, 2.5),
        ("greedy", "random", "frap/2", 200, 6.0),
        ("greedy", "random", "frap/3", 240, 12.0),
        ("greedy", "random", "frap/5", 200, 50.0),
        ("greedy", "random", "frap/12", 100, 80.0),
        ("expert", "greedy", "frusta/2", 160, 1.0),
        ("expert", "greedy", "tressette-meta-mazzo/2", 80, 1.5),
        ("expert", "greedy", "tressette-pizzichino/2", 80, 1.5),
        ("expert", "greedy", "frap/2", 1200, 1.0),
        ("expert", "greedy", "frap/4", 1200, 12.0),
        ("expert", "greedy", "frap/6", 1800, 25.0),
    ],
)
def test_the_better_bot_is_ahead(
    better: str, worse: str, variant: str, deals: int, least: float
) -> None:
    """Of the mean of the others, which are copies of the worse one, in points of a deal."""
    sides = len(parse_variant(variant).sides)
    bots = [sample(better), *[sample(worse)] * (sides - 1)]
    own, *others = play_mirrored(variant, bots, deals=deals, seed=seed("ahead")).scores
    assert own - fmean(others) > least
