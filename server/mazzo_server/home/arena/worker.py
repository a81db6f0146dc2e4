"""A process of `mazzo arena` that plays mirror groups.

`python -m` with the process that wants it, and two file descriptors. It reads `Work` from the
first, a socket, answers with `Ready`, and then plays each list of groups that comes, until the
other end closes. Before it loads a bot or plays a match it writes down in the second, a file,
which one that is, for whoever finds the process dead, or waits for it in vain.
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
from mazzo_server.home.arena.match import Outcome, play
from mazzo_server.home.arena.messages import LOADING, PLACE, Failed, PlayedGroups, Ready, Work
from mazzo_server.home.bots import HomeBot, HomeBotError, find_bot
from mazzo_server.pairing import Group
from mazzo_server.results.commentary import distinct_names

_PR_SET_PDEATHSIG = 1


class _Table:
    """The bots that are loaded, and an instance of its own for every bot and seat."""

    def __init__(self, work: Work, begin: Callable[[int, int], None]) -> None:
        self._work = work
        self._variant = parse_variant(work.variant)
        found: dict[str, HomeBot] = {}
        for number, given in enumerate(work.bots):
            if given not in found:
                begin(LOADING, number)
                found[given] = find_bot(given, self._variant)
        self._bots = [found[given] for given in work.bots]
        self.names = distinct_names([bot.name for bot in self._bots])
        self._seated: dict[tuple[int, int], Bot] = {}

    def play(self, group: Group, seating: int) -> Outcome:
        """One match; raises `HomeBotError` when a bot fails."""
        by_seat = group.by_seat(seating, self._variant.sides)
        return play(
            self._variant,
            group,
            seating,
            bots=[self._instance(bot, seat) for seat, bot in enumerate(by_seat)],
            match_format=self._work.match_format,
            control=self._work.control,
        )

    def _instance(self, bot: int, seat: int) -> Bot:
        instance = self._seated.get((bot, seat))
        if instance is None:
            instance = self._bots[bot].seat(f"{self.names[bot]} in seat {seat}")
            self._seated[bot, seat] = instance
        return instance


def _run(connection: Connection, place: int) -> None:
    def begin(what: int, which: int) -> None:
        os.pwrite(place, PLACE.pack(what, which, monotonic()), 0)

    try:
        table = _Table(connection.recv(), begin)
        os.truncate(place, 0)
        connection.send(Ready(names=table.names))
        while True:
            groups: Sequence[Group] = connection.recv()
            played = []
            for group in groups:
                outcomes = []
                for seating in range(len(group.seatings)):
                    begin(group.number, seating)
                    outcomes.append(table.play(group, seating))
                played.append((group.number, tuple(outcomes)))
            connection.send(PlayedGroups(groups=tuple(played)))
    except MazzoError as error:
        reason = error.reason if isinstance(error, PlatformError) else InvalidInputError.reason
        connection.send(Failed(reason=reason, text=str(error)))
    except KeyboardInterrupt:  # nobody interrupts this process
        text = "a bot raised KeyboardInterrupt"
        connection.send(Failed(reason=HomeBotError.reason, text=text))


def _end_with(parent: int) -> None:
    """End when the parent does, however that ends and whatever a bot is at."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # it was over before
        os._exit(0)


def _let_go(connection: Connection, place: int) -> None:
    """A process that a bot forks answers nobody, and plays no other match."""
    connection.close()
    unwritable = os.open(os.devnull, os.O_RDONLY)
    os.dup2(unwritable, place, inheritable=False)
    os.close(unwritable)


def _main() -> None:
    parent, socket, place = map(int, sys.argv[1:])
    _end_with(parent)
    for descriptor in (socket, place):
        os.set_inheritable(descriptor, False)  # they are not for programs that bots start
    connection = Connection(socket)
    os.register_at_fork(after_in_child=lambda: _let_go(connection, place))
    with suppress(EOFError, OSError):  # nobody wants more
        _run(connection, place)
    # At once, whatever threads the bots have left.
    os._exit(0)


if __name__ == "__main__":
    _main()
