"""The odd situations of a trial: legal, of every option, and really odd, in every game."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mazzo.game import Deal, Variant
from mazzo.games import GAMES, parse_variant
from mazzo.match import Match
from mazzo_server.play.trial.situations import (
    MATCH_FORMAT,
    Kind,
    find_situations,
    list_variants_with_options,
)

SEEDS = [bytes([number]) * 32 for number in range(3)]
FORMS = [Variant.of(game, players) for game in GAMES.values() for players in game.players]
forms = pytest.mark.parametrize("form", FORMS, ids=str)


def may(deal: Deal, *starts: str) -> bool:
    legal = deal.variant.game.actions_of(deal.legal)
    return any(action.code.startswith(starts) for action in legal)


@forms
def test_they_are_what_they_are_called(form: Variant) -> None:
    """A bot is to blame for what it does there only if the rules lead there."""
    for seed in SEEDS:
        found = find_situations(form, seed)
        assert len({(one.seed, one.actions) for one in found}) == len(found)
        assert {one.kind for one in found} >= {Kind.RARE, Kind.FORCED, Kind.LATER, Kind.HASTE}
        for one in found:
            match = one.match()
            assert match.deal.legal
            assert one.form == form.text
            assert one.variant in list_variants_with_options(form)
            if one.kind is Kind.FORCED:
                assert match.deal.legal.bit_count() == 1
            if one.kind is Kind.LATER:
                assert match.deal.match.deal == 1
        assert {one.variant for one in found} == set(list_variants_with_options(form))


@forms
def test_they_follow_from_the_seed(form: Variant) -> None:
    """So that a failure can be had again."""
    assert find_situations(form, SEEDS[0]) == find_situations(form, SEEDS[0])
    assert find_situations(form, SEEDS[0]) != find_situations(form, SEEDS[1])


@forms
def test_every_value_of_every_option_is_among_them(form: Variant) -> None:
    """A manifest promises to cope with every option; of numbers the ends stand for all."""
    variants = list_variants_with_options(form)
    assert variants[0] == form
    for option in form.game.options:
        if form.players not in option.players:
            continue
        met = {variant.option(option.name) for variant in variants}
        assert met >= {*option.values, option.default}
        if option.numbers is not None:
            times = form.players if option.numbers.per_player else 1
            ends = {option.numbers.first * times, option.numbers.last * times}
            numbers = {float(value) for value in met if value not in option.values}
            assert {end / option.numbers.scale for end in ends} <= numbers


# What random play alone would hardly find: where it has come to, in one of the situations.
RARE: dict[str, dict[str, Callable[[Match], bool]]] = {
    "briscola-chiamata/5": {
        "an auction of 50 bids": lambda match: (
            len(match.deal.actions) >= 50 and may(match.deal, "bid:")
        ),
        "the highest bid is left": lambda match: may(match.deal, "bid:120"),
        "the first bid is 1": lambda match: may(match.deal, "bid:1"),
        "a card is called": lambda match: may(match.deal, "call:"),
    },
    "frap/5": {
        "an undercut": lambda match: may(match.deal, "undercut:"),
        "cards are exchanged": lambda match: may(match.deal, "discard:"),
        "a pot is inherited": lambda match: bool(match.deal.start.get("pot")),
    },
    "frap/12": {"twelve look": lambda match: may(match.deal, "look", "blind")},
    "tressette-pizzichino/2": {
        "a declaration": lambda match: may(match.deal, "declare:"),
        "a packet is taken": lambda match: may(match.deal, "packet:"),
        "a packet is turned up": lambda match: may(match.deal, "up:"),
        "an honour can be plucked": lambda match: may(match.deal, "pluck:"),
    },
    "tressette-meta-mazzo/2": {
        "a declaration": lambda match: may(match.deal, "declare:"),
        "it can be left": lambda match: may(match.deal, "skip"),
    },
    "briscola/4": {
        "a token can be said": lambda match: may(match.deal, "say:"),
        "something was overheard": lambda match: bool(match.deal.overheard),
    },
}


@pytest.mark.parametrize("text", RARE)
def test_play_is_led_to_where_it_seldom_gets(text: str) -> None:
    for seed in SEEDS:
        matches = [one.match() for one in find_situations(parse_variant(text), seed)]
        for what, holds in RARE[text].items():
            assert any(map(holds, matches)), (what, seed)


def test_a_deal_that_everybody_passed_lies_before_one_of_them() -> None:
    """Of chiamata: random bids almost never leave an auction without any."""
    for seed in SEEDS:
        found = find_situations(parse_variant("briscola-chiamata/5"), seed)
        passed = [
            _first_deal(Match(one.variant, one.seed, MATCH_FORMAT), one.actions) for one in found
        ]
        assert ["pass"] * 5 in passed


def _first_deal(match: Match, actions: bytes) -> list[str]:
    deal = match.deal
    for action in actions:
        if deal.seat is None:
            break
        deal.apply(action)
    return [deal.variant.game.actions[action].code for action in deal.actions]
