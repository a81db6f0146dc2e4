"""What a bot gains or loses by quitting, and what that does to its opponents.

Every mirror group is played twice from one seed, at the table that real matches have, and goes
into real standings: once as the bots play it, and once with a first entrant that quits by a policy,
which knows what the bot knows.

    python -m bench.quitting --only briscola/2

prints one line for each case and policy, the same ones every time. Ends with status 1 where
quitting pays, where equals that think gain or lose by it, or where nothing can be said of that.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import NormalDist

import numpy as np

from bench.mirroring import find_bot
from mazzo.bot import choose
from mazzo.cards import nth_bit
from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import bot_seed, seating_salt
from mazzo_server.model import (
    Definition,
    Entrant,
    MatchOutcome,
    Mirror,
    Owner,
    Termination,
    TimeControl,
)
from mazzo_server.pairing import Group, list_groups, make_pairing
from mazzo_server.play.table import Ask, Ended, Table
from mazzo_server.results.standings import Fold

__all__ = [
    "CASES",
    "POLICIES",
    "Case",
    "Effect",
    "Line",
    "find_pays",
    "find_unfair",
    "find_unsure",
    "measure",
]

_COMPLETIONS = 4  # random ends of a deal, by which a policy judges it
_TOURNAMENT = 4  # mirror groups of a tournament whose standings are compared
_CHUNK = 4  # tournaments that a process plays at a time
_SIGNIFICANCE = 0.05  # of all lines and columns together
_FAIR = 0.5  # points a deal by which the score of the others may move
_SURE = {"frap": 0.5}  # points of a standard error that are small enough; by game
_SURE_ELSEWHERE = 0.25

Policy = Callable[[Match, int, Random], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A variant, the bot that quits, and the bot of all other entrants."""

    variant: str
    quitter: str = "greedy"
    others: str = "greedy"
    match_format: str = ""  # "": one deal for each side
    tournaments: int = 100

    @property
    def name(self) -> str:
        """Which bot quits among which, and at what."""
        return f"{self.variant} {self.format}, {self.quitter} among {self.others}"

    @property
    def format(self) -> str:
        """The match format."""
        return self.match_format or f"deals:{len(parse_variant(self.variant).sides)}"

    @property
    def equals_think(self) -> bool:
        """Whether all are equally good and none chooses at random."""
        return self.quitter == self.others != "random"


CASES = (
    *(
        Case(variant=variant, quitter=bot, others=bot, tournaments=tournaments)
        for bot in ("greedy", "expert")
        for variant, tournaments in (
            ("briscola/2", 150),
            ("briscola/3", 60),
            ("briscola/4", 300),
            ("briscola/6", 420),
            ("briscola-chiamata/5", 20),
            ("frusta/2", 120),
            ("tressette-meta-mazzo/2", 120),
            ("tressette-pizzichino/2", 120),
            ("frap/2", 300),
            ("frap/3", 200),
            ("frap/5", 100),
            ("frap/8", 40),
        )
    ),
    Case(variant="briscola/2", match_format="best-of:3", tournaments=200),
    Case(variant="briscola/2", match_format="target:181", tournaments=200),
    Case(variant="frusta/2", match_format="target:21", tournaments=120),
    Case(variant="tressette-pizzichino/2", match_format="target:21", tournaments=120),
    Case(variant="briscola/2", quitter="counting", others="counting", tournaments=150),
    Case(variant="briscola/2", quitter="random", others="random", tournaments=300),
    Case(variant="briscola/2", quitter="random", tournaments=300),
    Case(variant="briscola/2", quitter="counting", tournaments=100),
    Case(variant="briscola/2", others="random", tournaments=300),
)
"""Equals that think first, then equals that do not, a weak quitter and two strong ones."""


@dataclass(slots=True)
class Effect:
    """Paired differences, with quitting less without."""

    values: list[float] = field(default_factory=list)

    @property
    def mean(self) -> float:
        """Their mean."""
        return float(np.mean(self.values))

    @property
    def error(self) -> float:
        """Its standard error."""
        return float(np.std(self.values, ddof=1) / len(self.values) ** 0.5)


@dataclass(slots=True, kw_only=True)
class Line:
    """What a policy did in a case; effects are of the quitter but for `others`."""

    case: Case
    policy: str
    matches: int = 0
    quits: int = 0
    score: Effect = field(default_factory=Effect)  # per deal
    others: Effect = field(default_factory=Effect)  # score per deal, their mean
    rating: Effect = field(default_factory=Effect)
    places: Effect = field(default_factory=Effect)  # gained in the order by rating
    score_places: Effect = field(default_factory=Effect)  # gained in the order by score per deal
    better: Effect = field(default_factory=Effect)  # probability to be better than the others

    def add(self, other: Line) -> None:
        """Take in further tournaments of the same case and policy."""
        self.matches += other.matches
        self.quits += other.quits
        for name in ("score", "others", "rating", "places", "score_places", "better"):
            getattr(self, name).values.extend(getattr(other, name).values)

    @property
    def columns(self) -> Mapping[str, Effect]:
        """What orders rows, by name."""
        return {
            "score/deal": self.score,
            "rating": self.rating,
            "places by rating": self.places,
            "places by score": self.score_places,
            "P(better)": self.better,
        }


def _own_and_best(sums: Sequence[float], match: Match, seat: int) -> tuple[float, float]:
    sides = match.variant.sides
    return sums[seat], max(sums[side[0]] for side in sides if seat not in side)


def _complete(match: Match, seat: int, rng: Random) -> Sequence[int]:
    """Return the scores of a random end of the deal, with hidden cards as they may be."""
    deal = next(match.deal.view(seat).worlds(1, rng))
    while deal.seat is not None:
        deal.apply(nth_bit(deal.legal, rng.randrange(deal.legal.bit_count())))
    assert deal.scores is not None
    return deal.scores


def _ends(match: Match, seat: int, rng: Random) -> Iterator[Sequence[int]]:
    """Return what the deal may come to: in Briscola at best, elsewhere some random ends."""
    if match.variant.game.id != "briscola":
        for _ in range(_COMPLETIONS):
            yield _complete(match, seat, rng)
        return
    points = _points(match, seat)
    left = 120 - sum(points[side[0]] for side in match.variant.sides)
    own = next(side for side in match.variant.sides if seat in side)
    yield [each + left * (member in own) for member, each in enumerate(points)]


def _points(match: Match, seat: int) -> Sequence[int]:
    """Return the card points so far in Briscola, by seat those of its side."""
    points = match.deal.view(seat).points  # type: ignore[attr-defined]
    by_seat = [0] * match.variant.players
    for side in match.variant.sides:
        for member in side:
            by_seat[member] = sum(points[each] for each in side)
    return by_seat


def _is_behind(match: Match, seat: int, rng: Random) -> bool:
    """Whether another side has more points, or can expect more where points come at the end."""
    if match.variant.game.id == "briscola":
        own, best = _own_and_best(_points(match, seat), match, seat)
    else:
        ends = zip(*_ends(match, seat, rng), strict=True)
        own, best = _own_and_best([sum(each) for each in ends], match, seat)
    return own < best


def _is_lost(match: Match, seat: int, rng: Random) -> bool:
    """Whether another side comes before the seat's in all ends."""
    for end in _ends(match, seat, rng):
        own, best = _own_and_best(end, match, seat)
        if own >= best:
            return False
    return True


def _is_match_lost(match: Match, seat: int, rng: Random) -> bool:
    """Whether all ends of the deal lose the match: then a group is hardly won either."""
    for end in _ends(match, seat, rng):
        own, best = _own_and_best(end, match, seat)
        sums = [a + b for a, b in zip(match.deal_sums, end, strict=True)]
        own_sum, best_sum = _own_and_best(sums, match, seat)
        match match.format.kind:
            case "deals":
                is_last = match.counted == match.format.number - 1
                is_lost = is_last and own_sum < best_sum
            case "best-of":
                others = [match.scores[side[0]] for side in match.variant.sides if seat not in side]
                is_lost = own < best and 2 * (max(others) + 1) > match.format.number
            case _:
                is_lost = own_sum < best_sum >= match.format.number
        if not is_lost:
            return False
    return True


POLICIES: Mapping[str, Policy] = {
    "behind": _is_behind,
    "deal lost": _is_lost,
    "match lost": _is_match_lost,
    "at once": lambda match, seat, rng: True,
}
"""When a bot quits; asked at each of its decisions."""


def _define(case: Case, seed: int) -> Definition:
    sides = len(parse_variant(case.variant).sides)
    return Definition(
        name="quitting",
        variant=case.variant,
        entrants=tuple(
            Entrant(name=f"bot-{number}", version=1, content_hash="0" * 64)
            for number in range(sides)
        ),
        match_format=case.format,
        mirror=Mirror.ROTATIONS,
        groups=_TOURNAMENT,
        draws=parse_variant(case.variant).game.fair_draws,
        time=TimeControl(),
        isolation="none",
        seed=hashlib.sha256(f"{case.name} {seed}".encode()).digest(),
        seed_chosen=True,
    )


def _play(
    case: Case, definition: Definition, group: Group, seating: int, policy: Policy | None
) -> MatchOutcome:
    variant = parse_variant(case.variant)
    match = Match(
        variant, group.seed, MatchFormat.parse(definition.match_format), draws=definition.draws
    )
    entrants = group.by_seat(seating, variant.sides)
    bots = [
        find_bot(case.others if entrant else case.quitter, case.variant) for entrant in entrants
    ]
    salt = seating_salt(group.seed, seating)
    seeds = [bot_seed(group.seed, salt, seat) for seat in range(variant.players)]
    rng = Random(f"{group.seed.hex()} {seating}")
    table = Table(match, definition.time)
    effect = table.start()
    while not isinstance(effect, Ended):
        assert isinstance(effect, Ask)
        seat = effect.seat
        if policy is not None and not entrants[seat] and policy(match, seat, rng):
            effect = table.lose(Termination.CRASHED, Owner.BOT, "quit")
            continue
        view = effect.view
        view.seed, view.number = seeds[seat], effect.number
        effect = table.answer(choose(bots[seat], view), 0.0)
    return table.outcome(group=group.number, seating=seating, entrants=tuple(entrants))


def measure(
    case: Case,
    policies: Mapping[str, Policy] = POLICIES,
    *,
    first: int = 0,
    tournaments: int | None = None,
) -> list[Line]:
    """Play so many tournaments, or as many as the case has, with and without quitting."""
    lines = [Line(case=case, policy=name) for name in policies]
    sides = parse_variant(case.variant).sides
    for number in range(first, first + (tournaments or case.tournaments)):
        definition = _define(case, number)
        groups = list(list_groups(make_pairing(definition)))
        plain = _stand(case, definition, groups, None, sides)
        for line in lines:
            quitting = _stand(case, definition, groups, policies[line.policy], sides)
            line.matches += quitting.matches
            line.quits += quitting.quits
            line.score.values.append(quitting.score - plain.score)
            line.others.values.append(quitting.others - plain.others)
            line.rating.values.append(quitting.rating - plain.rating)
            line.places.values.append(plain.place - quitting.place)
            line.score_places.values.append(plain.score_place - quitting.score_place)
            line.better.values.append(quitting.better - plain.better)
    return lines


def _measure_chunk(work: tuple[Case, Sequence[str], int, int]) -> list[Line]:
    case, names, first, tournaments = work
    policies = {name: POLICIES[name] for name in names}
    return measure(case, policies, first=first, tournaments=tournaments)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stand:
    matches: int
    quits: int
    score: float
    others: float
    rating: float
    place: float  # from 0, equals have the mean of theirs
    score_place: float
    better: float


def _stand(
    case: Case,
    definition: Definition,
    groups: Sequence[Group],
    policy: Policy | None,
    sides: Sequence[Sequence[int]],
) -> _Stand:
    fold = Fold(definition, sides)
    matches = quits = 0
    for group in groups:
        played = [
            _play(case, definition, group, seating, policy)
            for seating in range(len(group.seatings))
        ]
        matches += len(played)
        quits += sum(bool(match.faults) for match in played)
        fold.add(group, played)
    standings = fold.make_standings(groups=len(groups))
    own = next(row for row in standings.rows if row.name == "bot-0")
    others = [row for row in standings.rows if row is not own]
    scores = {row.name: row.score_per_deal.mean or 0.0 for row in standings.rows}
    pairs = [pair for pair in standings.pairs if pair.name == own.name]
    return _Stand(
        matches=matches,
        quits=quits,
        score=scores[own.name],
        others=sum(scores[row.name] for row in others) / len(others),
        rating=own.rating,
        place=sum((row.rating > own.rating) + (row.rating == own.rating) / 2 for row in others),
        score_place=sum(
            (scores[row.name] > scores[own.name]) + (scores[row.name] == scores[own.name]) / 2
            for row in others
        ),
        better=sum(
            0.5 if pair.probability_better is None else pair.probability_better for pair in pairs
        )
        / len(pairs),
    )


def find_pays(lines: Sequence[Line]) -> list[str]:
    """Return the columns in which quitting gains significantly, over all tests together."""
    tests = sum(len(line.columns) for line in lines)
    bound = NormalDist().inv_cdf(1 - _SIGNIFICANCE / tests)
    return [
        f"{line.case.name}, {line.policy}: {name} {effect.mean:+.2f} ± {effect.error:.2f}"
        for line in lines
        for name, effect in line.columns.items()
        if effect.mean > bound * effect.error
    ]


def find_unfair(lines: Sequence[Line]) -> list[str]:
    """Return where equals that think gain or lose more than the bar by more than chance."""
    return [
        _describe(line)
        for line in lines
        if line.case.equals_think and abs(line.others.mean) > _FAIR + 2 * line.others.error
    ]


def find_unsure(lines: Sequence[Line]) -> list[str]:
    """Return where too few tournaments were played to say whether equals that think do."""
    return [
        _describe(line)
        for line in lines
        if line.case.equals_think
        and line.others.error > _SURE.get(line.case.variant.partition("/")[0], _SURE_ELSEWHERE)
    ]


def _describe(line: Line) -> str:
    return f"{line.case.name}, {line.policy}: others {_show(line.others)}"


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="cases with this text in their name")
    parser.add_argument("--policy", default="", help="policies with this text in their name")
    parser.add_argument("--size", type=float, default=1.0, help="this part of the tournaments")
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    options = parser.parse_args()
    names = [name for name in POLICIES if options.policy in name]
    lines = []
    print("| Case | Quits when | Matches quit | Others | Quitter | Rating | Places | P(better) |")
    print("|---|---|---|---|---|---|---|---|")
    with multiprocessing.Pool(options.processes) as pool:
        for case in CASES:
            if options.only not in case.name:
                continue
            size = max(2, round(case.tournaments * options.size))
            work = [
                (case, names, first, min(_CHUNK, size - first)) for first in range(0, size, _CHUNK)
            ]
            first_lines, *more = pool.map(_measure_chunk, work, chunksize=1)
            for chunk in more:
                for line, other in zip(first_lines, chunk, strict=True):
                    line.add(other)
            lines += first_lines
            for line in first_lines:
                print(
                    f"| {case.name} | {line.policy} | {line.quits / line.matches:.0%} of "
                    f"{line.matches:,} | {_show(line.others)} | {_show(line.score)} | "
                    f"{_show(line.rating)} | {_show(line.places)}, {_show(line.score_places)} | "
                    f"{100 * line.better.mean:+.0f} % |",
                    flush=True,
                )
    found = {
        "quitting pays": find_pays(lines),
        "quitting moves the others": find_unfair(lines),
        "too few tournaments": find_unsure(lines) if options.size >= 1.0 else [],
    }
    for what, texts in found.items():
        for text in texts:
            print(f"{what}: {text}")
    return int(any(found.values()))


def _show(effect: Effect) -> str:
    return f"{effect.mean:+.2f} ± {effect.error:.2f}"


if __name__ == "__main__":
    sys.exit(_main())
