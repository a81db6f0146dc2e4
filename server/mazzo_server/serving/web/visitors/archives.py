"""Reads archives that visitors send by a form: piece by piece, none of them ever as a whole."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator
from http import HTTPStatus
from typing import Final

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.exceptions import HTTPException
from starlette.requests import Request

from mazzo_server.serving.web.visitors.sessions import CSRF, check_is_ours

__all__ = ["read_archive_form", "read_to_end"]

_ARCHIVE: Final = b"archive"  # the name of the field
_LARGEST_FIELD: Final = 256  # bytes of any other one
_SILENCE: Final = 30.0  # seconds between two pieces
_MOST_REST: Final = 64 * 1024 * 1024  # bytes
_REST_SECONDS: Final = 15.0

# It would say of each form that is none at which byte, which any visitor could have it do.
logging.getLogger("python_multipart").setLevel(logging.CRITICAL)


async def read_archive_form(
    request: Request, *, silence: float = _SILENCE
) -> AsyncGenerator[bytes, None]:
    """Yield the archive of a form of ours as it arrives.

    Raises `HTTPException` for any other form, before the first byte of an archive is taken; for a
    form without an archive; and when nothing comes for `silence` seconds.
    """
    kind, options = parse_options_header(request.headers.get("Content-Type"))
    if kind != b"multipart/form-data" or not options.get(b"boundary"):
        raise HTTPException(HTTPStatus.BAD_REQUEST, "expected a form with a file")
    try:
        form = _ArchiveForm(options[b"boundary"])
    except FormParserError as error:  # the edge of its parts is too long
        raise HTTPException(HTTPStatus.BAD_REQUEST, "expected a form") from error
    pieces = aiter(request.stream())
    is_checked = has_file = False
    while True:
        try:
            async with asyncio.timeout(silence):
                arrived = await anext(pieces, None)
        except TimeoutError as error:
            raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, "The file stopped coming.") from error
        if arrived is None:
            break
        form.add(arrived)
        if not is_checked and form.has_archive:
            check_is_ours(request, form.fields.get(CSRF.encode(), b"").decode(errors="replace"))
            is_checked = True
        if piece := form.take():
            has_file = True
            yield piece
    if not form.is_over or not has_file:
        raise HTTPException(HTTPStatus.BAD_REQUEST, "expected a file, got none, or not all of it")


async def read_to_end(
    request: Request, *, most: int = _MOST_REST, seconds: float = _REST_SECONDS
) -> None:
    """Read what is left of a form that is refused, and forget it: within bounds.

    A browser that still sends shows no answer, but that its connection was lost.
    """
    try:
        async with asyncio.timeout(seconds):
            async for piece in request.stream():
                most -= len(piece)
                if most < 0:
                    return
    except (TimeoutError, RuntimeError):  # too slow; or there is nothing more
        return


class _ArchiveForm:
    """A form with a few short fields, and an archive at its end."""

    def __init__(self, boundary: bytes) -> None:
        self.fields: dict[bytes, bytes] = {}
        self.has_archive = False  # it begins
        self.is_over = False
        self._pieces: list[bytes] = []  # of the archive, that nobody has taken yet
        self._name = b""  # of the field that is read
        self._header: tuple[bytes, bytes] = b"", b""
        self._parser = MultipartParser(
            boundary,
            {
                "on_header_field": self._on_header_field,
                "on_header_value": self._on_header_value,
                "on_header_end": self._on_header_end,
                "on_part_data": self._on_part_data,
                "on_end": self._on_end,
            },
        )

    def add(self, data: bytes) -> None:
        """Read the next bytes of the form; raise `HTTPException` for what is none."""
        try:
            self._parser.write(data)
        except FormParserError as error:
            raise HTTPException(HTTPStatus.BAD_REQUEST, "expected a form") from error

    def take(self) -> bytes:
        """Return what has arrived of the archive since the last time."""
        piece = b"".join(self._pieces)
        self._pieces.clear()
        return piece

    def _on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header = self._header[0] + data[start:end], b""

    def _on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header = self._header[0], self._header[1] + data[start:end]

    def _on_header_end(self) -> None:
        name, value = self._header
        self._header = b"", b""
        if name.lower() == b"content-disposition":
            self._name = parse_options_header(value)[1].get(b"name", b"")
            if self.has_archive or len(self.fields) > 1:
                raise HTTPException(HTTPStatus.BAD_REQUEST, "expected one file, and it last")
            if self._name == _ARCHIVE:
                self.has_archive = True
            else:
                self.fields[self._name] = b""

    def _on_part_data(self, data: bytes, start: int, end: int) -> None:
        if self.has_archive:
            self._pieces.append(data[start:end])
            return
        field = self.fields.get(self._name, b"") + data[start:end]
        if len(field) > _LARGEST_FIELD:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        self.fields[self._name] = field

    def _on_end(self) -> None:
        self.is_over = True
