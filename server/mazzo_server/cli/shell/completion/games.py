"""Completes games, their variants and options, and what depends on them."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

import typer

from mazzo.errors import VariantError
from mazzo.game import Variant
from mazzo.games import GAMES, parse_variant
from mazzo_server.cli.shell.completion.offers import Offer, make_offer, read_first_argument

__all__ = [
    "complete_draws",
    "complete_game",
    "complete_match_format",
    "complete_seat",
    "complete_setting",
    "complete_shown_seat",
    "complete_variant",
]


def complete_game(incomplete: str) -> list[Offer]:
    """Offer the games, and their variants."""
    return [*(make_offer(game.id, game.title) for game in GAMES.values()), *_list_variants()]


def complete_variant(incomplete: str) -> list[Offer]:
    """Offer the variants; after a `?` the options that such a variant has, but for given ones."""
    text, mark, options = incomplete.partition("?")
    if not mark:
        return _list_variants()
    before, joint, _ = options.rpartition("&")
    settings = _list_settings(text, before.split("&"))
    return [(f"{text}?{before}{joint}{setting}", meaning) for setting, meaning in settings]


def complete_setting(context: typer.Context) -> list[Offer]:
    """Offer the options of the variant on the command line, but for given ones."""
    text = read_first_argument(context, "variant")
    return _list_settings(text.partition("?")[0], context.params.get("option") or ())


def complete_match_format(context: typer.Context) -> list[Offer]:
    """Offer the format that the variant on the command line usually has."""
    variant = _find_variant(context)
    if variant is None:
        return []
    return [make_offer(variant.game.default_match_format(variant), "usual")]


def complete_draws(context: typer.Context) -> list[Offer]:
    """Offer the ways of drawing that the variant on the command line has."""
    variant = _find_variant(context)
    return [make_offer(mode) for mode in variant.game.draw_modes] if variant is not None else []


def complete_seat(context: typer.Context) -> list[Offer]:
    """Offer the seats of the variant on the command line."""
    variant = _find_variant(context)
    return [make_offer(str(seat)) for seat in range(variant.players)] if variant is not None else []


def complete_shown_seat(context: typer.Context) -> list[Offer]:
    """Offer the same, and all of them at once."""
    return [make_offer("all"), *complete_seat(context)]


def _list_variants() -> list[Offer]:
    return [
        make_offer(f"{game.id}/{players}", f"{game.title} for {players}")
        for game in GAMES.values()
        for players in game.players
    ]


def _list_settings(text: str, given: Collection[str]) -> list[Offer]:
    """Return the options of a variant as NAME=VALUE, but for those that are given."""
    try:
        variant = parse_variant(text)
    except VariantError:
        return []
    names = {setting.partition("=")[0] for setting in given}
    return [
        make_offer(f"{option.name}={value}", option.meaning)
        for option in variant.game.options
        if option.name not in names and variant.players in option.players
        for value in dict.fromkeys((*option.values, option.default))
    ]


def _find_variant(context: typer.Context) -> Variant | None:
    with suppress(VariantError):
        return parse_variant(read_first_argument(context, "variant"))
    return None
