"""Sessions: what a visitor's signed cookie holds, and what follows from it."""

from __future__ import annotations

from dataclasses import replace
from hmac import compare_digest
from http import HTTPStatus
from secrets import token_hex, token_urlsafe
from typing import Final
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.requests import Request

from mazzo_server.serving.web.rendering import NAME, ORGANISER, TOKEN, is_allowed_to_act
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.site import Site

__all__ = [
    "CSRF",
    "check_is_ours",
    "check_may_act",
    "get_services",
    "get_session",
    "make_sessions",
    "prepare_form",
    "renew_session",
]

CSRF: Final = "csrf"
"""The key, and the name of the field, of what only our own pages know."""
_COOKIE: Final = "mazzo-session"
_DAYS: Final = 7


def make_sessions(site: Site) -> Middleware:
    """Return what keeps sessions; those of an earlier process are over, as its key is gone."""
    return Middleware(
        SessionMiddleware,
        secret_key=token_hex(32),
        session_cookie=_name_cookie(site),
        max_age=_DAYS * 24 * 3600 if site.has_login else None,
        same_site="lax" if site.has_login else "strict",
        https_only=site.is_secure,
        path=site.prefix or "/",
    )


def _name_cookie(site: Site) -> str:
    """Return a name that no other pages of this host use: browsers tell no ports apart.

    Its beginning has browsers refuse the cookie from whom it could be forged by: pages without TLS,
    and where no path is in the way, other hosts of the domain.
    """
    name = f"{_COOKIE}-{site.port}" if site.port else _COOKIE
    if not site.is_secure:
        return name
    return f"__Secure-{name}" if site.prefix else f"__Host-{name}"


def get_session(request: Request) -> dict[str, str]:
    """Return what is known of the visitor."""
    session: dict[str, str] = request.scope.get("session", {})
    return session


def get_services(request: Request) -> Services:
    """Return the services as the visitor may use them."""
    services: Services = request.app.state.services
    token = get_session(request).get(TOKEN)
    return replace(services, token=token) if token else services


def renew_session(request: Request, token: str, name: str, *, is_organiser: bool) -> None:
    """Let a visitor who has just logged in begin anew."""
    session = get_session(request)
    session.clear()
    session.update({TOKEN: token, NAME: name, CSRF: token_urlsafe()})
    if is_organiser:
        session[ORGANISER] = "1"


def prepare_form(request: Request) -> None:
    """Let the page that is rendered next have forms that we take."""
    get_session(request).setdefault(CSRF, token_urlsafe())


def check_may_act(request: Request) -> None:
    """Raise `HTTPException` for a visitor who may only look."""
    if not is_allowed_to_act(request):
        site: Site = request.app.state.site
        why = (
            "Log in first: your session is over."
            if site.has_login
            else "These pages have no access token of an author, with which they could do this."
        )
        raise HTTPException(HTTPStatus.FORBIDDEN, why)


def check_is_ours(request: Request, shown: str) -> None:
    """Raise `HTTPException` unless a form is of a page of ours: `shown` is what only these know.

    A page of a stranger can send forms to any address, also of this machine, but neither reads the
    token, nor sends the cookie; and the browser says that it was another site's.
    """
    expected = get_session(request).get(CSRF, "")
    is_known = bool(expected) and compare_digest(expected.encode(), shown.encode())
    if not is_known or _is_from_elsewhere(request):
        raise HTTPException(
            HTTPStatus.FORBIDDEN, "The form is out of date: load its page anew and try again."
        )


def _is_from_elsewhere(request: Request) -> bool:
    """Tell whether the browser says that a page of another site sent this; old ones say nothing."""
    if (site := request.headers.get("Sec-Fetch-Site")) is not None:
        return site != "same-origin"
    if (origin := request.headers.get("Origin")) is None:
        return False
    site_here: Site = request.app.state.site
    try:
        host = urlsplit(origin).hostname  # without what a proxy may change: scheme and port
    except ValueError:
        return True
    return host not in site_here.hosts
