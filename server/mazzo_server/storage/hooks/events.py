"""The events of which hooks are told: a frozen dataclass each, which `EVENTS` names.

An event holds the facts and says them in a sentence. A new kind is one more class, and its line in
`EVENTS`; nothing else knows the kinds.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Final, Protocol, Self, TypeAlias

__all__ = [
    "Announcement",
    "ChallengeAnswered",
    "HookEvent",
    "HookTest",
    "LadderOvertaking",
    "PlatformFault",
    "TournamentOver",
    "TrialFailed",
    "TrialPassed",
    "decode_event",
    "list_event_kinds",
]

_ID_BYTES: Final = 16
_MOST_TEXT: Final = 500  # characters of what is told of a fault

Quote: TypeAlias = Callable[[str], str]
"""Makes a name, or another text of a stranger, a part of a sentence."""


class HookEvent(Protocol):
    """Something that hooks may want to know. Its fields are values of JSON, or tuples of them."""

    kind: ClassVar[str]  # its name for people and programs
    meaning: ClassVar[str]  # when there is one, for a person

    def describe(self, quote: Quote) -> str:
        """Return a sentence, with every text of a stranger quoted."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentOver:
    """Nothing more of a tournament is played."""

    kind: ClassVar = "tournament-over"
    meaning: ClassVar = "a tournament is finished or cancelled"

    tournament: int  # its number
    name: str  # that its organiser gave it; may be ""
    variant: str
    status: str  # "finished" or "cancelled"
    matches_played: int
    leaders: tuple[str, ...] = ()  # the names of the first rows of its standings, the best first

    def describe(self, quote: Quote) -> str:
        """See `HookEvent`."""
        name = f" {quote(self.name)}" if self.name else ""
        sentence = (
            f"Tournament {self.tournament}{name}, {quote(self.variant)}, is {self.status} after "
            f"{self.matches_played} match{'' if self.matches_played == 1 else 'es'}."
        )
        return sentence + _list_places(self.leaders, quote)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeAnswered:
    """Nothing more of a challenge is played."""

    kind: ClassVar = "challenge-answered"
    meaning: ClassVar = "a challenge is finished or cancelled"

    tournament: int  # its number
    variant: str
    author: str  # who asked for it; "": an organiser
    bot: str  # that challenges
    version: int
    opponent: str
    opponent_version: int
    status: str  # "finished" or "cancelled"
    groups: int  # mirror groups that count
    wins: int = 0  # of these, in which the bot was better than all others at the table
    draws: int = 0  # in which it shared the first place
    losses: int = 0
    score_per_deal: float | None = None  # of the bot; None without a deal that counts

    def describe(self, quote: Quote) -> str:
        """See `HookEvent`."""
        asked = f", asked for by {quote(self.author)}," if self.author else ""
        sentence = (
            f"Challenge {self.tournament}, {quote(self.variant)}, {quote(self.bot)} version "
            f"{self.version} against {quote(self.opponent)} version {self.opponent_version}"
            f"{asked} is {self.status}"
        )
        if not self.groups:
            return f"{sentence}."
        score = (
            "" if self.score_per_deal is None else f" It scored {self.score_per_deal:.2f} a deal."
        )
        return (
            f"{sentence}: {quote(self.bot)} won {self.wins}, drew {self.draws} and lost "
            f"{self.losses} of {self.groups} mirror groups.{score}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderOvertaking:
    """A bot of a ladder is now better than others that were better before, as sure as it asks."""

    kind: ClassVar = "ladder-overtaking"
    meaning: ClassVar = "a bot has overtaken others on a ladder"

    season: int  # the number of the season as a tournament
    variant: str
    bot: str
    overtaken: tuple[str, ...]  # bots, from the lowest place
    place: int  # of the bot, from 1

    def describe(self, quote: Quote) -> str:
        """See `HookEvent`."""
        return (
            f"Ladder of {quote(self.variant)}: {quote(self.bot)} has overtaken "
            f"{', '.join(map(quote, self.overtaken))}, and is number {self.place}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPassed:
    """A version of a bot passed the whole of its trial."""

    kind: ClassVar = "trial-passed"
    meaning: ClassVar = "a version of a bot passed its trial"

    bot: str
    version: int
    qualified: tuple[str, ...]  # variants, without options, that it may enter

    def describe(self, quote: Quote) -> str:
        """See `HookEvent`."""
        games = ", ".join(map(quote, self.qualified))
        return f"{quote(self.bot)} version {self.version} passed its trial: {games}."


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFailed:
    """A version of a bot failed its trial, or a part of it."""

    kind: ClassVar = "trial-failed"
    meaning: ClassVar = "a version of a bot failed its trial, or a part of it"

    bot: str
    version: int
    qualified: tuple[str, ...]  # variants, without options, that it may enter all the same

    def describe(self, quote: Quote) -> str:
        """See `HookEvent`."""
        sentence = f"{quote(self.bot)} version {self.version} failed its trial."
        if self.qualified:
            sentence += f" It may enter {', '.join(map(quote, self.qualified))} all the same."
        return sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformFault:
    """Something of the platform does not work, through no fault of a bot."""

    kind: ClassVar = "platform-fault"
    meaning: ClassVar = "a tournament, or a part of the server, failed through no fault of a bot"

    action: str  # that of the record in the log: docs/reference/logs.md
    text: str  # for a person
    tournament: int | None = None  # that cannot go on; None: it is not about a tournament
    times: int = 1  # that it happened since the last time that it was told

    def __post_init__(self) -> None:
        """Cut the text, which may be that of any error."""
        object.__setattr__(self, "text", self.text[:_MOST_TEXT])

    def describe(self, quote: Quote) -> str:
        """See `HookEvent`."""
        often = f" ({self.times} times)" if self.times > 1 else ""
        return f"Fault of the platform{often}: {quote(self.text)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookTest:
    """An organiser tests a hook; it is never queued."""

    kind: ClassVar = "test"
    meaning: ClassVar = "an organiser tests the hook"

    def describe(self, quote: Quote) -> str:
        """See `HookEvent`."""
        return "This is a test of a hook of Mazzo. Events arrive here."


EVENTS: Final[Mapping[str, type[HookEvent]]] = {
    one.kind: one
    for one in (
        TournamentOver,
        ChallengeAnswered,
        LadderOvertaking,
        TrialPassed,
        TrialFailed,
        PlatformFault,
    )
}
"""The kinds that a hook may ask for."""


def list_event_kinds() -> tuple[str, ...]:
    """Return the kinds that a hook may ask for."""
    return tuple(EVENTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """An event with the id under which receivers tell whether they have it already."""

    id: str
    time: float  # Unix seconds; shown to people, never computed with
    event: HookEvent

    @classmethod
    def of(cls, event: HookEvent, *, time: float) -> Self:
        """Return an event under a new id."""
        return cls(id=f"evt_{secrets.token_hex(_ID_BYTES)}", time=time, event=event)

    def to_json(self) -> dict[str, object]:
        """Return the facts of the event as JSON values, for `decode_event`."""
        return asdict(self.event)  # type: ignore[call-overload, no-any-return]


def decode_event(kind: str, data: Mapping[str, Any]) -> HookEvent:
    """Return the event of the data that `Announcement.to_json` made."""
    fields = {name: tuple(v) if isinstance(v, list) else v for name, v in data.items()}
    return EVENTS[kind](**fields)


def _list_places(names: Sequence[str], quote: Quote) -> str:
    return "".join(f" {place}. {quote(name)}" for place, name in enumerate(names, 1))
