"""Match play of every game in its own format, against the rules told once more."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest

from mazzo.game import Deal, Variant
from mazzo.games import GAMES, parse_variant
from mazzo.match import Match, MatchFormat
from support.strategies import play

DEFAULTS = [Variant.of(game, players) for game in GAMES.values() for players in game.players]


def deals_of(match: Match, generator: random.Random) -> Iterator[Deal]:
    """The finished deals of a match, played at random."""
    while not match.over:
        deal = match.deal
        play(deal, generator)
        match.advance()
        yield deal


def ended(totals: list[int], number: int, points: int) -> bool:
    """Rules, `target:P`: somebody has P, the highest is alone at the top; at most 40 deals."""
    return number == 40 or (max(totals) >= points and totals.count(max(totals)) == 1)


@pytest.mark.parametrize("variant", DEFAULTS, ids=str)
def test_the_deal_passes_on_unless_the_rules_say_otherwise(variant: Variant) -> None:
    """Rules: the first dealer is drawn, then the deal passes; nobody's deal is lost."""
    for number in range(6):
        text = variant.game.default_match_format(variant)
        match = Match(variant, bytes([number]) * 32, MatchFormat.parse(text))
        deals = list(deals_of(match, random.Random(number)))
        for before, after in pairwise(deals):
            replayed = variant.game.counts_wins and len(variant.sides) == 2 and level(before)
            stays = before.dealt_again or (text.startswith("best-of") and replayed)
            step = 0 if stays else 1
            assert after.dealer == (before.dealer + step) % variant.players
        if text.startswith("deals:"):
            assert len(deals) == int(text.removeprefix("deals:"))
        assert sorted(match.ranking)[0] == 1


def level(deal: Deal) -> bool:
    return len(deal.variant.game.deal_winners(deal)) > 1


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("tressette-meta-mazzo", 51),
        ("tressette-pizzichino", 51),
        ("tressette-pizzichino?buongiochi=off", 31),
        ("tressette-meta-mazzo", 21),
        ("briscola-chiamata", 10),
        ("briscola-chiamata", 15),
        ("frap/4", 60),
    ],
)
def test_target_ends_when_one_is_alone_at_the_top(text: str, target: int) -> None:
    """Rules, `target:P`: not before, and not one deal later."""
    variant = parse_variant(text)
    for number in range(12):
        match = Match(variant, bytes([number]) * 32, MatchFormat("target", target))
        totals = [0] * variant.players
        deals = list(deals_of(match, random.Random(number)))
        for count, deal in enumerate(deals, 1):
            assert deal.scores is not None
            totals = [total + score for total, score in zip(totals, deal.scores, strict=True)]
            assert ended(totals, count, target) == (count == len(deals))
        shares = deals[-1].leftover
        assert match.deal_sums == [t + s for t, s in zip(totals, shares, strict=True)]
        assert list(match.scores) == match.deal_sums
        best = max(match.deal_sums)
        assert [rank == 1 for rank in match.ranking] == [s == best for s in match.deal_sums]


def test_level_scores_at_the_target_play_on() -> None:
    """Rules of Tressette: level scores play on, whatever they are."""
    played_on = 0
    for number in range(300):
        match = Match(
            parse_variant("tressette-meta-mazzo?buongiochi=off"),
            bytes([number % 256]) * 32,
            MatchFormat("target", 10),
        )
        totals = [0, 0]
        for deal in deals_of(match, random.Random(number)):
            assert deal.scores is not None
            totals = [total + score for total, score in zip(totals, deal.scores, strict=True)]
            if max(totals) >= 10 and totals[0] == totals[1]:
                assert not match.over
                played_on += 1
    assert played_on


@pytest.mark.parametrize("players", range(2, 13))
def test_frap_carries_its_pot_through_the_match(players: int) -> None:
    """Rule 10 of Frap: no chip is lost between the first ante and the split at the end."""
    variant = parse_variant(f"frap/{players}")
    for number in range(8):
        match = Match(variant, bytes([number]) * 32, MatchFormat("deals", 2 * players))
        pot = 0
        for deal in deals_of(match, random.Random(number)):
            assert deal.result is not None
            assert deal.start.get("pot", 0) == pot
            pot = deal.result["pot"]
        assert sum(match.deal_sums) == 0
        assert set(deal.leftover) == {pot // players}
