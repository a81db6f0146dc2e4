"""The rows of the store, and the Protocol that every store keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from mazzo_server.model import Definition, MatchOutcome, Role

__all__ = [
    "BotRow",
    "Claim",
    "Store",
    "TokenRow",
    "TournamentRow",
    "TournamentStatus",
    "VersionRow",
    "WithdrawalRow",
]


class TournamentStatus(StrEnum):
    """How far a tournament has come. `RUNNING` may also mean that its process died."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"  # until somebody resumes it
    CANCELLED = "cancelled"  # for good; what was played stays
    FINISHED = "finished"

    @property
    def is_over(self) -> bool:
        """Whether nothing more is played, so that its seed and all its cards may be shown."""
        return self in (TournamentStatus.CANCELLED, TournamentStatus.FINISHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRow:
    """A bot; what it plays with stands in its versions."""

    name: str
    retired: bool
    create_time: float  # Unix seconds of its first version, only ever shown to people
    owner: str = ""  # name of the author who submitted it first; "": the organiser
    remote: bool = False  # it plays from its author's machine: its versions have no files here
    chosen: int | None = None  # number of the version that enters; None: see `qualification`


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One submission of a bot."""

    bot: str
    number: int  # 1, 2, 3 … for each bot
    content_hash: str  # 64 hex digits
    manifest: dict[str, Any]  # JSON
    trial: dict[str, Any] | None  # JSON, the report of its trial match; None before it
    create_time: float  # Unix seconds, only ever shown to people


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    """A tournament: what it is, and how far it has come."""

    id: int  # 1, 2, 3 … for each store, never used again
    definition: Definition
    concurrency: int  # matches at a time
    status: TournamentStatus
    create_time: float  # Unix seconds, only ever shown to people
    end_time: float | None  # the same; None until it is over
    matches_played: int = 0  # those that are stored
    run_seconds: float = 0.0  # for how long it was played, all its runs together
    pruned: bool = False  # the deals and logs of its matches were thrown away
    # Counts the changes of what standings derive from, other than more matches: entrants that
    # were withdrawn or amended, and whether it is finished.
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalRow:
    """An entrant that was taken out of a tournament; all its results are void."""

    tournament: int
    entrant: int  # index in the definition's entrants
    reason: str  # for a person
    log: str = ""  # the end of what its bot wrote


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    """An access token; its secret is not stored."""

    id: str
    role: Role
    subject: str  # the author's name, the remote bot's, or "" for an organiser
    label: str  # what it is for, for a person
    hash: bytes = field(repr=False)  # SHA-256 of its secret
    create_time: float  # Unix seconds, only ever shown to people
    revoked: bool


class Claim(Protocol):
    """The right to play a tournament, which one process at a time has."""

    def is_lost(self) -> bool:
        """Whether somebody else may have it by now, since the database went away meanwhile.

        Blocks. Nothing is ever stored twice for it: the store refuses a match that is there.
        """
        ...

    def release(self) -> None:
        """Give it up. Releasing twice is harmless."""
        ...


class Store(Protocol):
    """What the platform remembers.

    Laws of every implementation:

    - A call is one transaction. When it returns, what it wrote survives a crash of the
      process and of the machine; when it raises, it wrote nothing. Only when a database server
      goes away at the very end of a call may it be written although the call raises.
    - A match is wholly in or wholly out, is never changed, and is never stored twice.
    - Calls may come from several threads, and, for a store on disk, from several processes.
    - A name or number that is not there raises `NotFoundError`; something that is there
      already raises `ConflictError`; a store that cannot be read or written raises
      `StoreError`. Nothing else is raised.

    Calls block: code on an event loop makes them in a thread.
    """

    def add_version(
        self,
        name: str,
        *,
        content_hash: str,
        manifest: dict[str, Any],
        create_time: float,
        owner: str = "",
        remote: bool = False,
    ) -> VersionRow:
        """Add the next version of a bot, and the bot, of that owner, when it is new.

        A retired bot becomes active again. Raises `ConflictError` for a version of another
        author's bot (the organiser, "", may add to any), and `InvalidInputError` for an upload
        to a remote bot and for a remote version of an uploaded one.
        """
        ...

    def set_trial(self, name: str, number: int, *, trial: dict[str, Any]) -> None:
        """Keep the report of a version's trial match, in place of an earlier one."""
        ...

    def bots(self) -> list[BotRow]:
        """All bots by name, retired ones too."""
        ...

    def bot(self, name: str) -> BotRow | None:
        """The bot of that name, or None."""
        ...

    def versions(self, name: str) -> list[VersionRow]:
        """All versions of a bot, oldest first."""
        ...

    def version(self, name: str, number: int | None = None) -> VersionRow:
        """One version of a bot; without a number the newest."""
        ...

    def choose_version(self, name: str, number: int | None) -> None:
        """Choose the version of a bot that enters tournaments; None takes a choice back."""
        ...

    def retire(self, name: str) -> None:
        """Take a bot out of what can be entered. Retiring a retired bot changes nothing."""
        ...

    def add_tournament(
        self, definition: Definition, *, concurrency: int, create_time: float
    ) -> TournamentRow:
        """Add a tournament in status `CREATED`."""
        ...

    def tournament(self, tournament_id: int) -> TournamentRow:
        """The tournament of that number."""
        ...

    def tournaments(self) -> list[TournamentRow]:
        """All tournaments by number."""
        ...

    def set_status(
        self, tournament_id: int, status: TournamentStatus, *, end_time: float | None = None
    ) -> None:
        """Set how far a tournament has come, and its end (None takes an earlier one back).

        When it is finished from now on, or no more, the states of its variant's ranking from
        it on are forgotten.
        """
        ...

    def add_run_time(self, tournament_id: int, seconds: float) -> None:
        """Add to how long a tournament was played."""
        ...

    def amend(self, tournament_id: int, definition: Definition) -> None:
        """Replace the definition, when entrants joined or were retired.

        What derives from it (checkpoint, and, of a finished one, ranking states) is forgotten.
        """
        ...

    def claim(self, tournament_id: int) -> Claim | None:
        """The right to play a tournament; None while somebody has it.

        It is free again when it is released, or when its process dies.
        """
        ...

    def is_claimed(self, tournament_id: int) -> bool:
        """Whether some process has the right to play the tournament."""
        ...

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        """Store finished matches in one transaction: all of them or none.

        A match that is there already, or twice among them, raises `ConflictError`.
        Thinking times have 32 bits: above 71 minutes a decision may be kept as 71 minutes.
        """
        ...

    def outcomes(
        self,
        tournament_id: int,
        *,
        with_deals: bool,
        group: int | None = None,
        first_group: int = 0,
        end_group: int | None = None,
    ) -> list[MatchOutcome]:
        """The finished matches by (group, seating), of all mirror groups or of some.

        Of one `group`, or of those from `first_group` up to `end_group`, which is not among
        them. Without `with_deals` each deal has its dealer, scores and `forfeited`, which is what
        standings need, but no actions, micros, substituted and notes; and faults have no log. Of a
        pruned tournament there is no more than that.
        """
        ...

    def finished_matches(
        self, tournament_id: int, *, first_group: int = 0, end_group: int | None = None
    ) -> set[tuple[int, int]]:
        """The finished matches as pairs (group, seating), of the groups of such a range."""
        ...

    def begin_matches(self, tournament_id: int, keys: Sequence[tuple[int, int]]) -> list[int]:
        """Note that matches, given by group and seating, begin; the attempt that each one is.

        The first attempt is 0. Kept for matches alone that are played from another seed each
        time, before their first card is shown.
        """
        ...

    def attempts(self, tournament_id: int, *, group: int) -> dict[int, int]:
        """The latest attempt that has begun of the matches of a mirror group, by seating.

        Only of matches that `begin_matches` was told of.
        """
        ...

    def next_group(self, tournament_id: int) -> int:
        """One more than the last mirror group of which a match is stored or was begun; or 0.

        Begun, as far as `begin_matches` was told.
        """
        ...

    def add_withdrawal(
        self, tournament_id: int, entrant: int, *, reason: str, log: str = ""
    ) -> None:
        """Withdraw an entrant; `ConflictError` when it is withdrawn already.

        Forgets what derives from the tournament, as `amend` does.
        """
        ...

    def withdrawals(self, tournament_id: int) -> list[WithdrawalRow]:
        """The withdrawn entrants of a tournament by index."""
        ...

    def record_bytes(self, tournament_id: int) -> int:
        """How much `prune` would throw away of a tournament: its deals and logs, in bytes."""
        ...

    def prune(self, tournament_id: int) -> None:
        """Throw away the actions and times of a tournament's deals, and the logs of its bots.

        From then on `outcomes` gives its matches without them. Standings and rankings need
        none of it. Raises `ConflictError` unless the tournament is finished or cancelled;
        pruning a pruned one changes nothing.
        """
        ...

    def compact(self) -> None:
        """Give back the space of what was thrown away, as far as the database can.

        Not one transaction. In SQLite the file is written anew, for which the disk must have
        room, and everybody who writes waits meanwhile.
        """
        ...

    def keep_checkpoint(
        self, tournament_id: int, groups: int, state: str, *, revision: int | None = None
    ) -> None:
        """Keep what the first groups of a tournament came to, in place of an earlier state.

        Give the `revision` of the row that it was made from: nothing is kept when it is
        another one by now.
        """
        ...

    def checkpoint(self, tournament_id: int) -> tuple[int, str] | None:
        """The kept state and how many groups it covers, None when there is none."""
        ...

    def keep_ranking(
        self, variant: str, tournament: int, state: str, *, revision: int | None = None
    ) -> None:
        """Keep the ranking of a variant as it is after its finished tournaments up to that one.

        Give the sum of the revisions of all tournaments up to that number, whatever their
        variant, from rows that were read before anything else: nothing is kept when it is
        another one by now.
        """
        ...

    def ranking_state(self, variant: str, before: int) -> tuple[int, str] | None:
        """The newest kept state after a tournament whose number is lower; and that number."""
        ...

    def forget_rankings(self, variant: str, from_tournament: int) -> None:
        """Forget the kept states of a variant after that tournament and later ones."""
        ...

    def add_token(self, token: TokenRow) -> None:
        """Keep a new token; `ConflictError` when its id is taken."""
        ...

    def token(self, token_id: str) -> TokenRow | None:
        """The token of that id, revoked or not, or None."""
        ...

    def tokens(self) -> list[TokenRow]:
        """All tokens, the oldest first."""
        ...

    def revoke_token(self, token_id: str) -> None:
        """Revoke a token for good. Revoking a revoked token changes nothing."""
        ...

    def close(self) -> None:
        """Let go of the store. Closing twice is harmless; no other call may follow."""
        ...
