"""The store in memory, for tests and for tournaments that nobody wants to keep."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import RLock

from mazzo_server.model import (
    Definition,
    InstanceLog,
    Manifest,
    MatchOutcome,
    NodeResult,
    Role,
    TournamentKind,
    TrialReport,
    compute_match_results,
    compute_node_results,
)
from mazzo_server.storage.base import (
    BotRow,
    Claim,
    TokenRow,
    TournamentRow,
    TournamentStatus,
    VersionRow,
    WithdrawalRow,
)
from mazzo_server.storage.entries import MemoryEntries
from mazzo_server.storage.hooks import Announcement, MemoryHooks
from mazzo_server.storage.match_query import FoundMatch, MatchOrder, MatchPosition, MatchQuery
from mazzo_server.storage.refusals import (
    check_bot,
    check_new,
    check_same_bot,
    check_tried,
    check_unused,
    make_imported_bot,
    make_no_bot_error,
    make_no_token_error,
    make_no_tournament_error,
    make_no_version_error,
    make_not_over_error,
    make_token_exists_error,
    make_withdrawn_error,
)

__all__ = ["MemoryStore"]

_HOOKS = 0  # the claim on what waits for hooks: no tournament has this number


class MemoryStore(MemoryHooks, MemoryEntries):
    """A `Store` that lasts as long as the object."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = RLock()
        self._bots: dict[str, BotRow] = {}
        self._versions: dict[str, dict[int, VersionRow]] = {}  # by number
        self._tournaments: dict[int, TournamentRow] = {}
        self._outcomes: dict[int, dict[tuple[int, int], MatchOutcome]] = {}
        self._withdrawals: dict[int, dict[int, WithdrawalRow]] = {}
        self._tokens: dict[str, TokenRow] = {}
        self._begun: Counter[tuple[int, int, int]] = Counter()
        self._spoilt: dict[int, Counter[tuple[int, int]]] = {}
        self._checkpoints: dict[int, tuple[int, str]] = {}
        self._schedules: dict[int, str] = {}
        self._rankings: dict[str, dict[int, str]] = {}
        self._claims: dict[int, Claim] = {}
        self._newest = 0  # number of a tournament, which may be deleted

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
        with self._lock:
            bot = self._bots.get(name) or BotRow(
                name=name, retired=False, create_time=create_time, owner=owner, remote=remote
            )
            check_bot(bot, owner=owner, remote=remote)
            self._bots[name] = replace(bot, retired=False)
            versions = self._versions.setdefault(name, {})
            number = max(versions, default=0) + 1
            versions[number] = VersionRow(
                bot=name,
                number=number,
                content_hash=content_hash,
                manifest=manifest,
                trial=None,
                create_time=create_time,
            )
            return versions[number]

    def import_versions(self, versions: Sequence[VersionRow], *, remote: Collection[str]) -> None:
        with self._lock:
            bots, kept = dict(self._bots), dict(self._versions)
            for version in versions:
                name = version.bot
                known = [row for _, row in sorted(kept.get(name, {}).items())]
                if check_same_bot(bots.get(name), known, version, remote=name in remote):
                    continue
                bots.setdefault(name, make_imported_bot(version, remote=name in remote))
                new = {version.number: replace(version, trial=None)}
                kept[name] = kept.get(name, {}) | new
            self._bots, self._versions = bots, kept

    def set_trial(
        self,
        name: str,
        number: int,
        *,
        trial: TrialReport,
        tried: str | None = None,
        announcement: Announcement | None = None,
    ) -> None:
        with self._lock:
            check_tried(self.version(name, number), tried)
            row = replace(self.version(name, number), trial=trial)
            self._versions[name][number] = row
            if announcement is not None:
                self.announce(announcement)

    def bots(self) -> list[BotRow]:
        with self._lock:
            return sorted(self._bots.values(), key=lambda row: row.name)

    def bot(self, name: str) -> BotRow | None:
        with self._lock:
            return self._bots.get(name)

    def versions(self, name: str) -> list[VersionRow]:
        with self._lock:
            if name not in self._versions:
                raise make_no_bot_error(name)
            return [row for _, row in sorted(self._versions[name].items())]

    def version(self, name: str, number: int | None = None) -> VersionRow:
        with self._lock:
            versions = self.versions(name)
            if number is None:
                return versions[-1]
            if number not in self._versions[name]:
                raise make_no_version_error(name, number)
            return self._versions[name][number]

    def choose_version(self, name: str, number: int | None) -> None:
        with self._lock:
            self.version(name, number)
            self._bots[name] = replace(self._bots[name], chosen=number)

    def retire(self, name: str) -> None:
        with self._lock:
            if name not in self._bots:
                raise make_no_bot_error(name)
            self._bots[name] = replace(self._bots[name], retired=True)

    def delete_bot(self, name: str) -> list[str]:
        with self._lock:
            gone = {row.content_hash for row in self.versions(name)}
            check_unused(name, self._tournaments.values())
            for token in list(self._tokens.values()):
                if token.role is Role.BOT and token.subject == name:
                    self.revoke_token(token.id)
            self._remove_entries(name)
            del self._bots[name], self._versions[name]
            kept = {row.content_hash for rows in self._versions.values() for row in rows.values()}
            return sorted(gone - kept - {""})

    def add_tournament(
        self,
        definition: Definition,
        *,
        concurrency: int,
        create_time: float,
        status: TournamentStatus = TournamentStatus.CREATED,
    ) -> TournamentRow:
        with self._lock:
            self._newest += 1
            row = TournamentRow(
                id=self._newest,
                definition=definition,
                concurrency=concurrency,
                status=status,
                create_time=create_time,
                end_time=None,
            )
            self._tournaments[row.id] = row
            self._outcomes[row.id] = {}
            self._withdrawals[row.id] = {}
            self._spoilt[row.id] = Counter()
            return row

    def delete_tournament(self, tournament_id: int) -> None:
        with self._lock:
            self._forget_rankings_from(self.tournament(tournament_id))
            for rows in (
                *(self._tournaments, self._outcomes, self._withdrawals),
                *(self._spoilt, self._checkpoints, self._schedules),
            ):
                rows.pop(tournament_id, None)
            for key in [key for key in self._begun if key[0] == tournament_id]:
                del self._begun[key]

    def tournament(self, tournament_id: int) -> TournamentRow:
        with self._lock:
            if tournament_id not in self._tournaments:
                raise make_no_tournament_error(tournament_id)
            return self._tournaments[tournament_id]

    def tournaments(self, *, every_kind: bool = False) -> list[TournamentRow]:
        with self._lock:
            rows = self._tournaments.values()
            return [row for row in rows if every_kind or _is_of(row, TournamentKind.TOURNAMENT)]

    def challenges(self, *, since: float, most: int | None = None) -> list[TournamentRow]:
        rows = self.tournaments(every_kind=True)
        found = [row for row in rows if _is_of(row, TournamentKind.CHALLENGE)]
        over = [row.id for row in found if row.status.is_over and row.create_time >= since]
        newest = set(over if most is None else over[max(0, len(over) - most) :])
        return [row for row in found if not row.status.is_over or row.id in newest]

    def tournaments_of_kind(self, kind: TournamentKind) -> list[TournamentRow]:
        rows = self.tournaments(every_kind=True)
        return [row for row in rows if row.definition.kind is kind]

    def set_status(
        self,
        tournament_id: int,
        status: TournamentStatus,
        *,
        end_time: float | None = None,
        announcement: Announcement | None = None,
    ) -> None:
        with self._lock:
            row = self.tournament(tournament_id)
            end_time = None if end_time is None else max(end_time, row.create_time)
            self._tournaments[tournament_id] = replace(row, status=status, end_time=end_time)
            if (row.status is TournamentStatus.FINISHED) != (status is TournamentStatus.FINISHED):
                self._revise(tournament_id)
                self._forget_rankings_from(row)
            if announcement is not None:
                self.announce(announcement)

    def add_run_time(self, tournament_id: int, seconds: float) -> None:
        with self._lock:
            row = self.tournament(tournament_id)
            self._tournaments[tournament_id] = replace(row, run_seconds=row.run_seconds + seconds)

    def amend(self, tournament_id: int, definition: Definition) -> None:
        with self._lock:
            row = self.tournament(tournament_id)
            self._forget_derived(row)
            self._tournaments[tournament_id] = replace(
                self._tournaments[tournament_id], definition=definition
            )

    def unfinished_rounds(self) -> list[int]:
        with self._lock:
            known = (self._tournaments.get(number) for number in self._list_round_tournaments())
            going_on = (TournamentStatus.CREATED, TournamentStatus.RUNNING)
            return [row.id for row in known if row is not None and row.status in going_on]

    def _begin_round(self, definition: Definition, concurrency: int, time: float) -> int:
        return self.add_tournament(definition, concurrency=concurrency, create_time=time).id

    def _revise(self, tournament_id: int) -> None:
        row = self._tournaments[tournament_id]
        self._tournaments[tournament_id] = replace(row, revision=row.revision + 1)

    def _forget_derived(self, row: TournamentRow) -> None:
        self._revise(row.id)
        if not row.definition.pairing.keeps_results:
            self._checkpoints.pop(row.id, None)
        if row.status is TournamentStatus.FINISHED:
            self._forget_rankings_from(row)

    def _forget_rankings_from(self, row: TournamentRow) -> None:
        if _is_of(row, TournamentKind.TOURNAMENT):
            self.forget_rankings(row.definition.variant, row.id)

    def claim(self, tournament_id: int) -> Claim | None:
        with self._lock:
            self.tournament(tournament_id)
            if tournament_id in self._claims:
                return None
            claim = self._claims[tournament_id] = _MemoryClaim(self._claims, tournament_id)
            return claim

    def is_claimed(self, tournament_id: int) -> bool:
        with self._lock:
            self.tournament(tournament_id)
            return tournament_id in self._claims

    def claim_hooks(self) -> Claim | None:
        with self._lock:
            if _HOOKS in self._claims:
                return None
            claim = self._claims[_HOOKS] = _MemoryClaim(self._claims, _HOOKS)
            return claim

    def add_outcomes(self, tournament_id: int, outcomes: Sequence[MatchOutcome]) -> None:
        with self._lock:
            self.tournament(tournament_id)
            stored = self._outcomes[tournament_id]
            check_new(tournament_id, outcomes, stored)
            stored.update({(outcome.group, outcome.seating): outcome for outcome in outcomes})
            row = self._tournaments[tournament_id]
            self._tournaments[tournament_id] = replace(row, matches_played=len(stored))

    def outcomes(
        self,
        tournament_id: int,
        *,
        with_deals: bool,
        group: int | None = None,
        first_group: int = 0,
        end_group: int | None = None,
    ) -> list[MatchOutcome]:
        with self._lock:
            self.tournament(tournament_id)
            found = [
                outcome
                for key, outcome in sorted(self._outcomes[tournament_id].items())
                if _is_wanted(key[0], group, first_group, end_group)
            ]
        return found if with_deals else [_drop_plays(outcome) for outcome in found]

    def find_matches(
        self, query: MatchQuery, *, limit: int, after: MatchPosition | None = None
    ) -> list[FoundMatch]:
        with self._lock:
            found = {
                position: match
                for row in self._tournaments.values()
                if query.tournament in (None, row.id)
                and query.variant in ("", row.definition.variant)
                for match in _list_matches(row, self._outcomes[row.id], query)
                if (position := match.find_position(query.order)) is not None
            }

        def sort_key(place: MatchPosition) -> tuple[float, ...]:
            value = place.value if query.reverse else -place.value
            time = place.end_time if query.order is MatchOrder.TIME else 0.0
            return (value, place.tournament, time, place.group, place.seating, place.seat)

        order = sorted(found, key=sort_key, reverse=True)
        if after is not None:
            order = [place for place in order if sort_key(place) < sort_key(after)]
        return [found[place] for place in order[:limit]]

    def finished_matches(
        self, tournament_id: int, *, first_group: int = 0, end_group: int | None = None
    ) -> set[tuple[int, int]]:
        with self._lock:
            self.tournament(tournament_id)
            return {
                key
                for key in self._outcomes[tournament_id]
                if _is_wanted(key[0], None, first_group, end_group)
            }

    def node_results(self, tournament_id: int) -> list[NodeResult]:
        with self._lock:
            self.tournament(tournament_id)
            return compute_node_results(self._outcomes[tournament_id].values())

    def record_bytes(self, tournament_id: int) -> int:
        with self._lock:
            self.tournament(tournament_id)
            outcomes = self._outcomes[tournament_id].values()
            plays = [deal for outcome in outcomes for deal in outcome.deals]
            numbers = sum(len(deal.micros) + len(deal.substituted) for deal in plays)
            logs = [fault.log for outcome in outcomes for fault in outcome.faults]
            logs += [gone.log for gone in self._withdrawals[tournament_id].values()]
            texts = sum(len(note) for deal in plays for _, note in deal.notes)
            texts += sum(len(log.text) for log in logs if log is not None)
            return sum(len(deal.actions) for deal in plays) + 4 * numbers + texts

    def prune(self, tournament_id: int) -> None:
        with self._lock:
            row = self.tournament(tournament_id)
            if not row.status.is_over:
                raise make_not_over_error(tournament_id)
            stored = self._outcomes[tournament_id]
            stored.update({key: _drop_plays(outcome) for key, outcome in stored.items()})
            gone = self._withdrawals[tournament_id]
            gone.update({entrant: replace(left, log=None) for entrant, left in gone.items()})
            self._tournaments[tournament_id] = replace(row, pruned=True)

    def compact(self) -> None:
        """Do nothing: memory is given back as it is thrown away."""

    def begin_matches(self, tournament_id: int, keys: Sequence[tuple[int, int]]) -> list[int]:
        with self._lock:
            self.tournament(tournament_id)
            attempts = [self._begun[tournament_id, *key] for key in keys]
            self._begun.update((tournament_id, *key) for key in keys)
            return attempts

    def attempts(self, tournament_id: int, *, group: int) -> dict[int, int]:
        with self._lock:
            self.tournament(tournament_id)
            return {
                seating: times - 1
                for (tournament, other, seating), times in self._begun.items()
                if (tournament, other) == (tournament_id, group)
            }

    def add_spoilt(self, tournament_id: int, group: int, seating: int) -> None:
        with self._lock:
            self.tournament(tournament_id)
            self._spoilt[tournament_id][group, seating] += 1

    def spoilt_matches(self, tournament_id: int) -> dict[tuple[int, int], int]:
        with self._lock:
            self.tournament(tournament_id)
            return dict(self._spoilt[tournament_id])

    def next_group(self, tournament_id: int) -> int:
        with self._lock:
            stored = [group for group, _ in self.finished_matches(tournament_id)]
            begun = [group for tournament, group, _ in self._begun if tournament == tournament_id]
            return max((*stored, *begun), default=-1) + 1

    def add_withdrawal(
        self, tournament_id: int, entrant: int, *, reason: str, log: InstanceLog | None = None
    ) -> None:
        with self._lock:
            row = self.tournament(tournament_id)
            rows = self._withdrawals[tournament_id]
            if entrant in rows:
                raise make_withdrawn_error(tournament_id, entrant)
            self._forget_derived(row)
            rows[entrant] = WithdrawalRow(
                tournament=tournament_id, entrant=entrant, reason=reason, log=log
            )

    def withdrawals(self, tournament_id: int) -> list[WithdrawalRow]:
        with self._lock:
            self.tournament(tournament_id)
            return [row for _, row in sorted(self._withdrawals[tournament_id].items())]

    def keep_checkpoint(
        self, tournament_id: int, groups: int, state: str, *, revision: int | None = None
    ) -> None:
        with self._lock:
            if revision in (None, self.tournament(tournament_id).revision):
                self._checkpoints[tournament_id] = (groups, state)

    def checkpoint(self, tournament_id: int) -> tuple[int, str] | None:
        with self._lock:
            self.tournament(tournament_id)
            return self._checkpoints.get(tournament_id)

    def keep_schedule(self, tournament_id: int, state: str) -> None:
        with self._lock:
            self.tournament(tournament_id)
            self._schedules[tournament_id] = state

    def schedule(self, tournament_id: int) -> str | None:
        with self._lock:
            self.tournament(tournament_id)
            return self._schedules.get(tournament_id)

    def keep_ranking(
        self,
        variant: str,
        tournament: int,
        state: str,
        *,
        revision: tuple[int, int] | None = None,
    ) -> None:
        with self._lock:
            self.tournament(tournament)
            rows = [row for row in self.tournaments() if row.id <= tournament]
            if revision in (None, (len(rows), sum(row.revision for row in rows))):
                self._rankings.setdefault(variant, {})[tournament] = state

    def ranking_state(self, variant: str, before: int) -> tuple[int, str] | None:
        with self._lock:
            states = self._rankings.get(variant, {})
            return max((item for item in states.items() if item[0] < before), default=None)

    def forget_rankings(self, variant: str, from_tournament: int) -> None:
        with self._lock:
            states = self._rankings.get(variant, {})
            self._rankings[variant] = {
                number: state for number, state in states.items() if number < from_tournament
            }

    def add_token(self, token: TokenRow) -> None:
        with self._lock:
            if token.id in self._tokens:
                raise make_token_exists_error(token.id)
            self._tokens[token.id] = token

    def token(self, token_id: str) -> TokenRow | None:
        with self._lock:
            return self._tokens.get(token_id)

    def tokens(self) -> list[TokenRow]:
        with self._lock:
            return sorted(self._tokens.values(), key=lambda row: (row.create_time, row.id))

    def revoke_token(self, token_id: str) -> None:
        with self._lock:
            if token_id not in self._tokens:
                raise make_no_token_error(token_id)
            self._tokens[token_id] = replace(self._tokens[token_id], revoked=True)

    def mark_token_used(self, token_id: str, time: float) -> None:
        with self._lock:
            if token_id not in self._tokens:
                raise make_no_token_error(token_id)
            row = self._tokens[token_id]
            latest = time if row.last_use_time is None else max(time, row.last_use_time)
            self._tokens[token_id] = replace(row, last_use_time=latest)

    def check_place(self) -> None:
        """Do nothing: nobody else knows the store."""

    def close(self) -> None:
        """Do nothing: the store lasts as long as the object."""


@dataclass(frozen=True, slots=True)
class _MemoryClaim:
    claims: dict[int, Claim]
    tournament_id: int

    def is_lost(self) -> bool:
        """Return False: no other process knows the store."""
        return False

    def release(self) -> None:
        if self.claims.get(self.tournament_id) is self:
            del self.claims[self.tournament_id]


def _list_matches(
    row: TournamentRow, stored: Mapping[tuple[int, int], MatchOutcome], query: MatchQuery
) -> Iterator[FoundMatch]:
    """Yield the matches of a tournament that are wanted, once for each entrant that makes it so."""
    groups: dict[int, list[MatchOutcome]] = defaultdict(list)
    for (group, _), outcome in stored.items():
        groups[group].append(_drop_plays(outcome))
    definition = row.definition
    bots = [entrant.bot for entrant in definition.entrants]
    for outcomes in groups.values():
        if len(outcomes) < definition.seatings and not row.status.is_over:
            continue
        matches = {outcome.seating: outcome for outcome in outcomes}
        for result in compute_match_results(outcomes, definition.sides):
            outcome = matches[result.seating]
            others = {bots[entrant] for entrant in outcome.entrants if entrant != result.entrant}
            if query.is_met_by(result, bot=bots[result.entrant], others=others):
                yield FoundMatch(
                    tournament=row.id, outcome=outcome, result=result if query.bot else None
                )


def _is_of(row: TournamentRow, kind: TournamentKind) -> bool:
    return row.definition.kind is kind


def _is_wanted(number: int, group: int | None, first_group: int, end_group: int | None) -> bool:
    return (
        group in (None, number)
        and first_group <= number
        and (end_group is None or number < end_group)
    )


def _drop_plays(outcome: MatchOutcome) -> MatchOutcome:
    deals = (
        deal._replace(actions=b"", micros=(), substituted=(), notes=()) for deal in outcome.deals
    )
    faults = (replace(fault, log=None) for fault in outcome.faults)
    return replace(outcome, deals=tuple(deals), faults=tuple(faults))
