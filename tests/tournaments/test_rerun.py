"""Playing a stored match again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from fractions import Fraction

import pytest

from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo_server.errors import ConflictError
from mazzo_server.model import TimeControl
from mazzo_server.model.outcome import MatchOutcome, Termination
from mazzo_server.play.instances.instance import InstanceLink, InstanceSpec, Loss
from mazzo_server.results.replays import Replays
from mazzo_server.tournaments.rerun import Difference, Rerun, find_difference, play_again
from support.in_process_bots import PromptSpec, Wordless
from support.manual_tournaments import Club, legal


def fresh(club: Club, group: int) -> Match:
    return Match(
        parse_variant(club.definition.variant),
        club.groups[group].seed,
        MatchFormat.parse(club.definition.match_format),
        draws=club.definition.draws,
    )


def altered(outcome: MatchOutcome, deal: int, actions: bytes) -> MatchOutcome:
    deals = list(outcome.deals)
    deals[deal] = deals[deal]._replace(actions=actions)
    return replace(outcome, deals=tuple(deals))


def test_the_first_action_that_differs_is_named_with_whose_it_was() -> None:
    club = Club()
    stored = club.play(0, 0, legal)
    assert find_difference(fresh(club, 0), stored, stored) is None
    actions = stored.deals[1].actions
    other = bytes((*actions[:5], actions[7], *actions[6:]))
    match = fresh(club, 0)
    found = find_difference(match, stored, altered(stored, 1, other))
    assert found == Difference(deal=1, step=5, seat=match.deal.seat, was=actions[5], now=actions[7])


@pytest.mark.parametrize("deal", [0, 1])
def test_a_play_that_ends_earlier_differs_there(deal: int) -> None:
    """A forfeit, or a match that goes to a target, may end one of them."""
    club = Club()
    stored = club.play(0, 0, legal)
    actions = stored.deals[deal].actions
    short = altered(stored, deal, actions[:7])
    short = replace(short, deals=short.deals[: deal + 1])
    found = find_difference(fresh(club, 0), stored, short)
    assert found is not None
    assert (found.deal, found.step, found.was, found.now) == (deal, 7, actions[7], None)
    back = find_difference(fresh(club, 0), short, stored)
    assert back is not None
    assert (back.deal, back.step, back.was, back.now) == (deal, 7, None, actions[7])


def test_the_same_actions_with_other_scores_are_not_the_same() -> None:
    club = Club()
    stored = club.play(0, 0, legal)
    assert Rerun(stored=stored, played=stored, difference=None).is_identical
    scores = tuple(Fraction(9) for _ in stored.match_scores)
    other = replace(stored, match_scores=scores)
    assert not Rerun(stored=stored, played=other, difference=None).is_identical
    timed = replace(stored, thinking_seconds=(9.0, 9.0))
    assert Rerun(stored=stored, played=timed, difference=None).is_identical


def test_bots_that_answer_by_the_view_play_the_match_again() -> None:
    club = Club(groups=1)
    for seating in range(2):
        club.play(0, seating, lowest)
    _, seats, match, stored = Replays(club.store).prepare_rerun(club.id, 0, 1)
    assert seats == tuple((entrant, 0) for entrant in stored.entrants)

    async def main() -> Rerun:
        return await play_again(
            match, stored, [(PromptSpec(), seat) for seat, _ in seats], time=TimeControl()
        )

    rerun = asyncio.run(main())
    assert rerun.is_identical
    assert rerun.played.deals[0].actions == stored.deals[0].actions


def test_bots_that_do_otherwise_are_found_out() -> None:
    club = Club(groups=1)
    for seating in range(2):
        club.play(0, seating, legal)  # at random
    _, seats, match, stored = Replays(club.store).prepare_rerun(club.id, 0, 1)

    async def main() -> Rerun:
        return await play_again(
            match, stored, [(PromptSpec(), seat) for seat, _ in seats], time=TimeControl()
        )

    rerun = asyncio.run(main())
    assert not rerun.is_identical
    assert rerun.difference is not None
    assert rerun.difference.was != rerun.difference.now


class Unable(Wordless):
    """An instance that raises as soon as it runs."""

    is_over = False

    def __init__(self, link: InstanceLink) -> None:
        pass

    def end(self) -> None:
        pass

    def fail(self, termination: Termination, reason: str) -> None:
        raise AssertionError(reason)

    async def run(self) -> Loss | None:
        raise OSError("no such program")


class UnableSpec:
    name = "unable"
    remote = False

    def make_instance(self, link: InstanceLink) -> Unable:
        return Unable(link)


def test_an_instance_that_cannot_run_ends_it() -> None:
    club = Club(groups=1)
    for seating in range(2):
        club.play(0, seating, legal)
    _, seats, match, stored = Replays(club.store).prepare_rerun(club.id, 0, 0)

    async def main() -> None:
        specs: list[InstanceSpec] = [PromptSpec(), UnableSpec()]
        pairs = [(spec, seat) for spec, (seat, _) in zip(specs, seats, strict=True)]
        await play_again(match, stored, pairs, time=TimeControl())

    with pytest.raises(OSError, match="no such program"):
        asyncio.run(main())


def test_a_remote_bot_is_not_asked_again() -> None:
    club = Club(groups=1)
    entrants = (replace(club.definition.entrants[0], remote=True), *club.definition.entrants[1:])
    remote = Club(groups=1, entrants=entrants)
    for seating in range(2):
        remote.play(0, seating, legal)
    with pytest.raises(ConflictError, match="ann played from another machine"):
        Replays(remote.store).prepare_rerun(remote.id, 0, 0)


def lowest(table: object, ask: object, generator: object) -> object:
    mask = ask.view.legal_mask  # type: ignore[attr-defined]
    return table.answer((mask & -mask).bit_length() - 1, 0.001)  # type: ignore[attr-defined]
