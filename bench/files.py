"""A tournament of many matches to a file and back: `make bench-files`.

Exit status 1 when the standings are others afterwards, when a false record is taken, or when the
memory of a process that exports or imports grows by more than 100 MiB.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import replace
from math import comb
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from mazzo.cards import bits
from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo_server.clock import monotonic
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Definition, Entrant, TimeControl
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import Group, list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play.table import Table
from mazzo_server.results.checkpoints import read_standings
from mazzo_server.storage import TournamentStatus, open_store
from mazzo_server.tournaments.stored.exporting import Export
from mazzo_server.tournaments.stored.header import format_standings
from mazzo_server.tournaments.stored.importing import import_tournament
from mazzo_server.tournaments.stored.packing import pack_lines, unpack_lines
from support.stored_rows import DEFINITION, add_tournament, manifest_of

_BOTS = 16
_SEATINGS = 2
_BATCH = 128  # groups
_GROWTH = 100 * 2**20  # bytes


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="make bench-files", description=__doc__)
    parser.add_argument("--matches", type=int, default=500_000)
    matches: int = parser.parse_args().matches
    definition = _define(matches)
    with tempfile.TemporaryDirectory(prefix="mazzo-bench-") as name:
        here, there, file = (Path(name) / part for part in ("here.db", "there.db", "file.zst"))
        began = monotonic()
        played = _fill(here, definition)
        print(f"{played:,} matches of two deals, played in {monotonic() - began:.0f} s", flush=True)
        missed = False
        for what, do, places in (
            ("export", _export, (here, file)),
            ("import", _import, (file, there)),
        ):
            seconds, growth = _apart(do, *places)
            missed |= growth > _GROWTH
            print(
                f"{what}: {seconds:.0f} s, {played / seconds:,.0f} matches/s; memory grew by "
                f"{growth / 2**20:.0f} MiB; the file has {file.stat().st_size / played:,.0f} bytes "
                "a match",
                flush=True,
            )
        same = _tell_standings(here) == _tell_standings(there)
        print(f"standings: {'the same to the byte' if same else 'OTHERS'}")
        refused = _refuses_false_record(file, Path(name) / "false.db", played)
        sys.exit(missed or not same or not refused)


def _define(matches: int) -> Definition:
    tables = comb(_BOTS, 2)
    return replace(
        DEFINITION,
        entrants=tuple(
            Entrant(name=f"bot-{number:02}", version=1, content_hash="0" * 64)
            for number in range(_BOTS)
        ),
        groups=-(-matches // (_SEATINGS * tables)),
        time=TimeControl(),
    )


def _fill(path: Path, definition: Definition) -> int:
    """Store a finished tournament of random players; return how many matches it has."""
    played = 0
    with closing(open_store(path)) as store, ProcessPoolExecutor() as pool:
        for entrant in definition.entrants:
            store.add_version(
                entrant.name,
                content_hash=entrant.content_hash,
                manifest=manifest_of(entrant.name, licence="MIT"),
                create_time=1.0,
            )
        tournament = add_tournament(store, definition)
        for outcomes in pool.map(_play, _cut(definition)):
            store.add_outcomes(tournament, outcomes)
            played += len(outcomes)
        store.set_status(tournament, TournamentStatus.FINISHED, end_time=1.7e9)
    return played


def _cut(definition: Definition) -> Iterator[tuple[Definition, list[Group]]]:
    batch: list[Group] = []
    for group in list_groups(make_pairing(definition)):
        batch.append(group)
        if len(batch) == _BATCH:
            yield definition, batch
            batch = []
    yield definition, batch


def _play(work: tuple[Definition, list[Group]]) -> list[MatchOutcome]:
    definition, groups = work
    variant = parse_variant(definition.variant)
    match_format = MatchFormat.parse(definition.match_format)
    outcomes = []
    for group in groups:
        for seating in range(_SEATINGS):
            match = Match(variant, group.seed, match_format, draws=definition.draws)
            table = Table(match, definition.time)
            table.start()
            generator = random.Random(f"{group.number} {seating}")
            while (ask := table.asked) is not None:
                table.answer(generator.choice(list(bits(ask.deal.legal))), 0.000_1)
            entrants = group.by_seat(seating, variant.sides)
            outcomes.append(table.outcome(group=group.number, seating=seating, entrants=entrants))
    return outcomes


def _apart(do: Callable[..., tuple[float, int]], *arguments: Any) -> tuple[float, int]:
    """Call it in a process of its own, whose memory is then known."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(do, *arguments).result()


def _export(source: Path, file: Path) -> tuple[float, int]:
    before, began = _peak(), monotonic()
    with closing(open_store(source)) as store, file.open("wb") as target:
        for piece in pack_lines(Export(store, 1).list_lines()):
            target.write(piece)
    return monotonic() - began, _peak() - before


def _import(file: Path, target: Path) -> tuple[float, int]:
    before, began = _peak(), monotonic()
    with closing(open_store(target)) as store, file.open("rb") as source:
        import_tournament(store, unpack_lines(lambda: source.read(2**18)))
    return monotonic() - began, _peak() - before


def _peak() -> int:
    """Return the most memory that this process has had, in bytes.

    `getrusage` would tell that of its parent, where that had more.
    """
    status = Path("/proc/self/status").read_text()
    return next(
        int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM:")
    )


def _tell_standings(path: Path) -> str:
    with closing(open_store(path)) as store:
        return format_standings(read_standings(store, store.tournament(1)))


def _refuses_false_record(file: Path, path: Path, matches: int) -> bool:
    """Exchange two of the actions of a match in the middle; tell whether that is found."""
    wrong = matches // 2

    def change(lines: Iterator[str]) -> Iterator[str]:
        for number, line in enumerate(lines):
            if number == wrong:
                head, start, rest = line.partition('"actions":["')
                first, between, second = rest[:2], rest[2:5], rest[5:7]
                line = f"{head}{start}{second}{between}{first}{rest[7:]}"
            yield line

    with closing(open_store(path)) as store, file.open("rb") as source:
        try:
            import_tournament(store, change(unpack_lines(lambda: source.read(2**18))))
        except InvalidInputError as error:
            left = len(store.tournaments())
            print(f"a false record: refused ({error}), and {left} tournaments are left")
            return not left
    print("a false record: TAKEN")
    return False


if __name__ == "__main__":
    main()
