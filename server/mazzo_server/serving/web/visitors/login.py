"""Visitors who show an access token: it lies in a signed cookie, and goes with their calls."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

import grpc
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mazzo.v1 import auth_pb2
from mazzo_server.serving.web.rendering import render
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.visitors.forms import read_form
from mazzo_server.serving.web.visitors.sessions import get_session, prepare_form, renew_session

__all__ = ["log_in", "log_out", "redirect_to_login", "show_login"]


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
    form = await read_form(request)
    token, to = form.get("token", "").strip(), form.get("to", "")
    services: Services = replace(request.app.state.services, token=token)
    if not (token.isascii() and token.isprintable() and token):
        return _show_login(request, to=to, problem="expected a token such as mazzo_…")
    try:
        caller = await services.get_caller()
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.UNAUTHENTICATED:
            raise
        return _show_login(request, to=to, problem=error.details() or "no such token")
    is_organiser = caller.role == auth_pb2.TOKEN_ROLE_ORGANISER
    renew_session(request, token, caller.subject, is_organiser=is_organiser)
    # A path of ours: two slashes would lead to another host.
    is_ours = to.startswith("/") and not to.startswith(("//", "/\\"))
    address = to if is_ours else request.url_for("home").path
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


async def log_out(request: Request) -> Response:
    """Forget the token."""
    await read_form(request)
    get_session(request).clear()
    return RedirectResponse(request.url_for("home").path, HTTPStatus.SEE_OTHER)


def _show_login(request: Request, *, to: str, problem: str = "") -> Response:
    prepare_form(request)
    status = HTTPStatus.FORBIDDEN if problem else HTTPStatus.OK
    return render(request, "login.html", status=status, to=to, problem=problem)
