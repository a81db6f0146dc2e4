"""The page of two entrants of a tournament: how they did where they met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from itertools import groupby
from typing import Final
from urllib.parse import quote, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.games import parse_variant
from mazzo.v1 import replay_pb2, standings_pb2, tournament_pb2
from mazzo_server.model import find_bot_name
from mazzo_server.results.commentary import (
    describe_play,
    describe_verdict,
    format_decimal,
    format_points,
    format_swing,
)
from mazzo_server.serving.presenting import draw_leads, list_leads
from mazzo_server.serving.web.rendering import render, render_chart
from mazzo_server.serving.web.replay_pages import VERDICTS, list_filters, read_search
from mazzo_server.serving.web.visitors import get_services, read_number

__all__ = ["choose_two", "show_head_to_head"]

_FILTERS: Final = ("verdict", "forfeited", "late", "seat", "sort", "from")  # of a query
_PAGE: Final = 20  # matches: ten mirror groups of two seatings
_COLUMNS: Final = {
    "score/deal": "what it scored in a deal in which both played, ± half of the 95 % interval",
    "P better": "how probable it is that it really scores more than the other",
    "W-D-L": "mirror groups in which it came before the other, level with it, and after it",
    "forfeits": "matches that it forfeited where both played",
    "late": "its decisions that were not taken in time",
}
_SWING: Final = {
    "swing": "its points, less the mean of what others made of the same cards in the same seat"
}
_MARGIN: Final = {"margin": "its points, less the mean of the others'"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """What a table says of one of the two."""

    name: str
    score: str
    better: str
    results: str
    forfeits: int
    late: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seating:
    """One match of a mirror group."""

    match: replay_pb2.FoundMatch
    verdict: str
    margin: str
    play: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """A mirror group with those of its matches that were asked for."""

    number: int
    swing: str
    seatings: list[_Seating]
    is_pruned: bool


async def choose_two(request: Request) -> Response:
    """Lead to the page of the two bots that a form names."""
    number = read_number(request.path_params["number"])
    asked = request.query_params
    names = [asked.get(name, "").strip() for name in ("bot", "opponent")]
    if not all(names) or any("/" in name for name in names):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "expected the names of two bots")
    target = request.url_for("head_to_head", number=number, bot=names[0], opponent=names[1])
    return RedirectResponse(quote(target.path), HTTPStatus.SEE_OTHER)


async def show_head_to_head(request: Request) -> Response:
    """Show how two did against each other: in numbers, by mirror group, and where it swung most."""
    number = read_number(request.path_params["number"])
    name, opponent = request.path_params["bot"], request.path_params["opponent"]
    services = get_services(request)
    answer = await services.get_head_to_head(number, name, opponent)
    asked = {
        one: value.strip()
        for one, value in request.query_params.items()
        if one in _FILTERS and value.strip()
    }
    is_mirrored = answer.tournament.mirror != "off"
    usual = "luckiest" if is_mirrored else "best"
    wanted = read_search(
        {"sort": usual}
        | asked
        | {
            "bot": find_bot_name(name),
            "opponent": find_bot_name(opponent),
            "tournament": str(number),
        }
    )
    wanted.page_size = _PAGE
    matches, following = await services.find_matches(wanted)
    place = asked.pop("from", "")
    sides = parse_variant(answer.tournament.variant).sides
    drawing = draw_leads(answer, name=name, opponent=opponent)
    return render(
        request,
        "head_to_head.html",
        tournament=answer.tournament,
        names=(name, opponent),
        sides=_make_sides(answer),
        deals=answer.cell.deals,
        groups_met=answer.cell.wins + answer.cell.draws + answer.cell.losses,
        is_large=len(sides) > 2,
        seats=[side[0] for side in sides],
        columns=_COLUMNS,
        chart=None if drawing is None else render_chart(drawing),
        leads=list_leads(answer.leads, name, opponent),
        asked=asked,
        usual=usual,
        verdicts=list(VERDICTS),
        filters=list_filters(asked),
        is_mirrored=is_mirrored,
        group_columns=_SWING if is_mirrored else _MARGIN,
        groups=_list_groups(matches, name, opponent),
        first="?" + urlencode(asked) if place else "",
        following="?" + urlencode(asked | {"from": following}) if following else "",
    )


def _make_sides(answer: standings_pb2.GetHeadToHeadResponse) -> list[_Side]:
    faults = (
        (answer.forfeits, answer.late),
        (answer.opponent_forfeits, answer.opponent_late),
    )
    return [
        _Side(
            name=cell.name,
            score=_describe_score(cell),
            better=(
                f"{cell.probability_better:.1%}" if cell.HasField("probability_better") else "–"
            ),
            results=f"{cell.wins}-{cell.draws}-{cell.losses}",
            forfeits=forfeits,
            late=late,
        )
        for cell, (forfeits, late) in zip((answer.cell, answer.opposite), faults, strict=True)
    ]


def _describe_score(cell: tournament_pb2.CrosstableCell) -> str:
    if not cell.HasField("score_per_deal"):
        return "–"
    text = format_decimal(cell.score_per_deal, 2)
    if cell.HasField("score_low"):
        text += f" ±{format_decimal((cell.score_high - cell.score_low) / 2, 2)}"
    return text


def _list_groups(
    matches: Iterable[replay_pb2.FoundMatch], name: str, opponent: str
) -> list[_Group]:
    """Return the mirror groups of these matches, in their order.

    Where copies of a bot play, matches of other copies were found, too: these are left out.
    """
    of_both = [match for match in matches if _is_between(match, name, opponent)]
    groups = []
    for number, found in groupby(of_both, key=lambda match: match.group):
        seatings = list(found)
        swings = {format_swing(match.result): match for match in seatings}
        groups.append(
            _Group(
                number=number,
                swing=" / ".join(filter(None, swings)),
                seatings=[
                    _Seating(
                        match=match,
                        verdict=describe_verdict(match),
                        margin=format_points(match.result.margin),
                        play=describe_play(match),
                    )
                    for match in seatings
                ],
                is_pruned=seatings[0].pruned,
            )
        )
    return groups


def _is_between(match: replay_pb2.FoundMatch, name: str, opponent: str) -> bool:
    is_own = match.HasField("result") and match.seats[match.result.seat].bot == name
    return is_own and any(seat.bot == opponent for seat in match.seats)
