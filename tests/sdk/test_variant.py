"""Variants and their options: the text of one, and what is none."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from mazzo.errors import VariantError
from mazzo.game import Game, Variant
from mazzo.games import GAMES, find_game, parse_variant
from mazzo.record import DEAL_FORMAT, DealRecord
from sdk.test_record import a_record
from support.strategies import all_variants, games, variants


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("briscola/2", "briscola/2"),
        ("briscola/4?talk=public", "briscola/4"),
        ("briscola/4?tie=replay&talk=public", "briscola/4"),
        ("briscola/4?talk=off", "briscola/4?talk=off"),
        ("briscola/4?tie=last-trick&talk=off", "briscola/4?talk=off&tie=last-trick"),
        ("briscola/2?talk=off", "briscola/2"),
        ("briscola/3?talk=off&tie=last-trick", "briscola/3"),
        ("briscola/2?talk=off&tie=last-trick", "briscola/2?tie=last-trick"),
    ],
)
def test_canonical_text_of_a_variant(text: str, canonical: str) -> None:
    """Rules, "Games and variants": only differing options, sorted, those without effect gone."""
    variant = parse_variant(text)
    assert str(variant) == variant.text == canonical
    assert parse_variant(canonical) == variant


@given(variants())
def test_variants_are_read_back(variant: Variant) -> None:
    """Law: `parse_variant` is the inverse of `str`; options hold exactly those with effect."""
    assert parse_variant(str(variant)) == variant
    live = [o.name for o in variant.game.options if variant.players in o.players]
    assert [name for name, _ in variant.options] == sorted(live)
    for name, value in variant.options:
        assert variant.option(name) == value


@given(games())
def test_variants_of_a_game_all_have_texts_of_their_own(game: Game) -> None:
    """Rules, "Games and variants": each variant has a ranking of its own, so a text too."""
    texts = [str(variant) for variant in all_variants(game)]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "briscola",
        "briscola/",
        "briscola/0",
        "briscola/5",
        "briscola/04",
        "briscola/４",
        "briscola/-2",
        "briscola/2/2",
        "briscola/2 ",
        "Briscola/2",
        "poker/2",
        "briscola/4?talk",
        "briscola/4?talk=",
        "briscola/4?talk=loud",
        "briscola/4?talk=off&talk=off",
        "briscola/4?talk=off&",
        "briscola/4?colour=red",
        "briscola/2?talk=loud",
        "briscola/" + "9" * 5000,
    ],
)
def test_texts_that_are_no_variant(text: str) -> None:
    """Rules, "Games and variants": what is unknown is an error."""
    with pytest.raises(VariantError):
        parse_variant(text)


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("poker/2", list(GAMES)),
        ("briscola/5", ["2", "3", "4", "6"]),
        ("briscola", ["briscola/2", "briscola/6"]),
        ("briscola/4?colour=red", ["talk", "tie"]),
        ("briscola/4?talk=loud", ["public", "signal", "off"]),
        ("briscola/4?tie=half", ["replay", "last-trick"]),
    ],
)
def test_errors_list_what_there_is(text: str, listed: list[str]) -> None:
    """Rules, "Games and variants": the error lists the possible ones."""
    with pytest.raises(VariantError) as caught:
        parse_variant(text)
    assert all(name in str(caught.value) for name in listed)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "briscola/4"),
        ({"talk": False}, "briscola/4?talk=off"),
        ({"talk": "off"}, "briscola/4?talk=off"),
        ({"talk": "public", "tie": "replay"}, "briscola/4"),
    ],
)
def test_option_values_may_be_booleans(options: dict[str, Any], text: str) -> None:
    """Rules, "Games and variants": a reader also takes JSON booleans, `on` and `off`."""
    record = DealRecord.from_json(a_record(players=4, options=options))
    assert str(record.variant) == text


def test_option_values_may_be_numbers() -> None:
    """Rules, "Games and variants": a JSON number is read as its text, and then compared."""
    for value, shown in [(36, "'36'"), (0.25, "'0.25'"), (True, "'on'")]:
        with pytest.raises(VariantError, match=shown):
            DealRecord.from_json(a_record(players=4, options={"talk": value}))
    nothing: object
    for nothing in (None, [], {}):
        with pytest.raises(VariantError, match="option talk"):
            DealRecord.from_json(a_record(players=4, options={"talk": nothing}))


def test_written_records_name_only_differing_options() -> None:
    """Rules, "The deal record": a default may be written out, and is not."""
    record = DealRecord.from_json(a_record(players=4, options={"talk": "off", "tie": "replay"}))
    assert record.to_json()["options"] == {"talk": "off"}
    assert record.to_json()["format"] == DEAL_FORMAT == "mazzo-deal/1"


def test_find_game_takes_ids_only() -> None:
    """The registry is one visible dict, and ids are compared exactly."""
    assert {game_id: find_game(game_id) for game_id in GAMES} == GAMES
    assert all(game.id == game_id for game_id, game in GAMES.items())
    with pytest.raises(VariantError):
        find_game("BRISCOLA")
