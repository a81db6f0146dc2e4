"""How matches are found in every store: against a plain search through all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mazzo_server.model import (
    DealPlay,
    Definition,
    Entrant,
    Fault,
    MatchOutcome,
    Mirror,
    Owner,
    Termination,
    Verdict,
)
from mazzo_server.storage import FoundMatch, MatchOrder, MatchQuery, Store, TournamentStatus
from support.stored_rows import DEFINITION, add_tournament

NAMES = ("ann", "bob", "ann*2", "cat")  # of entrants, two of which are the same bot
BOTS = ("ann", "bob", "ann", "cat")
_MOST = 20  # matches of a list that are compared
SIDES = {
    "briscola/2": ((0,), (1,)),
    "briscola/3": ((0,), (1,), (2,)),
    "briscola/4": ((0, 2), (1, 3)),
}


def define(variant: str = "briscola/2", mirror: Mirror = Mirror.ROTATIONS) -> Definition:
    entrants = tuple(Entrant(name=name, version=1, content_hash="a" * 64) for name in NAMES)
    return replace(DEFINITION, variant=variant, mirror=mirror, entrants=entrants)


def play(
    group: int,
    seating: int,
    entrants: Sequence[int],
    scores: Sequence[int],
    *,
    end_time: float = 1e9,
    late: Sequence[int] = (),
    loser: int | None = None,
    spoilt: int = 0,
    attempt: int = 0,
) -> MatchOutcome:
    """A match of one deal, with entrants and scores by seat; the seat `loser` forfeits."""
    fault = Fault(
        seat=loser or 0,
        termination=Termination.CRASHED,
        owner=Owner.BOT,
        reason="gone",
        deal=0,
        decision=1,
    )
    deal = DealPlay(
        dealer=0,
        actions=b"",
        scores=() if loser is not None else tuple(scores),
        micros=(),
        substituted=(),
        forfeited=loser is not None,
    )
    return MatchOutcome(
        group=group,
        seating=seating,
        entrants=tuple(entrants),
        match_scores=tuple(Fraction(score) for score in scores),
        deals=(deal,),
        faults=(fault,) if loser is not None else (),
        late=tuple(late) or (0,) * len(entrants),
        decisions=(20,) * len(entrants),
        thinking_seconds=(0.1,) * len(entrants),
        attempt=attempt,
        spoilt=spoilt,
        end_time=end_time,
        counted=(tuple(scores),) if loser is not None else (),
    )


def find(store: Store, **asked: object) -> list[tuple[int, int]]:
    """The matches that are found, as (group, seating)."""
    found = store.find_matches(MatchQuery(**asked), limit=100)  # type: ignore[arg-type]
    return [(match.outcome.group, match.outcome.seating) for match in found]


def test_what_a_match_was_for_an_entrant(store: Store) -> None:
    """Swing: against what others made of the same cards in the same seat; margin: in the match."""
    tournament = add_tournament(store, define())
    store.add_outcomes(tournament, [play(0, 0, (0, 1), (70, 50)), play(0, 1, (1, 0), (80, 40))])
    first, second = store.find_matches(MatchQuery(bot="ann", order=MatchOrder.MARGIN), limit=9)
    assert first.result is not None
    assert second.result is not None
    assert (first.result.verdict, first.result.margin, first.result.swing) == (-1, -40, -10)
    assert (second.result.verdict, second.result.margin, second.result.swing) == (1, 20, -10)
    assert (first.result.seat, first.outcome.seating, first.tournament) == (1, 1, tournament)


def test_only_equal_cards_are_compared(store: Store) -> None:
    """Instances and information: another attempt at a match with a remote bot has another seed."""
    tournament = add_tournament(store, define())
    matches = [play(0, 0, (0, 1), (70, 50)), play(0, 1, (1, 0), (80, 40), attempt=1)]
    store.add_outcomes(tournament, matches)
    (one, two) = store.find_matches(MatchQuery(bot="bob"), limit=9)
    assert one.result is not None
    assert two.result is not None
    assert (one.result.swing, two.result.swing) == (None, None)
    assert find(store, bot="bob", order=MatchOrder.SWING) == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("at_once", [True, False])
def test_nothing_of_a_group_that_is_not_over(
    store: Store, order: tuple[int, int], at_once: bool
) -> None:
    """Disclosure: the second match of a group opens the first one, whichever that is."""
    tournament = add_tournament(store, define())
    matches = [play(3, 0, (0, 1), (70, 50)), play(3, 1, (1, 0), (80, 40))]
    other = play(4, 0, (0, 1), (70, 50))
    if at_once:
        store.add_outcomes(tournament, [matches[order[0]], other, matches[order[1]]])
    else:
        store.add_outcomes(tournament, [matches[order[0]], other])
        assert find(store) == find(store, bot="ann") == []
        store.add_outcomes(tournament, [matches[order[1]]])
    assert find(store) == find(store, bot="ann") == [(3, 1), (3, 0)]


@pytest.mark.parametrize("status", [TournamentStatus.CANCELLED, TournamentStatus.FINISHED])
def test_all_of_a_tournament_that_is_over(store: Store, status: TournamentStatus) -> None:
    """Disclosure: what was left unfinished is shown then, once, however often it ends."""
    tournament = add_tournament(store, define())
    whole = [play(3, 0, (0, 1), (70, 50)), play(3, 1, (1, 0), (80, 40))]
    store.add_outcomes(tournament, [*whole, play(4, 1, (1, 0), (9, 111))])
    for running in (TournamentStatus.RUNNING, TournamentStatus.PAUSED):
        store.set_status(tournament, running)
        assert find(store) == [(3, 1), (3, 0)]
    for again in (status, TournamentStatus.RUNNING, status):
        store.set_status(tournament, again)
    assert find(store) == [(4, 1), (3, 1), (3, 0)]
    assert find(store, bot="bob", order=MatchOrder.SWING) == [(3, 1), (3, 0)]


@pytest.mark.parametrize("name", ["", "nobody", "ann\0", "\udcff", "ann' OR 1=1 --"])
def test_a_name_that_nobody_has(store: Store, name: str) -> None:
    """A bot's name that no bot has finds no match. An empty name finds all matches."""
    tournament = add_tournament(store, define())
    store.add_outcomes(tournament, [play(0, 0, (0, 1), (1, 0)), play(0, 1, (1, 0), (1, 0))])
    assert len(find(store, bot=name)) == (0 if name else 2)
    assert len(find(store, bot="ann", opponent=name)) == (0 if name else 2)
    assert find(store, tournament=2**80) == find(store, tournament=0) == []
    assert find(store, bot="ann", seat=2**80) == find(store, variant="nonsense") == []


@dataclass(frozen=True)
class Seen:
    """A match from the side of one entrant, as this test works it out."""

    tournament: int
    variant: str
    outcome: MatchOutcome
    bot: str
    others: frozenset[str]
    seat: int
    verdict: Verdict
    margin: float
    swing: float | None
    late: bool
    forfeited: bool

    def value(self, order: MatchOrder) -> float:
        value = {"time": 0, "swing": self.swing, "margin": self.margin}[order]
        assert value is not None
        return value

    @property
    def address(self) -> tuple[int, int, int]:
        return (self.tournament, self.outcome.group, self.outcome.seating)

    @property
    def place(self) -> tuple[int, float, int, int]:
        outcome = self.outcome
        return (self.tournament, outcome.end_time, outcome.group, outcome.seating)


def look(tournament: int, variant: str, group: Sequence[MatchOutcome]) -> Iterator[Seen]:
    for match in group:
        points = [sum(column) for column in zip(*(match.counted or _scores(match)), strict=True)]
        lost = {match.entrants[fault.seat] for fault in match.faults}
        ranks = {
            match.entrants[seats[0]]: (
                match.entrants[seats[0]] not in lost,
                match.match_scores[seats[0]],
            )
            for seats in SIDES[variant]
        }
        for seats in SIDES[variant]:
            seat, entrant = seats[0], match.entrants[seats[0]]
            better = [one for one in ranks.values() if one > ranks[entrant]]
            equal = [one for one in ranks.values() if one == ranks[entrant]]
            others = [side[0] for side in SIDES[variant] if side[0] != seat]
            cards = [
                sum(scores[seat] for scores in other.counted or _scores(other))
                for other in group
                if other.attempt == match.attempt and other.entrants[seat] != entrant
            ]
            yield Seen(
                tournament=tournament,
                variant=variant,
                outcome=match,
                bot=BOTS[entrant],
                others=frozenset(BOTS[match.entrants[other]] for other in others),
                seat=seat,
                verdict=(
                    Verdict.LOST if better else Verdict.DRAWN if len(equal) > 1 else Verdict.WON
                ),
                margin=points[seat] - sum(points[other] for other in others) / len(others),
                swing=points[seat] - sum(cards) / len(cards) if cards else None,
                late=any(match.late[seat] for seat in seats),
                forfeited=entrant in lost,
            )


def _scores(match: MatchOutcome) -> list[tuple[int, ...]]:
    return [deal.scores for deal in match.deals]


@st.composite
def groups(draw: st.DrawFn, variant: str, number: int) -> list[MatchOutcome]:
    """The matches of a whole mirror group in rotations."""
    sides = SIDES[variant]
    table = draw(st.permutations(range(len(NAMES))))[: len(sides)]
    seats = sum(map(len, sides))
    small = st.integers(0, 3)
    matches = []
    for seating in range(len(sides)):
        turned = [*table[seating:], *table[:seating]]
        entrants, scores = [0] * seats, [0] * seats
        for entrant, side in zip(turned, sides, strict=True):
            score = draw(small)
            for seat in side:
                entrants[seat], scores[seat] = entrant, score
        loser = draw(st.none() | st.integers(0, seats - 1))
        matches.append(
            play(
                number,
                seating,
                entrants,
                scores,
                end_time=draw(st.sampled_from([1e9, 1e9 + 0.25, 2e9])),
                late=[draw(st.sampled_from([0, 0, 0, 2])) for _ in range(seats)],
                loser=loser if draw(small) == 0 else None,
                spoilt=draw(st.sampled_from([0, 0, 0, 1])),
                attempt=draw(st.sampled_from([0, 0, 0, 1])),
            )
        )
    return matches


@st.composite
def queries(draw: st.DrawFn, tournaments: Sequence[int]) -> MatchQuery:
    bot = draw(st.sampled_from(["", *BOTS]))
    verdicts = list(Verdict) if bot else [Verdict.DRAWN]
    rarely = st.sampled_from([False, False, False, True])
    return MatchQuery(
        bot=bot,
        opponent=draw(st.sampled_from(["", "", *BOTS])) if bot else "",
        variant=draw(st.sampled_from(["", "", *sorted(SIDES)])),
        tournament=draw(st.none() | st.sampled_from(tournaments)),
        seat=draw(st.sampled_from([None, None, 0, 1, 2])) if bot else None,
        verdict=draw(st.none() | st.sampled_from(verdicts)),
        forfeited=draw(rarely),
        late=draw(rarely),
        spoilt=draw(rarely),
        since=draw(st.sampled_from([None, None, 1e9 + 0.25, 3e9])),
        order=draw(st.sampled_from(MatchOrder)) if bot else MatchOrder.TIME,
        reverse=draw(st.booleans()),
    )


def is_wanted(seen: Seen, query: MatchQuery) -> bool:
    asked = [
        (query.bot, seen.bot == query.bot),
        (query.opponent, query.opponent in seen.others),
        (query.variant, seen.variant == query.variant),
        (query.tournament is not None, seen.tournament == query.tournament),
        (query.seat is not None, seen.seat == query.seat),
        (query.verdict is not None, seen.verdict == query.verdict),
        (query.forfeited, seen.forfeited),
        (query.late, seen.late),
        (query.spoilt, seen.outcome.spoilt),
        (query.since is not None, seen.outcome.end_time >= (query.since or 0)),
        (query.order is MatchOrder.SWING, seen.swing is not None),
    ]
    return all(holds for is_asked, holds in asked if is_asked)


def search(played: Sequence[Seen], query: MatchQuery) -> list[Seen]:
    """The wanted matches in their order, each once, or with a bot once for each copy of it."""

    def compare(one: Seen, other: Seen) -> int:
        first, second = one.value(query.order), other.value(query.order)
        if first != second:
            return 1 if (first < second) == query.reverse else -1
        if query.order is not MatchOrder.TIME:
            return -1 if (one.address, one.seat) > (other.address, other.seat) else 1
        return -1 if (one.place, one.seat) > (other.place, other.seat) else 1

    wanted = {
        (seen.place, seen.seat if query.bot else 0): seen
        for seen in played
        if is_wanted(seen, query)
    }
    return sorted(wanted.values(), key=cmp_to_key(compare))


@pytest.fixture
def played() -> list[Seen]:
    """What the store has; each example adds to it."""
    return []


@pytest.mark.prove
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_a_query_finds_what_a_plain_search_finds(
    store: Store, played: list[Seen], data: st.DataObject
) -> None:
    """Every combination of filters, in every order, whole and page by page."""
    tournaments = []
    for _ in range(2):
        variant = data.draw(st.sampled_from(sorted(SIDES)))
        tournaments.append(add_tournament(store, define(variant)))
        for number in range(data.draw(st.integers(1, 4))):
            group = data.draw(groups(variant, number))
            store.add_outcomes(tournaments[-1], group)
            played += look(tournaments[-1], variant, group)
    for _ in range(4):
        query = data.draw(queries(tournaments))
        expected = search(played, query)[:_MOST]
        found = store.find_matches(query, limit=_MOST)
        assert [_place(match) for match in found] == [seen.place for seen in expected]
        if query.bot:
            assert [_facts(match) for match in found] == [
                (seen.seat, seen.verdict, seen.margin, seen.swing) for seen in expected
            ]
        paged: list[FoundMatch] = []
        size = data.draw(st.integers(1, 3))
        after = None
        while len(paged) < _MOST and (page := store.find_matches(query, limit=size, after=after)):
            paged += page
            after = page[-1].find_position(query.order)
        assert paged[:_MOST] == found


def _place(match: FoundMatch) -> tuple[int, float, int, int]:
    outcome = match.outcome
    return (match.tournament, outcome.end_time, outcome.group, outcome.seating)


def _facts(match: FoundMatch) -> tuple[int, Verdict, float, float | None]:
    assert match.result is not None
    result = match.result
    return (result.seat, result.verdict, result.margin, result.swing)
