"""Challenges at a real platform: asked for, played in turn, cancelled, and counted nowhere."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass

import pytest

from mazzo_server.errors import (
    ConflictError,
    LimitReachedError,
    NotFoundError,
    PermissionDeniedError,
    StoreError,
)
from mazzo_server.model import CallLimits, TournamentKind, TournamentRequest
from mazzo_server.serving.hosting import Platform
from mazzo_server.settings import Settings
from mazzo_server.storage import Store, TournamentStatus, open_store
from mazzo_server.tournaments.challenges import ChallengeRequest, Challenges
from mazzo_server.tournaments.challenges.playing import ChallengePlayer
from support.command import Home
from support.stored_rows import add_tournament

PATIENCE = 60.0  # seconds


@dataclass(slots=True)
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True, slots=True)
class Club:
    """A platform with sample bots, whose clock is the test's."""

    platform: Platform
    store: Store
    challenges: Challenges
    player: ChallengePlayer
    clock: Clock

    async def ask(self, *, author: str = "", groups: int = 1) -> int:
        """The number of a challenge of random against greedy."""
        made = await self.challenges.create(ask_for(groups), author=author)
        return made.row.id

    async def wait_for(self, number: int, *statuses: TournamentStatus) -> None:
        while True:
            if self.store.tournament(number).status in statuses:
                return
            await asyncio.sleep(0.02)

    async def finish(self, number: int) -> None:
        await self.wait_for(number, TournamentStatus.FINISHED)


def ask_for(groups: int = 1) -> ChallengeRequest:
    return ChallengeRequest(
        bot="random", opponent="greedy", variant="briscola/2", groups=groups, isolation="none"
    )


def run(home: Home, body: Callable[[Club], Awaitable[None]], *, per_day: int = 20) -> None:
    async def main() -> None:
        settings = Settings(home=home.path)
        store = open_store(settings.store)
        platform = Platform(settings, store, limits=CallLimits(challenges_per_day=per_day))
        clock = Clock()
        challenges = Challenges(
            store,
            platform.bots.launcher,
            platform.tournaments,
            read=platform.read,
            per_day=per_day,
            clock=clock,
        )
        player = ChallengePlayer(
            store,
            platform.tournaments,
            challenges,
            poll_seconds=0.1,
            retry_seconds=0.05,
            look_seconds=0.01,
        )
        playing = asyncio.create_task(player.play())
        try:
            async with asyncio.timeout(PATIENCE):
                await body(Club(platform, store, challenges, player, clock))
                assert not playing.done()
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
            await platform.close(grace=0.0)

    asyncio.run(main())


def own(home: Home, owner: str) -> None:
    """Give the sample bots to an author."""
    with closing(sqlite3.connect(Settings(home=home.path).store)) as connection, connection:
        connection.execute("UPDATE bots SET owner = ?", (owner,))


def test_a_challenge_is_played_to_its_end_and_counts_for_no_ranking(samples: Home) -> None:
    """It is no tournament in any list that does not ask for it, and rankings stay as they were."""

    async def body(club: Club) -> None:
        tournaments, rankings = club.platform.tournaments, club.platform.results.rankings
        request = TournamentRequest(
            variant="briscola/2", bots=("random", "greedy"), deals=4, isolation="none"
        )
        rated = (await tournaments.create(request)).id
        await tournaments.start(rated, workers=1)
        await club.finish(rated)
        before = rankings.list_rankings("")
        assert len(before) == 1
        number = await club.ask(groups=3)
        await club.finish(number)
        row = club.store.tournament(number)
        assert row.matches_played == 6
        assert row.definition.kind is TournamentKind.CHALLENGE
        assert rankings.list_rankings("") == before
        assert [one.row.id for one in await tournaments.overview.list()] == [rated]
        with pytest.raises(ConflictError, match="is a challenge: it counts for no ranking"):
            rankings.explain_tournament("random", number, variant="", start=0, size=9)
        standing = await tournaments.overview.show(number)
        assert standing.standings is not None
        assert {one.name: one.groups for one in standing.standings.rows} == {
            "random": 3,
            "greedy": 3,
        }
        (listed,) = (await club.challenges.list_recent(with_results=True)).challenges
        (hero,) = (one for one in standing.standings.rows if one.name == row.definition.hero)
        assert listed.groups == (hero.wins, hero.draws, hero.losses)
        assert sum(listed.groups) == 3
        club.store.delete_tournament(number)
        assert rankings.list_rankings("") == before

    run(samples, body)


@pytest.mark.slow
def test_authors_take_turns_and_the_list_says_whose_is_next(samples: Home) -> None:
    own(samples, "kim")

    async def body(club: Club) -> None:
        long = await club.ask(groups=500)
        await club.wait_for(long, TournamentStatus.RUNNING)
        mine = [await club.ask(author="kim") for _ in range(3)]
        last = await club.ask()  # of the organiser, whose first one is being played
        found = (await club.challenges.list_recent(author="kim")).challenges
        assert [(one.row.id, one.running, one.place) for one in found] == [
            (long, True, 0),
            (mine[0], False, 1),
            (mine[1], False, 2),
            (last, False, 3),
            (mine[2], False, 4),
        ]
        part = await club.challenges.list_recent(start=1, size=2)
        assert [(one.row.id, one.place) for one in part.challenges] == [(mine[0], 1), (mine[1], 2)]
        assert part.has_more
        await club.challenges.cancel(long, author="")
        for number in (*mine, last):
            await club.finish(number)
        found = (await club.challenges.list_recent()).challenges
        assert [one.row.id for one in found] == [last, *reversed(mine), long]
        assert {one.place for one in found} == {0}
        part = await club.challenges.list_recent(start=3, size=2)
        assert [one.row.id for one in part.challenges] == [mine[0], long]
        assert not part.has_more

    run(samples, body)


def test_those_who_asked_and_organisers_cancel_before_and_while_it_is_played(
    samples: Home,
) -> None:
    own(samples, "kim")

    async def body(club: Club) -> None:
        played = await club.ask(author="kim", groups=500)
        waiting = [await club.ask(author="kim") for _ in range(2)]
        await club.wait_for(played, TournamentStatus.RUNNING)
        for number in (played, waiting[0]):
            with pytest.raises(PermissionDeniedError, match="asked for by kim, not by lee"):
                await club.challenges.cancel(number, author="lee")
        await club.challenges.cancel(waiting[0], author="kim")
        await club.challenges.cancel(played, author="kim")
        await club.wait_for(played, TournamentStatus.CANCELLED)
        await club.finish(waiting[1])
        assert club.store.tournament(waiting[0]).status is TournamentStatus.CANCELLED
        assert club.store.tournament(waiting[0]).matches_played == 0
        with pytest.raises(ConflictError, match="is cancelled"):
            await club.challenges.cancel(played, author="")
        rated = add_tournament(club.store)
        with pytest.raises(NotFoundError, match="expected the number of a challenge"):
            await club.challenges.cancel(rated, author="")
        with pytest.raises(NotFoundError):
            await club.challenges.cancel(4_000_000_000, author="kim")

    run(samples, body)


def test_one_cancelled_at_once_is_never_half_begun(samples: Home) -> None:
    """Whichever moment of its start the cancelling meets."""

    async def body(club: Club) -> None:
        for pause in range(12):
            number = await club.ask(groups=500)
            await asyncio.sleep(pause * 0.004)
            await club.challenges.cancel(number, author="")
            await club.wait_for(number, TournamentStatus.CANCELLED)

    run(samples, body)


def test_the_quota_is_counted_from_what_is_stored(samples: Home) -> None:
    """What was cancelled counts, tomorrow is a new day, and calls at once exceed nothing."""
    own(samples, "kim")

    async def body(club: Club) -> None:
        asked = await asyncio.gather(
            *(club.ask(author="kim") for _ in range(5)), return_exceptions=True
        )
        assert [type(one) for one in asked].count(LimitReachedError) == 3
        assert sum(isinstance(one, int) for one in asked) == 2
        assert (await club.challenges.list_recent(author="kim")).asked_today == 2
        assert (await club.challenges.list_recent(author="lee")).asked_today == 0
        first = next(one for one in asked if isinstance(one, int))
        await club.finish(first)
        with pytest.raises(LimitReachedError):
            await club.ask(author="kim")
        await club.ask()  # an organiser has no quota
        club.clock.now += 86_400.0
        await club.ask(author="kim")
        club.clock.now -= 86_400.0  # the clock is set back: the day before was used up
        with pytest.raises(LimitReachedError):
            await club.ask(author="kim")
        again = Challenges(
            club.store,
            club.platform.bots.launcher,
            club.platform.tournaments,
            read=club.platform.read,
            per_day=2,
            clock=club.clock,
        )
        with pytest.raises(LimitReachedError):  # nothing of it was in memory alone
            await again.create(ask_for(), author="kim")

    run(samples, body, per_day=2)


def test_one_that_cannot_be_played_lets_others_go_first_and_is_given_up(
    samples: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def body(club: Club) -> None:
        start = club.platform.tournaments.start
        tried: list[int] = []

        async def fail(number: int, **options: int) -> None:
            tried.append(number)
            if number == broken:
                raise StoreError("the files of random version 1 are gone")
            await start(number, workers=1)

        monkeypatch.setattr(club.platform.tournaments, "start", fail)
        broken = 1
        assert await club.ask() == broken
        fine = await club.ask()
        await club.finish(fine)
        await club.wait_for(broken, TournamentStatus.CANCELLED)
        assert tried.count(broken) == 5
        assert tried.index(fine) < len(tried) - 1

    run(samples, body)


@pytest.mark.slow
def test_while_others_play_a_challenge_is_followed_by_a_rest(samples: Home) -> None:
    """Nineteen times as long as it was played; and none as soon as nobody else plays."""

    async def body(club: Club) -> None:
        tournaments = club.platform.tournaments
        request = TournamentRequest(
            variant="briscola/2", bots=("random", "greedy"), groups=100_000, isolation="none"
        )
        rated = (await tournaments.create(request)).id
        await tournaments.start(rated, workers=1)
        await club.wait_for(rated, TournamentStatus.RUNNING)
        first, second = await club.ask(groups=2), await club.ask()
        loop = asyncio.get_running_loop()
        begin = loop.time()
        await club.finish(first)
        played = loop.time() - begin
        while loop.time() < begin + min(5.0 * played, 5.0):
            assert club.store.tournament(second).status is TournamentStatus.CREATED
            await asyncio.sleep(0.02)
        await tournaments.cancel(rated)
        await club.finish(second)

    run(samples, body)
