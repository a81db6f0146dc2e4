"""Players: who pays for a lost instance, what is played again, what an instance may see."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest

from mazzo.game import View
from mazzo.games import parse_variant
from mazzo.match import Match, MatchFormat
from mazzo.shuffle import bot_seed, seating_salt
from mazzo_server.errors import ConflictError, IsolationError
from mazzo_server.model import Mirror, PairingScheme, TimeControl
from mazzo_server.model.outcome import MatchOutcome, Termination
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play.instances.instance import InstanceSpec
from mazzo_server.play.live_match import LiveMatch
from mazzo_server.play.player import Player
from mazzo_server.storage import MemoryStore
from mazzo_server.tournaments.running.director import Director
from support.scripted_tournaments import (
    GOOD,
    PATIENT,
    Arena,
    Lives,
    Result,
    sdk,
    without_thinking_times,
)
from support.stored_rows import text_of

pytestmark = pytest.mark.alone


def test_what_a_bot_wrote_is_kept_whole_at_first(arena: Arena) -> None:
    """A bot that forfeits every match does not fill the store with what it wrote.

    That holds for the whole tournament, whatever finishes first: its first four groups by schedule
    number count.
    """
    noisy = arena.spec(sdk('os.write(2, b"x" * 100_000); os._exit(7)'))
    result = arena.play([arena.spec(GOOD), noisy], mirror=Mirror.ROTATIONS, groups=6)
    kept = [
        (match.group, len(text_of(fault))) for match in result.outcomes for fault in match.faults
    ]
    assert sorted(kept) == [
        (group, 100_000 if group < 4 else 8192) for group in range(6) for _ in range(2)
    ]


# A crash costs the same at every concurrency


def trump_of(definition_seed: bytes, group: int, entrants: int, groups: int) -> int:
    """The trump card of the only deal of a group's matches."""
    definition = Arena(Path()).definition(
        entrants, groups=groups, mirror=Mirror.ROTATIONS, seed=definition_seed
    )
    seed = next(g.seed for g in list_groups(make_pairing(definition)) if g.number == group)
    deal = Match(parse_variant("briscola/2"), seed, MatchFormat.parse("deals:1")).deal
    view: View = deal.view(0)
    return int(view.trump_card)  # type: ignore[attr-defined]


CRASH = "if view.number == 3 and view.trump_card % 5 == 0: os._exit(7)"
HANG = "if view.number < 4 and view.trump_card == 31: time.sleep(60)"
HASTY = TimeControl(bank=600.0, increment=0.0, limit=0.8)


@pytest.mark.parametrize(
    ("act", "trumps", "termination", "control", "mirror", "groups"),
    [
        pytest.param(
            CRASH,
            range(0, 40, 5),
            Termination.CRASHED,
            PATIENT,
            Mirror.ROTATIONS,
            10,
            id="crashes",
        ),
        pytest.param(
            HANG,
            [31],
            Termination.OUT_OF_TIME,
            HASTY,
            Mirror.OFF,
            10,
            id="hangs",
            marks=pytest.mark.prove,
        ),
        pytest.param(
            CRASH,
            range(0, 40, 5),
            Termination.CRASHED,
            PATIENT,
            Mirror.ROTATIONS,
            60,
            id="crashes, full size",
            marks=pytest.mark.prove,
        ),
    ],
)
def test_a_faulty_position_costs_the_same_at_every_concurrency(
    arena: Arena,
    act: str,
    trumps: Sequence[int],
    termination: Termination,
    control: TimeControl,
    mirror: Mirror,
    groups: int,
) -> None:
    """Promise 5: the suspects are tried one at a time, and the guilty one alone is lost."""
    seed = bytes(31) + b"\x08"
    good, faulty = arena.spec(GOOD), sdk(act)
    results = arena.together(
        [
            run_of(
                arena,
                [good, arena.spec(faulty, capacity=capacity)],
                concurrency=concurrency,
                groups=groups,
                mirror=mirror,
                time=control,
                seed=seed,
            )
            for concurrency, capacity in ((1, 64), (8, 64), (64, 64), (64, 1))
        ]
    )
    expected = {group for group in range(groups) if trump_of(seed, group, 2, groups) in trumps}
    assert 0 < len(expected) < groups
    for result in results:
        assert result.finished
        assert len(result.outcomes) == groups * (1 if mirror is Mirror.OFF else 2)
        assert {outcome.group for outcome in result.outcomes if outcome.faults} == expected
        for outcome in result.outcomes:
            for fault in outcome.faults:
                assert outcome.entrants[fault.seat] == 1
                assert (fault.termination, fault.decision) == (termination, 3)
        assert without_thinking_times(result.outcomes) == without_thinking_times(
            results[0].outcomes
        )


def run_of(
    arena: Arena, specs: Sequence[InstanceSpec], **options: Any
) -> Callable[[], Coroutine[Any, Any, Result]]:
    """A run for `Arena.together`."""
    return lambda: arena.run(specs, **options)


def test_good_bots_get_the_same_outcomes_at_every_concurrency(arena: Arena) -> None:
    """Promise 5: results depend on the seed and the bots alone."""
    specs = [arena.spec(GOOD), arena.spec(GOOD, capacity=3), arena.spec(GOOD, capacity=1)]
    results = arena.together(
        [
            run_of(
                arena,
                specs,
                concurrency=concurrency,
                groups=4,
                mirror=Mirror.ROTATIONS,
                match_format="deals:2",
            )
            for concurrency in (1, 8)
        ]
    )
    first, second = (without_thinking_times(result.outcomes) for result in results)
    assert len(first) == 3 * 4 * 2
    assert first == second
    assert not any(outcome.faults or any(outcome.late) for outcome in first)


# Faults of the platform


def assassin(folder: Path, times: int) -> str:
    """A bot that is killed, as if from outside, at its fifth decision, so many times."""
    return sdk(
        f"""
        if view.number == 5:
            number = len(os.listdir({str(folder)!r}))
            if number < {times}:
                open(os.path.join({str(folder)!r}, str(number)), "w").close()
                os.kill(os.getpid(), signal.SIGKILL)
        note(view)
        """,
        start=NOTE.format(path=str(folder.parent / "notes")),
    )


NOTE = """
def note(view):
    with open({path!r}, "a") as file:
        file.write(f"{{os.environ['MAZZO_TOKEN']}} {{view.seed.hex()}}\\n")
"""


def notes(arena: Arena) -> dict[str, set[str]]:
    """Which instances (tokens) had to decide with which bot seeds."""
    seen: dict[str, set[str]] = defaultdict(set)
    for line in (arena.folder / "notes").read_text().splitlines():
        token, seed = line.split()
        seen[seed].add(token)
    return seen


def test_a_fault_of_the_platform_is_played_again_by_new_instances(arena: Arena) -> None:
    """Promise 6: nobody's fault, nothing recorded, the same deals, fresh instances for all."""
    marks = arena.folder / "marks"
    marks.mkdir()
    noting = sdk("note(view)", start=NOTE.format(path=str(arena.folder / "notes")))
    calm = arena.play([arena.spec(GOOD), arena.spec(GOOD)])
    arena.lives = Lives(spoilt=1)
    result = arena.play([arena.spec(noting), arena.spec(assassin(marks, 1))])
    assert result.finished
    assert len(list(marks.iterdir())) == 1
    assert result.withdrawals == {}
    assert without_thinking_times(result.outcomes) == without_thinking_times(calm.outcomes)
    assert [len(tokens) for tokens in notes(arena).values()] == [2, 2]
    assert len(arena.lives.began) >= 4


def test_three_faults_of_the_platform_pause_the_tournament_and_name_the_match(
    arena: Arena,
) -> None:
    """Promise 6: a match with three platform faults pauses the tournament and is named."""
    marks = arena.folder / "marks"
    marks.mkdir()
    arena.lives = Lives(spoilt=3)
    result = arena.play([arena.spec(GOOD), arena.spec(assassin(marks, 3))])
    assert isinstance(result.error, ConflictError)
    assert "match 1/0/0 met 3 faults" in str(result.error)
    assert result.outcomes == []
    assert result.withdrawals == {}


def test_starts_that_the_platform_spoilt_do_not_withdraw_a_bot(arena: Arena) -> None:
    """Promise 6: two of its failed starts were not its own, so it has attempts left."""
    marks = arena.folder / "marks"
    marks.mkdir()
    script = (
        "import os, sys\n"
        f"number = len(os.listdir({str(marks)!r}))\n"
        f"open(os.path.join({str(marks)!r}, str(number)), 'w').close()\n"
        "if number < 2: os.kill(os.getpid(), 9)\n"
        "if number < 4: sys.exit(1)\n"
    )
    arena.lives = Lives(spoilt=2)
    result = arena.play([arena.spec(GOOD), arena.spec(script + GOOD)])
    assert result.finished
    assert result.withdrawals == {}
    assert len(result.outcomes) == 1


def test_three_starts_that_the_platform_spoilt_end_the_run(arena: Arena) -> None:
    """Promise 6: a platform that cannot start a bot says so, and withdraws nobody."""
    arena.lives = Lives(spoilt=3)
    suicide = arena.spec("import os; os.kill(os.getpid(), 9)")
    result = arena.play([arena.spec(GOOD), suicide])
    assert isinstance(result.error, IsolationError)
    assert result.withdrawals == {}


def test_a_sandbox_that_does_not_start_is_started_again(arena: Arena) -> None:
    """Promise 6: one that is killed while it starts stops no tournament, unless thrice in a row."""
    arena.lives = Lives(refused=2)
    result = arena.play([arena.spec(GOOD)] * 2)
    assert result.finished
    assert len(result.outcomes) == 1
    arena.lives = Lives(refused=5)
    result = arena.play([arena.spec(GOOD)] * 2)
    assert isinstance(result.error, IsolationError)
    assert "did not start in 3 attempts: it ended before it began" in str(result.error)
    assert result.withdrawals == {}


# Stop and resume; twins


WISHES: dict[str, Any] = {"groups": 4, "mirror": Mirror.ROTATIONS, "concurrency": 4}


def test_a_stopped_run_stores_its_matches_and_a_second_one_completes_it(arena: Arena) -> None:
    """Promise 5: stop, resume, and the outcomes are those of an uninterrupted run."""
    whole = arena.play([arena.spec(GOOD)] * 3, **WISHES)
    noting = sdk("note(view)", start=NOTE.format(path=str(arena.folder / "notes")))
    specs = [arena.spec(noting)] * 3

    begun: list[Director] = []

    def stop(director: Director) -> None:
        begun.append(director)
        if len(begun) == 5:
            director.stop()

    store = MemoryStore()
    stopped = arena.play(specs, store=store, begins=stop, **WISHES)
    assert not stopped.finished
    assert stopped.error is None
    # Others may have begun by the time that the fifth is told of.
    assert len(stopped.outcomes) == len(begun) < len(whole.outcomes) == 24
    told: list[int] = []
    resumed = arena.play(
        specs,
        store=store,
        progressed=lambda director: told.append(director.progress.deals_played),
        **WISHES,
    )
    assert resumed.finished
    assert without_thinking_times(resumed.outcomes) == without_thinking_times(whole.outcomes)
    # Groups that had begun before are told of as well, once they are over.
    assert told[-1] == 24 - len(stopped.outcomes)
    seen = notes(arena)
    assert len(seen) == 2 * 24
    assert all(len(tokens) == 1 for tokens in seen.values()), "a match was begun twice"


def test_a_cancelled_run_leaves_nothing_behind_and_can_be_resumed(arena: Arena) -> None:
    """Promise 5: killed at any moment, no match is counted twice and none is missed."""
    specs = [arena.spec(GOOD), arena.spec(GOOD)]
    store = MemoryStore()

    async def cancelled() -> Result:
        def cancel(director: Director) -> None:
            if director.progress.matches_played >= 2:
                run.cancel()

        run = asyncio.create_task(arena.run(specs, store=store, progressed=cancel, **WISHES))
        await asyncio.wait([run])
        assert run.cancelled()
        return await arena.run(specs, store=store, **WISHES)

    whole = arena.play(specs, **WISHES)
    (resumed,) = arena.together([cancelled])
    assert resumed.finished
    assert without_thinking_times(resumed.outcomes) == without_thinking_times(whole.outcomes)


def test_no_instance_meets_a_deal_twice_and_twins_never_live_together(arena: Arena) -> None:
    """Promise 4: no process sees two seatings of a group, and none of them coexist."""
    noting = sdk("note(view)", start=NOTE.format(path=str(arena.folder / "notes")))
    groups, seed = 3, bytes(32)
    specs = [arena.spec(noting) for _ in range(3)]
    result = arena.play(specs, groups=groups, mirror=Mirror.ROTATIONS, seed=seed)
    assert result.finished
    definition = arena.definition(3, groups=groups, mirror=Mirror.ROTATIONS, seed=seed)
    seatings = {
        bot_seed(group.seed, seating_salt(group.seed, seating), seat).hex(): (group.number, seating)
        for group in list_groups(make_pairing(definition))
        for seating in range(2)
        for seat in range(2)
    }
    met: dict[str, set[tuple[int, int]]] = defaultdict(set)  # by token
    lived: dict[tuple[int, int], set[str]] = defaultdict(set)
    for bot_seed_text, tokens in notes(arena).items():
        for token in tokens:
            met[token].add(seatings[bot_seed_text])
            lived[seatings[bot_seed_text]].add(token)
    assert len(lived) == 2 * 3 * groups
    for groups_met in met.values():
        assert len({group for group, _ in groups_met}) == len(groups_met)
    lives = arena.lives
    for group in range(3 * groups):
        for one in lived[group, 0]:
            for other in lived[group, 1]:
                assert lives.ended[one] < lives.began[other]


def test_bots_are_started_before_their_match_comes(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Instances: those of the next two matches, and nobody waits for a start in between."""
    begun: set[Player] = set()
    counts: list[int] = []  # when each match begins
    start_player, start = Player.start, LiveMatch.start

    def note_player(player: Player) -> None:
        begun.add(player)
        start_player(player)

    def note_match(live: LiveMatch) -> None:
        counts.append(len(begun))
        start(live)

    monkeypatch.setattr(Player, "start", note_player)
    monkeypatch.setattr(LiveMatch, "start", note_match)
    result = arena.play(
        [arena.spec(GOOD) for _ in range(7)],
        concurrency=1,
        pairing=PairingScheme.GAUNTLET,
        hero="bot-00",
    )
    assert result.finished
    assert len(arena.lives.began) == 7
    # The hero and whom it meets, then also the next two; they are begun with the one before.
    assert counts == [2, 4, 5, 6, 7, 7]


def test_the_partners_of_a_pair_are_two_processes(arena: Arena) -> None:
    """Promise 4: one process for each seat in matches that could tell each other something."""
    noting = sdk("note(view)", start=NOTE.format(path=str(arena.folder / "notes")))
    result = arena.play([arena.spec(noting), arena.spec(noting)], variant="briscola/4")
    assert result.finished
    assert len(result.outcomes) == 1
    seen = notes(arena)
    assert len(seen) == 4
    assert len(set.union(*seen.values())) == 4


def test_outcomes_are_comparable_without_their_times() -> None:
    """The helper of these tests drops times and nothing else."""
    outcome = MatchOutcome(
        group=0,
        seating=0,
        entrants=(0, 1),
        match_scores=(),
        deals=(),
        faults=(),
        late=(1, 0),
        decisions=(3, 3),
        thinking_seconds=(1.0, 2.0),
    )
    (same,) = without_thinking_times([outcome])
    assert (same.late, same.decisions, same.thinking_seconds) == ((1, 0), (3, 3), ())
