"""The links from a position to others."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request

from mazzo_server.errors import InvalidInputError
from mazzo_server.model import MatchId
from mazzo_server.results.watching import Position, Positions
from mazzo_server.serving.web.visitors import read_number

__all__ = ["Way", "list_ways", "read_match", "read_position", "write_position"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A link to another position."""

    key: str  # of the keyboard, which the script of the page follows
    text: str
    label: str
    query: str  # "": it leads nowhere from here


def read_match(request: Request, seating: str) -> MatchId:
    """Return the match that the address names; raise `HTTPException` for none."""
    parts = request.path_params
    try:
        return MatchId.parse(f"{parts['number']}/{parts['group']}/{seating}")
    except InvalidInputError as error:
        raise HTTPException(HTTPStatus.NOT_FOUND) from error


def read_position(request: Request, positions: Positions) -> Position:
    """Return the position that the address names: deals and decisions from 1, seats from 0.

    Raises `HTTPException` for one that there is not.
    """
    asked = request.query_params
    seat = asked.get("seat", "")
    at = Position(
        deal=read_number(asked.get("deal", "1")) - 1,
        step=read_number(asked.get("decision", "1")) - 1,
        seat=read_number(seat) if seat else None,
    )
    if not positions.has(at):
        raise HTTPException(HTTPStatus.NOT_FOUND)
    return at


def write_position(at: Position, *, expert: str = "") -> str:
    """Return the position as the query of an address, which may ask for advice there."""
    seat = {} if at.seat is None else {"seat": at.seat}
    more = {"expert": expert} if expert else {}
    return "?" + urlencode({"deal": at.deal + 1, "decision": at.step + 1, **seat, **more})


def list_ways(to: Positions, at: Position, *, expert: str = "") -> list[Way]:
    """Return where one can go from a position, and ask the same there."""
    ways = [
        ("g", "⇤ start", "the start of the match", to.find_first(at)),
        ("D", "« deal", "the beginning of the deal, or the deal before", to.find_previous_deal(at)),
        (
            "T",
            "‹ trick",
            "the beginning of the trick, or the one before",
            to.find_previous_trick(at),
        ),
        ("ArrowLeft", "‹ step", "a step back, to the decision before", to.find_previous(at)),
        ("ArrowRight", "step ›", "a step on, to the next decision", to.find_next(at)),
        ("t", "trick ›", "the next trick", to.find_next_trick(at)),
        ("d", "deal »", "the next deal", to.find_next_deal(at)),
        ("G", "end ⇥", "the end of the match", to.find_last(at)),
    ]
    return [
        Way(
            key=key,
            text=text,
            label=label,
            query="" if there == at else write_position(there, expert=expert),
        )
        for key, text, label, there in ways
    ]
