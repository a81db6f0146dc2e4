"""The pages and their addresses, and what holds for all of them."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import grpc
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mazzo.errors import MazzoError
from mazzo_server.serving.web.bot_pages import (
    LiveTrials,
    activate_version,
    drop_from_ladder,
    give_up_challenge,
    join_ladder,
    play_trial_again,
    retire_bot,
    send_challenge,
    show_bot,
    show_bot_logs,
    show_bots,
    show_challenges,
    show_submission,
    show_version,
    stream_trial,
    submit_archive,
)
from mazzo_server.serving.web.general_pages import (
    KnownLeaders,
    send_feed,
    show_game_rules,
    show_home,
    show_operation,
    show_rules,
)
from mazzo_server.serving.web.rendering import HASHES, STATIC, is_allowed_to_act, render
from mazzo_server.serving.web.replay_pages import (
    DecisionAdviser,
    WatchedMatches,
    WholeMatches,
    send_record,
    show_group,
    show_matches,
    show_replay,
    show_whole,
)
from mazzo_server.serving.web.services import Services
from mazzo_server.serving.web.site import Prefixed, Site
from mazzo_server.serving.web.standing_pages import (
    Audits,
    LiveTournaments,
    begin_audit,
    choose_two,
    enter_bot,
    send_results,
    send_standings_csv,
    send_standings_json,
    show_audit,
    show_head_to_head,
    show_ladder,
    show_ladders,
    show_open_tournament,
    show_ranking,
    show_rankings,
    show_tournament,
    show_tournaments,
    stream_audit,
    stream_tournament,
    take_bot_out,
)
from mazzo_server.serving.web.table_pages import (
    KnownBots,
    SeatPlayers,
    give_up_seat,
    join_table,
    open_table,
    show_table,
    show_tables,
    stream_table,
    take_choice,
)
from mazzo_server.serving.web.visitors import (
    log_in,
    log_out,
    make_sessions,
    redirect_to_login,
    show_login,
)

__all__ = ["make_app"]

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
_HERE: Final = Site()
_SEARCH_SECONDS: Final = 2.0
_FOREVER: Final = "public, max-age=31536000, immutable"
_STATUSES: Final = {
    grpc.StatusCode.INVALID_ARGUMENT: HTTPStatus.BAD_REQUEST,
    grpc.StatusCode.NOT_FOUND: HTTPStatus.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION: HTTPStatus.CONFLICT,
    grpc.StatusCode.PERMISSION_DENIED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.UNAUTHENTICATED: HTTPStatus.FORBIDDEN,
    grpc.StatusCode.RESOURCE_EXHAUSTED: HTTPStatus.SERVICE_UNAVAILABLE,
    grpc.StatusCode.UNAVAILABLE: HTTPStatus.SERVICE_UNAVAILABLE,
}
_DETAILS: Final = "grpc-status-details-bin"  # metadata that only the platform's own errors have
_SILENCE: Final = "The server does not answer now: it may be starting again. Try again in a moment."
_RETRY_SECONDS: Final = 5


def make_app(
    services: Services,
    site: Site = _HERE,
    *,
    adviser: DecisionAdviser | None = None,
    search_seconds: float = 2.0,
) -> ASGIApp:
    """Return the pages of a platform, which browsers may call by the site's host names alone.

    Else a page of a stranger could have its own name lead here, and read what it was answered.
    If there is an adviser, the pages of matches can tell what it would have played, and look for so
    many seconds for a place where that is something else.
    """
    guards = [Middleware(TrustedHostMiddleware, allowed_hosts=list(site.hosts), www_redirect=False)]
    login = [
        Route("/login", show_login, name="login"),
        Route("/login", log_in, methods=["POST"]),
        Route("/logout", log_out, methods=["POST"], name="logout"),
    ]
    forms = [
        Route("/operation", show_operation, name="operation"),
        Route("/tournaments/{number}/audit", show_audit, name="audit"),
        Route("/tournaments/{number}/audit", begin_audit, methods=["POST"]),
        Route("/tournaments/{number}/audit/events", stream_audit, name="audit-events"),
        Route("/submit", show_submission, name="submit"),
        Route("/submit", submit_archive, methods=["POST"]),
        Route("/bots/{name}/activate", activate_version, methods=["POST"], name="activate"),
        Route("/bots/{name}/challenge", send_challenge, methods=["POST"], name="challenge"),
        Route("/challenges", show_challenges, name="challenges"),
        Route(
            "/challenges/{number}/cancel",
            give_up_challenge,
            methods=["POST"],
            name="give-up-challenge",
        ),
        Route("/bots/{name}/join-ladder", join_ladder, methods=["POST"], name="join-ladder"),
        Route("/bots/{name}/leave-ladder", drop_from_ladder, methods=["POST"], name="leave-ladder"),
        Route("/bots/{name}/logs", show_bot_logs, name="logs"),
        Route("/bots/{name}/retire", retire_bot, methods=["POST"], name="retire"),
        Route(
            "/bots/{name}/versions/{number}/trial",
            play_trial_again,
            methods=["POST"],
            name="trial",
        ),
    ]
    entries = [
        Route("/entries/{number}/enter", enter_bot, methods=["POST"], name="enter"),
        Route("/entries/{number}/leave", take_bot_out, methods=["POST"], name="leave-entries"),
    ]
    tables = [
        Route("/tables", show_tables, name="tables"),
        Route("/tables", open_table, methods=["POST"]),
        Route("/tables/{table}", show_table, name="table"),
        Route("/tables/{table}/choose", take_choice, methods=["POST"], name="choose"),
        Route("/tables/{table}/events", stream_table, name="table-events"),
        Route("/tables/{table}/join", join_table, methods=["POST"], name="join"),
        Route("/tables/{table}/leave", give_up_seat, methods=["POST"], name="leave"),
    ]
    app = Starlette(
        routes=[
            *(login if site.has_login else []),
            *([*forms, *entries, *tables] if site.has_forms else []),
            Route("/", show_home, name="home"),
            Route("/feed.atom", send_feed, name="feed"),
            Route("/entries/{number}", show_open_tournament, name="entries"),
            Route("/tournaments", show_tournaments, name="tournaments"),
            Route("/tournaments/{number}", show_tournament, name="tournament"),
            Route("/tournaments/{number}/events", stream_tournament, name="events"),
            Route("/tournaments/{number}/standings.csv", send_standings_csv, name="csv"),
            Route("/tournaments/{number}/standings.json", send_standings_json, name="json"),
            Route("/tournaments/{number}/results.csv", send_results, name="results"),
            Route("/tournaments/{number}/head-to-head", choose_two, name="two"),
            Route(
                "/tournaments/{number}/head-to-head/{bot}/{opponent}",
                show_head_to_head,
                name="head_to_head",
            ),
            Route("/bots", show_bots, name="bots"),
            Route("/bots/{name}", show_bot, name="bot"),
            Route("/bots/{name}/versions/{number}", show_version, name="version"),
            Route("/bots/{name}/versions/{number}/events", stream_trial, name="trial-events"),
            Route("/matches", show_matches, name="matches"),
            Route("/matches/{number}/{group}", show_group, name="group"),
            Route("/matches/{number}/{group}/{seating}", show_replay, name="replay"),
            Route("/matches/{number}/{group}/{seating}/whole", show_whole, name="whole"),
            Route("/matches/{number}/{group}/{seating}/record.jsonl", send_record, name="record"),
            Route("/ladders", show_ladders, name="ladders"),
            Route("/ladders/{number}", show_ladder, name="ladder"),
            Route("/rankings", show_rankings, name="rankings"),
            Route("/rankings/{variant:path}", show_ranking, name="ranking"),
            Route("/rules", show_rules, name="rules"),
            Route("/rules/{game}", show_game_rules, name="game"),
            Mount("/static", _Static(directory=STATIC), name="static"),
        ],
        middleware=[*guards, *([make_sessions(site)] if site.has_forms else [])],
        exception_handlers={
            HTTPException: _show_http_error,
            grpc.aio.AioRpcError: _show_platform_error,
            MazzoError: _show_failure,
            TimeoutError: _show_timeout,
            Exception: _show_bug,
        },
    )
    # Starlette would try one route after the other for each link: half of the time of a page.
    named = [route for route in app.routes if isinstance(route, Route | Mount)]
    app.state.addresses = {route.name: route for route in reversed(named)}
    app.state.services = services
    app.state.site = site
    app.state.adviser = adviser
    app.state.search_seconds = search_seconds
    app.state.audits = Audits()
    app.state.known_bots = KnownBots()
    app.state.known_leaders = KnownLeaders()
    app.state.live_tournaments = LiveTournaments()
    app.state.live_trials = LiveTrials()
    app.state.seat_players = SeatPlayers()
    app.state.watched_matches = WatchedMatches()
    app.state.whole_matches = WholeMatches()
    # The headers outside of all, so that answers to our own errors have them too.
    return _Headers(Prefixed(app, site.prefix) if site.prefix else app)


class _Headers:
    """Adds the headers that every answer has."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await self._app(scope, receive, send_with_headers)


class _Static(StaticFiles):
    """Serves files, which browsers may keep if the address has a hash of their contents."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """See `StaticFiles`."""
        response = await super().get_response(path, scope)
        if scope["query_string"] == HASHES.get(path, "").encode() != b"":
            response.headers["Cache-Control"] = _FOREVER
        return response


def _show_http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    is_page = request.method in ("GET", "HEAD")
    is_stranger = request.app.state.site.has_login and not is_allowed_to_act(request)
    if status is HTTPStatus.FORBIDDEN and is_page and is_stranger:
        return redirect_to_login(request)
    reason = "" if error.detail == status.phrase else error.detail
    if status is HTTPStatus.NOT_FOUND:
        reason = reason or "There is no page at this address, or what it showed is gone."
    elif status is HTTPStatus.METHOD_NOT_ALLOWED:
        reason = reason or "There is no page at this address: a form sends there what it asks for."
    response = _show_error(request, status, reason)
    response.headers.update(error.headers or {})
    return response


def _show_platform_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, grpc.aio.AioRpcError)
    is_unknown = error.code() is grpc.StatusCode.UNAUTHENTICATED
    if is_unknown and request.app.state.site.has_login:
        return redirect_to_login(request)
    status = _STATUSES.get(error.code(), HTTPStatus.BAD_GATEWAY)
    reason = error.details() or ""
    if error.code() is not grpc.StatusCode.UNAVAILABLE:
        return _show_error(request, status, reason)
    is_own = any(key == _DETAILS for key, _ in error.trailing_metadata() or ())
    response = _show_error(request, status, reason if is_own else _SILENCE)
    response.headers["Retry-After"] = str(_RETRY_SECONDS)
    return response


def _show_failure(request: Request, error: Exception) -> Response:
    return _show_error(request, HTTPStatus.CONFLICT, str(error))


def _show_timeout(request: Request, _: Exception) -> Response:
    return _show_error(request, HTTPStatus.GATEWAY_TIMEOUT, "The platform is busy: try again.")


def _show_bug(request: Request, _: Exception) -> Response:
    return _show_error(request, HTTPStatus.INTERNAL_SERVER_ERROR, "")


def _show_error(request: Request, status: HTTPStatus, reason: str) -> Response:
    return render(request, "error.html", status=status, title=status.phrase, reason=reason)
