"""A process of `mazzo arena` that plays mirror groups.

It is started by `python -m` with the id of its parent process and two file descriptors. It reads
`Work` from the first, a socket, and answers with `Ready`. Then it plays each list of groups that
comes, until the other end closes. Before it loads a bot or plays a match it notes in the second, a
file, which one that is. So its parent can tell when the process is dead or does not answer.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from time import monotonic

from mazzo.bot import Bot
from mazzo.errors import MazzoError
from mazzo.games import parse_variant
from mazzo_server.errors import InvalidInputError, PlatformError
from mazzo_server.home.arena.match import Outcome, play_seating
from mazzo_server.home.arena.messages import LOADING, PLACE, Failed, PlayedGroups, Ready, Work
from mazzo_server.home.arena.recorder import MatchRecorder
from mazzo_server.home.bots import HomeBot, HomeBotError, find_home_bot
from mazzo_server.pairing import Group
from mazzo_server.results.commentary import make_distinct_names

_PR_SET_PDEATHSIG = 1


class _Table:
    """The loaded bots, and a separate instance for every bot and seat."""

    def __init__(self, work: Work, begin: Callable[[int, int], None]) -> None:
        self._work = work
        self._variant = parse_variant(work.variant)
        found: dict[str, HomeBot] = {}
        for number, given in enumerate(work.bots):
            if given not in found:
                begin(LOADING, number)
                found[given] = find_home_bot(given, self._variant)
        self._bots = [found[given] for given in work.bots]
        self.names = make_distinct_names([bot.name for bot in self._bots])
        self._seated: dict[tuple[int, int], Bot] = {}

    def play(self, group: Group, seating: int) -> Outcome:
        """Play one match; raise `HomeBotError` when a bot fails."""
        by_seat = group.by_seat(seating, self._variant.sides)
        recorder = None
        if entrants := self._work.entrants:
            recorder = MatchRecorder(group, seating, entrants=[entrants[bot] for bot in by_seat])
        return play_seating(
            self._variant,
            group,
            seating,
            bots=[self._find_instance(bot, seat) for seat, bot in enumerate(by_seat)],
            match_format=self._work.match_format,
            control=self._work.control,
            recorder=recorder,
        )

    def _find_instance(self, bot: int, seat: int) -> Bot:
        instance = self._seated.get((bot, seat))
        if instance is None:
            instance = self._bots[bot].seat(f"{self.names[bot]} in seat {seat}")
            self._seated[bot, seat] = instance
        return instance


def _run(connection: Connection, place: int) -> None:
    def begin(what: int, which: int) -> None:
        os.pwrite(place, PLACE.pack(what, which, monotonic()), 0)

    played: list[tuple[int, tuple[Outcome, ...]]] = []

    def send_played() -> None:
        if played:
            connection.send(PlayedGroups(groups=tuple(played)))
            played.clear()

    try:
        table = _Table(connection.recv(), begin)
        os.truncate(place, 0)
        connection.send(Ready(names=table.names))
        while True:
            groups: Sequence[Group] = connection.recv()
            for group in groups:
                outcomes = []
                for seating in range(len(group.seatings)):
                    begin(group.number, seating)
                    outcomes.append(table.play(group, seating))
                played.append((group.number, tuple(outcomes)))
            send_played()
    except MazzoError as error:
        send_played()
        reason = error.reason if isinstance(error, PlatformError) else InvalidInputError.reason
        connection.send(Failed(reason=reason, text=str(error)))
    except KeyboardInterrupt:  # nobody interrupts this process
        send_played()
        text = "a bot raised KeyboardInterrupt"
        connection.send(Failed(reason=HomeBotError.reason, text=text))


def _end_with(parent: int) -> None:
    """End when the parent ends, in whatever way, even while a bot is busy."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # the parent had ended before
        os._exit(0)


def _let_go(connection: Connection, place: int) -> None:
    """Release both in a process that a bot forks: it answers nobody, and plays no other match."""
    connection.close()
    unwritable = os.open(os.devnull, os.O_RDONLY)
    os.dup2(unwritable, place, inheritable=False)
    os.close(unwritable)


def _main() -> None:
    parent, socket, place = map(int, sys.argv[1:])
    _end_with(parent)
    for descriptor in (socket, place):
        os.set_inheritable(descriptor, False)  # programs that bots start must not have them
    connection = Connection(socket)
    os.register_at_fork(after_in_child=lambda: _let_go(connection, place))
    with suppress(EOFError, OSError):  # the other end wants no more
        _run(connection, place)
    # At once, even if bots have left threads.
    os._exit(0)


if __name__ == "__main__":
    _main()
