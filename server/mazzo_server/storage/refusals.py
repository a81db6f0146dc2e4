"""The errors with which every store refuses a call, in the same words."""

from __future__ import annotations

from collections.abc import Container, Sequence

from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.model import MatchOutcome
from mazzo_server.storage.base import BotRow

__all__ = [
    "check_bot",
    "check_new",
    "make_no_bot_error",
    "make_no_token_error",
    "make_no_tournament_error",
    "make_no_version_error",
    "make_not_over_error",
    "make_token_exists_error",
    "make_withdrawn_error",
]


def make_no_bot_error(name: str) -> NotFoundError:
    """Return the error that there is no bot of this name."""
    return NotFoundError(f"expected a bot's name (see `mazzo bots list`), got {name!r}")


def make_no_version_error(name: str, number: int) -> NotFoundError:
    """Return the error that the bot has no version of this number."""
    return NotFoundError(
        f"bot {name!r} has no version {number}: `mazzo bots show {name}` shows its versions"
    )


def make_no_tournament_error(tournament_id: int) -> NotFoundError:
    """Return the error that there is no tournament of this number."""
    return NotFoundError(
        f"there is no tournament {tournament_id}: `mazzo tournament list` shows the tournaments"
    )


def make_no_token_error(token_id: str) -> NotFoundError:
    """Return the error that there is no token of this id."""
    return NotFoundError(
        f"there is no token {token_id!r}: `mazzo auth list` shows the ids of all tokens"
    )


def make_not_over_error(tournament_id: int) -> ConflictError:
    """Return the error that the records of a tournament are still needed."""
    return ConflictError(
        f"tournament {tournament_id} is not over: expected one that is finished or cancelled"
    )


def make_token_exists_error(token_id: str) -> ConflictError:
    """Return the error that the id is taken."""
    return ConflictError(f"there is a token {token_id!r} already: draw another id")


def check_bot(bot: BotRow, *, owner: str, remote: bool) -> None:
    """Raise `ConflictError` or `InvalidInputError` unless such a version may be added."""
    if owner and bot.owner != owner:
        raise ConflictError(f"bot {bot.name!r} belongs to somebody else: choose another name")
    if bot.remote and not remote:
        raise InvalidInputError(
            f"bot {bot.name!r} is a remote bot, which has no files here: submit these under "
            "another name"
        )
    if remote and not bot.remote:
        raise InvalidInputError(
            f"bot {bot.name!r} was uploaded and plays here: register the remote bot under "
            "another name"
        )


def make_withdrawn_error(tournament_id: int, entrant: int) -> ConflictError:
    """Return the error that the entrant is withdrawn already."""
    return ConflictError(f"entrant {entrant} of tournament {tournament_id} is withdrawn already")


def check_new(
    tournament_id: int, outcomes: Sequence[MatchOutcome], stored: Container[tuple[int, int]]
) -> None:
    """Raise `ConflictError` unless every match is new and is given once."""
    seen = set()
    for outcome in outcomes:
        key = (outcome.group, outcome.seating)
        if key in stored or key in seen:
            raise ConflictError(
                f"match {outcome.seating} of mirror group {outcome.group} of tournament "
                f"{tournament_id} is stored already: is another process running it?"
            )
        seen.add(key)
