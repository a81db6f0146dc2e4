"""What a strong player would have done at a decision, and where it would have done otherwise."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from typing import Protocol

from starlette.exceptions import HTTPException
from starlette.requests import Request

from mazzo.errors import MazzoError
from mazzo.game import View
from mazzo_server.clock import monotonic
from mazzo_server.results.watching import Position, WatchedMatch

__all__ = [
    "Advice",
    "Asked",
    "DecisionAdviser",
    "Search",
    "find_adviser",
    "find_other_choice",
    "get_advice",
]


class DecisionAdviser(Protocol):
    """A strong player, who can be asked about any decision."""

    @property
    def name(self) -> str:
        """What it is called."""

    async def advise(self, view: View) -> int:
        """Return the number of the action that it would take, from the view of a seat alone.

        It follows from the view with its seed and number. Raises `TimeoutError` and `MazzoError`.
        """


class Asked(StrEnum):
    """What the address asks for."""

    NOTHING = ""
    ADVICE = "1"
    DIFFERENCE = "next"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """What the adviser says of one decision."""

    by: str  # its name
    action: int | None  # None: it has not answered
    problem: str  # why it has not


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """The decisions after a position, as far as they were looked through."""

    found: Position | None  # the first at which the adviser would have decided otherwise
    looked: int  # at so many decisions
    last: Position  # of these
    is_over: bool  # whether there is no more


def find_adviser(request: Request) -> tuple[DecisionAdviser | None, Asked]:
    """Return who can be asked on these pages, if anybody, and what the address asks for.

    Raises `HTTPException`.
    """
    adviser: DecisionAdviser | None = request.app.state.adviser
    text = request.query_params.get("expert", "")
    try:
        asked = Asked(text)
    except ValueError as error:
        raise HTTPException(
            HTTPStatus.BAD_REQUEST, f"expert: expected 1 or next, got {text}"
        ) from error
    if asked is not Asked.NOTHING and adviser is None:
        raise HTTPException(HTTPStatus.NOT_FOUND, "Nobody can be asked on these pages.")
    return adviser, asked


async def get_advice(adviser: DecisionAdviser, match: WatchedMatch, at: Position) -> Advice | None:
    """Return what the adviser says of a decision; None where the watcher may not know it.

    It says something of the hand of the seat to move, so a watcher of another seat is not told.
    """
    if match.is_end(at) or at.seat not in (None, match.steps[at.deal][at.step].seat):
        return None
    try:
        action = await adviser.advise(match.view_decision(at))
        return Advice(by=adviser.name, action=action, problem="")
    except TimeoutError:
        return Advice(by=adviser.name, action=None, problem="has not answered in time: try again")
    except MazzoError as error:
        return Advice(by=adviser.name, action=None, problem=f"has not answered: {error}")


async def find_other_choice(
    adviser: DecisionAdviser, match: WatchedMatch, at: Position, *, seconds: float
) -> Search:
    """Look for the next decision at which the adviser would have decided otherwise.

    It takes about so many seconds, and looks at one decision at least. A watcher of a seat is told
    of that seat's decisions alone. Raises `TimeoutError` and `MazzoError`.
    """
    until = monotonic() + seconds
    looked, last = 0, at
    for there, view in match.list_views(at):
        if looked and monotonic() >= until:
            return Search(found=None, looked=looked, last=last, is_over=False)
        looked, last = looked + 1, there
        await asyncio.sleep(0)  # an answer that is known comes at once: other pages go first
        if await adviser.advise(view) != match.steps[there.deal][there.step].action:
            return Search(found=there, looked=looked, last=there, is_over=False)
    return Search(found=None, looked=looked, last=last, is_over=True)
