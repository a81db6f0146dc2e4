"""Trials of bots that go wrong in one way each, and what their authors are told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from mazzo.games import parse_variant
from mazzo.record import DealRecord, replay
from mazzo.v1 import play_pb2
from mazzo_server.errors import IsolationError
from mazzo_server.home import parse_position
from mazzo_server.model.outcome import Owner, Termination
from mazzo_server.model.trial_report import TrialFailure, TrialReport
from mazzo_server.play.instances.instance import Loss
from mazzo_server.play.trial import play_trial, session
from mazzo_server.play.trial.advice import Adviser
from support.scripted_tournaments import GOOD, PATIENCE, Arena, sdk

pytestmark = pytest.mark.slow

SEED = bytes(range(32))


def tried(
    folder: Path,
    script: str,
    *forms: str,
    capacity: int = 16,
    seed: bytes = SEED,
    start_up: float = 60.0,
    matches_seconds: float = 900.0,
    slow_share: float = 0.5,
) -> TrialReport:
    """The report of a bot; nothing of it may be left."""
    arena = Arena(folder)
    spec = arena.spec(script, capacity=capacity, start_up=start_up)
    variants = [parse_variant(form) for form in forms or ("briscola/2",)]

    async def main() -> TrialReport:
        async with asyncio.timeout(PATIENCE):
            report = await play_trial(
                spec, variants, seed=seed, matches_seconds=matches_seconds, slow_share=slow_share
            )
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return report

    report = asyncio.run(main())
    assert set(arena.lives.began) == set(arena.lives.ended)
    assert TrialReport.from_json(json.loads(json.dumps(report.to_json()))) == report
    return report


def failures(report: TrialReport) -> dict[str, tuple[TrialFailure, ...]]:
    """By what was tried."""
    return {check.name: check.failures for check in report.checks if check.failures}


def test_a_good_bot_passes_and_everything_was_tried(tmp_path: Path) -> None:
    report = tried(tmp_path, GOOD, "briscola/2", "frap/3")
    assert report.passed
    assert report.qualified == ("briscola/2", "frap/3")
    assert report.start_up_seconds > 0
    assert report.seed == SEED.hex()
    assert all(match.passed and match.decisions > 1 for match in report.matches)
    assert {check.name: check.tried > 0 for check in report.checks} == dict.fromkeys(
        (
            "a new start in the middle of matches",
            "where play seldom leads",
            "other options of the variant",
            "a single legal action",
            "a later deal of a match",
            "little time left",
            "several decisions at once",
        ),
        True,
    )
    assert failures(report) == {}
    assert report.checks[-1].tried == 16  # the capacity


def test_whoever_waits_is_told_what_is_tried(tmp_path: Path) -> None:
    told: list[str] = []
    spec = Arena(tmp_path).spec(GOOD, capacity=16)
    forms = [parse_variant("briscola/2"), parse_variant("frap/3")]
    report = asyncio.run(play_trial(spec, forms, seed=SEED, on_progress=told.append))
    assert report.passed
    tried = {check.name: check.tried for check in report.checks}
    hasty = tried.pop("little time left")
    unhurried = sum(tried.values()) - tried["several decisions at once"]
    unhurried -= tried["a new start in the middle of matches"]
    assert told[:3] == [
        "match 1 of 2: briscola/2",
        "match 2 of 2: frap/3",
        f"{unhurried} odd situations",
    ]
    assert told[3:] == ["little time left: briscola/2", "little time left: frap/3"]
    assert hasty == 2


def without_times(report: TrialReport) -> TrialReport:
    matches = tuple(
        replace(match, decision_seconds=0.0, longest_seconds=0.0) for match in report.matches
    )
    return replace(report, start_up_seconds=0.0, memory_bytes=0, matches=matches)


def test_the_same_seed_is_the_same_trial(tmp_path: Path) -> None:
    """Or a failure could not be had again at home."""
    script = sdk("if view.variant.option('tie') != 'replay' or view.match.deal: os._exit(3)")
    reports = [
        without_times(tried(tmp_path, script, seed=seed)) for seed in (SEED, SEED, bytes(32))
    ]
    assert reports[0] == reports[1]
    assert reports[0].matches[0].record != reports[2].matches[0].record


def test_a_variant_that_fails_does_not_keep_the_others_from_being_tried(tmp_path: Path) -> None:
    report = tried(tmp_path, sdk("if view.players == 2: os._exit(3)"), "briscola/2", "briscola/3")
    assert not report.passed
    assert [match.passed for match in report.matches] == [False, True]
    assert report.qualified == ("briscola/3",)
    assert "exited with status 3" in report.matches[0].reason
    assert report.matches[0].advice == "it wrote nothing that says where it ended"


def test_a_bot_that_knows_only_what_it_saw_from_the_beginning_fails(tmp_path: Path) -> None:
    """After a crash a fresh instance is asked in the middle: a decision is to be enough."""
    report = tried(
        tmp_path,
        sdk(
            """
            before = self.__dict__.setdefault("met", {})
            if view.seed not in before and len(view.history) > 8:
                raise KeyError("where am I?")
            before[view.seed] = view
            """
        ),
    )
    assert report.matches[0].passed
    assert report.qualified == ()
    (found,) = failures(report).values()
    assert found[0].reason == "crashed: its process exited with status 1"
    assert "where am I?" in report.log
    assert len(found) == 1  # and no more instances are wasted on it


def test_an_option_that_a_bot_does_not_know_is_named(tmp_path: Path) -> None:
    report = tried(
        tmp_path,
        sdk("if view.variant.option('buongiochi') == 'off': os._exit(4)"),
        "tressette-meta-mazzo/2",
    )
    assert report.matches[0].passed
    assert report.qualified == ()
    variants = [one.variant for found in failures(report).values() for one in found]
    assert variants == ["tressette-meta-mazzo/2?buongiochi=off&declare-scope=dealt"]


def test_an_illegal_action_is_shown_with_its_position(tmp_path: Path) -> None:
    """The record replays to exactly where the bot failed."""
    report = tried(
        tmp_path,
        sdk(
            "if len(view.history) > 9: return view.variant.game.actions[0] "
            "if not view.legal_mask & 1 else view.variant.game.actions[39]"
        ),
    )
    (match,) = report.matches
    assert match.reason.startswith("illegal-action: seat")
    deal = replay(DealRecord.from_json(json.loads(match.record)))
    assert deal.seat == match.seat
    legal = " ".join(action.code for action in deal.variant.game.actions_of(deal.legal))
    assert f"expected one of {legal}, got" in match.reason
    assert "one of view.legal" in match.advice


def test_a_position_gives_the_view_that_the_bot_had(tmp_path: Path) -> None:
    """In a match, in its second deal, and in an odd situation with a clock of its own."""
    tell = "print(json.dumps([view.to_json(), view.seed.hex(), view.clock.bank])); os._exit(3)"
    for when in ("view.number > 3", "view.match.deal > 0", "view.clock.bank < 3"):
        report = tried(tmp_path, sdk(f"if {when}: import json; {tell}"))
        records = [match.record for match in report.matches]
        records += [one.record for many in failures(report).values() for one in many]
        view = parse_position(next(filter(None, records))).view
        told, seed, bank = json.loads(report.log.splitlines()[-1])
        assert view.clock is not None
        assert json.loads(json.dumps(view.to_json())) == told
        assert view.seed.hex() == seed
        assert view.clock.bank == pytest.approx(bank, abs=1e-3)


def test_too_slow_with_little_time_left(tmp_path: Path) -> None:
    report = tried(tmp_path, sdk("if view.clock.bank < 3: time.sleep(2.5)"), capacity=1)
    assert list(failures(report)) == ["little time left"]
    (found,) = failures(report)["little time left"]
    assert found.reason.startswith("out-of-time: it took 2.")
    assert "view.clock" in found.advice


def raw(code: str) -> str:
    """A bot of its own making; `code` sees every frame, and may end it."""
    return f"""
from raw import *
stream = Stream()
stream.join()
asked = set()
for response in stream.call:
    if response.HasField("goodbye"):
        os._exit(0)
    frame = response.frame
    asked |= {{decision.match for decision in frame.decisions}}
    {code}
    for decision in frame.decisions:
        stream.send(answer(decision))
"""


def test_a_bot_that_cannot_take_as_many_decisions_as_it_asks_for(tmp_path: Path) -> None:
    """One at a time it does well, and no variant is to blame: so all are lost."""
    script = raw("if len(frame.decisions) > 1: os._exit(5)")
    report = tried(tmp_path, script, "briscola/2", "frusta/2")
    assert [match.passed for match in report.matches] == [True, True]
    assert list(failures(report)) == ["several decisions at once"]
    (found,) = failures(report)["several decisions at once"]
    assert "though it took each of them alone" in found.reason
    assert "lower `capacity`" in found.advice
    assert report.qualified == ()
    assert tried(tmp_path, script, capacity=1).passed


def test_a_match_begins_and_ends_without_a_decision(tmp_path: Path) -> None:
    """The wire allows it, so nobody may fail there."""
    report = tried(tmp_path, raw("if {ended.match for ended in frame.ended} - asked: os._exit(6)"))
    assert report.matches[0].passed
    assert not report.passed


def test_every_frame_is_one_message_and_introduces_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Readers that do not merge a field that comes twice lost all decisions of such a frame."""
    sent: list[bytes] = []
    take_frame = session.TrialOutbox.take_frame

    def noted(outbox: session.TrialOutbox) -> bytes | None:
        frame = take_frame(outbox)
        sent.extend([] if frame is None else [frame])
        return frame

    monkeypatch.setattr(session.TrialOutbox, "take_frame", noted)
    assert tried(tmp_path, GOOD, "frap/3").passed
    responses = [play_pb2.PlayResponse.FromString(frame) for frame in sent]
    assert [response.SerializeToString() for response in responses] == sent
    frames = [response.frame for response in responses]
    started = [one for frame in frames for one in frame.started]
    announced = [one for frame in frames for one in frame.started if one.match in ids(frame.ended)]
    assert len(announced) == 1
    names = {field.name for field in play_pb2.MatchStarted.DESCRIPTOR.fields}
    for one in started:
        assert names - {"seat"} <= {field.name for field, _ in one.ListFields()}
        assert any(one.bot_seed)
    assert announced[0].bot_seed not in {one.bot_seed for one in started if one not in announced}
    assert announced[0].time_control == started[0].time_control
    (frame,) = (frame for frame in frames if announced[0] in frame.started)
    assert announced[0].seat == frame.started[0].seat
    assert frame.decisions


def ids(ended: Iterable[play_pb2.MatchEnded]) -> set[int]:
    return {one.match for one in ended}


def test_a_decision_is_asked_again_after_a_goodbye_in_the_middle(tmp_path: Path) -> None:
    """Of a fresh instance, the same to the byte."""
    notes = tmp_path / "notes"
    script = raw(
        "for decision in frame.decisions:\n"
        f"        print(os.getpid(), decision.match, decision.view.SerializeToString().hex(),"
        f" file=open({str(notes)!r}, 'a'))"
    )
    assert tried(tmp_path, script).passed
    told: dict[str, set[str]] = {}
    for line in notes.read_text().splitlines():
        pid, what = line.split(" ", 1)
        told.setdefault(pid, set()).add(what)
    first, second = told.values()
    assert first & second


@pytest.mark.parametrize(
    ("script", "start_up", "reason", "advice"),
    [
        ("raise SystemExit('no')", 60.0, "did not start: its process exited", "`command`"),
        ("import time; time.sleep(60)", 1.0, "had not joined after 1 s", "connect first"),
    ],
)
def test_a_bot_that_does_not_start(
    tmp_path: Path, script: str, start_up: float, reason: str, advice: str
) -> None:
    report = tried(tmp_path, script, "briscola/2", "briscola/3", start_up=start_up)
    (match,) = report.matches
    assert reason in match.reason
    assert advice in match.advice
    assert (report.start_up_seconds, report.qualified, report.checks) == (0.0, (), ())


def test_a_bot_that_does_not_start_a_second_time_is_good_for_nothing(tmp_path: Path) -> None:
    flag = tmp_path / "flag"
    once = f"if os.path.exists({str(flag)!r}): sys.exit(7)\nopen({str(flag)!r}, 'x')"
    report = tried(tmp_path, sdk("pass", start=once))
    assert report.matches[0].passed
    (found,) = failures(report)["a new start in the middle of matches"]
    assert "did not start: its process exited with status 7" in found.reason
    assert report.qualified == ()
    assert sum(check.left_out for check in report.checks) > 5


def test_what_the_platform_spoils_is_no_report(tmp_path: Path) -> None:
    """Or it would take the place of a trial that the bot had passed."""
    arena = Arena(tmp_path)
    arena.lives.spoilt = 1
    spec = arena.spec(sdk("os.kill(os.getpid(), 9)"))
    with pytest.raises(IsolationError, match=r"the platform failed: .* play it again$"):
        asyncio.run(play_trial(spec, [parse_variant("briscola/2")], seed=SEED))
    assert set(arena.lives.began) == set(arena.lives.ended)


@pytest.mark.parametrize(
    ("act", "seconds", "advice"),
    [
        ("pass", 0.0, "the platform was busy"),
        pytest.param("time.sleep(0.4)", 5.0, "a decision may take", marks=pytest.mark.slow),
    ],
)
def test_when_time_is_up_every_form_is_told_and_who_took_it(
    tmp_path: Path, act: str, seconds: float, advice: str
) -> None:
    report = tried(
        tmp_path,
        sdk(act),
        "briscola/2",
        "briscola/3",
        matches_seconds=seconds,
        slow_share=0.1,  # or a slow start would leave too little for thought
    )
    assert [match.variant for match in report.matches] == ["briscola/2", "briscola/3"]
    first, second = report.matches
    assert "were not over after" in first.reason
    assert "not begun: the matches of the trial were not over" in second.reason
    assert advice in first.advice
    assert first.advice == second.advice
    assert report.qualified == ()


def test_a_bot_that_had_joined_is_not_told_to_mend_its_start(tmp_path: Path) -> None:
    adviser = Adviser(Arena(tmp_path).spec(GOOD))

    def advice(*, joined: bool) -> str:
        loss = Loss(
            termination=Termination.CRASHED, owner=Owner.BOT, reason="it fell", joined=joined
        )
        return adviser.blame_death("it fell", loss).advice

    assert advice(joined=True) == "it wrote nothing that says where it ended"
    assert "`command`" in advice(joined=False)
