"""Finished tournaments for tests of rankings, made up without playing."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from mazzo.games import parse_variant
from mazzo_server.model import Definition, Entrant, Mirror
from mazzo_server.model.outcome import DealPlay, MatchOutcome
from mazzo_server.pairing import Group, list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.results.ranking.values import FinishedTournament
from mazzo_server.storage import Store, TournamentStatus
from support.stored_rows import DEFINITION, add_tournament

__all__ = ["Entrants", "define", "finish", "finished", "play"]

Entrants = Sequence[tuple[str, int]]  # name and version


def define(entrants: Entrants, *, variant: str = "briscola/2", groups: int = 2) -> Definition:
    """A round robin of one seating a group."""
    return replace(
        DEFINITION,
        variant=variant,
        entrants=tuple(
            Entrant(name=name, version=version, content_hash="a" * 64)
            for name, version in sorted(entrants)
        ),
        groups=groups,
        mirror=Mirror.OFF,
    )


def play(
    definition: Definition, seed: int, *, best: Sequence[str] = (), withdrawn: Sequence[int] = ()
) -> list[MatchOutcome]:
    """All its matches, with few different scores, so that there are ties.

    Whoever stands in `best` comes before whoever does not, and before who stands there later.
    Who is withdrawn has played its first groups.
    """
    rng, sides = random.Random(seed), parse_variant(definition.variant).sides
    names = [entrant.name for entrant in definition.entrants]
    outcomes: list[MatchOutcome] = []
    for group in list_groups(make_pairing(definition)):
        if group.number_at_table and set(withdrawn) & set(group.table):
            continue
        scores = {
            index: 9 - best.index(names[index]) if names[index] in best else rng.randrange(3)
            for index in group.table
        }
        outcomes += (
            MatchOutcome(
                group=group.number,
                seating=seating,
                entrants=(by_seat := group.by_seat(seating, sides)),
                match_scores=tuple(Fraction(scores[index]) for index in by_seat),
                deals=(
                    DealPlay(
                        dealer=0,
                        actions=b"",
                        scores=tuple(10 * scores[index] for index in by_seat),
                        micros=(),
                        substituted=(),
                        forfeited=False,
                    ),
                ),
                faults=(),
                late=(0,) * len(by_seat),
                decisions=(20,) * len(by_seat),
                thinking_seconds=(0.0,) * len(by_seat),
            )
            for seating in range(len(group.seatings))
        )
    return outcomes


def finished(
    number: int,
    definition: Definition,
    seed: int = 0,
    *,
    best: Sequence[str] = (),
    withdrawn: Mapping[int, str] | None = None,
) -> FinishedTournament:
    """A tournament for the fold."""
    out = withdrawn or {}
    finished: dict[int, list[MatchOutcome]] = {}
    for outcome in play(definition, seed, best=best, withdrawn=list(out)):
        finished.setdefault(outcome.group, []).append(outcome)

    def played() -> Iterator[tuple[Group, Sequence[MatchOutcome] | None]]:
        for group in list_groups(make_pairing(definition)):
            void = not out.keys().isdisjoint(group.table)
            yield group, None if void else finished[group.number]

    return FinishedTournament(id=number, definition=definition, played=played, withdrawn=out)


def finish(store: Store, definition: Definition, seed: int = 0, *, best: Sequence[str] = ()) -> int:
    """Store a finished tournament; its number."""
    number = add_tournament(store, definition)
    store.add_outcomes(number, play(definition, seed, best=best))
    store.set_status(number, TournamentStatus.FINISHED, end_time=6.0)
    return number
