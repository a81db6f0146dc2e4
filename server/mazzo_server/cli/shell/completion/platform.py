"""Completes what a platform knows: bots, versions, tournaments and matches.

A server is asked where one is named, else the store is read if there is one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from math import inf
from threading import Thread
from typing import TYPE_CHECKING, Final

import typer

from mazzo.v1 import bot_pb2, challenge_pb2, entry_pb2, replay_pb2, tournament_pb2
from mazzo_server.cli.shell.completion.offers import (
    Offer,
    complete_last_name,
    make_offer,
    read_first_argument,
)
from mazzo_server.cli.shell.credentials import take_credentials
from mazzo_server.model import MatchId
from mazzo_server.settings import Settings

if TYPE_CHECKING:
    from mazzo_server.cli.shell.connection import Client
    from mazzo_server.storage import Store, TournamentRow

__all__ = [
    "complete_active_version",
    "complete_bot",
    "complete_bots",
    "complete_challenge",
    "complete_entrant",
    "complete_match",
    "complete_match_of_tournament",
    "complete_open_tournament",
    "complete_tournament",
    "complete_version",
]

# For which a person waits for an answer, at most.
SERVER_SECONDS: Final = 1.0
STORE_SECONDS: Final = 3.0  # a busy machine may need most of them to load the code for it
_MOST_MATCHES: Final = 100  # the newest ones


def complete_bot(context: typer.Context) -> list[Offer]:
    """Offer the bots, retired ones too."""
    return _find_known(
        context, partial(_fetch_bots, retired=True), partial(_read_bots, retired=True)
    )


def complete_entrant(context: typer.Context) -> list[Offer]:
    """Offer the bots that are not retired, and so can enter a tournament."""
    return _find_known(
        context, partial(_fetch_bots, retired=False), partial(_read_bots, retired=False)
    )


def complete_bots(context: typer.Context, incomplete: str) -> list[Offer]:
    """Offer the same for the last of some names with commas between."""
    return complete_last_name(incomplete, complete_entrant(context))


def complete_version(context: typer.Context) -> list[Offer]:
    """Offer the versions of the bot on the command line."""
    name = read_first_argument(context, "name")
    return _find_known(context, partial(_fetch_versions, name), partial(_read_versions, name))


def complete_active_version(context: typer.Context) -> list[Offer]:
    """Offer the same, and to choose none of them."""
    newest = make_offer("newest", "the newest one that is qualified")
    return [newest, *complete_version(context)]


def complete_tournament(context: typer.Context) -> list[Offer]:
    """Offer the tournaments by number, the newest first."""
    return _find_known(context, _fetch_tournaments, _read_tournaments)


def complete_challenge(context: typer.Context) -> list[Offer]:
    """Offer the challenges that are not over."""
    return _find_known(context, _fetch_challenges, _read_challenges)


def complete_open_tournament(context: typer.Context) -> list[Offer]:
    """Offer the open tournaments by number."""
    return _find_known(context, _fetch_open_tournaments, _read_open_tournaments)


def complete_match(context: typer.Context, incomplete: str) -> list[Offer]:
    """Offer the newest matches that can be shown, of all tournaments or of the one that is given.

    It may be given by its option, or by what is typed of the match.
    """
    typed, slash, _ = incomplete.partition("/")
    given = context.params.get("tournament") or (typed if slash else 0)
    try:
        tournament = int(given)
    except ValueError:
        return []
    return _find_known(
        context, partial(_fetch_matches, tournament), partial(_read_matches, tournament)
    )


def complete_match_of_tournament(context: typer.Context) -> list[Offer]:
    """Offer the same for the tournament on the command line, as GROUP/SEATING."""
    number = read_first_argument(context, "id")
    if not number:
        return []
    found = complete_match(context, f"{number}/")
    return [(match.partition("/")[2], variant) for match, variant in found]


def _find_known(
    context: typer.Context,
    fetch: Callable[[Client], Awaitable[list[Offer]]],
    read: Callable[[Store], list[Offer]],
) -> list[Offer]:
    """Return what a server or the store offers; nothing if neither answers in time."""
    take_credentials(context)
    server = context.params.get("server") or ""
    found: list[Offer] = []

    def work() -> None:
        with suppress(Exception):
            found.extend(_fetch_from_server(server, fetch) if server else _read_from_store(read))

    # Whatever it waits for, a thread can be left behind: `answer_shell` ends the process.
    thread = Thread(target=copy_context().run, args=(work,), daemon=True)
    thread.start()
    thread.join(SERVER_SECONDS if server else STORE_SECONDS)
    return found.copy()


def _fetch_from_server(
    server: str, fetch: Callable[[Client], Awaitable[list[Offer]]]
) -> list[Offer]:
    import asyncio

    from mazzo_server.cli.shell.connection import connect

    async def ask() -> list[Offer]:
        async with connect(server) as client:
            return await fetch(client)

    return asyncio.run(ask())


def _read_from_store(read: Callable[[Store], list[Offer]]) -> list[Offer]:
    from mazzo_server.storage import open_store

    store = open_store(Settings.from_environment().store, make=False)
    try:
        return read(store)
    finally:
        store.close()


async def _fetch_bots(client: Client, *, retired: bool) -> list[Offer]:
    from mazzo_server.cli.shell.connection import fetch_all

    request = bot_pb2.ListBotsRequest(include_retired=retired)
    bots = await fetch_all(client.bots.ListBots, request, "bots")
    return [_offer_bot(bot.name, retired=bot.retired) for bot in bots]


def _read_bots(store: Store, *, retired: bool) -> list[Offer]:
    return [
        _offer_bot(bot.name, retired=bot.retired)
        for bot in store.bots()
        if retired or not bot.retired
    ]


def _offer_bot(name: str, *, retired: bool) -> Offer:
    return make_offer(name, "retired" if retired else "")


async def _fetch_versions(name: str, client: Client) -> list[Offer]:
    answer = await client.bots.GetBot(bot_pb2.GetBotRequest(name=name))
    return [
        _offer_version(each.version, each.trial.passed if each.HasField("trial") else None)
        for each in reversed(answer.bot.versions)
    ]


def _read_versions(name: str, store: Store) -> list[Offer]:
    return [
        _offer_version(each.number, each.trial.passed if each.trial is not None else None)
        for each in reversed(store.versions(name))
    ]


def _offer_version(number: int, passed: bool | None) -> Offer:
    if passed is None:
        return make_offer(str(number))
    return make_offer(str(number), f"{'passed' if passed else 'failed'} its trial")


async def _fetch_tournaments(client: Client) -> list[Offer]:
    from mazzo_server.cli.shell.connection import fetch_all

    request = tournament_pb2.ListTournamentsRequest()
    found = await fetch_all(client.tournaments.ListTournaments, request, "tournaments")
    return [
        _offer_tournament(each.id, tournament_pb2.TournamentState.Name(each.state), each.name)
        for each in found
    ]


def _read_tournaments(store: Store) -> list[Offer]:
    return [
        _offer_tournament(row.id, _find_state(store, row), row.definition.name)
        for row in reversed(store.tournaments())
    ]


def _find_state(store: Store, row: TournamentRow) -> str:
    if row.status.value != "running" or store.is_claimed(row.id):
        return row.status
    return "interrupted"


def _offer_tournament(number: int, state: str, name: str) -> Offer:
    return make_offer(str(number), f"{state.removeprefix('TOURNAMENT_STATE_').lower()}: {name}")


async def _fetch_challenges(client: Client) -> list[Offer]:
    from mazzo_server.cli.shell.connection import fetch_all

    request = challenge_pb2.ListChallengesRequest()
    found = await fetch_all(client.challenges.ListChallenges, request, "challenges")
    return [
        make_offer(str(each.id), f"{each.variant}: {each.bot} challenges {each.opponent}")
        for each in found
        if not each.HasField("end_time")
    ]


def _read_challenges(store: Store) -> list[Offer]:
    return [make_offer(str(row.id), row.definition.name) for row in store.challenges(since=inf)]


async def _fetch_open_tournaments(client: Client) -> list[Offer]:
    from mazzo_server.cli.shell.connection import fetch_all

    request = entry_pb2.ListOpenTournamentsRequest()
    call = client.entries.ListOpenTournaments
    return [
        _offer_open_tournament(each.id, each.tournament.variant, each.tournament.name)
        for each in await fetch_all(call, request, "open_tournaments")
    ]


def _read_open_tournaments(store: Store) -> list[Offer]:
    return [
        _offer_open_tournament(row.id, row.request.variant, row.request.name)
        for row in store.open_tournaments()
    ]


def _offer_open_tournament(number: int, variant: str, name: str) -> Offer:
    return make_offer(str(number), f"{variant}: {name}" if name else variant)


async def _fetch_matches(tournament: int, client: Client) -> list[Offer]:
    request = replay_pb2.FindMatchesRequest(
        tournament=tournament,
        order=replay_pb2.MATCH_ORDER_TIME,
        page_size=_MOST_MATCHES,
    )
    answer: replay_pb2.FindMatchesResponse = await client.replays.FindMatches(request)
    return [
        _offer_match(each.tournament, each.group, each.seating, each.variant)
        for each in answer.matches
        if not each.pruned
    ]


def _read_matches(tournament: int, store: Store) -> list[Offer]:
    from mazzo_server.storage import MatchQuery

    query = MatchQuery(tournament=tournament or None)
    found = store.find_matches(query, limit=_MOST_MATCHES)
    rows = {number: store.tournament(number) for number in {each.tournament for each in found}}
    return [
        _offer_match(
            each.tournament,
            each.outcome.group,
            each.outcome.seating,
            rows[each.tournament].definition.variant,
        )
        for each in found
        if not rows[each.tournament].pruned
    ]


def _offer_match(tournament: int, group: int, seating: int, variant: str) -> Offer:
    return make_offer(str(MatchId(tournament, group, seating)), variant)
