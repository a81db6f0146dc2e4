"""Open tournaments as messages."""

from __future__ import annotations

from dataclasses import asdict

from mazzo.v1 import entry_pb2, tournament_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Word
from mazzo_server.serving.entries import EntriesState, ShownEntries
from mazzo_server.serving.grpc.messages.timestamps import decode_time, encode_time
from mazzo_server.storage import Every, PlayedRound, Timetable

__all__ = ["decode_timetable", "encode_open_tournament"]

_EVERY = Word(tuple(Every))
_STATES = {
    EntriesState.ANNOUNCED: entry_pb2.OPEN_TOURNAMENT_STATE_ANNOUNCED,
    EntriesState.OPEN: entry_pb2.OPEN_TOURNAMENT_STATE_OPEN,
    EntriesState.CLOSED: entry_pb2.OPEN_TOURNAMENT_STATE_CLOSED,
    EntriesState.WAITING: entry_pb2.OPEN_TOURNAMENT_STATE_WAITING,
    EntriesState.OVER: entry_pb2.OPEN_TOURNAMENT_STATE_OVER,
}
_TIMES = ("entries_from", "entries_until", "start_at")


def decode_timetable(message: entry_pb2.Timetable) -> Timetable:
    """Return when to take entries and to start; raise `InvalidInputError` for an unknown word."""
    if message.every:
        try:
            _EVERY.check(message.every)
        except InvalidInputError as error:
            raise InvalidInputError(f"every: {error}") from error
    times = {name: decode_time(getattr(message, name)) for name in _TIMES if message.HasField(name)}
    return Timetable(
        start_with=message.start_with if message.HasField("start_with") else None,
        every=Every(message.every) if message.every else None,
        **times,
    )


def encode_open_tournament(shown: ShownEntries) -> entry_pb2.OpenTournament:
    """Encode an open tournament."""
    row = shown.row
    return entry_pb2.OpenTournament(
        id=row.id,
        state=_STATES[shown.state],
        tournament=tournament_pb2.CreateTournamentRequest(**asdict(row.request)),
        timetable=_encode_timetable(row.timetable),
        create_time=encode_time(row.create_time),
        round=row.round,
        entries_total=row.entries,
        problem=row.problem,
        entries=[
            entry_pb2.Entry(
                bot=one.entry.bot,
                enter_time=encode_time(one.entry.time),
                version=one.version,
                lacks=one.lacks,
                removable=one.entry.bot in shown.removable,
            )
            for one in shown.entries
        ],
        rounds=[_encode_round(one) for one in shown.rounds],
        enterable=shown.enterable,
    )


def _encode_timetable(timetable: Timetable) -> entry_pb2.Timetable:
    message = entry_pb2.Timetable(
        start_with=timetable.start_with, every=timetable.every.value if timetable.every else ""
    )
    for name in _TIMES:
        time = getattr(timetable, name)
        if time is not None:
            getattr(message, name).CopyFrom(encode_time(time))
    return message


def _encode_round(one: PlayedRound) -> entry_pb2.OpenRound:
    return entry_pb2.OpenRound(
        number=one.number,
        time=encode_time(one.time),
        tournament=one.tournament,
        reason=one.reason,
        left_out=one.left_out,
    )
