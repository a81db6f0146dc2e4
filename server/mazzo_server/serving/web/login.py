"""Visitors who show an access token: it lies in a signed cookie, and goes with their calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hmac import compare_digest
from http import HTTPStatus
from secrets import token_hex, token_urlsafe
from typing import Final
from urllib.parse import parse_qsl

import grpc
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.site import Site

__all__ = ["get_services", "log_in", "log_out", "make_sessions", "redirect_to_login", "show_login"]

_COOKIE: Final = "mazzo-session"
_DAYS: Final = 7
_LARGEST_FORM: Final = 4096  # bytes
_TOKEN, _CSRF = "token", "csrf"  # in a session


def make_sessions(site: Site) -> Middleware:
    """Return what keeps sessions; those of an earlier process are over, as its key is gone."""
    return Middleware(
        SessionMiddleware,
        secret_key=token_hex(32),
        session_cookie=_COOKIE,
        max_age=_DAYS * 24 * 3600,
        same_site="lax",
        https_only=site.is_secure,
        path=site.prefix or "/",
    )


def get_services(request: Request) -> Services:
    """Return the services as the visitor may use them."""
    services: Services = request.app.state.services
    token = _get_session(request).get(_TOKEN)
    return replace(services, token=token) if token else services


def redirect_to_login(request: Request) -> Response:
    """Lead to the page for that, and from there back."""
    query = f"?{request.url.query}" if request.url.query else ""
    target = request.url_for("login").include_query_params(to=request.url.path + query)
    return RedirectResponse(f"{target.path}?{target.query}", HTTPStatus.SEE_OTHER)


async def show_login(request: Request) -> Response:
    """Show the page on which a visitor shows an access token."""
    return _show_login(request, to=request.query_params.get("to", ""))


async def log_in(request: Request) -> Response:
    """Take a token that the platform knows, and lead back to where the visitor came from."""
    form = await _read_form(request)
    token, to = form.get("token", "").strip(), form.get("to", "")
    services: Services = request.app.state.services
    if not (token.isascii() and token.isprintable() and token):
        return _show_login(request, to=to, problem="expected a token such as mazzo_…")
    try:
        await replace(services, token=token).list_tournaments()
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.UNAUTHENTICATED:
            raise
        return _show_login(request, to=to, problem=error.details() or "no such token")
    _get_session(request).update({_TOKEN: token, _CSRF: token_urlsafe()})
    # A path of ours: two slashes would lead to another host.
    is_ours = to.startswith("/") and not to.startswith(("//", "/\\"))
    address = to if is_ours else request.url_for("home").path
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


async def log_out(request: Request) -> Response:
    """Forget the token."""
    await _read_form(request)
    _get_session(request).clear()
    return RedirectResponse(request.url_for("home").path, HTTPStatus.SEE_OTHER)


def _show_login(request: Request, *, to: str, problem: str = "") -> Response:
    _get_session(request).setdefault(_CSRF, token_urlsafe())
    status = HTTPStatus.FORBIDDEN if problem else HTTPStatus.OK
    return render(request, "login.html", status=status, to=to, problem=problem)


async def _read_form(request: Request) -> Mapping[str, str]:
    """Return what was typed into a form of ours; raise `HTTPException` for any other."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST_FORM:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    form = dict(parse_qsl(body.decode(errors="replace"), max_num_fields=10))
    expected = _get_session(request).get(_CSRF, "")
    if not expected or not compare_digest(expected.encode(), form.get(_CSRF, "").encode()):
        raise HTTPException(
            HTTPStatus.FORBIDDEN, "The form is out of date: load its page anew and try again."
        )
    return form


def _get_session(request: Request) -> dict[str, str]:
    session: dict[str, str] = request.scope.get("session", {})
    return session
