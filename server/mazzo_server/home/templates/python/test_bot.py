"""Plays some deals at home: `python -m unittest`, in this folder."""

import tomllib
import unittest
from pathlib import Path

from bot import MyBot

from mazzo import GAMES, Action, Bot, View
from mazzo.local import play_match

DEALS = 120  # of each variant, in which it is judged


class Anything(Bot):
    """Takes any legal action."""

    def act(self, view: View) -> Action:
        """Any of the legal actions."""
        return view.random.choice(view.legal)


def variants() -> list[str]:
    """What `bot.toml` says that the bot plays, with every number of players."""
    manifest = tomllib.loads(Path(__file__).with_name("bot.toml").read_text("utf-8"))
    found = []
    for claim in manifest["games"]:
        game, _, players = claim.partition("/")
        numbers = [int(players)] if players else GAMES[game].players
        found += [f"{game}/{number}" for number in numbers]
    return found


def players_of(variant: str) -> int:
    return int(variant.partition("/")[2])


class TestMyBot(unittest.TestCase):
    """What every bot should do."""

    def test_it_plays_by_the_rules(self) -> None:
        """`play_match` raises an error at an action that is not legal."""
        for variant in variants():
            for seat in range(players_of(variant)):
                bots: list[Bot] = [Anything() for _ in range(players_of(variant))]
                bots[seat] = MyBot()
                play_match(variant, bots, seed=bytes([seat] * 32), match_format="deals:2")

    def test_it_plays_the_same_match_again(self) -> None:
        """As it answers by the view and `view.random` alone."""
        for variant in variants():
            bots = [MyBot()] * players_of(variant)
            once, again = (play_match(variant, bots, seed=bytes(32)) for _ in range(2))
            assert once.deals == again.deals, variant

    def test_it_is_better_than_chance(self) -> None:
        """Everybody else plays anything; it sits in each seat, so good cards help nobody."""
        for variant in variants():
            players = players_of(variant)
            lead = 0.0
            for number in range(DEALS // players):
                for seat in range(players):
                    bots: list[Bot] = [Anything() for _ in range(players)]
                    bots[seat] = MyBot()
                    seed = number.to_bytes(32, "big")
                    match = play_match(variant, bots, seed=seed, match_format="deals:1")
                    lead += match.deal_sums[seat] - sum(match.deal_sums) / players
            assert lead > 0, variant


if __name__ == "__main__":
    unittest.main()
