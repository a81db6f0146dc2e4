"""Promise 3: commitments from the start, records when the group is over, and nothing between."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from mazzo.games import parse_variant
from mazzo.match_check import verify
from mazzo.match_record import MatchRecord
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.errors import ConflictError, FellBehindError, NotFoundError, StoreError
from mazzo_server.model import Mirror, TournamentRequest
from mazzo_server.model.outcome import MatchOutcome
from mazzo_server.pairing import list_groups
from mazzo_server.pairing.factory import make_pairing
from mazzo_server.play.events import Began
from mazzo_server.play.table import Ask, Table
from mazzo_server.results import MatchStatus, Replays, ScheduledMatch
from mazzo_server.serving.hosting.platform import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import MemoryStore, TournamentStatus
from mazzo_server.tournaments.executor import count_attempts_in
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.running.director import Director, DirectorHooks
from mazzo_server.tournaments.running.feed import Feed
from support import manual_tournaments as club
from support.manual_tournaments import definition_of, legal
from support.sample_bots import write_bot
from support.scripted_tournaments import GOOD, Arena


class Club(club.Club):
    """With a look at its matches."""

    @property
    def replays(self) -> Replays:
        return Replays(self.store)

    def page(self, *, bot: str = "", start: int = 0) -> list[ScheduledMatch]:
        found, following = self.replays.list_page(1, bot=bot, start=start, size=1000)
        assert following is None
        return found

    def statuses(self) -> list[str]:
        return [match.status.value for match in self.page()]

    def true_record(self, group: int, seating: int) -> MatchRecord:
        record = self.replays.read_record(1, group, seating)
        assert MatchRecord.parse(list(record.lines())) == record
        verification = verify(record)
        assert verification.ok, verification.wrong
        return record


def test_every_scheduled_match_is_listed_with_its_commitment_from_the_start() -> None:
    played = Club()
    before = played.page()
    assert [(match.group, match.seating) for match in before] == [
        (group, seating) for group in range(6) for seating in range(2)
    ]
    assert {match.status for match in before} == {MatchStatus.WAITING}
    assert len({match.commitment for match in before}) == 12
    for group in range(6):
        for seating in range(2):
            played.play(group, seating)
    after = played.page()
    assert [replace(match, status=MatchStatus.WAITING) for match in after] == before
    for match in after:
        record = played.true_record(match.group, match.seating)
        assert record.commitment == match.commitment
        assert tuple(seat.bot for seat in record.seats) == match.entrants


def test_nothing_is_had_of_a_match_until_every_seating_of_its_group_is_stored() -> None:
    played = Club("briscola/3", match_format="deals:3")
    for seating in range(3):
        for asked in range(3):
            with pytest.raises(ConflictError, match=f"mirror group is over: {seating} of 3 are"):
                played.replays.read_record(1, 0, asked)
        played.play(0, seating)
        hidden = ["hidden"] * (seating + 1) + ["waiting"] * (2 - seating)
        assert played.statuses()[:3] == (["open"] * 3 if seating == 2 else hidden)
    for seating in range(3):
        played.true_record(0, seating)
    with pytest.raises(ConflictError, match="0 of 3"):
        played.replays.read_record(1, 1, 0)


def test_no_secret_of_a_hidden_group_is_in_a_list_or_a_refusal() -> None:
    played = Club()
    played.play(0, 0)
    secrets = [played.groups[0].seed.hex(), played.groups[0].seed]
    shown = [repr(played.page())]
    with pytest.raises(ConflictError) as refused:
        played.replays.read_record(1, 0, 0)
    shown.append(str(refused.value))
    assert not any(str(secret) in text for secret in secrets for text in shown)


def test_matches_of_a_withdrawn_entrant_are_had_when_the_tournament_is_over() -> None:
    played = Club()
    table = played.groups[0].table
    played.play(0, 0)
    played.store.add_withdrawal(1, table[0], reason="does not start")
    assert played.statuses()[:2] == ["hidden", "void"]
    with pytest.raises(ConflictError, match="when the tournament is over"):
        played.replays.read_record(1, 0, 0)
    played.store.set_status(1, TournamentStatus.FINISHED, end_time=1.0)
    assert played.statuses()[:2] == ["open", "void"]
    played.true_record(0, 0)
    with pytest.raises(ConflictError, match="never played"):
        played.replays.read_record(1, 0, 1)


def test_pages_follow_each_other_and_start_where_they_are_told() -> None:
    played = Club(groups=5)
    whole = played.page()
    for bot in ("", "bob"):
        wanted = [match for match in whole if bot in ("", *match.entrants)]
        assert played.page(bot=bot) == wanted
        for size in (1, 3, 4):
            found, start = list[ScheduledMatch](), 0
            while True:
                page, following = played.replays.list_page(1, bot=bot, start=start, size=size)
                assert len(page) <= size
                found += page
                if following is None:
                    break
                start = following
            assert found == wanted
    assert played.replays.list_page(1, start=10**6, size=10) == ([], None)


def test_a_page_reads_the_store_for_its_own_groups_only(monkeypatch: pytest.MonkeyPatch) -> None:
    played = Club(groups=100)
    asked: list[int | None] = []
    outcomes = MemoryStore.outcomes

    def counted(
        store: MemoryStore, number: int, *, with_deals: bool, group: int | None = None
    ) -> list[MatchOutcome]:
        asked.append(group)
        assert not with_deals
        return outcomes(store, number, with_deals=with_deals, group=group)

    monkeypatch.setattr(MemoryStore, "outcomes", counted)
    played.replays.list_page(1, start=401, size=5)
    assert asked == [200, 201, 202]


def test_the_schedule_can_be_entered_anywhere() -> None:
    for variant, mirror in (("briscola/2", Mirror.ALL), ("briscola/3", Mirror.ROTATIONS)):
        schedule = make_pairing(definition_of(variant, groups=7, mirror=mirror))
        groups = list(list_groups(schedule))
        for first in range(len(groups) + 2):
            assert list(list_groups(schedule, first)) == groups[first:]


@pytest.mark.parametrize(
    "variant",
    [
        *("briscola/2", "briscola/3", "briscola/4", "frusta/2", "frap/3"),
        *("tressette-pizzichino/2", "tressette-meta-mazzo/2"),
    ],
)
@pytest.mark.parametrize("what", ["legal", "late", "illegal"])
def test_whatever_happened_the_record_is_true(variant: str, what: str) -> None:
    def answer(table: Table, ask: Ask, generator: random.Random) -> object:
        if ask.seat == 0 and what == "late" and ask.number in (2, 3, 4):
            return table.expire(60.0)
        if ask.seat == 0 and what == "illegal" and ask.number == 3:
            return table.answer(-1, 0.5)
        return legal(table, ask, generator)

    played = Club(variant)
    sides = len(parse_variant(variant).sides)
    for seating in range(sides):
        outcome = played.play(0, seating, answer)
    record = played.true_record(0, sides - 1)
    assert record.match_scores == outcome.match_scores
    assert len(record.faults) == (what != "legal")
    assert record.late[0] == (3 if what == "late" else 0)
    assert record.micros == tuple(play.micros for play in outcome.deals)
    if what != "legal" and sides == 2:
        assert record.match_scores[0] == 0
        assert record.ranking[0] == 2
        assert record.deals[-1].scores is None
    elif what != "legal":
        assert all(deal.scores for deal in record.deals)
        assert sum(map(len, record.substituted)) > 3


def test_the_commitment_is_that_of_the_attempt_that_is_played() -> None:
    """Of a match that is dealt anew, as its bots and who watches hear it; for good, once stored."""
    played = Club()
    first = played.page()[0].commitment
    played.store.begin_matches(1, [(0, 0), (0, 1)])
    assert played.page()[0].commitment == first
    played.store.begin_matches(1, [(0, 0)])
    second = played.page()[0].commitment
    assert second != first
    played.play(0, 0, attempt=1)
    assert played.page()[0].commitment == second
    played.play(0, 1)
    assert played.true_record(0, 0).commitment == second


def test_a_later_attempt_is_shown_and_checked_with_its_own_seed() -> None:
    played = Club()
    before = played.page()
    played.play(0, 0, attempt=1)
    played.play(0, 1)
    record = played.true_record(0, 0)
    assert record.attempt == 1
    assert record.group_seed == played.groups[0].seed != record.seed
    assert played.true_record(0, 1).seed == played.groups[0].seed
    after = played.page()
    assert after[0].commitment == record.commitment != before[0].commitment
    assert after[1].commitment == before[1].commitment


def test_a_store_that_was_tampered_with_is_found_out() -> None:
    played = Club()
    outcomes = [played.play(0, 0), played.play(0, 1)]

    def replaced(outcome: MatchOutcome) -> MatchRecord:
        other = Club()
        other.store.add_outcomes(1, [outcome, outcomes[1]])
        return other.replays.read_record(1, 0, 0)

    good = outcomes[0]
    first = good.deals[0]
    assert verify(replaced(good)).ok
    for changes, wrong in (
        ({"match_scores": good.match_scores[::-1]}, "match scores"),
        ({"late": (1, 0)}, "late"),
        ({"deals": (first._replace(scores=(119, 1)), good.deals[1])}, "scores"),
        ({"deals": (first._replace(dealer=1 - first.dealer), good.deals[1])}, "dealer"),
        ({"deals": (first._replace(substituted=(0, 1, 2, 3)), good.deals[1])}, "substitute"),
    ):
        if wrong == "match scores" and good.match_scores[0] == good.match_scores[1]:
            changes = {"match_scores": (5, 5)}
        assert wrong in verify(replaced(replace(good, **changes))).wrong
    for deals in (
        (first._replace(actions=first.actions[::-1]), good.deals[1]),
        (first._replace(actions=first.actions + b"\x01"), good.deals[1]),
        (*good.deals, first),
    ):
        with pytest.raises(StoreError, match="match 1/0/0 cannot be replayed"):
            replaced(replace(good, deals=deals))


@pytest.mark.parametrize(("group", "seating"), [(6, 0), (0, 2), (10**9, 10**9)])
def test_a_match_that_is_none_is_refused_with_what_there_is(group: int, seating: int) -> None:
    with pytest.raises(NotFoundError, match="group from 0 to 5 and a seating from 0 to 1"):
        Club().replays.read_record(1, group, seating)


def test_a_bot_that_takes_no_part_and_an_unknown_tournament_are_refused() -> None:
    with pytest.raises(NotFoundError, match=r"ann, bob, cleo.*'dora'"):
        Club().page(bot="dora")
    with pytest.raises(NotFoundError):
        Club().replays.list_page(2, size=1)


def test_a_record_says_nothing_of_other_groups() -> None:
    played = Club()
    played.play(0, 0)
    played.play(0, 1)
    text = "\n".join(played.replays.read_record(1, 0, 0).lines())
    assert played.definition.seed.hex() not in text
    assert all(group.seed.hex() not in text for group in played.groups[1:])
    assert json.loads(text.splitlines()[0])["seed"] == played.groups[0].seed.hex()


# Watching


def test_matches_are_told_before_their_first_card_with_the_commitment_of_the_list(
    tmp_path: Path,
) -> None:
    arena = Arena(tmp_path)
    store, began, totals = MemoryStore(), list[tuple[int, int, bytes]](), list[tuple[int, ...]]()

    async def run() -> object:
        specs = [arena.spec(GOOD) for _ in range(3)]
        row = store.add_tournament(
            arena.definition(3, mirror=Mirror.ROTATIONS), concurrency=1, create_time=0.0
        )

        def progressed() -> None:
            progress = director.progress
            totals.append((progress.matches_played, progress.deals_played, progress.faults))

        director = Director(
            row,
            store,
            LocalExecutor(specs, concurrency=2, count_attempts=count_attempts_in(store, row.id)),
            hooks=DirectorHooks(
                on_progress=progressed,
                on_begin=lambda event: began.append((event.group, event.seating, event.commitment)),
            ),
        )
        return await director.run()

    arena.together([run])  # type: ignore[list-item]
    listed = {
        (match.group, match.seating): match.commitment
        for match in Replays(store).list_page(1, size=100)[0]
    }
    assert {(group, seating): text for group, seating, text in began} == listed
    assert len(began) == 6
    # Phase 0 completes no group, so nothing is told but that its matches are over.
    assert {deals for matches, deals, _ in totals if matches <= 3} == {0}
    assert totals[-1] == (6, 6, 0)


def test_no_seed_in_what_a_log_could_quote() -> None:
    """Seeds decide all cards, so nothing shows them but what is meant to."""
    seed = bytes(range(100, 132))
    assert repr(seed) not in repr(definition_of(seed=seed))
    assert seed.hex() not in repr(TournamentRequest(variant="briscola/2", seed=seed.hex()))


def begun(count: int) -> list[Began]:
    return [
        Began(group=group, seating=0, entrants=("ann", "bob"), commitment=group.to_bytes(32))
        for group in range(count)
    ]


def test_a_watcher_that_reads_too_slowly_is_told_to_watch_again() -> None:
    """Ten thousand matches wait for him at most."""
    feed = Feed()
    matches = begun(10_001)
    for match in matches:
        feed.add(match)
    assert feed.list_after(1) == matches[1:501]
    assert feed.list_after(9_900) == matches[9_900:]
    with pytest.raises(FellBehindError, match="watch again"):
        feed.list_after(0)


def test_a_watcher_who_keeps_up_may_read_for_ever() -> None:
    """And who comes back with the number of the last match gets the ones after it."""
    feed = Feed()
    for number, match in enumerate(begun(10_001) * 2):
        assert feed.list_after(number) == []
        feed.add(match)
        assert feed.list_after(number) == [match]
        assert feed.last == number + 1


def test_a_watcher_gets_the_commitment_of_each_match_once(tmp_path: Path) -> None:
    async def main() -> None:
        platform = await Platform.open(Settings(home=tmp_path / "home"))
        for name in ("ann", "bob"):
            bot = write_bot(tmp_path, name, act="return view.random.choice(view.legal)")
            await platform.bots.submit(pack(bot), isolation="none")
        row = await platform.tournaments.create(
            TournamentRequest(variant="briscola/2", groups=3, isolation="none", concurrency=2)
        )
        await platform.tournaments.start(row.id)
        with pytest.raises(ConflictError, match="every seating"):
            await platform.read(platform.results.replays.read_record, row.id, 0, 0)
        reports = [report async for report in platform.tournaments.watch(row.id)]
        assert [report.failure for report in reports if report.failure] == []
        begun = [match for report in reports for match in report.begun]
        listed, _ = await platform.read(platform.results.replays.list_page, row.id, size=100)
        assert len(begun) == len(listed) == 6
        assert {
            (match.group, match.seating, match.entrants, match.commitment) for match in begun
        } == {(match.group, match.seating, match.entrants, match.commitment) for match in listed}
        for match in listed:
            record = await platform.read(
                platform.results.replays.read_record, row.id, match.group, match.seating
            )
            assert verify(record).ok
        await platform.close(grace=1)

    asyncio.run(main())


def test_the_schedule_of_a_bot_is_that_of_all_its_copies() -> None:
    """Copies: their matches are found by the bot's name, each once."""
    copies = Club(entrants=club.entrants_of("ann", "ann*2", "bob"), groups=1)
    found = [(match.group, match.seating) for match in copies.page(bot="ann")]
    assert found == [(group.number, seating) for group in copies.groups for seating in range(2)]
    met = {index for group in copies.groups for index in group.table if 2 in group.table}
    assert met == {0, 1, 2}
    assert len(copies.page(bot="bob")) == 4
    with pytest.raises(NotFoundError, match=r"takes part in tournament 1 \(ann, bob\), got 'zoe'"):
        copies.page(bot="zoe")
