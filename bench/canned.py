"""Workers that play nothing: they answer with outcomes that were made beforehand.

`python -m bench.canned FD LEVEL` is one, started like a real worker. All but the play is real: its
messages, its batches, its sockets.
"""

from __future__ import annotations

import asyncio
import heapq
import os
import socket
import sys
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from random import Random
from typing import Any

from mazzo_server.clock import monotonic
from mazzo_server.model.outcome import DealPlay, MatchOutcome
from mazzo_server.play import Began, Finished, PlayEvent
from mazzo_server.tournaments.executor import Chunk
from mazzo_server.tournaments.executor.local import LocalExecutor
from mazzo_server.tournaments.executor.worker.program import Worker

__all__ = ["CannedExecutor", "make_outcome"]

_KINDS = 256  # of matches that differ in more than their numbers
_TURN = 32  # matches between two turns of the event loop
_STARTS = 0.5  # seconds in which the bots of a seating start, where play takes time


@cache
def _make_template(kind: int) -> MatchOutcome:
    """Return a match of two deals of forty decisions, as those of briscola are."""
    random = Random(kind)
    deals = []
    for dealer in (0, 1):
        points = random.randrange(20, 101)
        deals.append(
            DealPlay(
                dealer=dealer,
                actions=random.randbytes(40),
                scores=(points, 120 - points),
                micros=tuple(random.randrange(80, 5000) for _ in range(40)),
                substituted=(),
                forfeited=False,
            )
        )
    won = sum(Fraction((deal.scores[0] > 60) * 2 + (deal.scores[0] == 60), 2) for deal in deals)
    return MatchOutcome(
        group=0,
        seating=0,
        entrants=(0, 1),
        match_scores=(Fraction(won), 2 - Fraction(won)),
        deals=tuple(deals),
        faults=(),
        late=(0, 0),
        decisions=(40, 40),
        thinking_seconds=(random.random(), random.random()),
    )


def make_outcome(group: int, seating: int, entrants: Sequence[int]) -> MatchOutcome:
    """Return the outcome of a match, which follows from its numbers alone."""
    template = _make_template((group * 7919 + seating * 31) % _KINDS)
    return replace(template, group=group, seating=seating, entrants=tuple(entrants))


class CannedExecutor(LocalExecutor):
    """Reports the matches of a chunk seating by seating, without playing them."""

    def __init__(self, *arguments: Any, match_seconds: float = 0.0, **named: Any) -> None:
        """A match takes about so long, in which as many others are played as may be in flight."""
        super().__init__(*arguments, **named)
        self._match_seconds = match_seconds
        self._is_over = False

    async def play(self, chunk: Chunk) -> AsyncGenerator[PlayEvent, None]:
        """See `Executor`."""
        for seating in range(chunk.seatings):
            if self._match_seconds:
                await asyncio.sleep(_STARTS)
                playing = self._play_slowly(chunk, seating)
            else:
                playing = self._play_at_once(chunk, seating)
            async for event in playing:
                yield event

    async def _play_at_once(self, chunk: Chunk, seating: int) -> AsyncGenerator[PlayEvent, None]:
        for number, match in enumerate(chunk.list_matches(seating)):
            if self._is_over:
                return
            if number % _TURN == 0:
                await asyncio.sleep(0)
            yield _begin(match.group, seating, match.entrants)
            outcome = make_outcome(match.group, seating, [seat.entrant for seat in match.seats])
            yield Finished(outcome=outcome)

    async def _play_slowly(self, chunk: Chunk, seating: int) -> AsyncGenerator[PlayEvent, None]:
        random = Random(chunk.first)
        playing: list[tuple[float, int, MatchOutcome]] = []  # a heap, by the time of the end
        matches = iter(chunk.list_matches(seating))
        while True:
            while len(playing) < self.concurrency and not self._is_over:
                if (match := next(matches, None)) is None:
                    break
                entrants = [seat.entrant for seat in match.seats]
                outcome = make_outcome(match.group, seating, entrants)
                end = monotonic() + self._match_seconds * random.uniform(0.5, 1.5)
                heapq.heappush(playing, (end, match.group, outcome))
                yield _begin(match.group, seating, match.entrants)
            if not playing:
                return
            await asyncio.sleep(max(0.0, playing[0][0] - monotonic()))
            yield Finished(outcome=heapq.heappop(playing)[2])

    def stop(self, *, at_once: bool = False) -> None:
        """See `Executor`."""
        self._is_over = True


def _begin(group: int, seating: int, entrants: Sequence[int]) -> Began:
    names = tuple(f"bot-{entrant:02}" for entrant in entrants)
    return Began(group=group, seating=seating, entrants=names, commitment=bytes(32))


async def _run(descriptor: int, level: int) -> None:
    reader, writer = await asyncio.open_connection(sock=socket.socket(fileno=descriptor))
    await Worker(reader, writer, make_executor=CannedExecutor).run(level)


if __name__ == "__main__":
    descriptor, level = map(int, sys.argv[1:])
    os.set_inheritable(descriptor, False)
    asyncio.run(_run(descriptor, level))
