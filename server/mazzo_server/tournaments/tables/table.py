"""What is known of a table, from its opening to its end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from mazzo.game import Variant
from mazzo.match import MatchFormat
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Entrant, ReadableText, Token, name_person

__all__ = ["OpenTable", "SeatedPerson", "TableCreator", "TablePlan", "TableRequest", "TableState"]

_NAME: Final = ReadableText(24)


class TableState(StrEnum):
    """How far a table has come."""

    WAITING = "waiting"  # for people
    PLAYING = "playing"
    FINISHED = "finished"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens at it."""
        return self in (TableState.FINISHED, TableState.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRequest:
    """What to play, and with whom."""

    variant: str
    bots: Sequence[str]  # in the other seats, as "a" or "b*2"
    name: str  # of who asks
    match_format: str = ""  # "": the usual one
    isolation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCreator:
    """Who opened a table, as far as that is known."""

    token: str | None  # id of the token that was shown, which opens no second table; None: no such
    is_public: bool = False  # none had to be shown


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatedPerson:
    """A person in a seat, whose key opens it."""

    name: str
    key: Token

    @property
    def entrant(self) -> Entrant:
        """The person as the entrant of a match."""
        return Entrant(
            name=name_person(self.name), version=1, content_hash=self.key.hash.hex(), remote=True
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlan:
    """What is played at a table, and against which bots."""

    variant: Variant
    match_format: MatchFormat
    bots: tuple[Entrant, ...]
    isolation: str


@dataclass(slots=True, kw_only=True, eq=False)
class OpenTable:
    """A table."""

    id: str
    plan: TablePlan
    creator: TableCreator
    invitation: str = field(repr=False)  # with this others may join
    create_time: float  # Unix seconds; shown to people, never computed with
    deadline: float  # on the monotonic clock, for people to join
    opener: str = ""  # id of the key of who opened it
    people: list[SeatedPerson] = field(default_factory=list)
    state: TableState = TableState.WAITING
    players: tuple[str, ...] = ()  # by seat, once it is played
    tournament: int = 0  # that holds its match; 0: none yet
    reason: str = ""  # why it was cancelled

    @property
    def free_seats(self) -> int:
        """The seats that wait for people."""
        return self.plan.variant.players - len(self.plan.bots) - len(self.people)

    @property
    def names(self) -> list[str]:
        """Who plays: by seat once it is played, before that in no order."""
        return [*self.players] or [
            entrant.name for entrant in (*self.plan.bots, *(one.entrant for one in self.people))
        ]

    def find_person(self, key: Token | None) -> SeatedPerson | None:
        """Return whose key this is; None for another's."""
        for person in self.people:
            if key is not None and person.key.id == key.id and key.has_hash(person.key.hash):
                return person
        return None

    def seat(self, name: str) -> Token:
        """Give a person a seat; return its key. Raises `InvalidInputError` for a name."""
        name = name.strip()
        try:
            _NAME.check(name)
        except InvalidInputError as error:
            raise InvalidInputError(f"name: {error}") from error
        if not name or set(name) & set("*/,"):
            raise InvalidInputError(f"name: expected some characters, none of * / , got {name!r}")
        if any(person.name.casefold() == name.casefold() for person in self.people):
            raise InvalidInputError(f"name: somebody at this table is called {name} already")
        key = Token.draw()
        self.people.append(SeatedPerson(name=name, key=key))
        return key
