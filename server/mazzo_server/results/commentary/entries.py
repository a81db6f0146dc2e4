"""Tells when open tournaments take entries and start, and what is played in them."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp

from mazzo.v1 import entry_pb2, tournament_pb2

__all__ = ["describe_entry_times", "describe_request", "name_open_state"]


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
