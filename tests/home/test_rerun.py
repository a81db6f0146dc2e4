"""A recorded match with other code in a seat: what it decides otherwise, and what comes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mazzo import Action, Bot, View
from mazzo.game import Variant
from mazzo.match_record import MatchRecord
from mazzo.shuffle import bot_seed
from mazzo_server.errors import InvalidInputError
from mazzo_server.home import HomeBot
from mazzo_server.home.bot_folder import BotFolder
from mazzo_server.home.decision import find_decision, play_decision
from mazzo_server.home.rerun import play_rerun
from mazzo_server.results.watching import Playback
from sdk.test_match_record import EVERY, played


def make_home_bot(folder: Path, kind: type[Bot]) -> HomeBot:
    return HomeBot(name="own", given="own", folder=BotFolder(folder, folder / "bot.py"), kind=kind)


class First(Bot):
    """Takes the first legal action."""

    def act(self, view: View) -> Action:
        return view.legal[0]


def list_decisions(record: MatchRecord, seat: int) -> list[tuple[int, int, int | None, int]]:
    """Return a seat's decisions: deal, number, action, and which one `First` would take."""
    return [
        (number, step.number, step.action, deal.legal & -deal.legal)
        for number, deal, steps in Playback(record).play_deals()
        for step in steps
        if step.seat == seat
    ]


def make_parrot(record: MatchRecord, seat: int) -> type[Bot]:
    """Return a bot that decides as recorded."""
    actions = {number: action for _, number, action, _ in list_decisions(record, seat)}

    class Parrot(Bot):
        def act(self, view: View) -> int | Action:
            action = actions.get(view.number)
            return view.legal[0] if action is None else action

    return Parrot


def find_changed(record: MatchRecord, seat: int, deal: int) -> tuple[int, int | None] | None:
    """Return number and recorded action of the first decision that `First` takes otherwise."""
    return next(
        (
            (number, action)
            for at, number, action, first in list_decisions(record, seat)
            if at == deal and (action is None or 1 << action != first)
        ),
        None,
    )


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_a_bot_that_decides_as_recorded_changes_nothing(variant: Variant, tmp_path: Path) -> None:
    """Late decisions are the substitute's, and to be answered like all others."""
    record = played(variant, "deals:2", late=[(0, 2), (1, 1)])
    seat = variant.players - 1
    rerun = play_rerun(record, {seat: make_home_bot(tmp_path, make_parrot(record, seat))}, {})
    assert rerun.changes == ()
    assert rerun.missing is None
    assert rerun.played is not None
    assert rerun.played.deals == record.deals
    assert (rerun.played.scores, rerun.played.ranking) == (record.match_scores, record.ranking)


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_the_others_answer_as_recorded_until_it_decides_otherwise(
    variant: Variant, tmp_path: Path
) -> None:
    record = played(variant, "deals:2")
    bot = make_home_bot(tmp_path, First)
    rerun = play_rerun(record, {0: bot}, dict.fromkeys(range(1, variant.players), bot))
    assert rerun.played is not None
    changes = {change.deal: change for change in rerun.changes}
    for number, (then, now) in enumerate(zip(record.deals, rerun.played.deals, strict=False)):
        if (then.dealer, then.start) != (now.dealer, now.start):
            assert number not in changes  # it does not begin as recorded
            continue
        changed = find_changed(record, 0, number)
        if changed is None:
            assert number not in changes
            assert then == now
            continue
        change = changes[number]
        assert (change.number, change.then) == changed
        codes = [action.code for action in variant.game.actions]
        assert then.actions != now.actions
        pairs = zip(then.actions, now.actions, strict=False)
        first = next((before, after) for before, after in pairs if before != after)
        assert first == (codes[change.then or 0], codes[change.now])


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_play_ends_where_a_bot_that_is_not_at_home_has_to_go_on(
    variant: Variant, tmp_path: Path
) -> None:
    record = played(variant, "deals:2")
    seats = range(variant.players)
    own = next(seat for seat in seats if find_changed(record, seat, 0))
    rerun = play_rerun(record, {own: make_home_bot(tmp_path, First)}, {})
    assert rerun.played is None
    assert rerun.missing in {*seats} - {own}
    assert rerun.deal_scores == ()
    assert rerun.changes[0].deal == 0


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_a_record_that_ends_with_a_forfeit_goes_on(variant: Variant, tmp_path: Path) -> None:
    """A bot that has forfeited is the first that one wants to try again."""
    record = played(variant, "deals:2", forfeits=[(0, 2)])
    bot = make_home_bot(tmp_path, make_parrot(record, 0))
    rest = make_home_bot(tmp_path, First)
    rerun = play_rerun(record, {0: bot}, dict.fromkeys(range(1, variant.players), rest))
    assert rerun.played is not None
    assert len(rerun.played.deals) == 2
    if len(variant.sides) == 2:
        change = rerun.changes[0]
        assert (change.deal, change.number, change.then) == (0, 2, None)
        assert not change.by_substitute
    else:
        assert rerun.changes == ()  # what the substitute played is recorded
        rerun = play_rerun(record, {0: rest}, dict.fromkeys(range(1, variant.players), rest))
        assert all(change.by_substitute == (change.number >= 2) for change in rerun.changes)


@pytest.mark.parametrize("variant", EVERY, ids=str)
def test_one_decision_has_the_view_that_was_recorded(variant: Variant, tmp_path: Path) -> None:
    record = played(variant, "deals:2", late=[(1, 3)])
    seen: list[View] = []

    class Looking(Bot):
        def act(self, view: View) -> Action:
            seen.append(view)
            self.log("seen")
            return view.legal[0]

    decisions = list_decisions(record, 1)
    for deal, number, action, first in [*decisions[:4], decisions[-1]]:
        decision = find_decision(record, 1, number)
        view = decision.view
        assert (view.match.deal, view.seat, view.number) == (deal, 1, number)
        assert view.seed == bot_seed(record.seed, record.salt, 1)
        assert decision.then == action
        assert decision.by_substitute == (number == 3)
        assert view.legal_mask & -view.legal_mask == first
        taken = play_decision(decision, make_home_bot(tmp_path, Looking))
        assert (1 << taken.action, taken.note, taken.lateness) == (first, "seen", "")
        assert seen[-1] is view


def test_one_decision_has_the_clock_that_was_recorded() -> None:
    """10 seconds a deal, 0.1 more after each decision: less what the bot took."""
    record = played(EVERY[0])
    bank, deal = 10.0, 0
    for number, found, steps in Playback(record).play_deals():
        bank = 10.0 if number != deal else bank
        deal = number
        for step in steps:
            if step.seat == 0:
                clock = find_decision(record, 0, step.number).view.clock
                assert clock is not None
                assert clock.bank == pytest.approx(bank)
                assert (clock.increment, clock.limit) == (0.1, 5.0)
                bank = max(0.0, bank - step.micros / 1e6) + 0.1
        assert found.seat is None


def test_a_decision_that_is_none_is_refused_with_those_that_there_are() -> None:
    record = played(EVERY[0])
    last = list_decisions(record, 0)[-1][1]
    with pytest.raises(InvalidInputError, match=f"of seat 0 in 3/17/1, from 1 to {last}, got 999"):
        find_decision(record, 0, 999)


def test_deals_that_came_to_their_end_before_a_bot_is_missing_or_fails_are_kept(
    tmp_path: Path,
) -> None:
    record = played(EVERY[0], "deals:2")
    second = next(number for deal, number, _, _ in list_decisions(record, 0) if deal == 1)
    parrot = make_parrot(record, 0)

    class Changes(parrot):  # type: ignore[misc, valid-type]
        def act(self, view: View) -> int | Action:
            return view.legal[-1] if view.number >= second else super().act(view)

    class Fails(parrot):  # type: ignore[misc, valid-type]
        def act(self, view: View) -> int | Action:
            return super().act(view) if view.number < second else 1 // 0

    for kind, is_missing in ((Changes, True), (Fails, False)):
        rerun = play_rerun(record, {0: make_home_bot(tmp_path, kind)}, {})
        assert rerun.played is None
        assert rerun.deal_scores == (record.deals[0].scores,)
        assert (rerun.missing is not None) == is_missing
        assert ("ZeroDivisionError" in rerun.failure) != is_missing
