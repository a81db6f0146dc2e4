"""`make bench-store`: how fast a large tournament is stored, listed and read, on both stores.

Exit status 1 when what has a bar of 50 ms takes longer, the best of several times.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from mazzo_server.clock import monotonic
from mazzo_server.outcome import DealPlay, MatchOutcome
from mazzo_server.storage import Store, TournamentStatus, open_store
from server.databases import started
from server.stored import DEFINITION, add_tournament

__all__ = ["batches", "fill"]

_BATCH = 256  # matches of a transaction, as the writer stores them when it is busy
_SEATINGS = 2
_BAR = 0.050  # seconds
_TIMES = 5


def batches(matches: int) -> Iterator[list[MatchOutcome]]:
    """Matches of two deals of forty decisions, as those of briscola are, in batches."""
    plays = tuple(
        DealPlay(
            dealer=dealer,
            actions=secrets.token_bytes(40),
            scores=(61 - dealer, 59 + dealer),
            micros=tuple(range(100, 140)),
            substituted=(),
            forfeited=False,
        )
        for dealer in (0, 1)
    )
    first = MatchOutcome(
        group=0,
        seating=0,
        entrants=(0, 1),
        match_scores=(Fraction(1), Fraction(1)),
        deals=plays,
        faults=(),
        late=(0, 0),
        decisions=(40, 40),
        thinking_seconds=(0.004, 0.004),
    )
    for start in range(0, matches, _BATCH):
        numbers = range(start, min(start + _BATCH, matches))
        yield [replace(first, group=n // _SEATINGS, seating=n % _SEATINGS) for n in numbers]


def fill(store: Store, tournament: int, matches: int) -> float:
    """Store so many matches; the seconds that it took."""
    began = monotonic()
    for batch in batches(matches):
        store.add_outcomes(tournament, batch)
    return monotonic() - began


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
    tournament = add_tournament(store, replace(DEFINITION, groups=matches // _SEATINGS))
    seconds = fill(store, tournament, matches)
    print(f"  stored in batches of {_BATCH}  {matches / seconds:>9,.0f} matches/s")
    groups = matches // _SEATINGS
    late = groups - min(1000, groups)
    store.keep_checkpoint(tournament, late, "x" * 100_000)
    reads: list[tuple[str, Callable[[], object]]] = [
        ("tournaments()", store.tournaments),
        ("tournament()", lambda: store.tournament(tournament)),
        ("checkpoint(), 100 kB", lambda: store.checkpoint(tournament)),
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
    for name, first in (("the last groups", late), ("all", 0)):
        found = 0

        def read_all(first: int = first) -> None:
            nonlocal found
            found = len(store.outcomes(tournament, with_deals=False, first_group=first))

        best = _best(read_all, times=_TIMES if first else 1)
        print(f"  outcomes(with_deals=False), {name:12} {best * 1000:>9.2f} ms, {found:,} matches")
    store.set_status(tournament, TournamentStatus.FINISHED)
    for name, do in (
        ("record_bytes()", lambda: store.record_bytes(tournament)),
        ("prune()", lambda: store.prune(tournament)),
        ("compact()", store.compact),
    ):
        print(f"  {name:40} {_best(do, times=1):>9.2f} s")
    return missed


def _best(read: Callable[[], object], *, times: int = _TIMES) -> float:
    taken = []
    for _ in range(times):
        began = monotonic()
        read()
        taken.append(monotonic() - began)
    return min(taken)


if __name__ == "__main__":
    main()
