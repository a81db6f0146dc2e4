"""Chooses how many processes play a tournament, where nobody says."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf
from typing import Final

from mazzo_server.model import Definition, PairingScheme

__all__ = ["WorkerChoice", "WorkerLoad", "choose_workers", "find_local_share"]

# Seconds of CPU that a decision costs where frames are full, see docs/speed.md:
_MASTER_SECONDS: Final = 16e-6  # the game master, in the process that plays
_BOT_SECONDS: Final = 10e-6  # the SDK and an answer without a thought, of all bots together
_STORE_SECONDS: Final = 3e-6  # the platform, to store what workers play
_EXCHANGE_SECONDS: Final = 0.3e-3  # what a trial measures of a bot that does not think

_WORKER_SECONDS: Final = 30.0  # of play without workers, for each; in less, its starts cost more
_LEAST_IN_FLIGHT: Final = 32  # matches of each worker; who asks for fewer wants little load


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerLoad:
    """What is known of a tournament before it is played."""

    decisions: float  # that are still to be taken
    # Mean time of a decision in the bots' trials; None where a bot that plays here has none.
    decision_seconds: float | None
    local_share: float  # of the matches, those in which no remote bot plays
    concurrency: int  # matches in flight


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerChoice:
    """A number of processes, and why."""

    workers: int
    reason: str  # in words for people


def choose_workers(load: WorkerLoad, *, cores: int) -> WorkerChoice:
    """Choose how many processes play on so many cores.

    A worker pays only where the game master would keep others waiting. On a busy machine each core
    is shared in proportion to what a decision costs the game master (16 µs), the bots (10 µs and
    their thinking) and the store (3 µs). So there are as many workers as the game master's share of
    all cores fills, rounded down, and at most

    - as many as one platform can store the matches of: 16 / 3, so 5;
    - one for every 30 s that the matches without remote bots would take one process;
    - one for every 32 matches in flight: who asks for few wants little load.

    Fewer than two are one: the platform's own process plays.
    """
    if not load.local_share:
        return WorkerChoice(workers=1, reason="remote bots play in the platform's own process")
    if load.decision_seconds is None:
        return WorkerChoice(workers=1, reason="how long the bots think was not measured")
    local = load.decisions * load.local_share
    thought = max(0.0, load.decision_seconds - _EXCHANGE_SECONDS)
    others = _BOT_SECONDS + thought
    share = _MASTER_SECONDS / (_MASTER_SECONDS + others + _STORE_SECONDS)
    alone = local * max(_MASTER_SECONDS, (_MASTER_SECONDS + others) / cores)
    limits = {
        f"the game master is {share:.0%} of the work on {cores} cores": cores * share,
        "one process stores what they play": _MASTER_SECONDS / _STORE_SECONDS,
        f"one process would take about {alone:.0f} s": alone / _WORKER_SECONDS,
        f"{load.concurrency} matches are in flight": load.concurrency / _LEAST_IN_FLIGHT,
    }
    reason, most = "", inf
    for why, limit in limits.items():
        if int(limit) < most:  # of equal limits the first one
            reason, most = why, int(limit)
    return WorkerChoice(workers=max(1, int(most)), reason=reason)


def find_local_share(definition: Definition) -> float:
    """Return the share of the tables of entrants at which no remote bot sits.

    It takes every combination of entrants as equally frequent, and ignores changes.
    """
    sides = len(definition.sides)
    bots = len(definition.entrants)
    local = sum(not entrant.remote for entrant in definition.entrants)
    if definition.pairing is PairingScheme.GAUNTLET:
        hero = next(bot for bot in definition.entrants if bot.name == definition.hero)
        if hero.remote:
            return 0.0
        sides, bots, local = sides - 1, bots - 1, local - 1
    return comb(local, sides) / max(1, comb(bots, sides))
