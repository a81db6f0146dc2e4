"""Tells of tournaments: when open ones take entries and start, and how far others have come."""

from __future__ import annotations

from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import entry_pb2, tournament_pb2
from mazzo_server.model import find_bot_name

__all__ = [
    "describe_counted",
    "describe_entry_times",
    "describe_request",
    "describe_unranked",
    "is_season",
    "name_open_state",
]

_KINDS: Final = {
    "challenge": "It is a challenge, which counts for no ranking.",
    "table": "People play here: it counts for no ranking.",
}


def is_season(tournament: tournament_pb2.Tournament) -> bool:
    """Tell whether a tournament is a season of a ladder."""
    return tournament.pairing == "ladder"


def describe_counted(tournament: tournament_pb2.Tournament) -> str:
    """Say how many matches were played, and how many mirror groups count; of how many, if known."""
    counted = tournament.standings.groups_counted
    if is_season(tournament):  # more follow as long as something is in doubt
        return f"{tournament.matches_played:,} matches, {counted:,} mirror groups that count"
    void = tournament.standings.groups_void
    may_end_early = tournament.HasField("until_separated") or tournament.HasField("confidence")
    most = "at most " if may_end_early and not tournament.HasField("end_time") else ""
    return (
        f"{tournament.matches_played:,} of {most}{tournament.matches_total:,} matches, "
        f"{counted:,} of {most}{tournament.standings.groups:,} mirror groups"
        + (f" and {void:,} void" if void else "")
    )


def describe_unranked(tournament: tournament_pb2.Tournament) -> str:
    """Say why a tournament is of a kind that is in no ranking, or "" if it is of none."""
    if is_season(tournament):
        return "It is a season of a ladder, which has a table of its own and is in no ranking."
    if tournament.kind in _KINDS:
        return _KINDS[tournament.kind]
    names = [entrant.name for entrant in tournament.entrants]
    if len({find_bot_name(name) for name in names}) < len(names):
        return "Copies of one bot play here: the standings are in no ranking."
    return ""


def name_open_state(state: int) -> str:
    """Return how far an open tournament has come, in a word."""
    known = entry_pb2.OpenTournamentState.DESCRIPTOR.values_by_number.get(state)
    return known.name.removeprefix("OPEN_TOURNAMENT_STATE_").lower() if known else "unknown"


def describe_entry_times(shown: entry_pb2.OpenTournament) -> list[str]:
    """Say, a sentence each, when bots enter and when it starts; all times have their zone."""
    if shown.state == entry_pb2.OPEN_TOURNAMENT_STATE_OVER:
        is_called_off = not any(one.HasField("tournament") for one in shown.rounds)
        how = "It was called off, or could not be played" if is_called_off else "It is over"
        return [f"{how}: no round of it comes any more."]
    times = shown.timetable
    sentences = []
    if shown.state == entry_pb2.OPEN_TOURNAMENT_STATE_ANNOUNCED:
        sentences.append(f"Bots enter from {_format(times.entries_from)} on.")
    has_closed = shown.state in (
        entry_pb2.OPEN_TOURNAMENT_STATE_CLOSED,
        entry_pb2.OPEN_TOURNAMENT_STATE_WAITING,
    )
    if has_closed:
        sentences.append("Entries are closed, but for those of the organiser.")
    elif times.HasField("entries_until"):
        sentences.append(f"Entries close at {_format(times.entries_until)}.")
    elif times.HasField("start_at"):
        sentences.append("Entries close when it starts.")
    sentences.append(_describe_start(times))
    if times.every:
        sentences.append(f"It is played every {times.every}; this is round {shown.round}.")
    if shown.problem:
        sentences.append(f"It waits: {shown.problem.rstrip('.')}.")
    return sentences


def _describe_start(times: entry_pb2.Timetable) -> str:
    number = ""
    if times.HasField("start_with"):
        number = f"as soon as {times.start_with} bots can play"
    if times.HasField("start_at"):
        moment = f"at {_format(times.start_at)}"
    elif times.HasField("entries_until"):
        moment = "when the entries close"
    else:
        return f"It starts {number}."
    return f"It starts {moment}, or {number}." if number else f"It starts {moment}."


def describe_request(request: tournament_pb2.CreateTournamentRequest) -> str:
    """Say what is asked for beside the variant and the name, each as the option that asks it."""
    said = []
    for field, value in request.ListFields():
        if field.name not in ("variant", "name", "isolation", "concurrency"):
            name = field.name.removesuffix("_seconds").replace("_", " ")
            shown = f"{value:g}" if isinstance(value, float) else str(value)
            said.append(name if value is True else f"{name} {shown}")
    return ", ".join(said)


def _format(time: Timestamp) -> str:
    """Return a time by ISO 8601, in UTC."""
    return time.ToDatetime().strftime("%Y-%m-%dT%H:%M:%SZ")
