"""Says what the tables of results mean: their columns, and what follows from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from mazzo.games import parse_variant
from mazzo.v1 import ladder_pb2, tournament_pb2
from mazzo_server.pairing import ENOUGH_GROUPS, LEVEL_SHARE
from mazzo_server.results.commentary.lines import format_decimal

__all__ = [
    "AUDIT_COLUMNS",
    "ENDED_SEASON",
    "LADDER_COLUMNS",
    "LADDER_STATES",
    "MATCH_COLUMNS",
    "RANKING_COLUMNS",
    "compute_mean_places",
    "describe_bout",
    "describe_contradictions",
    "describe_more",
    "describe_next_table",
    "describe_rest",
    "describe_seats",
    "describe_separation",
    "describe_standings",
    "format_lead",
    "format_trend",
    "list_newest_rows",
    "list_pool_rows",
    "name_bouts",
    "name_places",
]

_FEWEST_BLOCKS: Final = 2  # blocks, for a statement about seats
_LARGEST_MORE: Final = 100_000  # deals; from here on nobody plays them
AUDIT_COLUMNS: Final = {
    "together": "points a deal that both score more where they meet than is explained, ± half of "
    "the interval: all intervals together hold with 95 %",
    "ahead": "points a deal by which the first is further ahead of the second than is explained",
    "groups": "mirror groups in which both sat",
}
"""What the columns of an audit mean."""
RANKING_COLUMNS: Final = {
    "rating": "a skill that it almost surely has: μ − 3σ",
    "μ": "its skill as TrueSkill believes it, by all finished tournaments of the variant",
    "σ": "how unsure that is; a new version begins where the one before it stood",
    "W-D-L": "mirror groups won, drawn at the top, and lost",
    "tournaments": "finished tournaments in which it played",
}
"""What the columns of a ranking mean."""
MATCH_COLUMNS: Final = {
    "margin": "the bot's points, less the mean of the others'",
    "swing": "its points, less the mean of what others made of the same cards in the same seat",
}
"""What the columns of matches mean that are said of one bot."""
LADDER_COLUMNS: Final = {
    "rating": "a skill that it almost surely has: μ − 3σ",
    "μ": "its skill as TrueSkill believes it, by the groups of the season",
    "σ": "how unsure that is",
    "trend": "by how much the rating has changed over the last tenth of the season",
    "groups": "mirror groups in which it has played",
    "W-D-L": "of them won, drawn at the top, and lost",
    "waits": "groups of others since its last one",
    "P>next": "how sure it is that it plays better than the next one that is played, or “level”: "
    f"neither would score more than {LEVEL_SHARE:.0%} of the groups against the other",
}
"""What the columns of a ladder mean."""
ENDED_SEASON: Final = (
    "When it ended, its ratings were computed anew from all its groups at once. So they differ "
    "from those before."
)
"""Why the ratings of an ended season differ from those before."""

LADDER_STATES: Final[Mapping[ladder_pb2.LadderState, str]] = {
    ladder_pb2.LADDER_STATE_PLAYED: "played by a server",
    ladder_pb2.LADDER_STATE_WAITING: "waiting for a server",
    ladder_pb2.LADDER_STATE_PAUSED: "paused",
    ladder_pb2.LADDER_STATE_OVER: "over",
}
"""How far a season of a ladder has come."""
_ROUNDS: Final = {2: "semi-finals", 4: "quarter-finals"}
_STAGES: Final = {
    "final": "final",
    "third-place": "third place",
    "winners": "winners’ round {}",
    "losers": "losers’ round {}",
    "grand-final": "grand final",
    "reset": "grand final again",
}
_REASONS: Final = {
    "bye": "bye",
    "walkover": "walkover",
    "score": "by score",
    "seeding": "level, so the higher seed",
    "": "in play",
}


def describe_standings(tournament: tournament_pb2.Tournament) -> dict[str, str]:
    """Return what the columns of the standings mean in this tournament."""
    standings = tournament.standings
    sides = parse_variant(tournament.variant).sides
    seatings = tournament.matches_total // max(standings.groups, 1)
    group = "a mirror group is the same deals"
    group += f" in {seatings} seatings" if seatings > 1 else ", played once"
    results = {"W-D-L": f"mirror groups won, drawn and lost; {group}"}
    if len(sides) > 2:
        results = {
            "place": f"its place in a mirror group on average, of {len(sides)}; {group}",
            "first": "mirror groups in which it was first alone, + those in which it shared that",
        }
    place = "its place in the bracket; a lower one may have scored more"
    rank = {"rank": place} if standings.HasField("bracket") else {}
    who = "its team" if len(sides[0]) > 1 else "it"
    return {
        **rank,
        "rating": "a skill that it almost surely has, by this tournament alone (TrueSkill, μ − 3σ)",
        **results,
        "score/deal": f"what {who} scored in a deal on average, ± half of the 95 % interval",
        "P>next": "how probable it is that it really scores more than the next row",
        "+deals": "deals that each table of the two would still have to play to tell them apart; "
        "0: they are told apart",
        "faults": "matches that it forfeited, and decisions that came late",
        "ms": "milliseconds that a decision took on average",
    }


def compute_mean_places(standings: tournament_pb2.Standings) -> dict[str, float]:
    """Return by name the mean place in a mirror group, from 1; equals share the mean of theirs.

    Whoever came before an entrant moves it down by one place, and an equal by half a place.
    """
    behind: Counter[str] = Counter()  # in half places
    for cell in standings.crosstable:
        behind[cell.name] += 2 * cell.losses + cell.draws
    groups = {row.name: row.wins + row.draws + row.losses for row in standings.rows}
    return {name: 1 + behind[name] / 2 / max(number, 1) for name, number in groups.items()}


def describe_separation(tournament: tournament_pb2.Tournament) -> str:
    """Say which neighbours are separated with the confidence that was asked for."""
    rows = [row for row in tournament.standings.rows if not row.withdrawn]
    doubtful = [
        f"{upper.name} – {lower.name}" for upper, lower in pairwise(rows) if not upper.separated
    ]
    if not doubtful:
        return f"All neighbours are separated, with a confidence of {tournament.until_separated:g}."
    over = tournament.state == tournament_pb2.TOURNAMENT_STATE_FINISHED
    when = f"after {tournament.groups} groups a table" if over else "so far"
    return f"Not separated {when}: {', '.join(doubtful)}."


def describe_contradictions(standings: tournament_pb2.Standings) -> str:
    """Say which neighbours stand the other way round than their scores suggest; "" for none."""
    found = [
        f"{upper.name} – {lower.name}"
        for upper, lower in pairwise(standings.rows)
        # Ratings that look equal order nobody.
        if upper.scores_less_than_next and round(upper.rating, 2) != round(lower.rating, 2)
    ]
    if not found:
        return ""
    return f"Higher by rating, but probably lower by score per deal: {', '.join(found)}."


def describe_more(deals: int) -> str:
    """Return how many more deals are needed."""
    return "0" if not deals else f"+{deals}" if deals < _LARGEST_MORE else "many"


def describe_seats(tournament: tournament_pb2.Tournament) -> list[str]:
    """Return what a seat or a turn is worth, where that is more than luck; nothing too early."""
    bias = tournament.standings.seat_bias
    noun = _name_seats(tournament)
    if bias.blocks < _FEWEST_BLOCKS:
        return []
    last = len(bias.turns) - 1
    turns = [(_name_turn(score.place, last), score) for score in bias.turns]
    seats = [(f"{noun} {score.place}", score) for score in bias.seats]
    found = []
    for places in (turns, seats):
        # Of two seats, one gains what the other loses.
        alarms = [
            (name, score)
            for name, score in places
            if score.alarm and (last > 1 or score.deviation > 0)
        ]
        parts = [
            f"{name} scores {abs(score.deviation):.2f} points a deal "
            f"{'more' if score.deviation > 0 else 'less'} than the average "
            f"(p = {score.p_value:.2g})"
            for name, score in alarms
        ]
        if parts:
            text = "; ".join(parts)
            found.append(f"{text[0].upper()}{text[1:]}.")
    return found or [f"No {noun} and no turn scores more than luck allows."]


def name_places(tournament: tournament_pb2.Tournament) -> dict[str, tournament_pb2.PlaceScore]:
    """Return the scores of the turns and of the seats, each by what people call it."""
    bias = tournament.standings.seat_bias
    last = len(bias.turns) - 1
    named = {_name_turn(score.place, last): score for score in bias.turns}
    noun = _name_seats(tournament)
    return named | {f"{noun} {score.place}": score for score in bias.seats}


def _name_seats(tournament: tournament_pb2.Tournament) -> str:
    teams = any(len(side) > 1 for side in parse_variant(tournament.variant).sides)
    return "side" if teams else "seat"


def _name_turn(place: int, last: int) -> str:
    if place == 0:
        return "the first to play"
    return "the dealer" if place == last else f"number {place + 1} after the dealer"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLine:
    """One entrant of a pool in a table."""

    pool: int
    place: int
    bot: str  # with its seed
    score: str
    groups: int
    goes_on: bool
    verdict: str  # "goes on", "has left" or ""


def list_pool_rows(pools: Sequence[tournament_pb2.Pool]) -> list[PoolLine]:
    """Return the rows of all pools, pool by pool."""
    return [
        PoolLine(
            pool=pool.number,
            place=place,
            bot=f"{row.seed} {row.name}",
            score=format_decimal(row.score_per_deal, 2) if row.HasField("score_per_deal") else "–",
            groups=row.groups,
            goes_on=row.goes_on,
            verdict="goes on" if row.goes_on else "has left" if row.has_left else "",
        )
        for pool in pools
        for place, row in enumerate(pool.rows, start=1)
    ]


def name_bouts(bouts: Sequence[tournament_pb2.Bout]) -> str:
    """Return what people call bouts of one stage and round, all of which are given."""
    first = bouts[0]
    if first.stage != "round":
        return _STAGES.get(first.stage, first.stage).format(first.round)
    is_of_tables = any(len(bout.entrants) > 2 for bout in bouts)
    if is_of_tables:
        return f"round {first.round}"
    return _ROUNDS.get(len(bouts), f"round of {2 * len(bouts)}")


def describe_bout(bout: tournament_pb2.Bout) -> str:
    """Say why those go on from a bout that do, and after how many groups."""
    why = _REASONS.get(bout.reason, bout.reason)
    if bout.reason == "confidence":
        # Not "100.0 %", as nothing is that sure.
        why = f"sure by {min(bout.certainty, 0.999):.1%}"
    if not bout.groups:
        return why if bout.reason else "not begun"
    return f"{why}, {bout.groups:,} group{'' if bout.groups == 1 else 's'}"


def describe_next_table(chosen: ladder_pb2.NextTable) -> str:
    """Return who meets next, and why."""
    first, second = chosen.pair
    why = {
        ladder_pb2.NEXT_REASON_WAITING: f"it is the turn of {first}",
        ladder_pb2.NEXT_REASON_NEW: f"{first} is new: it has fewer than 30 groups",
        ladder_pb2.NEXT_REASON_UNKNOWN: f"least is known of {first} and {second}",
        ladder_pb2.NEXT_REASON_DOUBTFUL: f"it is in doubt who of {first} and {second} is better",
    }
    return f"{' – '.join(chosen.entrants)}: {why.get(chosen.reason, 'as the rule has it')}"


def list_newest_rows(
    rows: Sequence[ladder_pb2.LadderRow], *, with_replaced: bool = False
) -> list[tuple[int, ladder_pb2.LadderRow]]:
    """Return the rows of a ladder without those of versions that were replaced.

    Each has its rank among them, 0 for who has not played. Versions that are played now stay, and
    whatever was withdrawn; of bots of which none is played, as when the season is over, the newest
    that has played, and the newest of which enough is known.
    """
    if with_replaced:
        return [(row.rank, row) for row in rows]
    active = {row.bot for row in rows if row.active}
    newest, known = dict[str, int](), dict[str, int]()
    for row in rows:
        if row.rank:
            newest[row.bot] = max(row.version, newest.get(row.bot, 0))
        if row.groups >= ENOUGH_GROUPS:
            known[row.bot] = max(row.version, known.get(row.bot, 0))
    kept = [
        row
        for row in rows
        if row.active
        or row.withdrawn
        or (
            row.bot not in active
            and row.version in (newest.get(row.bot, row.version), known.get(row.bot))
        )
    ]
    ranks = sorted(row.rank for row in kept if row.rank)
    return [(ranks.index(row.rank) + 1 if row.rank else 0, row) for row in kept]


def describe_rest(shown: ladder_pb2.GetLadderResponse) -> str:
    """Return why nobody plays next on a ladder, and what would change that."""
    season, active = shown.season, {row.bot for row in shown.rows if row.active}
    if season.bots and not active:
        return (
            "Nobody can go on with this season, as another release of Mazzo has played it: `mazzo "
            f"ladder season end {season.variant}` begins the next one."
        )
    if len(active) < len(parse_variant(season.variant).sides):
        return "Too few bots are on it. It goes on when others join."
    return (
        f"Nothing is in doubt: of all neighbours it is as sure as {100 * season.confidence:.6g} % "
        "who is better, or that they are level. It goes on when a bot joins or submits a new "
        "version."
    )


def format_lead(row: ladder_pb2.LadderRow, *, confidence: float) -> str:
    """Return how sure it is that a version is better than the next one, or that they are level."""
    if not row.HasField("surer_than_next"):
        return "–"
    if row.level_with_next and max(row.surer_than_next, 1 - row.surer_than_next) < confidence:
        return "level"
    return f"{row.surer_than_next:.1%}"


def format_trend(row: ladder_pb2.LadderRow) -> str:
    """Return by how much a rating has changed lately, with its sign."""
    if not row.HasField("trend"):
        return "–"
    trend = round(row.trend, 1) or 0.0  # not -0.0
    return f"{'+' if trend > 0 else ''}{format_decimal(trend, 1)}"
