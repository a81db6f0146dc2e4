"""Every game through the command line: tournaments of every size, and `mazzo deal run`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from mazzo.game import Deal
from mazzo.games import GAMES, parse_variant
from mazzo.record import DealRecord
from sdk.test_second_implementations import spoilt
from support.command import Home
from support.sample_bots import SAMPLE_BOTS, enter, write_bot
from support.strategies import CASES, legal_codes, start_of

pytestmark = pytest.mark.slow


def records(deals: int) -> list[tuple[dict[str, Any], int | None, Deal]]:
    """Records of every variant, the step of their bad action if any, and their position."""
    found: list[tuple[dict[str, Any], int | None, Deal]] = []
    for variant, draws in CASES:
        for number in range(deals):
            start = start_of(variant, number, draws=draws)
            kind = ("card", "word", "garbage", "good", "finished")[number % 5]
            if kind == "finished":
                deal = start.finished()
                found.append((DealRecord.of(deal).to_json(), None, deal))
            elif kind == "good":
                deal = start.position()
                found.append((DealRecord.of(deal).to_json(), None, deal))
            else:
                record, step = spoilt(start, kind)
                found.append((record, step, start.position()))
    return found


def check_records(home: Home, deals: int) -> None:
    cases = records(deals)
    data = "".join(json.dumps(record) + "\n" for record, _, _ in cases).encode()
    result = home("deal", "run", "--trace", data=data, status=1)
    answers = [json.loads(line) for line in result.out.splitlines()]
    assert len(answers) == len(cases)
    for (record, step, deal), answer in zip(cases, answers, strict=True):
        assert (answer["to_move"], answer["legal"]) == (deal.seat, legal_codes(deal)), record
        if step is not None:
            assert (answer["error"]["code"], answer["error"]["step"]) == ("illegal-action", step)
            continue
        assert "error" not in answer, record
        assert answer["scores"] == (None if deal.scores is None else list(deal.scores))
        assert answer["result"] == deal.result
        assert [taken["action"] for taken in answer["steps"]] == record["actions"]


def test_deal_run_serves_every_game(home: Home) -> None:
    """Good records come out as the engine has them, bad actions are refused at their step."""
    check_records(home, deals=5)


@pytest.mark.prove
def test_deal_run_serves_every_game_at_length(home: Home) -> None:
    """The same with 100 records of every variant."""
    check_records(home, deals=100)


def check_tournament(
    home: Home, variant_text: str, bots: list[str], *, mirror: str = "rotations"
) -> None:
    variant = parse_variant(variant_text)
    sides = len(variant.sides)
    names = ",".join(bots[:sides])
    run = ("tournament", "run", variant_text, "--bots", names, "--groups", "2", "--json")
    shown = home(*run, "--seed", "07" * 32, "--mirror", mirror).json
    assert shown["state"] == "finished", shown
    standings = shown["standings"]
    assert [row["faults"] for row in standings["rows"]] == [0] * sides
    assert {row["name"] for row in standings["rows"]} == set(bots[:sides])
    assert standings["groups_counted"] == standings["groups"] == 2
    assert all(row["deals"] > 0 for row in standings["rows"])


def test_tournaments_with_many_seats(home: Home, tmp_path: Path) -> None:
    """Three and more seats for themselves, and a game with answers of its own to ask."""
    bots = [f"bot-{number}" for number in range(5)]
    act, games = "return view.random.choice(view.legal)", '["briscola-chiamata", "frap/3"]'
    for name in bots:
        enter(home, write_bot(tmp_path, name, act=act, games=games, capacity=8))
    check_tournament(home, "briscola-chiamata/5", bots, mirror="off")
    check_tournament(home, "frap/3?ante=8", bots)


SIZES = [
    f"{game.id}/{players}"
    for game in GAMES.values()
    for players in game.players
    if players in (2, 3, 4, 5, 6, 8, 12)
]


@pytest.mark.prove
def test_tournaments_of_every_game_and_size(home: Home, tmp_path: Path) -> None:
    """The sample bots, with 2, 3, 4, 5, 6, 8 and 12 seats where the game has them."""
    bots = []
    for number in range(12):
        sample = ("greedy", "random")[number % 2]
        name = f"{sample}-{number}"
        folder = shutil.copytree(SAMPLE_BOTS / sample, tmp_path / name)
        manifest = (folder / "bot.toml").read_text()
        (folder / "bot.toml").write_text(manifest.replace(f'"{sample}"', f'"{name}"', 1))
        home("bots", "submit", folder)
        bots.append(name)
    for variant in SIZES:
        check_tournament(home, variant, bots)
