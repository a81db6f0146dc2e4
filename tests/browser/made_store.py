"""A store with finished tournaments of all games, played by the sample bots in this process."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from mazzo.bot import choose
from mazzo.games import parse_variant
from mazzo_server.model import Entrant, TournamentRequest
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.pairing import Group
from mazzo_server.play.table import Ask, Table
from mazzo_server.settings import Settings
from mazzo_server.storage import EntryRow, Store, Timetable, TournamentStatus, open_store
from mazzo_server.tournaments.ladders.members import make_versions
from sdk.test_sample_bots import sample
from support.manual_tournaments import Answer, Club, legal, list_ladder_options
from support.stored_rows import manifest_of, qualify

__all__ = ["ENTERED", "LADDER", "LONG_NAME", "UNPLAYED", "VARIANTS", "fill_store"]

# Of each game, and more of one, so that ratings have a history.
VARIANTS: Final = (
    *("briscola/2", "briscola/2", "briscola/3", "briscola/4?talk=signal", "briscola/6"),
    *("briscola-chiamata/5", "frusta/2", "tressette-meta-mazzo/2", "tressette-pizzichino/2"),
    *("frap/4", "briscola/2", "briscola/2"),
)
UNPLAYED: Final = len(VARIANTS) + 1
"""The number of a tournament that has not begun."""
LADDER: Final = UNPLAYED + 1
"""The number of a season of a ladder."""
LONG_NAME: Final = "<b>Cup</b> of " + "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysilio" * 2
"""Of one tournament: a text like an element, and longer than a telephone is wide."""
ENTERED: Final = ("matta", "asso", "settebello")
"""Bots that have entered the open tournament 1, in that order."""
_BEGIN: Final = datetime(2026, 3, 2, 18, 0, tzinfo=UTC).timestamp()
_WEEK: Final = 7 * 24 * 3600.0
_ALL_GAMES: Final = (
    *("briscola", "briscola-chiamata", "frusta", "tressette-meta-mazzo"),
    *("tressette-pizzichino", "frap"),
)
_ENTRANTS: Final = {"briscola/2": 5, "briscola-chiamata/5": 5, "frap/4": 4}  # else 3
# By name: how often it plays at random instead of as the sample bot `greedy`, and its author.
_BOTS: Final = {
    "asso": (0.0, "Ada"),
    "re": (0.1, "Dario"),
    "cavallo": (0.25, "Bruno"),
    "fante": (0.5, "Bruno"),
    "matta": (1.0, "Carla"),
}


def fill_store(folder: Path, *, coming: str = LONG_NAME, ladder_groups: int = 0) -> None:
    """Make the store of a home, with the name of the tournament that has not begun.

    On the ladder so many mirror groups are played, or somewhat more.
    """
    with closing(open_store(Settings(home=folder).store)) as store:
        _add_bots(store)
        for number, variant in enumerate(VARIANTS, 1):
            _play_tournament(store, variant, number)
        Club(
            "briscola/2",
            store=store,
            name=coming,
            entrants=_make_entrants(5),
            create_time=_BEGIN + UNPLAYED * _WEEK,
        )
        _play_ladder(store, ladder_groups)
        # It starts by their number alone, so that it is open whenever somebody looks.
        store.add_open_tournament(
            TournamentRequest(
                variant="briscola/4?talk=signal", groups=50, name="Thursday cup", isolation="none"
            ),
            Timetable(start_with=9),
            create_time=_BEGIN,
            entries=[
                EntryRow(bot=name, author="", time=_BEGIN + number)
                for number, name in enumerate(ENTERED)
            ],
        )


def _add_bots(store: Store) -> None:
    for name, (slips, author) in _BOTS.items():
        manifest = manifest_of(
            name,
            games=_ALL_GAMES,
            author=author,
            description=f"Plays one card in {round(1 / slips)} at random." if slips else None,
        )
        for version in range(2):
            store.add_version(
                name,
                content_hash=str(version) * 64,
                manifest=manifest,
                create_time=_BEGIN - (2 - version) * _WEEK,
            )
        qualify(store, name)
    store.add_version(
        "settebello", content_hash="f" * 64, manifest=manifest_of("settebello"), create_time=_BEGIN
    )
    store.retire("settebello")


def _make_entrants(count: int) -> tuple[Entrant, ...]:
    names = sorted([*_BOTS][:count])
    return tuple(Entrant(name=name, version=2, content_hash="1" * 64) for name in names)


def _play_tournament(store: Store, variant: str, number: int) -> None:
    began = _BEGIN + number * _WEEK
    entrants = _make_entrants(_ENTRANTS.get(variant, 3))
    is_first = number == 1
    club = Club(
        variant,
        store=store,
        name=f"{variant.partition('?')[0]}, week {number}",
        entrants=entrants,
        groups=4 if is_first else 1,
        seed=bytes([number]) * 32,
        create_time=began,
    )
    answers = [_make_answer(entrant.name) for entrant in entrants]
    sides = parse_variant(variant).sides
    faults = dict(_FAULTS) if is_first else {}
    for group in club.groups:
        for seating in range(len(group.seatings)):
            seats = group.by_seat(seating, sides)
            fault = faults.pop(entrants[seats[0]].name, None)
            answer = partial(_answer_by_seat, [answers[index] for index in seats], fault)
            end_time = began + 60.0 * (group.number + 1)
            club.play(group.number, seating, answer, end_time=end_time)
    store.set_status(club.id, TournamentStatus.FINISHED, end_time=began + 3600.0)


def _play_ladder(store: Store, groups: int) -> None:
    began = _BEGIN + LADDER * _WEEK
    club = Club(
        "briscola/2",
        store=store,
        name="Ladder of briscola/2, season 1",
        entrants=make_versions(_make_entrants(5)),
        create_time=began,
        **list_ladder_options(5),
    )
    sides = club.definition.sides
    answers = [_make_answer(entrant.bot) for entrant in club.definition.entrants]

    def choose_answer(group: Group, seating: int) -> Answer:
        by_seat = [answers[index] for index in group.by_seat(seating, sides)]
        return partial(_answer_by_seat, by_seat, None)

    club.play_rounds(groups, choose_answer)


def _make_answer(name: str) -> Answer:
    bot, (slips, _) = sample("greedy"), _BOTS[name]

    def answer(table: Table, ask: Ask, generator: random.Random) -> object:
        if generator.random() < slips:
            return legal(table, ask, generator)
        return table.answer(choose(bot, ask.view), generator.uniform(0.001, 0.02), "greedily")

    return answer


def _answer_by_seat(
    answers: Sequence[Answer],
    fault: tuple[int, Answer] | None,
    table: Table,
    ask: Ask,
    generator: random.Random,
) -> object:
    if fault is not None and (ask.seat, ask.number) == (0, fault[0]):
        return fault[1](table, ask, generator)
    return answers[ask.seat](table, ask, generator)


def _crash(table: Table, ask: Ask, generator: random.Random) -> object:
    return table.lose(Termination.CRASHED, Owner.BOT, "ended with status 3")


def _answer_late(table: Table, ask: Ask, generator: random.Random) -> object:
    return table.expire(ask.allowance)


# By bot: the decision at which something happens to it in the first match that it begins in seat 0.
_FAULTS: Final[Mapping[str, tuple[int, Answer]]] = {
    "matta": (10, _crash),
    "fante": (8, _answer_late),
}
