"""`make bench-store`: how fast a large tournament is stored, listed and shown, on both stores.

Exit status 1 when a call of the store takes longer than 50 ms, or the list of tournaments or
one with its standings longer than a second, the best of several times; or when a page of matches
takes longer than 50 ms, whatever is asked of them, the median of several times.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from math import comb
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from mazzo_server.bots.bundles import BundleStore
from mazzo_server.bots.launcher import Launcher
from mazzo_server.clock import monotonic
from mazzo_server.metrics import Metrics
from mazzo_server.model import Definition, Entrant, Mirror, Verdict
from mazzo_server.model.outcome import DealPlay, Fault, MatchOutcome, Owner, Termination
from mazzo_server.pairing import Group, list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play.instances.lobby import Lobby
from mazzo_server.results.checkpoints import keep_standings
from mazzo_server.results.match_search import MatchSearch
from mazzo_server.serving.grpc.messages import encode_found_match, encode_tournament
from mazzo_server.settings import Settings
from mazzo_server.storage import MatchOrder, MatchQuery, Store, TournamentStatus, open_store
from mazzo_server.tournaments.service import Tournaments
from support.postgres import started
from support.stored_rows import DEFINITION, add_tournament, add_version

__all__ = ["ENTRANTS", "batches", "fill"]

_PAGE = 20  # matches
_BATCH = 256  # matches of a transaction, as the writer stores them when it is busy
_SEATINGS = 2
_BAR = 0.050  # seconds
_SHOWN_BAR = 1.0  # seconds
ENTRANTS = tuple(
    Entrant(name=f"bot-{number:02}", version=1, content_hash="0" * 64) for number in range(16)
)
_BEGIN = 1.8e9  # Unix seconds
_LATE, _FORFEIT, _SPOILT = 499, 4_999, 20_011  # one in so many groups
_FAULT = Fault(
    seat=0,
    termination=Termination.CRASHED,
    owner=Owner.BOT,
    reason="exit status 1",
    deal=1,
    decision=7,
)
_Value = TypeVar("_Value")
_TIMES = 5


def batches(definition: Definition, matches: int) -> Iterator[list[MatchOutcome]]:
    """Matches of two deals of forty decisions, as those of briscola are, in batches."""
    schedule = (
        (group, seating)
        for group in list_groups(make_pairing(definition))
        for seating in range(len(group.seatings))
    )
    for _ in range(0, matches, _BATCH):
        yield [_match(group, seating) for group, seating in islice(schedule, _BATCH)]


def _match(group: Group, seating: int) -> MatchOutcome:
    points = 40 + (group.number * 7919 + seating * 31) % 41
    plays = tuple(
        DealPlay(
            dealer=dealer,
            actions=secrets.token_bytes(40),
            scores=(points + dealer, 120 - points - dealer),
            micros=tuple(range(100, 140)),
            substituted=(),
            forfeited=False,
        )
        for dealer in (0, 1)
    )
    is_forfeit = group.number % _FORFEIT == seating
    return MatchOutcome(
        group=group.number,
        seating=seating,
        entrants=group.seatings[seating],
        match_scores=(Fraction(2 * (points > 60)), Fraction(2 * (points <= 60))),
        deals=plays,
        faults=(_FAULT,) if is_forfeit else (),
        late=(0, int(group.number % _LATE == 1)),
        decisions=(40, 40),
        thinking_seconds=(0.004, 0.004),
        counted=tuple(play.scores for play in plays) if is_forfeit else (),
        end_time=_BEGIN + group.number * 1e-3,
        spoilt=int(group.number % _SPOILT == 2),
    )


def fill(store: Store, tournament: int, matches: int) -> float:
    """Store so many matches; the seconds that it took."""
    definition = store.tournament(tournament).definition
    seconds = 0.0
    for batch in batches(definition, matches):
        began = monotonic()
        store.add_outcomes(tournament, batch)
        seconds += monotonic() - began
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench-store", description=__doc__)
    parser.add_argument("--matches", type=int, default=500_000)
    arguments = parser.parse_args()
    missed = False
    for kind in ("SQLite", "PostgreSQL"):
        with _store(kind) as store:
            print(f"{kind}, one tournament of {arguments.matches:,} matches of 2 deals")
            missed |= _measure(store, arguments.matches)
    sys.exit(int(missed))


@contextmanager
def _store(kind: str) -> Iterator[Store]:
    with ExitStack() as stack:
        place: str | Path
        if kind == "SQLite":
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="mazzo-bench-"))
            place = Path(folder) / "mazzo.db"
        else:
            place = stack.enter_context(stack.enter_context(started(durable=True)).database())
        yield stack.enter_context(closing(open_store(place)))


def _measure(store: Store, matches: int) -> bool:
    tables = comb(len(ENTRANTS), 2)
    tournament = add_tournament(
        store,
        replace(
            DEFINITION,
            variant="briscola/2",
            entrants=ENTRANTS,
            mirror=Mirror.ROTATIONS,
            groups=-(-matches // (_SEATINGS * tables)),
        ),
    )
    seconds = fill(store, tournament, matches)
    print(f"  stored in batches of {_BATCH}  {matches / seconds:>9,.0f} matches/s")
    groups = matches // _SEATINGS
    late = groups - min(1000, groups)
    seconds = _best(lambda: keep_standings(store, tournament), times=1)
    print(f"  standings of all groups, kept            {seconds:>9.2f} s")
    reads: list[tuple[str, Callable[[], object]]] = [
        ("tournaments()", store.tournaments),
        ("tournament()", lambda: store.tournament(tournament)),
        ("checkpoint()", lambda: store.checkpoint(tournament)),
        (
            f"finished_matches(first_group={late})",
            lambda: store.finished_matches(tournament, first_group=late),
        ),
        (
            f"outcomes(group={groups // 2})",
            lambda: store.outcomes(tournament, with_deals=True, group=groups // 2),
        ),
    ]
    missed = False
    for name, read in reads:
        best = _best(read)
        missed |= best > _BAR
        print(f"  {name:40} {best * 1000:>9.2f} ms (bar {_BAR * 1000:.0f})")
    for name, show in (
        ("the list of tournaments", lambda: asyncio.run(_list(store))),
        ("the tournament with its standings", lambda: asyncio.run(_show(store, tournament))),
    ):
        best = _best(show)
        missed |= best > _SHOWN_BAR
        print(f"  {name:40} {best * 1000:>9.2f} ms (bar {_SHOWN_BAR * 1000:.0f})")
    missed |= _find_matches(store)
    for name, first in (("the last groups", late), ("all", 0)):
        found = 0

        def read_all(first: int = first) -> None:
            nonlocal found
            found = len(store.outcomes(tournament, with_deals=False, first_group=first))

        best = _best(read_all, times=_TIMES if first else 1)
        print(f"  outcomes(with_deals=False), {name:12} {best * 1000:>9.2f} ms, {found:,} matches")
    for name, do in (
        ("set_status()", lambda: store.set_status(tournament, TournamentStatus.CANCELLED)),
        ("record_bytes()", lambda: store.record_bytes(tournament)),
        ("prune()", lambda: store.prune(tournament)),
        ("compact()", store.compact),
    ):
        print(f"  {name:40} {_best(do, times=1):>9.2f} s")
    return missed


def _find_matches(store: Store) -> bool:
    """Measure how long a page of matches takes; return whether a bar is missed."""
    search, missed = MatchSearch(store), False
    for entrant in ENTRANTS:
        add_version(store, entrant.name)
    for name, query in _list_queries():

        def find(query: MatchQuery = query) -> None:
            page, _ = search.find_page(query, size=_PAGE)
            for listed in page:
                encode_found_match(listed)

        middle = median(_time(find, times=_TIMES))
        missed |= middle > _BAR
        print(f"  matches {name:32} {middle * 1000:>9.2f} ms (bar {_BAR * 1000:.0f})")
    return missed


def _list_queries() -> Iterator[tuple[str, MatchQuery]]:
    """Yield what is asked of matches, each with a name."""
    bot, opponent = "bot-03", "bot-07"
    filters: dict[str, dict[str, Any]] = {
        "variant": {"variant": "briscola/2"},
        "tournament": {"tournament": 1},
        "drawn": {"verdict": Verdict.DRAWN},
        "forfeited": {"forfeited": True},
        "late": {"late": True},
        "spoilt": {"spoilt": True},
        "since": {"since": _BEGIN + 100},
        "since, nothing": {"since": 2 * _BEGIN},
        "late and forfeited and spoilt": {"late": True, "forfeited": True, "spoilt": True},
    }
    of_a_bot: dict[str, dict[str, Any]] = {
        "": {},
        "seat": {"seat": 1},
        "opponent": {"opponent": opponent},
        "won": {"verdict": Verdict.WON},
        "lost": {"verdict": Verdict.LOST},
        "opponent, lost, seat": {"opponent": opponent, "verdict": Verdict.LOST, "seat": 0},
    }
    yield "", MatchQuery()
    for name, values in filters.items():
        yield name, MatchQuery(**values)
        yield f"variant, {name}", MatchQuery(**values | {"variant": "briscola/2"})
    for order in MatchOrder:
        for name, values in (of_a_bot | filters).items():
            what = ", ".join(filter(None, ["bot", name, f"by {order}"]))
            yield what, MatchQuery(bot=bot, order=order, **values)


async def _list(store: Store) -> None:
    await _tournaments(store).overview.list()


async def _show(store: Store, tournament: int) -> None:
    encode_tournament(await _tournaments(store).overview.show(tournament))


def _tournaments(store: Store) -> Tournaments:
    bundles = BundleStore(Path(), known_games={})
    launcher = Launcher(store, bundles, Lobby(_nobody), embedded=True)
    return Tournaments(
        store,
        launcher,
        read=_at_once,
        check_open=lambda: None,
        metrics=Metrics(),
        settings=Settings(home=Path()),
    )


async def _nobody(_: str) -> bool:
    return False


async def _at_once(read: Callable[..., _Value], *arguments: Any, **named: Any) -> _Value:
    return read(*arguments, **named)


def _best(read: Callable[[], object], *, times: int = _TIMES) -> float:
    return min(_time(read, times=times))


def _time(read: Callable[[], object], *, times: int) -> list[float]:
    taken = []
    for _ in range(times):
        began = monotonic()
        read()
        taken.append(monotonic() - began)
    return taken


if __name__ == "__main__":
    main()
