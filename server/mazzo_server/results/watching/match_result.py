"""Says in a sentence how a match ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from mazzo.match_record import MatchRecord
from mazzo_server.results.commentary import format_number

__all__ = ["describe_result"]


def describe_result(record: MatchRecord, names: Sequence[str]) -> str:
    """Return who won a match, and by how much."""
    unit = "deals" if record.variant.game.counts_wins else "points"
    places = defaultdict[int, list[str]](list)
    scores = dict[int, str]()
    for seat, place in enumerate(record.ranking):
        places[place].append(names[seat])
        scores[place] = format_number(record.match_scores[seat])
    order = sorted(places)
    if len(order) == 1:
        return f"{_join_names(names)} draw, with {scores[1]} each in {unit}"
    first, second = order[:2]
    verb = "win" if len(places[first]) > 1 else "wins"
    told = f"{_join_names(places[first])} {verb}"
    if len(record.variant.sides) == 2:
        also = ", with more points" if scores[first] == scores[second] else ""
        return f"{told}, {scores[first]} to {scores[second]} in {unit}{also}"
    others = [f"{_join_names(places[place])} {scores[place]}" for place in order[1:]]
    return f"{told} with {scores[first]} {unit}; then {', '.join(others)}"


def _join_names(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
