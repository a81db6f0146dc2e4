"""The keys of visitors' seats: each lies in a cookie that goes to the pages of tables alone."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from mazzo_server.model import Token
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.site import Site

__all__ = ["forget_key", "has_key", "keep_key", "read_table_id", "show_key"]

_SECONDS: Final = 24 * 3600
_ID: Final = re.compile(r"[a-z0-9]{8}")


def read_table_id(request: Request) -> str:
    """Return the table that the address names; raise `HTTPException` for what can be none."""
    text: str = request.path_params["table"]
    if _ID.fullmatch(text) is None:
        raise HTTPException(404)
    return text


def show_key(request: Request) -> Services:
    """Return the services, whose calls show the key of the visitor's seat at this table."""
    services: Services = request.app.state.services
    shown = request.cookies.get(_name_cookie(read_table_id(request)), "")
    is_key = Token.parse(shown) is not None  # anything else cannot even be sent
    return replace(services, token=shown if is_key else "")


def keep_key(request: Request, response: Response, table: str, key: str) -> None:
    """Let the browser keep the key of a seat."""
    site: Site = request.app.state.site
    response.set_cookie(
        _name_cookie(table),
        key,
        max_age=_SECONDS,
        path=request.url_for("tables").path,
        secure=site.is_secure,
        httponly=True,
        samesite="lax",
    )


def forget_key(request: Request, response: Response, table: str) -> None:
    """Let the browser forget it."""
    path = request.url_for("tables").path
    response.delete_cookie(_name_cookie(table), path=path, httponly=True, samesite="lax")


def has_key(request: Request, table: str) -> bool:
    """Tell whether the browser has the key of a seat at a table, perhaps an old one."""
    return _name_cookie(table) in request.cookies


def _name_cookie(table: str) -> str:
    return f"mazzo-seat-{table}"
