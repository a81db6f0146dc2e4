"""Stores as each revision of the schema wrote them, and what is in them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mazzo_server.model.definition import Definition, Entrant, Mirror, TimeControl
from mazzo_server.model.outcome import DealPlay, Fault, MatchOutcome, Owner, Termination
from mazzo_server.storage import Store, TournamentStatus

__all__ = ["fill", "reads"]

_GROUPS = 3  # that are stored of the first tournament


def fill(store: Store, revision: str) -> None:
    """Store something of everything that a store of that revision could keep.

    Written so that the code of that revision can run it, too.
    """
    for name in ("ann", "bob", "ann"):
        store.add_version(
            name,
            content_hash=name[0] * 64,
            manifest={"command": ["python", "è.py"], "capacity": 8},
            create_time=1.5,
        )
    store.set_trial("ann", 2, trial={"passed": True, "seconds": 0.25})
    store.retire("bob")
    for number in (1, 2, 3):
        store.add_tournament(_definition(number), concurrency=4 * number, create_time=2.5)
    store.add_outcomes(
        1, [_outcome(group, seating, revision) for group in range(_GROUPS) for seating in (0, 1)]
    )
    store.add_outcomes(2, [_outcome(7, 1, revision)])
    store.add_withdrawal(2, 1, reason="did not start: \udcff\x00\n")
    store.set_status(1, TournamentStatus.FINISHED, end_time=9.75)
    store.set_status(2, TournamentStatus.RUNNING)
    if revision >= "0002":
        _fill_access(store)
    if revision >= "0003":
        store.begin_matches(2, [(7, 1), (8, 0)])
        store.begin_matches(2, [(8, 0)])
    if revision >= "0004":
        store.add_run_time(1, 12.25)
        store.set_status(3, TournamentStatus.PAUSED)
        store.keep_checkpoint(2, 5, '{"groups":5}')
        store.keep_ranking("briscola/2", 1, '{"ann":[25,8.3]}')
    if revision >= "0005":
        store.choose_version("ann", 1)
        store.add_withdrawal(2, 0, reason="did not start", log="Traceback: \udcff\x00\n")


def _fill_access(store: Store) -> None:
    from mazzo_server.model.roles import Role
    from mazzo_server.storage import TokenRow

    store.add_version(
        "rob",
        content_hash="",
        manifest={"capacity": 2},
        create_time=3.5,
        owner="alice",
        remote=True,
    )
    for name, role in (("aaaa", Role.ORGANISER), ("bbbb", Role.BOT)):
        store.add_token(
            TokenRow(
                id=name,
                role=role,
                subject="rob" if role is Role.BOT else "",
                label="laptop è \udcff\x00",
                hash=bytes(range(32)),
                create_time=4.5,
                revoked=False,
            )
        )
    store.revoke_token("bbbb")


def _definition(number: int) -> Definition:
    return Definition(
        name=f"evening {number} è \udcff",
        variant="briscola/2",
        entrants=(
            Entrant(name="ann", version=number % 2 + 1, content_hash="a" * 64),
            Entrant(name="bob", version=1, content_hash="b" * 64),
        ),
        match_format="deals:2",
        mirror=Mirror.ROTATIONS,
        groups=500,
        draws="seats",
        time=TimeControl(bank=7.5),
        isolation="none",
        seed=bytes(range(number, number + 32)),
        seed_chosen=number == 2,
    )


def _outcome(group: int, seating: int, revision: str) -> MatchOutcome:
    late: dict[str, Any] = {"attempt": group} if revision >= "0002" else {}
    logged: dict[str, Any] = {"log": "Traceback: \udcff\x00\n"} if revision >= "0002" else {}
    said: dict[str, Any] = {"notes": ((2, "è \udcff\x00"),)} if revision >= "0006" else {}
    fault = Fault(
        seat=1,
        termination=Termination.CRASHED,
        owner=Owner.BOT,
        reason="exit status 1: \udcff\x00",
        deal=1,
        decision=4,
        **logged,
    )
    return MatchOutcome(
        group=group,
        seating=seating,
        entrants=(seating, 1 - seating),
        match_scores=(Fraction(3, 2), Fraction(1, 2)),
        deals=tuple(
            DealPlay(
                dealer=number,
                actions=bytes([group, seating, number, 255]),
                scores=(70 + group, 50 - group),
                micros=(group, 2**32 - 1, 0, 5),
                substituted=(1,) if number else (),
                forfeited=bool(number),
                **said,
            )
            for number in (0, 1)
        ),
        faults=(fault,) if seating else (),
        late=(0, 2),
        decisions=(20, 19),
        thinking_seconds=(0.1, 2.5),
        **late,
    )


def reads(store: Store) -> dict[str, object]:
    """What every call gives that reads."""
    tournaments = store.tournaments()
    found: dict[str, object] = {
        "tournaments": tournaments,
        "bots": store.bots(),
        "tokens": store.tokens(),
        "one token": store.token("bbbb"),
        "ranking": store.ranking_state("briscola/2", 9),
    }
    for bot in store.bots():
        found |= {
            f"{bot.name}": store.bot(bot.name),
            f"{bot.name}, versions": store.versions(bot.name),
            f"{bot.name}, newest": store.version(bot.name),
        }
    for row in tournaments:
        found |= {
            f"{row.id}": store.tournament(row.id),
            f"{row.id}, matches": store.outcomes(row.id, with_deals=True),
            f"{row.id}, without deals": store.outcomes(row.id, with_deals=False),
            f"{row.id}, one group": store.outcomes(row.id, with_deals=True, group=1),
            f"{row.id}, finished": store.finished_matches(row.id),
            f"{row.id}, attempts": [store.attempts(row.id, group=group) for group in (7, 8)],
            f"{row.id}, withdrawals": store.withdrawals(row.id),
            f"{row.id}, checkpoint": store.checkpoint(row.id),
            f"{row.id}, claimed": store.is_claimed(row.id),
        }
    return found
