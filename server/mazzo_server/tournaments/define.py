"""From what an organiser asks for to a definition that says it all."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import comb

from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo.shuffle import SEED_BYTES, parse_seed
from mazzo_server.bots import explain_refusal, find_claiming_version, find_entering_version
from mazzo_server.errors import InvalidInputError, NotFoundError
from mazzo_server.model import Cpu, Definition, Entrant, Mirror, TimeControl, parse_bank
from mazzo_server.pairing import groups_for_deals, make_pairing, seatings_per_group
from mazzo_server.storage import BotRow, Store, VersionRow

__all__ = ["TournamentWish", "define", "entrant_of", "unqualified"]

_DEFAULT_DEALS = 100
_MOST_GROUPS = 1_000_000  # of a table
_MOST_ROUNDS = 100
_MOST_TABLES = 250_000
_PAIRINGS = ("round-robin", "gauntlet", "swiss")
_MOST_NAME = 100  # characters
_LONGEST = 86_400.0  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentWish:
    """What was asked for; an empty text or None stands for the default."""

    variant: str
    bots: Sequence[str] = ()
    deals: int | None = None
    groups: int | None = None
    until_separated: float | None = None  # the confidence in the order; None: play them all
    max_deals: int | None = None  # of a table, with `until_separated`
    match_format: str = ""
    cpu: str = ""
    mirror: str = ""
    time_control: str = ""
    limit: float = 0.0  # seconds; 0: the default
    start_up: float = 0.0  # seconds; 0: the default
    grace: float = 0.0  # seconds; 0: the default
    allow_remote_mirror: bool = False
    name: str = ""
    pairing: str = ""
    tables: int | None = None
    hero: str = ""
    rounds: int | None = None
    seed: str = field(default="", repr=False)


def define(
    wish: TournamentWish, store: Store, *, isolation: str, bounds_cores: bool = False
) -> Definition:
    """Check everything, pin the versions, draw what was left open.

    `bounds_cores` says whether that isolation can do what `Cpu.FAIR` needs.

    Raises `InvalidInputError`, `NotFoundError`, and the SDK's errors for variants, match
    formats and seeds.
    """
    variant = parse_variant(wish.variant)
    sides = len(variant.sides)
    mirror = _mirror(wish.mirror)
    match_format = MatchFormat.parse(wish.match_format or f"deals:{sides}")
    match_format.check(variant)
    entrants = _entrants(wish.bots, variant, store)
    definition = Definition(
        name=_name(wish.name or f"{variant.text} {_pairing(wish).replace('-', ' ')}"),
        variant=variant.text,
        entrants=entrants,
        match_format=str(match_format),
        mirror=mirror,
        groups=_groups(wish, seatings_per_group(mirror, sides), match_format),
        draws="seats" if "seats" in variant.game.draw_modes else variant.game.draw_modes[0],
        time=_time_control(wish),
        isolation=isolation,
        cpu=_cpu(wish.cpu, entrants, store, bounds_cores=bounds_cores),
        seed=parse_seed(wish.seed) if wish.seed else secrets.token_bytes(SEED_BYTES),
        seed_chosen=bool(wish.seed),
        pairing=_pairing(wish),
        tables=wish.tables,
        hero=wish.hero,
        rounds=wish.rounds,
        until_separated=wish.until_separated,
    )
    remote = [entrant.name for entrant in definition.entrants if entrant.remote]
    if remote and mirror is not Mirror.OFF and not wish.allow_remote_mirror:
        raise InvalidInputError(
            f"the same deals would be played again with the seats exchanged, and "
            f"{' and '.join(remote)}, which plays from another machine, cannot be made to forget "
            "the cards: play each deal once (--mirror off), or trust its author "
            "(--allow-remote-mirror)"
        )
    _check_tables(definition, sides)
    make_pairing(definition)
    return definition


def _mirror(text: str) -> Mirror:
    try:
        return Mirror(text or Mirror.ROTATIONS)
    except ValueError as error:
        modes = ", ".join(Mirror)
        raise InvalidInputError(f"mirror: expected one of {modes}, got {text!r}") from error


def _cpu(text: str, entrants: Sequence[Entrant], store: Store, *, bounds_cores: bool) -> Cpu:
    if text:
        try:
            return Cpu(text)
        except ValueError as error:
            ways = ", ".join(Cpu)
            raise InvalidInputError(f"cpu: expected one of {ways}, got {text!r}") from error
    one_at_a_time = any(
        store.version(entrant.name, entrant.version).manifest.capacity == 1
        for entrant in entrants
        if not entrant.remote
    )
    return Cpu.FAIR if bounds_cores and one_at_a_time else Cpu.SHARED


def _pairing(wish: TournamentWish) -> str:
    """The pairing scheme, when everything that was asked for fits it."""
    pairing = wish.pairing or ("gauntlet" if wish.hero else "round-robin")
    if pairing not in _PAIRINGS:
        raise InvalidInputError(
            f"pairing: expected one of {', '.join(_PAIRINGS)}, got {wish.pairing!r}"
        )
    if pairing == "gauntlet" and not wish.hero:
        raise InvalidInputError("a gauntlet needs the bot that meets all others (--hero BOT)")
    for name, given, fitting in (
        ("hero", wish.hero or None, ("gauntlet",)),
        ("tables", wish.tables, ("round-robin", "gauntlet")),
        ("rounds", wish.rounds, ("swiss",)),
    ):
        if given is not None and pairing not in fitting:
            raise InvalidInputError(
                f"{name}: expected only with the pairing {' or '.join(fitting)}, got {pairing}"
            )
    if wish.rounds is not None and not 1 <= wish.rounds <= _MOST_ROUNDS:
        raise InvalidInputError(f"rounds: expected 1 to {_MOST_ROUNDS}, got {wish.rounds}")
    return pairing


def _check_tables(definition: Definition, sides: int) -> None:
    """No more tables of entrants than anybody would play, so that they can be listed."""
    if definition.pairing == "swiss":
        return
    every = comb(len(definition.entrants) - bool(definition.hero), sides - bool(definition.hero))
    asked = every if definition.tables is None else min(every, definition.tables)
    if asked > _MOST_TABLES:
        raise InvalidInputError(
            f"tables: expected at most {_MOST_TABLES} tables of entrants, got {asked}: "
            f"choose fewer (--tables)"
        )


def _name(name: str) -> str:
    if len(name) > _MOST_NAME or not name.isprintable() or name != name.strip():
        raise InvalidInputError(
            f"name: expected at most {_MOST_NAME} printable characters, got {name!r}"
        )
    return name


def _entrants(names: Sequence[str], variant: Variant, store: Store) -> tuple[Entrant, ...]:
    active = {row.name: row for row in store.bots() if not row.retired}
    if names:
        return tuple(_entrant(name, variant, active, store) for name in sorted(names))
    entrants = [
        _pinned(row, version)
        for row in active.values()
        if not row.remote
        and (version := find_entering_version(row, store.versions(row.name), variant)) is not None
    ]
    left_out = _unqualified(variant, store)
    if left_out and len(entrants) < len(variant.sides):
        raise InvalidInputError(
            f"expected at least {len(variant.sides)} bots that are qualified for {variant}, got "
            f"{len(entrants)}: {', '.join(left_out)} did not pass its trial of it, see "
            "`mazzo bots show NAME`"
        )
    return tuple(sorted(entrants, key=lambda entrant: entrant.name))


def unqualified(wish: TournamentWish, store: Store) -> list[str]:
    """The bots, by name, that claim the variant and do not take part, as none were named.

    Retired bots are not among them, nor remote ones, which take part only when named.
    """
    return [] if wish.bots else _unqualified(parse_variant(wish.variant), store)


def _unqualified(variant: Variant, store: Store) -> list[str]:
    return [
        row.name
        for row in store.bots()
        if not row.retired
        and not row.remote
        and find_entering_version(row, versions := store.versions(row.name), variant) is None
        and find_claiming_version(row, versions).manifest.has_game(variant.game.id, variant.players)
    ]


def entrant_of(name: str, variant: Variant, store: Store) -> Entrant:
    """A bot that may take part, with the version that enters.

    Raises `NotFoundError` for one that was not submitted or is retired, and
    `InvalidInputError` for one that does not play the variant or is not qualified for it.
    """
    active = {row.name: row for row in store.bots() if not row.retired}
    return _entrant(name, variant, active, store)


def _entrant(name: str, variant: Variant, active: Mapping[str, BotRow], store: Store) -> Entrant:
    if name not in active:
        known = f"there are {', '.join(active)}" if active else "none was submitted yet"
        raise NotFoundError(
            f"expected a bot that was submitted and not retired, got {name!r}; {known}"
        )
    versions = store.versions(name)
    version = find_entering_version(active[name], versions, variant)
    if version is None:
        raise explain_refusal(active[name], versions, variant)
    return _pinned(active[name], version)


def _pinned(bot: BotRow, version: VersionRow) -> Entrant:
    return Entrant(
        name=bot.name,
        version=version.number,
        content_hash=version.content_hash,
        remote=bot.remote,
    )


def _groups(wish: TournamentWish, seatings: int, match_format: MatchFormat) -> int:
    _check_separation(wish)
    if wish.groups is not None:
        if wish.deals is not None:
            raise InvalidInputError("expected a number of deals or of groups, got both")
        groups = wish.groups
    else:
        planned = match_format.planned_deals
        if planned is None:
            raise InvalidInputError(
                f"a match of {match_format} has no fixed number of deals: "
                + (
                    "give the number of mirror groups instead (--groups)"
                    if wish.max_deals is None
                    else "choose a match of deals:N or best-of:N to play until separated"
                )
            )
        asked = wish.deals if wish.max_deals is None else wish.max_deals
        deals = _DEFAULT_DEALS if asked is None else asked
        groups = groups_for_deals(deals, seatings=seatings, deals_per_match=planned)
    if not 1 <= groups <= _MOST_GROUPS:
        raise InvalidInputError(f"groups: expected 1 to {_MOST_GROUPS} a table, got {groups}")
    return groups


def _check_separation(wish: TournamentWish) -> None:
    confidence = wish.until_separated
    if confidence is None:
        if wish.max_deals is not None:
            raise InvalidInputError(
                "expected --max-deals with --until-separated only; a fixed number is --deals"
            )
        return
    if not 0.5 < confidence < 1:
        raise InvalidInputError(
            f"until-separated: expected a confidence above 0.5 and below 1, such as 0.95, "
            f"got {confidence:g}"
        )
    if _pairing(wish) != "round-robin" or wish.tables is not None:
        raise InvalidInputError(
            "until-separated: expected a round robin of every table, not another pairing or a "
            "choice of tables"
        )
    if wish.deals is not None or wish.groups is not None:
        raise InvalidInputError(
            "expected --max-deals with --until-separated, got a fixed number of deals or groups"
        )
    if wish.max_deals is None:
        raise InvalidInputError(
            "expected --max-deals with --until-separated, for equal bots are never separated"
        )


def _time_control(wish: TournamentWish) -> TimeControl:
    usual = TimeControl()
    bank, increment = usual.bank, usual.increment
    if wish.time_control:
        bank, increment = parse_bank(wish.time_control)
    for name, value in (
        ("limit", wish.limit),
        ("start-up", wish.start_up),
        ("grace", wish.grace),
    ):
        if not 0 <= value <= _LONGEST:
            raise InvalidInputError(
                f"{name}: expected seconds from 0 (the default) to {_LONGEST:g}, got {value:g}"
            )
    return TimeControl(
        bank=bank,
        increment=increment,
        limit=wish.limit or usual.limit,
        start_up=wish.start_up or usual.start_up,
        grace=wish.grace or usual.grace,
    )
