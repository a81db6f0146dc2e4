"""The page of matches: those that have all of what its filters ask for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final, TypeVar
from urllib.parse import urlencode

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mazzo.v1 import replay_pb2
from mazzo_server.results.commentary import (
    describe_play,
    describe_verdict,
    format_points,
    format_swing,
)
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.visitors import REFUSALS, get_services, read_number

__all__ = ["VERDICTS", "Filter", "list_filters", "list_rows", "read_search", "show_matches"]

_PAGE: Final = 25
VERDICTS: Final = {
    "won": replay_pb2.MATCH_VERDICT_WON,
    "drawn": replay_pb2.MATCH_VERDICT_DRAWN,
    "lost": replay_pb2.MATCH_VERDICT_LOST,
}
"""The words of a filter for how a match ended."""
# What the largest or smallest first is called: order, and whether it is the other way round.
_ORDERS: Final = {
    "": (replay_pb2.MATCH_ORDER_TIME, False),
    "worst": (replay_pb2.MATCH_ORDER_MARGIN, False),
    "best": (replay_pb2.MATCH_ORDER_MARGIN, True),
    "unluckiest": (replay_pb2.MATCH_ORDER_SWING, False),
    "luckiest": (replay_pb2.MATCH_ORDER_SWING, True),
}
_FLAGS: Final = ("forfeited", "late", "spoilt")
_OF_ONE_BOT: Final = ("opponent", "seat", "verdict", "sort")  # filters that need one
_NAMES: Final = ("bot", "opponent", "variant", "tournament", "seat", "verdict", *_FLAGS, "sort")
_Choice = TypeVar("_Choice")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRow:
    """What a table says of a match; `verdict` and what follows is said of the bot asked for."""

    match: replay_pb2.FoundMatch
    verdict: str
    margin: str
    swing: str
    play: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One of the filters that are in force."""

    text: str
    without: str  # the query that lacks it


async def show_matches(request: Request) -> Response:
    """Show matches, the newest first unless asked otherwise; or say what is no question."""
    asked = {name: value.strip() for name, value in request.query_params.items() if value.strip()}
    matches: Sequence[replay_pb2.FoundMatch] = ()
    following, problem, status = "", "", HTTPStatus.OK
    try:
        matches, following = await get_services(request).find_matches(read_search(asked))
    except HTTPException as error:
        problem, status = error.detail, HTTPStatus(error.status_code)
    except grpc.aio.AioRpcError as error:
        if error.code() not in REFUSALS:
            raise
        problem, status = error.details() or "", REFUSALS[error.code()]
    place = asked.pop("from", "")
    return render(
        request,
        "matches.html",
        status=status,
        problem=problem,
        asked=asked,
        verdicts=list(VERDICTS),
        filters=list_filters(asked),
        rows=list_rows(matches),
        first="?" + urlencode(asked) if place else "",
        following="?" + urlencode(asked | {"from": following}) if following else "",
    )


def read_search(asked: Mapping[str, str]) -> replay_pb2.FindMatchesRequest:
    """Return what to ask the platform for; raise `HTTPException` for what is no question."""
    order, reverse = _choose(_ORDERS, asked, "sort", _ORDERS[""])
    return replay_pb2.FindMatchesRequest(
        bot=asked.get("bot", ""),
        opponent=asked.get("opponent", ""),
        variant=asked.get("variant", ""),
        tournament=_read_whole(asked, "tournament"),
        seat=_read_whole(asked, "seat"),
        verdict=_choose(VERDICTS, asked, "verdict", replay_pb2.MATCH_VERDICT_UNSPECIFIED),
        forfeited="forfeited" in asked,
        late="late" in asked,
        spoilt="spoilt" in asked,
        order=order,
        reverse=reverse,
        page_size=_PAGE,
        page_token=asked.get("from", ""),
    )


def _choose(
    known: Mapping[str, _Choice], asked: Mapping[str, str], name: str, usual: _Choice
) -> _Choice:
    """Return what a filter stands for."""
    if name not in asked:
        return usual
    if asked[name] not in known:
        words = ", ".join(filter(None, known))
        raise HTTPException(
            HTTPStatus.BAD_REQUEST, f"{name}: expected one of {words}, got {asked[name]}"
        )
    return known[asked[name]]


def _read_whole(asked: Mapping[str, str], name: str) -> int | None:
    text = asked.get(name)
    if text is None:
        return None
    return read_number(text, problem=f"{name}: expected a number, got {text}")


def list_filters(asked: Mapping[str, str]) -> list[Filter]:
    """Return the filters in force, each with the way to be rid of it, and of what hangs on it."""
    hanging = {"bot": _OF_ONE_BOT}
    return [
        Filter(
            text=name if name in _FLAGS else f"{name} {value}",
            without="?"
            + urlencode({o: asked[o] for o in asked if o not in (name, *hanging.get(name, ()))}),
        )
        for name, value in asked.items()
        if name in _NAMES
    ]


def list_rows(matches: Iterable[replay_pb2.FoundMatch]) -> list[MatchRow]:
    """Return the rows of a table of matches."""
    return [
        MatchRow(
            match=match,
            verdict=describe_verdict(match),
            margin=format_points(match.result.margin) if match.HasField("result") else "",
            swing=format_swing(match.result),
            play=describe_play(match),
        )
        for match in matches
    ]
