"""`mazzo tournament export`, `import` and `delete`."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, BinaryIO

import grpc
import typer

from mazzo.v1 import tournament_pb2
from mazzo_server.cli.shell.confirmation import YesOption, check_confirmed
from mazzo_server.cli.shell.connection import Client, JsonOption, ServerOption, connect, execute
from mazzo_server.cli.shell.options import IdArgument
from mazzo_server.cli.shell.streams import open_binary_output
from mazzo_server.cli.text.output import console, make_progress, print_json
from mazzo_server.cli.tournaments.following import get_tournament
from mazzo_server.cli.tournaments.standings import print_or_json
from mazzo_server.errors import InvalidInputError
from mazzo_server.results.commentary import clean

__all__ = ["delete", "export", "import_file"]

_CHUNK = 256 * 1024  # bytes
_PATIENCE = 10.0  # seconds without a chunk, before the server hears that more will come
_STDIO = Path("-")


def export(
    id: IdArgument,
    file: Annotated[
        Path, typer.Argument(metavar="FILE|-", help="Where to write it; - is standard output.")
    ],
    server: ServerOption = "",
) -> None:
    """Write a tournament that is over to a file, whole: for another store, or to keep.

    The file has the definition, every match record with its results, what bots wrote when they
    failed, and the standings, as JSON Lines that zstd compressed. `import` takes it back.

    Example: mazzo tournament export 3 cup.jsonl.zst
    """

    async def work() -> int:
        async with connect(server) as client:
            with _open_target(file) as target:
                return await _write_pieces(client, id, target)

    matches = execute(work())
    if file != _STDIO:
        console.print(
            f"Tournament {id} is written to {clean(str(file))}, with {matches:,} matches.",
            soft_wrap=True,
        )


@contextmanager
def _open_target(file: Path) -> Iterator[BinaryIO]:
    if file != _STDIO:
        with open_binary_output(file) as target:
            yield target
        return
    if sys.stdout.isatty():
        raise InvalidInputError(
            "expected a file or a pipe for what zstd compressed, got a terminal"
        )
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


async def _write_pieces(client: Client, number: int, target: BinaryIO) -> int:
    """Write a tournament's file; return how many matches it has."""
    matches = 0
    request = tournament_pb2.ExportTournamentRequest(id=number)
    with make_progress() as progress:
        task = progress.add_task("Writing matches", total=None, facts="")
        async for piece in client.tournaments.ExportTournament(request):
            target.write(piece.chunk)
            matches = piece.matches_written
            progress.update(task, completed=matches, total=piece.matches_total)
    return matches


def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE|-", help="What `export` wrote; - is standard input.")
    ],
    server: ServerOption = "",
    as_json: JsonOption = False,
) -> None:
    """Take a tournament from a file into this store, and print its standings.

    Everything is checked first: each match is played again from its seed, and the standings must be
    those of the file, else nothing stays. Bots that are not here come with it, retired and without
    their code. It counts in the rankings like a tournament that was played here.

    Example: mazzo tournament import cup.jsonl.zst
    """

    async def work() -> tournament_pb2.Tournament:
        async with connect(server) as client:
            with _open_source(file) as source:
                number = await _upload(client, source)
            return await get_tournament(client, number)

    print_or_json(execute(work()), as_json)


@contextmanager
def _open_source(file: Path) -> Iterator[BinaryIO]:
    if file == _STDIO:
        yield sys.stdin.buffer
        return
    try:
        source = file.open("rb")
    except OSError as error:
        raise InvalidInputError(f"cannot read {clean(str(file))}: {error.strerror}") from error
    with source:
        yield source


async def _upload(client: Client, source: BinaryIO) -> int:
    """Send a file as the server takes it; return the number of the tournament."""
    size = os.fstat(source.fileno()).st_size if source.seekable() else None
    call = client.tournaments.ImportTournament()
    with make_progress() as progress:
        task = progress.add_task("Checking matches (bytes)", total=size, facts="")
        with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):  # awaiting it tells why
            await call.write(tournament_pb2.ImportTournamentRequest())
            if tuple(await call.initial_metadata()):  # none comes with a refusal
                async for chunk in _read_chunks(source):
                    await call.write(tournament_pb2.ImportTournamentRequest(chunk=chunk))
                    progress.advance(task, len(chunk))
                await call.done_writing()
        answer: tournament_pb2.ImportTournamentResponse = await call
    return answer.tournament.id


async def _read_chunks(source: BinaryIO) -> AsyncIterator[bytes]:
    """Yield what is read, as soon as it comes, and now and then nothing while nothing comes."""
    if source.seekable():
        while chunk := await asyncio.to_thread(_read_file, source):
            yield chunk
        return
    pipe = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(pipe), source
    )
    while not pipe.at_eof():
        try:
            async with asyncio.timeout(_PATIENCE):
                chunk = await pipe.read(_CHUNK)
        except TimeoutError:
            chunk = b""
        yield chunk


def _read_file(source: BinaryIO) -> bytes:
    try:
        return source.read(_CHUNK)
    except OSError as error:
        raise InvalidInputError(f"cannot read the file: {error.strerror}") from error


def delete(
    id: IdArgument, yes: YesOption = False, server: ServerOption = "", as_json: JsonOption = False
) -> None:
    """Delete a tournament for good, with its matches; rankings are as if it had never been.

    One that is being played is refused. `prune` throws only deals and logs away.

    Example: mazzo tournament delete 3
    """

    async def describe() -> str:
        async with connect(server) as client:
            found = await get_tournament(client, id)
        return f"{id}, {clean(found.name)}, with {found.matches_played:,} matches"

    async def work() -> tournament_pb2.DeleteTournamentResponse:
        request = tournament_pb2.DeleteTournamentRequest(id=id)
        async with connect(server) as client:
            answer: tournament_pb2.DeleteTournamentResponse = (
                await client.tournaments.DeleteTournament(request)
            )
            return answer

    check_confirmed(lambda: f"Delete tournament {execute(describe())}?", is_sure=yes)
    deleted = execute(work())
    if as_json:
        print_json({"id": id, "matches": deleted.matches})
        return
    console.print(f"Tournament {id} is deleted, with {deleted.matches:,} matches.")
