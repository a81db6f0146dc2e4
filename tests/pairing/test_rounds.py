"""A schedule that is changed while it is played is the one that is made anew with all changes."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mazzo_server.model import (
    Change,
    Definition,
    Entrant,
    PairingScheme,
    TournamentKind,
    name_version,
)
from mazzo_server.pairing import Group, Rounds, begin_rounds, make_pairing
from pairing.test_ladder import judge
from support.stored_rows import DEFINITION


def make_entrant(bot: int, version: int) -> Entrant:
    return Entrant(
        name=name_version(f"bot-{bot:02}", version), version=version, content_hash="0" * 64
    )


def define_ladder(bots: int, **options: object) -> Definition:
    """The first season of a ladder of so many bots, which all are there from the first group on."""
    entrants = tuple(make_entrant(bot, 1) for bot in range(bots))
    return replace(
        DEFINITION,
        kind=TournamentKind.LADDER,
        pairing=PairingScheme.LADDER,
        entrants=entrants,
        confidence=0.9,
        groups=10_000,
        season=1,
        changes=tuple(Change(entrant=index, first_group=0, joins=True) for index in range(bots)),
        **options,  # type: ignore[arg-type]
    )


def amend(definition: Definition, change: str, bot: int, first_group: int) -> Definition:
    """The definition in which a bot joins with its next version, leaves, or is there again."""
    own = [index for index, one in enumerate(definition.entrants) if one.bot == f"bot-{bot:02}"]
    entrants = definition.entrants
    if change == "new version":
        entrants = (*entrants, make_entrant(bot, len(own) + 1))
        made = [
            Change(
                entrant=len(entrants) - 1,
                first_group=first_group,
                joins=True,
                inherited=(27.5, 3.25),
            )
        ]
    else:
        made = [
            Change(entrant=one, first_group=first_group, joins=change == "return") for one in own
        ]
    return replace(definition, entrants=entrants, changes=(*definition.changes, *made))


def play_all(schedule: Rounds, groups: int, *, seed: int) -> list[Group]:
    """Play a schedule, round by round, to at least so many groups."""
    played: list[Group] = []
    while len(played) < groups and (made := schedule.make_round()):
        schedule.add_results([judge(group, seed) for group in made])
        played += made
    return played


@given(st.data())
def test_changes_at_any_time_give_the_ladder_that_is_made_with_them(data: st.DataObject) -> None:
    """Joins end the newest round early; restarts and kept texts make no difference to the bit."""
    bots = data.draw(st.integers(2, 5))
    definition = define_ladder(bots)
    seed = data.draw(st.integers(0, 99))
    schedule = begin_rounds(make_pairing(definition))
    kept = None
    played: list[Group] = []
    for _ in range(12):
        made = schedule.make_round()
        event = data.draw(st.sampled_from(["none", "join", "restart", "killed"]))
        if event == "killed":  # and begun anew from what was kept
            schedule = begin_rounds(make_pairing(definition), kept)
            assert schedule.end == len(played)
            again = schedule.make_round()
            assert again == made
        if event == "join":
            first = data.draw(st.integers(max(len(played), definition.last_change), schedule.end))
            definition = amend(
                definition,
                data.draw(st.sampled_from(["new version", "leave", "return"])),
                data.draw(st.integers(0, bots - 1)),
                first,
            )
            schedule = schedule.change(make_pairing(definition), first)
            made = made[: first - len(played)]
        assert schedule.end == len(played) + len(made)
        schedule.add_results([judge(group, seed) for group in made])
        played += made
        kept = schedule.to_json()
        if event == "restart":
            schedule = begin_rounds(make_pairing(definition), kept)
    anew = play_all(begin_rounds(make_pairing(definition)), len(played), seed=seed)
    assert anew[: len(played)] == played
    assert [*make_pairing(definition).next(0, [judge(group, seed) for group in played])][
        : len(played)
    ] == played
