"""Reads what visitors typed into forms of ours."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

import grpc
from starlette.exceptions import HTTPException
from starlette.requests import Request

from mazzo_server.serving.web.visitors.sessions import CSRF, check_is_ours

__all__ = ["REFUSALS", "read_form"]

REFUSALS: Final = {
    grpc.StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION: HTTPStatus.CONFLICT,
    grpc.StatusCode.ALREADY_EXISTS: HTTPStatus.CONFLICT,
    grpc.StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.TOO_MANY_REQUESTS,
    grpc.StatusCode.DEADLINE_EXCEEDED: HTTPStatus.REQUEST_TIMEOUT,
}
"""The refusals of the platform that a page shows beside the form, each with the page's status."""

_LARGEST: Final = 4096  # bytes
_MOST_FIELDS: Final = 10


async def read_form(request: Request) -> Mapping[str, str]:
    """Return what was typed into a form of ours; raise `HTTPException` for any other."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    try:
        form = dict(parse_qsl(body.decode(errors="replace"), max_num_fields=_MOST_FIELDS))
    except ValueError as error:  # too many fields
        raise HTTPException(HTTPStatus.BAD_REQUEST) from error
    check_is_ours(request, form.get(CSRF, ""))
    return form
