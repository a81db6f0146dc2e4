"""Turns the request of an author into the definition of a challenge."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.shuffle import SEED_BYTES
from mazzo_server.bots import (
    find_active_version,
    find_entering_version,
    find_own_bot,
    list_forms,
    list_qualified_forms,
    make_form,
    make_no_entry_error,
)
from mazzo_server.errors import ConflictError, InvalidInputError, PermissionDeniedError
from mazzo_server.model import (
    CHALLENGE_GROUPS,
    ChallengeTerms,
    Definition,
    Entrant,
    InstanceLimits,
    Mirror,
    PairingScheme,
    TimeControl,
    TournamentKind,
    make_usual_format,
    name_copies,
)
from mazzo_server.storage import BotRow, Store, VersionRow, find_bot
from mazzo_server.tournaments.define import choose_cpu

__all__ = ["ChallengeRequest", "define_challenge"]

_DEFAULT_GROUPS: Final = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeRequest:
    """Who challenges whom, to what; 0 and "" stand for the default."""

    bot: str  # an own one
    version: int = 0  # 0: the one that enters tournaments of the variant
    opponent: str
    opponent_version: int = 0  # another one than the entering one, of an own bot alone
    variant: str = ""  # "": the only one for which both are qualified
    groups: int = 0  # mirror groups
    isolation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """A bot of a challenge, and with which version it may enter what."""

    bot: BotRow
    versions: Sequence[VersionRow]  # all, the oldest first
    number: int  # of the version that was asked for; 0: none was
    entries: Mapping[str, VersionRow]  # by form

    def enter(self, variant: Variant) -> VersionRow:
        """Return the version that enters; raise `InvalidInputError` if there is none."""
        found = self.entries.get(make_form(variant))
        if found is not None:
            return found
        if not self.number:
            raise make_no_entry_error(self.bot, self.versions, variant)
        raise InvalidInputError(
            f"{self.bot.name} version {self.number} is not qualified for {make_form(variant)}: see "
            f"`mazzo bots show {self.bot.name}`"
        )

    def describe(self) -> str:
        """Return what it may enter, in words."""
        name = f"{self.bot.name} version {self.number}" if self.number else self.bot.name
        return f"{name} is qualified for {', '.join(self.entries) or 'nothing'}"


def define_challenge(
    request: ChallengeRequest,
    store: Store,
    *,
    terms: ChallengeTerms,
    bounds_cores: bool = False,
    limits: InstanceLimits | None = None,
) -> Definition:
    """Check the request, and pin the versions; the hero is the bot that challenges. Blocks.

    At a table of more than two sides the opponent has all seats but the hero's. `bounds_cores` and
    `limits` are those of `define`. Raises `InvalidInputError`, `NotFoundError` for a bot or version
    that is not there, `PermissionDeniedError` for another author's bot or version, `ConflictError`
    for a retired bot, and the SDK's errors for variants.
    """
    groups = request.groups or _DEFAULT_GROUPS
    try:
        CHALLENGE_GROUPS.check(groups)
    except InvalidInputError as error:
        raise InvalidInputError(f"groups: {error}") from error
    asked = parse_variant(request.variant) if request.variant else None
    own = _find_side(store, find_own_bot(store, request.bot, terms.author), request.version)
    opponent = find_bot(store, request.opponent)
    if request.opponent_version and terms.author not in ("", opponent.owner):
        raise PermissionDeniedError(
            f"bot {opponent.name} belongs to {opponent.owner or 'the organiser'}, who chooses its "
            "version: expected no version of it"
        )
    other = _find_side(store, opponent, request.opponent_version)
    variant = asked or _choose_variant(own, other)
    entrants = _list_entrants(own, other, variant)
    is_remote = any(entrant.remote for entrant in entrants)
    return Definition(
        name=f"{variant}: {own.bot.name} challenges {other.bot.name}",
        kind=TournamentKind.CHALLENGE,
        challenge=terms,
        variant=variant.text,
        entrants=tuple(sorted(entrants, key=lambda entrant: entrant.name)),
        pairing=PairingScheme.GAUNTLET,
        hero=own.bot.name,
        match_format=str(make_usual_format(len(variant.sides))),
        # Nobody can make a bot on another machine forget the cards.
        mirror=Mirror.OFF if is_remote else Mirror.ROTATIONS,
        groups=groups,
        draws=variant.game.fair_draws,
        time=TimeControl(),
        isolation=request.isolation,
        cpu=choose_cpu(entrants, store, bounds_cores=bounds_cores),
        limits=limits or InstanceLimits(),
        seed=secrets.token_bytes(SEED_BYTES),
        seed_chosen=False,
    )


def _find_side(store: Store, bot: BotRow, number: int) -> _Side:
    if bot.retired:
        raise ConflictError(f"{bot.name} is retired: it plays nothing more")
    versions = store.versions(bot.name)
    if number:
        version = store.version(bot.name, number)
        entries = dict.fromkeys(list_qualified_forms(bot, version), version)
    else:
        entries = _list_entries(bot, versions)
    return _Side(bot=bot, versions=versions, number=number, entries=entries)


def _list_entries(bot: BotRow, versions: Sequence[VersionRow]) -> dict[str, VersionRow]:
    active = find_active_version(bot, versions)
    variants = [] if active is None else list_forms(active.manifest)
    found = {make_form(one): find_entering_version(bot, versions, one) for one in variants}
    return {form: version for form, version in found.items() if version is not None}


def _choose_variant(own: _Side, other: _Side) -> Variant:
    """Return the only variant for which both are qualified."""
    both = [form for form in own.entries if form in other.entries]
    if not both:
        raise InvalidInputError(
            "expected bots that are qualified for the same variant, got none: "
            f"{own.describe()}, {other.describe()}"
        )
    if len(both) > 1:
        raise InvalidInputError(
            f"expected one of {', '.join(both)}, for which both are qualified, got none: choose "
            "one (--variant)"
        )
    return parse_variant(both[0])


def _list_entrants(own: _Side, other: _Side, variant: Variant) -> list[Entrant]:
    """Return the hero, and the opponent in all other seats."""
    hero, opponent = own.enter(variant), other.enter(variant)
    if hero == opponent:
        raise InvalidInputError(
            f"expected two bots, or two versions of {hero.bot}, got version {hero.number} twice: "
            f"name others as {hero.bot}@N"
        )
    copies = len(variant.sides) - 1
    if hero.bot == opponent.bot:
        names = name_copies(hero.bot, copies + 1)[1:]
    else:
        names = name_copies(opponent.bot, copies)
    return [
        _make_entrant(own.bot, hero, hero.bot),
        *(_make_entrant(other.bot, opponent, name) for name in names),
    ]


def _make_entrant(bot: BotRow, version: VersionRow, name: str) -> Entrant:
    return Entrant(
        name=name,
        version=version.number,
        content_hash=version.content_hash,
        remote=bot.remote,
    )
