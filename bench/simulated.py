"""Tournaments of simulated entrants, whose true score per deal is known.

`Field` says how strong the entrants are and what luck there is, `definition` makes a
tournament of them, and `play` the finished matches of any of its mirror groups, which go into
`Fold` like those of real bots::

    field = Field(skills=(3.0, 0.0, 0.0, -3.0), seed=1)
    tournament = definition(field, groups=10)
    pairing = make_pairing(tournament)
    fold = Fold(tournament, field.sides)
    for group in pairing.next(0):
        fold.add(group, play(field, group))
    fold.make_standings(groups=pairing.total()).rows[0].score_per_deal
    true_score(field, 0, [(0, 1), (0, 2), (0, 3)])  # what its interval ought to hold

`play_scores` gives the same luck without the matches, several times as fast. What a group
comes to follows from the field, its table and its round alone, so two schedules with the same
group have the same result there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random

from mazzo_server.model import Definition, Entrant, Mirror, TimeControl
from mazzo_server.model.outcome import DealPlay, MatchOutcome
from mazzo_server.pairing import Group
from mazzo_server.stats.clusters import Cluster

__all__ = ["Field", "definition", "play", "play_scores", "true_score"]

_EVEN = 60  # the score of a deal between equals


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Who plays, and what luck there is; all in points of the deal score.

    In a deal an entrant expects 60 and what its skill is above the mean skill of its table. To
    this come what its seat and its turn are worth, and the luck, in normal distributions with
    these standard deviations.
    """

    skills: tuple[float, ...]  # by entrant
    seed: int
    seats: int = 2  # each for itself
    deals: int = 2  # of a match
    group_luck: float = 4.0  # of an entrant, the same in all deals of a mirror group
    card_luck: float = 20.0  # of a seat in a deal, the same in all seatings of the group
    play_luck: float = 12.0  # of a seat in a deal of one seating
    seat_worth: tuple[float, ...] = ()  # by seat; () is nothing
    turn_worth: tuple[float, ...] = ()  # by place after the dealer, who is last

    @property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The seats of each side."""
        return tuple((seat,) for seat in range(self.seats))


def definition(field: Field, *, groups: int, mirror: Mirror = Mirror.ROTATIONS) -> Definition:
    """A round robin of the field with so many mirror groups a table."""
    return Definition(
        name="simulated",
        variant=f"{'briscola' if field.seats < 4 else 'frap'}/{field.seats}",
        entrants=tuple(
            Entrant(name=f"bot-{number:02}", version=1, content_hash="0" * 64)
            for number in range(len(field.skills))
        ),
        match_format=f"deals:{field.deals}",
        mirror=mirror,
        groups=groups,
        draws="seats",
        time=TimeControl(),
        isolation="none",
        seed=field.seed.to_bytes(32, "big"),
        seed_chosen=True,
    )


def true_score(field: Field, entrant: int, tables: Sequence[tuple[int, ...]]) -> float:
    """What an entrant expects of a deal, each of these tables weighing the same."""
    return _EVEN + sum(_edge(field, table, entrant) for table in tables) / len(tables)


def play(field: Field, group: Group) -> list[MatchOutcome]:
    """The finished matches of a mirror group, by seating."""
    seats = field.seats
    return [
        MatchOutcome(
            group=group.number,
            seating=seating,
            entrants=group.seatings[seating],
            match_scores=tuple(
                sum((_won(scores, seat) for _, scores in deals), Fraction(0))
                for seat in range(seats)
            ),
            deals=tuple(
                DealPlay(
                    dealer=dealer,
                    actions=b"",
                    scores=scores,
                    micros=(),
                    substituted=(),
                    forfeited=False,
                )
                for dealer, scores in deals
            ),
            faults=(),
            late=(0,) * seats,
            decisions=(20 * field.deals,) * seats,
            thinking_seconds=(0.001,) * seats,
        )
        for seating, deals in enumerate(_deals(field, group))
    ]


def play_scores(field: Field, group: Group) -> dict[int, Cluster]:
    """What each entrant scored in a mirror group."""
    scores = dict.fromkeys(group.table, 0)
    for players, deals in zip(group.seatings, _deals(field, group), strict=True):
        for _, deal in deals:
            for entrant, score in zip(players, deal, strict=True):
                scores[entrant] += score
    deals_played = len(group.seatings) * field.deals
    return {entrant: Cluster(score=score, deals=deals_played) for entrant, score in scores.items()}


def _edge(field: Field, table: tuple[int, ...], entrant: int) -> float:
    return field.skills[entrant] - sum(field.skills[other] for other in table) / len(table)


def _deals(field: Field, group: Group) -> Iterator[list[tuple[int, tuple[int, ...]]]]:
    """By seating, the dealer and the scores by seat of each deal."""
    random = Random(repr((field.seed, group.table, group.number_at_table)))
    seats = range(field.seats)
    first_dealer = random.randrange(field.seats)
    edges = {
        entrant: _edge(field, group.table, entrant) + random.gauss(0, field.group_luck)
        for entrant in group.table
    }
    level = sum(edges.values()) / len(edges)  # luck is at the others' cost
    worths = []  # by deal and seat
    for number in range(field.deals):
        dealer = (first_dealer + number) % field.seats
        cards = [random.gauss(0, field.card_luck) for _ in seats]
        for seat in seats:
            turn = (seat - dealer - 1) % field.seats
            cards[seat] += field.seat_worth[seat] if field.seat_worth else 0.0
            cards[seat] += field.turn_worth[turn] if field.turn_worth else 0.0
        worths.append((dealer, cards))
    for players in group.seatings:
        deals = []
        for dealer, cards in worths:
            raw = [cards[seat] + random.gauss(0, field.play_luck) for seat in seats]
            mean = sum(raw) / field.seats
            scores = [
                round(_EVEN + edges[players[seat]] - level + raw[seat] - mean) for seat in seats
            ]
            scores[-1] = field.seats * _EVEN - sum(scores[:-1])  # what there is to share out
            deals.append((dealer, tuple(scores)))
        yield deals


def _won(scores: Sequence[int], seat: int) -> Fraction:
    best = max(scores)
    return Fraction(int(scores[seat] == best), scores.count(best))
