"""Tells what happens to bots: where something went wrong, and what became of challenges."""

from __future__ import annotations

from typing import Final

from mazzo.games import parse_variant
from mazzo.v1 import bot_pb2, challenge_pb2
from mazzo_server.model import MatchId

__all__ = [
    "describe_life",
    "describe_occasion",
    "describe_quota",
    "format_challenge_result",
    "name_challenge_state",
]

_MOST_MATCHES = 10  # of an instance that are named
_STATES: Final = {
    challenge_pb2.CHALLENGE_STATE_WAITING: "waits",
    challenge_pb2.CHALLENGE_STATE_PLAYING: "is played",
    challenge_pb2.CHALLENGE_STATE_PAUSED: "paused",
    challenge_pb2.CHALLENGE_STATE_CANCELLED: "cancelled",
    challenge_pb2.CHALLENGE_STATE_FINISHED: "finished",
}


def describe_occasion(log: bot_pb2.BotLog) -> str:
    """Say where something went wrong."""
    if log.kind == bot_pb2.BOT_LOG_KIND_TRIAL:
        return f"version {log.version}: failed its trial"
    if log.kind == bot_pb2.BOT_LOG_KIND_WITHDRAWAL:
        return f"tournament {log.tournament}, version {log.version}: withdrawn"
    match = MatchId(log.tournament, log.group, log.seating)
    return (
        f"match {match}, version {log.version}, seat {log.seat}, deal {log.deal + 1}, "
        f"decision {log.decision}: {log.termination} ({log.owner})"
    )


def describe_life(log: bot_pb2.BotLog) -> str:
    """Say when the instance lived whose log it is, and what else the log may be about."""
    begin, end = (time.ToDatetime() for time in (log.begin_time, log.end_time))
    when = f"instance of {begin:%Y-%m-%d %H:%M:%S} UTC, until {end:%Y-%m-%d %H:%M:%S} UTC"
    others = [
        str(MatchId(log.tournament, match.group, match.seating))
        for match in log.open_matches
        if log.kind == bot_pb2.BOT_LOG_KIND_WITHDRAWAL
        or (match.group, match.seating) != (log.group, log.seating)
    ]
    if not others:
        return when
    more = f" and {len(others) - _MOST_MATCHES} more" if len(others) > _MOST_MATCHES else ""
    return f"{when}; also open in it: {', '.join(others[:_MOST_MATCHES])}{more}"


def name_challenge_state(challenge: challenge_pb2.Challenge, *, sentence: bool = False) -> str:
    """Return how far a challenge has come, in a word or two, or as a sentence."""
    state = _STATES.get(challenge.state, "unknown")
    if challenge.place:
        state = "next" if challenge.place == 1 else f"{challenge.place} in the queue"
    if not sentence:
        return state
    if challenge.state == challenge_pb2.CHALLENGE_STATE_WAITING:
        return "It is next." if challenge.place == 1 else f"It is number {state}."
    return f"It {state}." if state == "is played" else f"It is {state}."


def format_challenge_result(challenge: challenge_pb2.Challenge) -> str:
    """Return the mirror groups that the bot has won, drawn and lost, or a dash for none.

    At more than two sides, where all but one lose a group, in how many it was first alone.
    """
    if not challenge.HasField("wins"):
        return "–"
    if len(parse_variant(challenge.variant).sides) > 2:
        return f"first in {challenge.wins} of {challenge.wins + challenge.draws + challenge.losses}"
    return f"{challenge.wins}-{challenge.draws}-{challenge.losses}"


def describe_quota(listed: challenge_pb2.ListChallengesResponse) -> str:
    """Say how many challenges an author has asked for today, and may in all."""
    return (
        f"Today (UTC) you have asked for {listed.asked_today}. An author may ask for "
        f"{listed.per_day} a day."
    )
