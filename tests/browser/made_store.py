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
from mazzo_server.model import Entrant
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.play.table import Ask, Table
from mazzo_server.settings import Settings
from mazzo_server.storage import Store, TournamentStatus, open_store
from sdk.test_sample_bots import sample
from support.manual_tournaments import Answer, Club, legal
from support.stored_rows import manifest_of, qualify

__all__ = ["LONG_NAME", "UNPLAYED", "VARIANTS", "fill_store"]

# Of each game, and more of one, so that ratings have a history.
VARIANTS: Final = (
    *("briscola/2", "briscola/2", "briscola/3", "briscola/4?talk=signal", "briscola/6"),
    *("briscola-chiamata/5", "frusta/2", "tressette-meta-mazzo/2", "tressette-pizzichino/2"),
    *("frap/4", "briscola/2", "briscola/2"),
)
UNPLAYED: Final = len(VARIANTS) + 1
"""The number of a tournament that has not begun."""
LONG_NAME: Final = "<b>Cup</b> of " + "Llanfairpwllgwyngyllgogerychwyrndrobwllllantysilio" * 2
"""Of one tournament: a text like an element, and longer than a telephone is wide."""
_BEGIN: Final = datetime(2026, 3, 2, 18, 0, tzinfo=UTC).timestamp()
_WEEK: Final = 7 * 24 * 3600.0
_ALL_GAMES: Final = (
    *("briscola", "briscola-chiamata", "frusta", "tressette-meta-mazzo"),
    *("tressette-pizzichino", "frap"),
)
# By name: how often it plays at random instead of as the sample bot `greedy`, and its author.
_BOTS: Final = {
    "asso": (0.0, "Ada"),
    "re": (0.1, "Dario"),
    "cavallo": (0.25, "Bruno"),
    "fante": (0.5, "Bruno"),
    "matta": (1.0, "Carla"),
}


def fill_store(folder: Path) -> None:
    """Make the store of a home."""
    with closing(open_store(Settings(home=folder).store)) as store:
        _add_bots(store)
        for number, variant in enumerate(VARIANTS, 1):
            _play_tournament(store, variant, number)
        Club(
            "briscola/2",
            store=store,
            name=LONG_NAME,
            entrants=_make_entrants(5),
            create_time=_BEGIN + UNPLAYED * _WEEK,
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
    return tuple(Entrant(name=name, version=2, content_hash="1" * 64) for name in [*_BOTS][:count])


def _play_tournament(store: Store, variant: str, number: int) -> None:
    began = _BEGIN + number * _WEEK
    count = {"briscola-chiamata/5": 5, "briscola/2": 5, "frap/4": 4}.get(variant, 3)
    club = Club(
        variant,
        store=store,
        name=f"{variant.partition('?')[0]}, week {number}",
        entrants=_make_entrants(count),
        groups=1,
        seed=bytes([number]) * 32,
        create_time=began,
    )
    bots = [_make_answer(name) for name in [*_BOTS][:count]]
    sides = parse_variant(variant).sides
    for group in club.groups:
        for seating in range(len(group.seatings)):
            answers = [bots[entrant] for entrant in group.by_seat(seating, sides)]
            faults = {
                decision: act
                for place, decision, act in _FAULTS
                if place == (number, group.number, seating)
            }
            club.play(
                group.number,
                seating,
                partial(_answer_by_seat, answers, faults),
                end_time=began + 60.0 * (group.number + 1),
            )
    store.set_status(club.id, TournamentStatus.FINISHED, end_time=began + 3600.0)


def _make_answer(name: str) -> Answer:
    bot, (slips, _) = sample("greedy"), _BOTS[name]

    def answer(table: Table, ask: Ask, generator: random.Random) -> object:
        if generator.random() < slips:
            return legal(table, ask, generator)
        return table.answer(choose(bot, ask.view), generator.uniform(0.001, 0.02), "greedily")

    return answer


def _answer_by_seat(
    answers: Sequence[Answer],
    faults: Mapping[int, Answer],
    table: Table,
    ask: Ask,
    generator: random.Random,
) -> object:
    answer = faults.get(ask.number, answers[ask.seat]) if ask.seat == 0 else answers[ask.seat]
    return answer(table, ask, generator)


def _crash(table: Table, ask: Ask, generator: random.Random) -> object:
    return table.lose(Termination.CRASHED, Owner.BOT, "ended with status 3")


def _answer_late(table: Table, ask: Ask, generator: random.Random) -> object:
    return table.expire(ask.allowance)


# By match and decision of its seat 0.
_FAULTS: Final[Sequence[tuple[tuple[int, int, int], int, Answer]]] = (
    ((1, 2, 0), 10, _crash),
    ((1, 4, 0), 8, _answer_late),
)
