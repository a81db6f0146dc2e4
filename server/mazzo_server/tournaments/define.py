"""Turns the request of an organiser into a complete definition."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import comb

from mazzo.game import Variant
from mazzo.games import parse_variant
from mazzo.match import MatchFormat
from mazzo.shuffle import SEED_BYTES, Stream, parse_seed
from mazzo_server.bots import (
    find_current_version,
    find_entering_version,
    make_no_entry_error,
)
from mazzo_server.errors import InvalidInputError, NotFoundError
from mazzo_server.model import (
    DEFAULT_DEALS,
    GROUPS,
    KNOWN_GAMES,
    Cpu,
    Definition,
    Entrant,
    InstanceLimits,
    Mirror,
    PairingScheme,
    Seeding,
    TournamentRequest,
    make_remote_manifest,
    name_copies,
)
from mazzo_server.pairing import count_groups, make_pairing
from mazzo_server.results.ranking import Rankings
from mazzo_server.storage import BotRow, MemoryStore, Store, VersionRow

__all__ = [
    "check_request",
    "check_tables",
    "choose_cpu",
    "define",
    "find_entrant",
    "list_entrants",
    "list_unqualified",
]

_MOST_TABLES = 250_000
_USUALLY_QUALIFY = 2  # of a pool, where nothing else is asked for


def define(
    request: TournamentRequest,
    store: Store,
    *,
    bounds_cores: bool = False,
    limits: InstanceLimits | None = None,
) -> Definition:
    """Check the request, pin the versions of the bots, and draw what was left open.

    `bounds_cores` tells whether the isolation can do what `Cpu.FAIR` needs, `limits` what an
    instance gets where the request does not say otherwise.

    Raises `InvalidInputError`, `NotFoundError`, and the SDK's errors for variants, match formats
    and seeds.
    """
    request.check()
    variant = parse_variant(request.variant)
    sides = len(variant.sides)
    mirror = request.choose_mirror()
    match_format = request.choose_match_format(variant)
    entrants = _choose_entrants(request.count_copies(), variant, store)
    seed = parse_seed(request.seed) if request.seed else secrets.token_bytes(SEED_BYTES)
    seeding = None
    if request.choose_pairing().has_bracket:
        seeding = Seeding(request.seeding or Seeding.RANKING)
    definition = Definition(
        name=request.choose_name(variant, [entrant.name for entrant in entrants]),
        variant=variant.text,
        entrants=entrants,
        match_format=str(match_format),
        mirror=mirror,
        groups=_count_groups(request, mirror.count_seatings(sides), match_format),
        draws=variant.game.fair_draws,
        time=request.choose_time_control(),
        isolation=request.isolation,
        cpu=request.choose_cpu() or choose_cpu(entrants, store, bounds_cores=bounds_cores),
        limits=(limits or InstanceLimits()).change(request.limits),
        seed=seed,
        seed_chosen=bool(request.seed),
        pairing=request.choose_pairing(),
        tables=request.tables,
        hero=request.hero,
        rounds=request.rounds,
        until_separated=request.until_separated,
        seeding=seeding,
        seeds=() if seeding is None else _choose_seeds(seeding, entrants, variant, store, seed),
        confidence=request.choose_confidence(),
        advance=request.choose_advance(sides),
        pools=request.pools,
        qualify=None if request.pools is None else request.qualify or _USUALLY_QUALIFY,
    )
    remote = [*dict.fromkeys(entrant.bot for entrant in definition.entrants if entrant.remote)]
    if remote and mirror is not Mirror.OFF and not request.allow_remote_mirror:
        play = "plays" if len(remote) == 1 else "play"
        raise InvalidInputError(
            f"the same deals would be played again with the seats exchanged, and "
            f"{', '.join(remote)}, which {play} from another machine, cannot be made to forget "
            "the cards: play each deal once (--mirror off), or trust its author "
            "(--allow-remote-mirror)"
        )
    check_tables(definition)
    make_pairing(definition)
    return definition


def check_request(request: TournamentRequest, *, bots: int) -> None:
    """Raise what `define` would raise for any bots of that number."""
    store = MemoryStore()
    names = [f"bot-{number}" for number in range(1, bots + 1)]
    if request.hero:
        names[0] = request.hero
    for name in names:  # remote ones, as these need neither files nor a trial
        manifest = make_remote_manifest(
            name, games=sorted(KNOWN_GAMES), capacity=1, author=name, known_games=KNOWN_GAMES
        )
        store.add_version(name, content_hash="", manifest=manifest, create_time=0.0, remote=True)
    define(replace(request, bots=names, allow_remote_mirror=True), store)


def _choose_seeds(
    seeding: Seeding, entrants: Sequence[Entrant], variant: Variant, store: Store, seed: bytes
) -> tuple[int, ...]:
    """Return the entrants by seed: by their ratings, where these decide, and then as drawn."""
    ratings: dict[str, float] = {}
    if seeding is Seeding.RANKING:
        for ranking in Rankings(store).list_rankings(variant.text):
            ratings |= {row.name: row.rating for row in ranking.rows if row.newest}
    drawn = Stream(seed, "seeding").shuffle(len(entrants))

    def merit(index: int) -> tuple[bool, float]:
        rating = ratings.get(entrants[index].bot)
        return rating is None, -(rating or 0.0)

    return tuple(sorted(drawn, key=merit))


def choose_cpu(entrants: Sequence[Entrant], store: Store, *, bounds_cores: bool) -> Cpu:
    """Return how processors are shared where nobody chose it: fairly, if bots think one by one.

    `bounds_cores` tells whether the isolation can do that.
    """
    one_at_a_time = any(
        store.version(entrant.bot, entrant.version).manifest.capacity == 1
        for entrant in entrants
        if not entrant.remote
    )
    return Cpu.FAIR if bounds_cores and one_at_a_time else Cpu.SHARED


def check_tables(definition: Definition) -> None:
    """Raise `InvalidInputError` for too many tables of entrants, since they are listed."""
    if definition.pairing is PairingScheme.SWISS or definition.pairing.has_bracket:
        return
    sides = len(definition.sides)
    every = comb(len(definition.entrants) - bool(definition.hero), sides - bool(definition.hero))
    asked = every if definition.tables is None else min(every, definition.tables)
    if asked > _MOST_TABLES:
        raise InvalidInputError(
            f"tables: expected at most {_MOST_TABLES} tables of entrants, got {asked}: "
            f"choose fewer (--tables)"
        )


def _choose_entrants(
    copies: Mapping[str, int], variant: Variant, store: Store
) -> tuple[Entrant, ...]:
    if copies:
        return list_entrants(copies, variant, store)
    active = {row.name: row for row in store.bots() if not row.retired}
    entrants = [
        _enter_version(row, version)
        for row in active.values()
        if not row.remote
        and (version := find_entering_version(row, store.versions(row.name), variant)) is not None
    ]
    if len(entrants) < len(variant.sides):
        raise _make_too_few_error(variant, len(entrants), store)
    return tuple(sorted(entrants, key=lambda entrant: entrant.name))


def list_entrants(copies: Mapping[str, int], variant: Variant, store: Store) -> tuple[Entrant, ...]:
    """Return so many copies of each bot as entrants, by name; raise what `find_entrant` raises."""
    active = {row.name: row for row in store.bots() if not row.retired}
    first = [_make_entrant(bot, variant, active, store) for bot in sorted(copies)]
    named = [
        replace(entrant, name=name)
        for entrant in first
        for name in name_copies(entrant.bot, copies[entrant.bot])
    ]
    return tuple(sorted(named, key=lambda entrant: entrant.name))


def _make_too_few_error(variant: Variant, found: int, store: Store) -> InvalidInputError:
    left_out = _find_unqualified(variant, store)
    waiting = [name for name, version in left_out.items() if version.trial is None]
    failed = [name for name in left_out if name not in waiting]
    if left_out:
        parts = [f"{', '.join(failed)} did not pass its trial of it"] if failed else []
        parts += [f"the trial of {', '.join(waiting)} is not over yet"] if waiting else []
        return InvalidInputError(
            f"expected at least {len(variant.sides)} bots that are qualified for {variant}, got "
            f"{found}; {', and '.join(parts)}: see `mazzo bots show NAME`"
        )
    return InvalidInputError(
        f"{variant} needs at least {len(variant.sides)} bots, got {found}: "
        "submit more with `mazzo bots submit PATH`"
    )


def list_unqualified(request: TournamentRequest, store: Store) -> list[str]:
    """Return the bots that claim the variant but do not qualify; none where bots were named.

    Retired bots are not listed, nor remote ones, which take part only when named.
    """
    return [] if request.bots else [*_find_unqualified(parse_variant(request.variant), store)]


def _find_unqualified(variant: Variant, store: Store) -> dict[str, VersionRow]:
    """Return the current version of each bot that claims the variant and does not qualify."""
    found = {}
    for row in store.bots():
        if row.retired or row.remote:
            continue
        versions = store.versions(row.name)
        current = find_current_version(row, versions)
        claims = current.manifest.has_game(variant.game.id, variant.players)
        if claims and find_entering_version(row, versions, variant) is None:
            found[row.name] = current
    return found


def find_entrant(name: str, variant: Variant, store: Store) -> Entrant:
    """Return the entry of a bot that may take part, with the version that enters.

    Raises `NotFoundError` for a bot that was not submitted or is retired. Raises
    `InvalidInputError` for one that does not play the variant or is not qualified for it.
    """
    active = {row.name: row for row in store.bots() if not row.retired}
    return _make_entrant(name, variant, active, store)


def _make_entrant(
    name: str, variant: Variant, active: Mapping[str, BotRow], store: Store
) -> Entrant:
    if name not in active:
        known = f"there are {', '.join(active)}" if active else "none was submitted yet"
        raise NotFoundError(
            f"expected a bot that was submitted and not retired, got {name!r}; {known}"
        )
    versions = store.versions(name)
    version = find_entering_version(active[name], versions, variant)
    if version is None:
        raise make_no_entry_error(active[name], versions, variant)
    return _enter_version(active[name], version)


def _enter_version(bot: BotRow, version: VersionRow) -> Entrant:
    return Entrant(
        name=bot.name,
        version=version.number,
        content_hash=version.content_hash,
        remote=bot.remote,
    )


def _count_groups(request: TournamentRequest, seatings: int, match_format: MatchFormat) -> int:
    groups = request.groups
    if groups is None:
        planned = match_format.planned_deals
        if planned is None:
            raise InvalidInputError(
                f"a match of {match_format} has no fixed number of deals: "
                + (
                    "give the number of mirror groups instead (--groups)"
                    if request.max_deals is None
                    else "choose a match of deals:N or best-of:N to play until separated"
                )
            )
        asked = request.deals if request.max_deals is None else request.max_deals
        deals = DEFAULT_DEALS if asked is None else asked
        groups = count_groups(deals, seatings=seatings, deals_per_match=planned)
    if groups > GROUPS.most:
        raise InvalidInputError(f"groups: expected at most {GROUPS.most} a table, got {groups}")
    return groups
