"""Which versions of a bot may enter a tournament, and which one of them does.

A version may enter the variants whose part of its trial it passed, a remote one all that it
says it plays: nobody can try it out before it dials in. Options do not matter: who passed `frap/4`
may enter `frap/4?ante=8`.
"""

from __future__ import annotations

from collections.abc import Sequence

from mazzo.game import Variant
from mazzo.games import find_game
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Manifest
from mazzo_server.storage import BotRow, VersionRow

__all__ = [
    "find_active_version",
    "find_current_version",
    "find_entering_version",
    "list_forms",
    "list_qualified_forms",
    "make_form",
    "make_no_entry_error",
]


def make_form(variant: Variant) -> str:
    """Return a variant without its options, such as "briscola/4"."""
    return f"{variant.game.id}/{variant.players}"


def list_forms(manifest: Manifest) -> list[Variant]:
    """Return every form, with default options, of the games that a manifest names."""
    forms: dict[str, Variant] = {}
    for played in manifest.games:
        game_id, _, players = played.partition("/")
        game = find_game(game_id)
        for number in [int(players)] if players else game.players:
            variant = Variant.of(game, number)
            forms[variant.text] = variant
    return list(forms.values())


def list_qualified_forms(bot: BotRow, version: VersionRow) -> list[str]:
    """Return the forms that a version may enter, in the order of its manifest."""
    if bot.remote:
        return _list_version_forms(version)
    if version.trial is None:
        return []
    return list(version.trial.qualified)


def find_active_version(bot: BotRow, versions: Sequence[VersionRow]) -> VersionRow | None:
    """Return the version that was chosen, else the newest one, if it may enter anything.

    `versions` come with the oldest first. Returns None too for a bot that is retired, and for a
    chosen version that has since failed its trial.
    """
    if bot.retired:
        return None
    candidates = [one for one in versions if bot.chosen in (None, one.number)]
    return next((one for one in reversed(candidates) if list_qualified_forms(bot, one)), None)


def find_current_version(bot: BotRow, versions: Sequence[VersionRow]) -> VersionRow:
    """Return the version that says what the bot plays: the chosen, active or else newest one."""
    chosen = next((one for one in versions if one.number == bot.chosen), None)
    return chosen or find_active_version(bot, versions) or versions[-1]


def find_entering_version(
    bot: BotRow, versions: Sequence[VersionRow], variant: Variant
) -> VersionRow | None:
    """Return the version that enters a tournament of this variant; None if none may.

    It is the active one. Where that plays the variant but did not pass it, and nobody chose
    it, an older one enters that did.
    """
    active, form = find_active_version(bot, versions), make_form(variant)
    if active is None or form not in _list_version_forms(active):
        return None
    candidates = versions[: active.number] if bot.chosen is None else [active]
    return next(
        (one for one in reversed(candidates) if form in list_qualified_forms(bot, one)), None
    )


def make_no_entry_error(
    bot: BotRow, versions: Sequence[VersionRow], variant: Variant
) -> InvalidInputError:
    """Return the error that says why no version may enter this variant, and what to do."""
    name, form = bot.name, make_form(variant)
    version = find_current_version(bot, versions)
    number, is_chosen = version.number, bot.chosen is not None
    if form not in _list_version_forms(version):
        games = ", ".join(version.manifest.games)
        which = f"version {number}, which was chosen, says" if is_chosen else "it says"
        return InvalidInputError(
            f"{name} does not play {variant.text}: {which} that it plays {games}"
        )
    if version.trial is None:
        return InvalidInputError(
            f"{name} is not qualified yet: the trial of its version {number} is not over; wait for "
            f"its end, or, if it was broken off, play it again with `mazzo bots trial {name}`"
        )
    advice = f"see `mazzo bots show {name}` for what to mend, and submit it again"
    if is_chosen:
        advice += f", or take the choice back with `mazzo bots activate {name} newest`"
    return InvalidInputError(
        f"{name} is not qualified for {form}: its version {number} did not pass its trial of "
        f"that; {advice}"
    )


def _list_version_forms(version: VersionRow) -> list[str]:
    return [variant.text for variant in list_forms(version.manifest)]
