"""The errors with which every store refuses a call, in the same words."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from mazzo_server.errors import ConflictError, InvalidInputError, NotFoundError
from mazzo_server.model import MatchOutcome
from mazzo_server.storage.base import BotRow, TournamentRow, VersionRow

__all__ = [
    "check_bot",
    "check_new",
    "check_same_bot",
    "check_tried",
    "check_unused",
    "make_imported_bot",
    "make_no_bot_error",
    "make_no_token_error",
    "make_no_tournament_error",
    "make_no_version_error",
    "make_not_over_error",
    "make_token_exists_error",
    "make_withdrawn_error",
]

_MOST_NAMED = 5  # tournaments in an error


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


def check_same_bot(
    bot: BotRow | None, known: Sequence[VersionRow], version: VersionRow, *, remote: bool
) -> bool:
    """Tell whether a version of another store is here; raise `ConflictError` for another bot's.

    `bot` and its `known` versions are what this store has under the same name. A number that is not
    here is another version of the same bot only where all of its versions came from other stores:
    anything else may be another bot of that name.
    """
    if bot is None:
        return False
    other = f"{version.bot} is the name of another bot here"
    advice = "import into a store of its own, with another MAZZO_HOME"
    if bot.remote != remote:
        here, there = ("another machine", "this one") if bot.remote else ("here", "another machine")
        raise ConflictError(f"{other}, which plays from {here}, not from {there}: {advice}")
    same = next((row for row in known if row.number == version.number), None)
    if same is not None and same.content_hash == version.content_hash:
        return True
    if same is not None:
        raise ConflictError(f"{other}: version {version.number} has other content; {advice}")
    if bot.owner or not bot.retired or any(row.trial is not None for row in known):
        raise ConflictError(f"{other}, which has no version {version.number}: {advice}")
    return False


def check_tried(version: VersionRow, tried: str | None) -> None:
    """Raise `NotFoundError` unless a version is the one that was tried, by its content hash."""
    if tried is not None and version.content_hash != tried:
        raise NotFoundError(
            f"bot {version.bot!r} was deleted while its trial was played, and its name is another "
            "bot's now"
        )


def make_imported_bot(version: VersionRow, *, remote: bool) -> BotRow:
    """Return a bot whose first version here was submitted to another store."""
    return BotRow(name=version.bot, retired=True, create_time=version.create_time, remote=remote)


def check_unused(name: str, tournaments: Iterable[TournamentRow]) -> None:
    """Raise `ConflictError` for a bot that is an entrant of any of these tournaments."""
    numbers = [
        row.id
        for row in tournaments
        if any(entrant.bot == name for entrant in row.definition.entrants)
    ]
    if numbers:
        few = ", ".join(map(str, numbers[:_MOST_NAMED]))
        if len(numbers) > _MOST_NAMED:
            few += f" and {len(numbers) - _MOST_NAMED} more"
        raise ConflictError(
            f"{name} takes part in tournament{'s' if len(numbers) > 1 else ''} {few}, and results "
            f"need it: retire it with `mazzo bots retire {name}`, or delete the tournaments first"
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
