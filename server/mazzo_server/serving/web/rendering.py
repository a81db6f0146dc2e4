"""Renders pages from templates: every text of a stranger is shown as text, and nothing else.

Jinja2 escapes what a template inserts; before that, characters that could change how other text
looks are taken out, as everywhere else where people read.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Final
from urllib.parse import quote

from google.protobuf.timestamp_pb2 import Timestamp
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from mazzo.v1 import auth_pb2, tournament_pb2
from mazzo_server.results.charts import Drawing, stack
from mazzo_server.results.commentary import (
    MATCH_COLUMNS,
    clean,
    format_challenge_result,
    format_decimal,
    name_challenge_state,
    name_open_state,
)
from mazzo_server.serving.web.site import Site

__all__ = [
    "HASHES",
    "NAME",
    "ORGANISER",
    "OVER",
    "STATIC",
    "STREAM",
    "TOKEN",
    "is_allowed_to_act",
    "list_file_headers",
    "read_author",
    "render",
    "render_chart",
    "render_event",
    "render_part",
]

TOKEN: Final = "token"  # noqa: S105 - the name of one
"""The key of a visitor's access token in a session."""

NAME: Final = "name"
"""The key of the author's name in a session; it is empty for an organiser."""
ORGANISER: Final = "organiser"
"""The key that the session of an organiser has."""
OVER: Final = "event: over\ndata: \n\n"
"""The event after which a page is to be loaded anew."""
STREAM: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""The headers of a stream of events, which no proxy is to keep back."""
STATIC: Final = Path(__file__).parent / "static"
"""The files that pages load."""
HASHES: Final = {
    file.name: sha256(file.read_bytes()).hexdigest()[:16] for file in sorted(STATIC.iterdir())
}
"""What stands behind the address of each, so that a browser may keep it."""


def render(
    request: Request,
    template: str,
    *,
    status: int = 200,
    media_type: str = "text/html",
    **values: object,
) -> Response:
    """Return a page, or (304) nothing if the browser has it already."""
    session = request.scope.get("session", {})
    text = render_part(
        request,
        template,
        is_logged_in=TOKEN in session,
        visitor="organiser" if ORGANISER in session else session.get(NAME, ""),
        csrf=session.get("csrf", ""),
        can_act=is_allowed_to_act(request),
        can_operate=_is_organiser(request),
        **values,
    )
    body = text.encode(errors="replace")
    tag = f'"{sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if status == 200 and tag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, status_code=status, headers=headers, media_type=media_type)


def is_allowed_to_act(request: Request) -> bool:
    """Tell whether the visitor gets forms; what they may do with them the platform decides."""
    site: Site = request.app.state.site
    if not site.has_forms:
        return False
    if site.has_login:
        return TOKEN in request.scope.get("session", {})
    return site.role in (auth_pb2.TOKEN_ROLE_AUTHOR, auth_pb2.TOKEN_ROLE_ORGANISER)


def read_author(request: Request) -> str | None:
    """Return the author on whose bots the visitor may act; "" for all authors, None for none."""
    site: Site = request.app.state.site
    if _is_organiser(request) or not site.has_login:  # whose name then nobody knows
        return ""
    name: str | None = request.scope.get("session", {}).get(NAME)
    return name


def _is_organiser(request: Request) -> bool:
    """Tell whether the visitor is shown the way to what is for an organiser alone."""
    site: Site = request.app.state.site
    if site.has_login:
        return ORGANISER in request.scope.get("session", {})
    return site.has_forms and site.role == auth_pb2.TOKEN_ROLE_ORGANISER


def list_file_headers(name: str) -> dict[str, str]:
    """Return the headers of a file to keep, of which we have made up the name."""
    return {
        "Content-Disposition": f'attachment; filename="{name}"',
        "Cache-Control": "private, no-cache",
    }


def render_part(request: Request, template: str, **values: object) -> str:
    """Return a part of a page, which is the same for all visitors."""
    # Below a mount the root path is that of the mount.
    prefix = request.scope.get("app_root_path", request.scope.get("root_path", ""))

    addresses: Mapping[str, Route | Mount] = request.app.state.addresses

    def link(page: str, /, **parts: object) -> str:
        return quote(prefix + addresses[page].url_path_for(page, **parts))

    site: Site = request.app.state.site
    page = _ENVIRONMENT.get_template(template)
    return page.render(
        path=quote(request.url.path),
        link=link,
        has_login=site.has_login,
        has_forms=site.has_forms,
        **values,
    )


def render_event(number: int, part: str) -> str:
    """Return the event by which a page gets a part of it anew."""
    lines = "".join(f"data: {line}\n" for line in part.splitlines())
    return f"id: {number}\nevent: part\n{lines}\n"


def render_chart(drawing: Drawing) -> Markup:
    """Return a chart as a part of a page."""
    return Markup(stack([drawing], margin=0, indented=False))  # noqa: S704 - its texts are escaped already


def _clean_text(value: object) -> object:
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _format_time(time: Timestamp) -> str:
    return datetime.fromtimestamp(time.seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _format_moment(time: Timestamp) -> str:
    """For programs, by RFC 3339."""
    return datetime.fromtimestamp(time.seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _name_state(state: int) -> str:
    """Return the state of a tournament in the word of the command line."""
    known = tournament_pb2.TournamentState.DESCRIPTOR.values_by_number.get(state)
    return known.name.removeprefix("TOURNAMENT_STATE_").lower() if known else "unknown"


def _make_environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_clean_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["challenge_result"] = format_challenge_result
    environment.filters["challenge_state"] = name_challenge_state
    environment.filters["decimal"] = format_decimal
    environment.filters["moment"] = _format_moment
    environment.filters["time"] = _format_time
    environment.filters["state"] = _name_state
    environment.filters["open_state"] = name_open_state
    environment.globals["hashes"] = HASHES
    environment.globals["match_columns"] = MATCH_COLUMNS
    return environment


_ENVIRONMENT: Final = _make_environment()
