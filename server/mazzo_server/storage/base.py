"""The rows of the store, and the Protocol of every store."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from mazzo_server.model import (
    Definition,
    InstanceLog,
    Manifest,
    MatchOutcome,
    NodeResult,
    Role,
    TournamentKind,
    TrialReport,
)
from mazzo_server.storage.entries import EntryStore
from mazzo_server.storage.hooks import Announcement, HookStore
from mazzo_server.storage.match_query import FoundMatch, MatchPosition, MatchQuery

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
    """How far a tournament has come. After a crash a tournament may stay `RUNNING`."""

    CREATED = "created"
    RUNNING = "running"
    PAUSED = "paused"  # until somebody resumes it
    # For good; what was played stays. Without an end, its matches are still being brought here.
    CANCELLED = "cancelled"
    FINISHED = "finished"

    @property
    def is_over(self) -> bool:
        """Whether nothing more is played. From then on its seed and all cards may be shown."""
        return self in (TournamentStatus.CANCELLED, TournamentStatus.FINISHED)


@dataclass(frozen=True, slots=True, kw_only=True)
class BotRow:
    """A bot; its versions say what it plays, and how."""

    name: str
    retired: bool
    create_time: float  # Unix seconds of its first version; shown to people, never computed with
    owner: str = ""  # name of the author who submitted it first; "": the organiser
    remote: bool = False  # it plays from its author's machine: its versions have no files here
    chosen: int | None = None  # number of the version that enters; None: nobody chose one


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One submission of a bot."""

    bot: str
    number: int  # 1, 2, 3 … for each bot
    content_hash: str  # 64 hex digits
    manifest: Manifest
    trial: TrialReport | None  # None until its trial was played to its end
    create_time: float  # Unix seconds; shown to people, never computed with


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRow:
    """A tournament: what it is, and how far it has come."""

    id: int  # 1, 2, 3 … for each store, never used twice
    definition: Definition
    concurrency: int  # matches at a time
    status: TournamentStatus
    create_time: float  # Unix seconds; shown to people, never computed with
    end_time: float | None  # the same; None until it is over
    matches_played: int = 0  # stored matches
    run_seconds: float = 0.0  # time of play, all runs together
    pruned: bool = False  # the deals and logs of its matches were thrown away
    # Counts what changes the standings other than more matches: withdrawals, amendments, and
    # every time that the tournament is finished or is no longer finished.
    revision: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WithdrawalRow:
    """An entrant that was withdrawn from a tournament; all its results are void."""

    tournament: int
    entrant: int  # index in the definition's entrants
    reason: str  # for a person
    log: InstanceLog | None = None  # of its last instance; None where it was thrown away


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRow:
    """An access token; its secret is not stored."""

    id: str
    role: Role
    subject: str  # the name of the author or of the remote bot; "" for an organiser
    label: str  # what it is for, written by a person
    hash: bytes = field(repr=False)  # SHA-256 of its secret
    create_time: float  # Unix seconds; shown to people, and they are listed in this order
    revoked: bool
    expire_time: float | None = None  # Unix seconds from which it is refused; None: never
    last_use_time: float | None = None  # Unix seconds, to the hour or so; None: never


class Claim(Protocol):
    """The right to play a tournament. One process at a time has it."""

    def is_lost(self) -> bool:
        """Tell whether somebody else may have it by now, because the database went away meanwhile.

        Blocks. Even then no match is stored twice: the store refuses a match that is there.
        """
        ...

    def release(self) -> None:
        """Give the right up. Releasing twice is harmless."""
        ...


class Store(HookStore, EntryStore, Protocol):
    """What the platform remembers.

    Laws of every implementation:

    - A call is one transaction. When it returns, what it wrote survives a crash of the
      process and of the machine; when it raises, it wrote nothing. There is one exception: if a
      database goes away at the very end of a call, the call may raise although it wrote.
    - A match is wholly in or wholly out, is never changed, and is never stored twice.
    - Calls may come from several threads, and, for a store on disk, from several processes.
    - A name or number that is not there raises `NotFoundError`; something that is there
      already raises `ConflictError`; a store that cannot be read or written raises
      `StoreError`. No call raises anything else, unless it says so.

    Calls block: code on an event loop makes them in a thread.
    """

    def add_version(
        self,
        name: str,
        *,
        content_hash: str,
        manifest: Manifest,
        create_time: float,
        owner: str = "",
        remote: bool = False,
    ) -> VersionRow:
        """Add the next version of a bot; add the bot too, for that owner, if it is new.

        A retired bot becomes active again. Raises `ConflictError` if the bot belongs to another
        author (the organiser, "", may add to any bot). Raises `InvalidInputError` for an upload
        to a remote bot, and for a remote version of an uploaded bot.
        """
        ...

    def import_versions(self, versions: Sequence[VersionRow], *, remote: Collection[str]) -> None:
        """Keep versions that were submitted to another store, under the numbers they have there.

        A new bot is the organiser's, and retired: its files are not here. A version that is here
        already with the same content stays as it is. `remote` has the names of the bots that play
        from elsewhere. Raises `ConflictError`, and keeps none, where a bot is another one here: see
        `check_same_bot`.
        """
        ...

    def set_trial(
        self,
        name: str,
        number: int,
        *,
        trial: TrialReport,
        tried: str | None = None,
        announcement: Announcement | None = None,
    ) -> None:
        """Keep the report of a version's trial, in place of an earlier report.

        `tried` is the content hash of what was tried: a version with another one is not there, for
        the bot was deleted meanwhile, and its name is that of another one. The `announcement` goes
        to the hooks in the same transaction.
        """
        ...

    def bots(self) -> list[BotRow]:
        """Return all bots by name, retired ones too."""
        ...

    def bot(self, name: str) -> BotRow | None:
        """Return the bot of that name; None: there is none."""
        ...

    def versions(self, name: str) -> list[VersionRow]:
        """Return all versions of a bot, the oldest first."""
        ...

    def version(self, name: str, number: int | None = None) -> VersionRow:
        """Return one version of a bot; without a number the newest."""
        ...

    def choose_version(self, name: str, number: int | None) -> None:
        """Choose the version of a bot that enters tournaments; None takes the choice back."""
        ...

    def retire(self, name: str) -> None:
        """Retire a bot: it enters nothing more. Retiring a retired bot changes nothing."""
        ...

    def delete_bot(self, name: str) -> list[str]:
        """Delete a bot with its versions, and return the content hashes that no version has now.

        Its keys are revoked, so that they do not open a later bot of its name.

        Raises `ConflictError` for an entrant of a tournament, whatever came of it. From then on
        anybody may use the name, from version 1 on; so it is taken out of open tournaments.
        """
        ...

    def add_tournament(
        self,
        definition: Definition,
        *,
        concurrency: int,
        create_time: float,
        status: TournamentStatus = TournamentStatus.CREATED,
    ) -> TournamentRow:
        """Add a tournament without matches."""
        ...

    def delete_tournament(self, tournament_id: int) -> None:
        """Delete a tournament with its matches and all that derives from them.

        The store forgets the ranking of its variant after this tournament and after later ones,
        unless its kind is of those that count for none. Call it with the claim of the tournament.
        """
        ...

    def tournament(self, tournament_id: int) -> TournamentRow:
        """Return the tournament of that number."""
        ...

    def tournaments(self, *, every_kind: bool = False) -> list[TournamentRow]:
        """Return all tournaments by number; or tables of people and challenges, too."""
        ...

    def challenges(self, *, since: float, most: int | None = None) -> list[TournamentRow]:
        """Return by number the challenges that are not over, and those created since then.

        `since` is in Unix seconds. Of those that are over there are the newest, `most` at most.
        """
        ...

    def tournaments_of_kind(self, kind: TournamentKind) -> list[TournamentRow]:
        """Return all tournaments of a kind by number."""
        ...

    def set_status(
        self,
        tournament_id: int,
        status: TournamentStatus,
        *,
        end_time: float | None = None,
        announcement: Announcement | None = None,
    ) -> None:
        """Set how far a tournament has come, and its end; without `end_time` it has none.

        An end before the beginning is stored as the beginning: the machine's clock was set back.
        The `announcement` goes to the hooks in the same transaction.

        If the tournament is finished now and was not before, or the other way round, the store
        forgets the ranking of its variant after this tournament and after later ones, unless its
        kind is of those that count for none.
        """
        ...

    def add_run_time(self, tournament_id: int, seconds: float) -> None:
        """Add to the time for which a tournament was played."""
        ...

    def amend(self, tournament_id: int, definition: Definition) -> None:
        """Replace the definition, after entrants joined or were retired.

        The store forgets what derives from the old one: the checkpoint, unless results stay as they
        were (`PairingScheme.keeps_results`), and the states of the ranking if the tournament is
        finished.
        """
        ...

    def claim(self, tournament_id: int) -> Claim | None:
        """Take the right to play a tournament; return None while somebody has it.

        The right is free again when it is released, or when its process dies.
        """
        ...

    def is_claimed(self, tournament_id: int) -> bool:
        """Tell whether some process has the right to play the tournament."""
        ...

    def claim_hooks(self) -> Claim | None:
        """Take the right to deliver what waits for hooks; return None while somebody has it.

        The right is free again when it is released, or when its process dies.
        """
        ...

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        """Store finished matches in one transaction: all of them or none.

        Raises `ConflictError` for a match that is stored already or given twice. Thinking times
        have 32 bits: a decision of more than 71 minutes is stored as one of 71 minutes. Of the
        node that played a match only `node_results` knows; `outcomes` does not return it.
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
        """Return the finished matches by (group, seating), of all mirror groups or of some.

        `group` asks for one group, `first_group` and `end_group` for a range without its end.
        Without `with_deals` each deal has its dealer, scores and `forfeited`, which standings
        need, but no actions, micros, substituted and notes; and faults have no log. A pruned
        tournament has no more than that.
        """
        ...

    def node_results(self, tournament_id: int) -> list[NodeResult]:
        """Return how entrants fared by node and entrant, over all stored matches."""
        ...

    def find_matches(
        self, query: MatchQuery, *, limit: int, after: MatchPosition | None = None
    ) -> list[FoundMatch]:
        """Return at most `limit` matches that are wanted, in the order wanted, the first after one.

        Only those are found of which everything may be shown: every seating of the mirror group is
        stored, or the tournament is over.
        """
        ...

    def finished_matches(
        self, tournament_id: int, *, first_group: int = 0, end_group: int | None = None
    ) -> set[tuple[int, int]]:
        """Return the finished matches of a range of groups as pairs (group, seating)."""
        ...

    def begin_matches(self, tournament_id: int, keys: Sequence[tuple[int, int]]) -> list[int]:
        """Note that matches, given by group and seating, begin; return the attempt of each.

        The first attempt is 0. Call it before the first card of a match is shown, and only for
        matches that have another seed at each attempt.
        """
        ...

    def attempts(self, tournament_id: int, *, group: int) -> dict[int, int]:
        """Return the latest attempt at each match of a mirror group, by seating.

        Matches that never went through `begin_matches` are not among them.
        """
        ...

    def add_spoilt(self, tournament_id: int, group: int, seating: int) -> None:
        """Count that a fault of the platform spoilt a match."""
        ...

    def spoilt_matches(self, tournament_id: int) -> dict[tuple[int, int], int]:
        """Return how often each match was spoilt, by (group, seating), of those that were."""
        ...

    def next_group(self, tournament_id: int) -> int:
        """Return the number after that of the last mirror group with a match stored or begun.

        Without any it is 0. Only matches that went through `begin_matches` count as begun.
        """
        ...

    def add_withdrawal(
        self, tournament_id: int, entrant: int, *, reason: str, log: InstanceLog | None = None
    ) -> None:
        """Withdraw an entrant; raise `ConflictError` if it is withdrawn already.

        The store forgets what derives from the tournament, as for `amend`.
        """
        ...

    def withdrawals(self, tournament_id: int) -> list[WithdrawalRow]:
        """Return the withdrawn entrants of a tournament by index."""
        ...

    def record_bytes(self, tournament_id: int) -> int:
        """Return how many bytes `prune` would throw away: the deals and logs of a tournament."""
        ...

    def prune(self, tournament_id: int) -> None:
        """Throw away the actions and times of a tournament's deals, and the logs of its bots.

        From then on `outcomes` returns its matches without them. Standings and rankings need
        none of it. Raises `ConflictError` unless the tournament is finished or cancelled;
        pruning a pruned tournament changes nothing.
        """
        ...

    def compact(self) -> None:
        """Give the space of what was thrown away back to the disk, as far as the database can.

        This is not one transaction. SQLite writes the file anew: the disk must have room for it,
        and everybody who writes waits meanwhile.
        """
        ...

    def keep_checkpoint(
        self, tournament_id: int, groups: int, state: str, *, revision: int | None = None
    ) -> None:
        """Keep the state of the standings after the first groups, in place of an earlier state.

        `revision` is that of the row from which the state was made: if the tournament has
        another one by now, nothing is kept.
        """
        ...

    def checkpoint(self, tournament_id: int) -> tuple[int, str] | None:
        """Return how many groups the kept state covers, and the state; None: there is none."""
        ...

    def keep_schedule(self, tournament_id: int, state: str) -> None:
        """Keep what a ladder plays next, as text, in place of an earlier one.

        It follows from what was played, so no change of the definition makes it forgotten.
        """
        ...

    def schedule(self, tournament_id: int) -> str | None:
        """Return what `keep_schedule` kept; None: nothing was."""
        ...

    def keep_ranking(
        self,
        variant: str,
        tournament: int,
        state: str,
        *,
        revision: tuple[int, int] | None = None,
    ) -> None:
        """Keep the ranking of a variant after its finished tournaments up to this one.

        `revision` is the number of all tournaments up to this one, of any variant and without
        tables of people, and the sum of their revisions, in rows that were read before anything
        else: if it is another one by now, nothing is kept. The sum alone may come back after a
        tournament was deleted.
        """
        ...

    def ranking_state(self, variant: str, before: int) -> tuple[int, str] | None:
        """Return the newest tournament with a lower number that has a state, and the state."""
        ...

    def forget_rankings(self, variant: str, from_tournament: int) -> None:
        """Forget the kept states of a variant after this tournament and later ones."""
        ...

    def add_token(self, token: TokenRow) -> None:
        """Keep a new token; raise `ConflictError` if its id is taken."""
        ...

    def token(self, token_id: str) -> TokenRow | None:
        """Return the token of that id, revoked or not; None: there is none."""
        ...

    def tokens(self) -> list[TokenRow]:
        """Return all tokens, the oldest first."""
        ...

    def revoke_token(self, token_id: str) -> None:
        """Revoke a token for good. Revoking a revoked token changes nothing."""
        ...

    def mark_token_used(self, token_id: str, time: float) -> None:
        """Note when a token was used; an earlier time than the noted one changes nothing."""
        ...

    def check_place(self) -> None:
        """Raise `StoreError` unless the store is where it was opened: neither gone nor replaced.

        A store in a file checks this at each call too, for a deleted file can still be written.
        """
        ...

    def close(self) -> None:
        """Close the store. Closing twice is harmless; no other call may follow."""
        ...
