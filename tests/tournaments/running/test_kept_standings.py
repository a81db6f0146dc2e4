"""Standings are kept while a long chunk is played, and no error of that is lost."""

from __future__ import annotations

import asyncio
from typing import Final

from mazzo_server.errors import StoreError
from mazzo_server.tournaments.running.kept_standings import keep_standings_often
from mazzo_server.tournaments.running.progress import Progress

OFTEN: Final = 0.001  # seconds


def test_they_are_kept_when_enough_was_played() -> None:
    progress = Progress(matches_total=100, matches_played=5)
    kept: list[int] = []

    async def main() -> None:
        async with keep_standings_often(
            progress,
            lambda: kept.append(progress.matches_played),
            lambda _: None,
            seconds=OFTEN,
            most_unkept=10,
        ):
            for played in (14, 15, 24, 30):
                progress.matches_played = played
                await asyncio.sleep(0.05)
        progress.matches_played = 90
        await asyncio.sleep(0.05)

    asyncio.run(main())
    assert kept == [15, 30]


def test_an_error_stops_the_run() -> None:
    progress = Progress(matches_total=100, matches_played=0)
    errors: list[Exception] = []

    def fail() -> None:
        raise StoreError("the disk is gone")

    async def main() -> None:
        async with keep_standings_often(
            progress, fail, errors.append, seconds=OFTEN, most_unkept=10
        ):
            progress.matches_played = 50
            await asyncio.sleep(0.05)

    asyncio.run(main())
    assert [str(error) for error in errors] == ["the disk is gone"]
