"""Logs of forfeits: to the owner alone, and nothing before the cards are no secret any more."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from mazzo.v1 import bot_pb2
from mazzo_server.errors import NotFoundError, PermissionDeniedError
from mazzo_server.model import Entrant
from mazzo_server.model.outcome import DealPlay, Fault, MatchOutcome, Owner, Termination
from mazzo_server.model.trial_report import TrialCheck, TrialFailure, TrialMatch
from mazzo_server.results import Disclosure
from mazzo_server.results.bot_logs import LogKind, read_logs
from mazzo_server.serving.grpc.messages import encode_bot_log, encode_tournament
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore, Store, TournamentStatus
from support import stored_rows as stored
from support.scripted_tournaments import GOOD, Arena
from support.stored_rows import log_of, manifest_of, trial_of

DEFINITION = replace(
    stored.DEFINITION,
    entrants=(
        Entrant(name="ann", version=3, content_hash="a" * 64),
        Entrant(name="bob", version=1, content_hash="b" * 64),
    ),
    groups=4,
)


def match(group: int, seating: int, *guilty: int) -> MatchOutcome:
    """A match in which these entrants forfeited; in seating 1 the seats are exchanged."""
    entrants = (0, 1) if seating == 0 else (1, 0)
    return MatchOutcome(
        group=group,
        seating=seating,
        entrants=entrants,
        match_scores=(Fraction(1), Fraction(1)),
        deals=(
            DealPlay(
                dealer=0,
                actions=b"",
                scores=(),
                micros=(),
                substituted=(),
                forfeited=bool(guilty),
            ),
        ),
        faults=tuple(
            Fault(
                seat=entrants.index(entrant),
                termination=Termination.CRASHED,
                owner=Owner.BOT,
                reason=f"reason {entrant}",
                deal=0,
                decision=2,
                log=log_of(f"log {entrant} {group}/{seating}", (group, seating), (9, 0)),
            )
            for entrant in guilty
        ),
        late=(0, 0),
        decisions=(5, 5),
        thinking_seconds=(0.1, 0.1),
    )


def filled() -> MemoryStore:
    """Group 0 is over; of groups 1 and 2 one seating is still to be played."""
    store = MemoryStore()
    for name in ("ann", "bob"):
        store.add_version(
            name,
            content_hash="",
            manifest=manifest_of(),
            create_time=0.0,
            owner="alice" * (name == "ann"),
        )
    store.add_tournament(DEFINITION, concurrency=1, create_time=0.0)
    store.set_status(1, TournamentStatus.RUNNING)
    store.add_outcomes(
        1, [match(0, 1, 0), match(0, 0, 1, 0), match(1, 0, 0), match(2, 1, 0, 1), match(3, 0)]
    )
    return store


def told(store: Store, name: str, tournament: int = 0) -> list[str]:
    """Entrant, group and seating."""
    return [
        f"{log.reason.removeprefix('reason ')} {log.group}/{log.seating}"
        for log in read_logs(store, name, tournament)
    ]


def test_only_of_groups_that_are_over() -> None:
    """The other seating of the same cards may still be to come."""
    store = filled()
    assert told(store, "ann") == ["0 0/0", "0 0/1"]
    assert told(store, "bob") == ["1 0/0"]
    store.add_outcomes(1, [match(1, 1)])
    assert told(store, "ann") == ["0 0/0", "0 0/1", "0 1/0"]


def test_of_every_group_once_the_tournament_is_over() -> None:
    """A withdrawn entrant leaves groups that nobody will complete."""
    store = filled()
    store.set_status(1, TournamentStatus.FINISHED)
    assert told(store, "ann") == ["0 0/0", "0 0/1", "0 1/0", "0 2/1"]
    assert told(store, "bob") == ["1 0/0", "1 2/1"]


def test_what_it_wrote_is_told_when_the_whole_tournament_is_over() -> None:
    """An instance plays matches of many groups, and some of them may not be over."""
    store = filled()
    found = [(log.log, log.fault.log) for log in read_logs(store, "ann") if log.fault]
    assert found == [(None, None)] * 2
    assert not encode_bot_log(read_logs(store, "ann")[0]).HasField("log")
    store.set_status(1, TournamentStatus.FINISHED)
    logs = read_logs(store, "ann")
    assert [log.log for log in logs] == ["log 0 0/0", "log 0 0/1", "log 0 1/0", "log 0 2/1"]
    assert encode_bot_log(logs[0]).log == "log 0 0/0"


def test_a_log_says_where_it_belongs() -> None:
    log = read_logs(filled(), "ann")[1]
    assert (log.tournament, log.version, log.group, log.seating) == (1, 3, 0, 1)
    assert log.fault is not None
    assert (log.fault.seat, log.fault.deal, log.fault.decision) == (1, 0, 2)
    assert encode_bot_log(log).kind == bot_pb2.BOT_LOG_KIND_FORFEIT


def test_that_it_did_not_start_is_told_at_once_and_what_it_wrote_in_the_end() -> None:
    """Everybody is told the reason; an instance that played before may have written of cards."""
    store = filled()
    store.add_withdrawal(1, 1, reason="did not start", log=log_of("no such file"))
    (first, *_) = read_logs(store, "bob")
    assert (first.kind, first.tournament, first.version) == (LogKind.WITHDRAWAL, 1, 1)
    assert (first.reason, first.log) == ("did not start", None)
    assert LogKind.WITHDRAWAL not in {log.kind for log in read_logs(store, "ann")}
    store.set_status(1, TournamentStatus.FINISHED)
    message = encode_bot_log(read_logs(store, "bob")[0])
    assert (message.kind, message.log) == (bot_pb2.BOT_LOG_KIND_WITHDRAWAL, "no such file")


def test_what_a_bot_wrote_that_does_not_start_is_kept(tmp_path: Path) -> None:
    """In the tournament itself, where nobody was there to see it."""
    arena, store = Arena(tmp_path), MemoryStore()
    broken = arena.spec("import sys; sys.exit('no such module')")
    result = arena.play([arena.spec(GOOD), broken], store=store)
    assert set(result.withdrawals) == {1}
    store.set_status(1, TournamentStatus.FINISHED)
    (log,) = read_logs(store, arena.definition(2).entrants[1].name)
    assert log.kind is LogKind.WITHDRAWAL
    assert "did not start in 3 attempts" in log.reason
    assert log.log is not None
    assert "no such module" in log.log


def test_a_failed_trial_is_told_with_every_reason() -> None:
    store = filled()
    for _ in range(2):
        store.add_version(
            "ann", content_hash="", manifest=manifest_of(), create_time=0.0, owner="alice"
        )
    failures = (
        TrialFailure(variant="frap/4?ante=8", reason="it was late", advice=""),
        TrialFailure(reason="and more", advice=""),
    )
    trial = trial_of(
        passed=False,
        matches=(
            TrialMatch(variant="briscola/2", passed=False, reason="crashed: oh"),
            TrialMatch(variant="frap/4", passed=True),
        ),
        checks=(
            TrialCheck(name="odd", tried=2, left_out=0, failures=failures),
            TrialCheck(name="even", tried=1, left_out=0, failures=()),
        ),
        log="Traceback",
    )
    store.set_trial("ann", 1, trial=trial_of())
    store.set_trial("ann", 2, trial=trial)
    (log, *others) = read_logs(store, "ann")
    assert (log.kind, log.version, log.log) == (LogKind.TRIAL, 2, "Traceback")
    assert log.reason == ("briscola/2: crashed: oh; odd, frap/4?ante=8: it was late; odd: and more")
    assert {other.kind for other in others} == {LogKind.FORFEIT}
    assert LogKind.TRIAL not in {other.kind for other in read_logs(store, "ann", 1)}


def test_of_one_tournament_or_of_all() -> None:
    store = filled()
    other = store.add_tournament(DEFINITION, concurrency=1, create_time=0.0).id
    store.add_outcomes(other, [match(3, 0), match(3, 1, 0)])
    assert told(store, "ann", 1) == ["0 0/0", "0 0/1"]
    assert told(store, "ann", other) == ["0 3/1"]
    assert told(store, "ann") == ["0 0/0", "0 0/1", "0 3/1"]
    assert told(store, "carol") == []
    with pytest.raises(NotFoundError):
        read_logs(store, "ann", 77)


def test_for_the_owner_and_the_organiser_alone(tmp_path: Path) -> None:
    """The organiser's own bots are for the organiser alone."""
    platform = Platform(Settings(home=tmp_path), filled())

    async def main() -> None:
        assert len(await platform.read(platform.bots.read_logs, "ann", author="alice")) == 2
        assert len(await platform.read(platform.bots.read_logs, "ann")) == 2
        assert len(await platform.read(platform.bots.read_logs, "bob")) == 1
        for name, author in (("ann", "bob"), ("bob", "bob"), ("bob", "alice")):
            with pytest.raises(PermissionDeniedError, match=f"bot {name} belongs to"):
                await platform.read(platform.bots.read_logs, name, author=author)
        with pytest.raises(NotFoundError):
            await platform.read(platform.bots.read_logs, "carol", author="carol")

    asyncio.run(main())


def test_standings_show_no_fault_of_a_group_that_is_not_over(tmp_path: Path) -> None:
    """Nor anything else of it, and no log ever."""
    store = filled()
    platform = Platform(Settings(home=tmp_path), store)
    before = encode_tournament(asyncio.run(platform.tournaments.overview.show(1)))
    assert [(fault.group, fault.name) for fault in before.standings.faults] == [
        (0, "ann"),
        (0, "bob"),
        (0, "ann"),
    ]
    assert before.standings.groups_counted == 1
    assert {row.faults for row in before.standings.rows} == {1, 2}
    assert "log 0" not in str(before)
    # Another course of the groups that are not over would look the same.
    other = MemoryStore()
    other.add_tournament(DEFINITION, concurrency=1, create_time=0.0)
    other.set_status(1, TournamentStatus.RUNNING)
    other.add_outcomes(1, [match(0, 1, 0), match(0, 0, 1, 0), *(match(n, 0) for n in (1, 2, 3))])
    platform = Platform(Settings(home=tmp_path), other)
    after = encode_tournament(asyncio.run(platform.tournaments.overview.show(1)))
    assert after == before


def test_the_logs_of_all_copies_are_those_of_the_bot() -> None:
    """The author of a bot hears of the forfeits and withdrawals of all its copies."""
    entrants = (DEFINITION.entrants[0], replace(DEFINITION.entrants[0], name="ann*2"))
    store = MemoryStore()
    store.add_version(
        "ann", content_hash="", manifest=manifest_of(), create_time=0.0, owner="alice"
    )
    store.add_tournament(replace(DEFINITION, entrants=entrants), concurrency=1, create_time=0.0)
    store.add_outcomes(1, [match(0, 0, 1), match(0, 1, 0)])
    store.add_withdrawal(1, 1, reason="did not start", log=log_of("no such file"))
    store.set_status(1, TournamentStatus.CANCELLED)
    assert told(store, "ann") == ["did not start 0/0", "1 0/0", "0 0/1"]
    assert told(store, "ann*2") == []
    disclosure = Disclosure(store, store.tournament(1))
    played = store.outcomes(1, with_deals=False)[0]
    assert disclosure.find_heard_seats(played, "alice") == {0, 1}
    assert disclosure.find_heard_seats(played, "bea") == frozenset()
    assert disclosure.find_entrants("ann") == {0, 1}
