"""Table talk in Briscola, by the section of the game's rules."""

from __future__ import annotations

import random
from typing import cast

import pytest

from mazzo.cards import ITALIAN
from mazzo.errors import IllegalActionError
from mazzo.games import parse_variant
from mazzo.games.briscola import BRISCOLA, TOKENS
from sdk.test_briscola import act, lay_out, shuffled_pack, stacked
from support import reference_briscola as reference
from support.strategies import legal_codes, play


def test_talk_actions_by_number() -> None:
    """The list of actions: 0-39 card plays by id, 40-55 the tokens in the order of the rules."""
    codes = [action.code for action in BRISCOLA.actions]
    assert codes == [*reference.pack(2), *("say:" + token for token in reference.TOKENS)]
    assert [int(action) for action in BRISCOLA.actions] == list(range(56))
    assert list(TOKENS) == reference.TOKENS
    for action in BRISCOLA.actions:
        assert action.card == (ITALIAN.cards[action] if action < 40 else None)
        assert BRISCOLA.parse_action(action.code) is action


@pytest.mark.parametrize(
    "code", ["", "ad", "Ad ", "say:", "say:MINE", "say: mine", "mine", "pass", "say:mine "]
)
def test_codes_that_are_no_actions(code: str) -> None:
    """Rules, "Actions": codes are compared exactly."""
    with pytest.raises(IllegalActionError, match="briscola"):
        BRISCOLA.parse_action(code)


@pytest.mark.parametrize(
    ("text", "talks"),
    [
        ("briscola/2", False),
        ("briscola/3", False),
        ("briscola/4", True),
        ("briscola/4?talk=off", False),
        ("briscola/6", True),
        ("briscola/6?talk=off", False),
        ("briscola/6?talk=public&tie=last-trick", True),
    ],
)
def test_talk_is_offered_where_the_rules_allow_it(text: str, talks: bool) -> None:
    """Talk: with four and six players only, public by default, never with `off`."""
    deal = lay_out(text, shuffled_pack(parse_variant(text).players))
    says = [code for code in legal_codes(deal) if code.startswith("say:")]
    assert says == (["say:" + token for token in reference.TOKENS] if talks else [])


def test_talk_at_most_three_tokens_a_turn_and_none_twice() -> None:
    """Talk: said tokens leave the list, after three only cards are left, then all are back."""
    deal = stacked("briscola/4", ["4s 5s 6s"], "2c")
    act(deal, "say:mine")
    assert deal.seat == 0
    assert "say:mine" not in legal_codes(deal)
    assert len(legal_codes(deal)) == 3 + 15
    act(deal, "say:trump-ace")
    assert len(legal_codes(deal)) == 3 + 14
    act(deal, "say:strong")
    assert legal_codes(deal) == ["4s", "5s", "6s"]
    with pytest.raises(IllegalActionError, match="4s 5s 6s"):
        act(deal, "say:low-trump")
    act(deal, "5s")
    assert deal.seat == 1
    assert len(legal_codes(deal)) == 3 + 16


def test_talk_with_one_card() -> None:
    """Talk: a seat with one card may talk too, then it still has to play."""
    deal = lay_out("briscola/4", shuffled_pack(4))
    while len(deal.hand(cast(int, deal.seat))) > 1:
        deal.apply(int(deal.hand(cast(int, deal.seat))[0]))
    assert len(legal_codes(deal)) == 1 + 16
    act(deal, "say:strong say:mine say:carico")
    assert len(legal_codes(deal)) == 1
    assert deal.scores is None


def test_talk_is_heard_by_every_seat_with_its_trick_and_speaker() -> None:
    """Talk, `public`: every seat hears it, in order; tokens are never checked."""
    deal = stacked("briscola/4", ["4s", "5s", "6s", "7s"], "2c")
    act(deal, "say:trump-ace 4s 5s say:mine say:strong 6s 7s say:no-trump")
    for seat in range(4):
        said = [(talk.trick, talk.seat, talk.token) for talk in deal.view(seat).talk]
        assert said == [(0, 0, "trump-ace"), (0, 2, "mine"), (0, 2, "strong"), (1, 3, "no-trump")]
        events = [(event.seat, event.action.code) for event in deal.view(seat).history]
        assert events == [
            (0, "say:trump-ace"),
            (0, "4s"),
            (1, "5s"),
            (2, "say:mine"),
            (2, "say:strong"),
            (2, "6s"),
            (3, "7s"),
            (3, "say:no-trump"),
        ]


def test_talk_changes_no_card() -> None:
    """Talk: the same plays with and without talk come to the same cards and scores."""
    for seed in range(10):
        talking = lay_out("briscola/4", shuffled_pack(4, seed))
        silent = lay_out("briscola/4?talk=off", shuffled_pack(4, seed))
        play(talking, random.Random(seed))
        for action in talking.actions:
            if action < 40:
                silent.apply(action)
        assert silent.scores == talking.scores
        assert silent.result == talking.result
        assert len(silent.actions) == 40 < len(talking.actions)
