"""Where visitors find the pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Receive, Scope, Send

from mazzo.v1 import auth_pb2
from mazzo_server.errors import InvalidInputError

__all__ = ["Prefixed", "Site"]

_LOOPBACK_HOSTS: Final = ("localhost", "127.0.0.1", "::1", "[::1]")  # as browsers say it


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """How browsers reach the pages, and as whom."""

    hosts: Sequence[str] = _LOOPBACK_HOSTS
    prefix: str = ""  # of every path, such as "/mazzo"
    port: int = 0  # at which this process listens; 0: none
    is_secure: bool = False  # over HTTPS, so that cookies are sent over nothing else
    # Each visitor may show an access token, and has its rights. Without it all visitors have the
    # rights of the process that serves the pages.
    has_login: bool = False
    # What the process may do, and so every visitor where nobody logs in.
    role: auth_pb2.TokenRole = auth_pb2.TOKEN_ROLE_ORGANISER
    # Whether there are forms that change something; with a log-in only for those who have logged
    # in. Where there are none, nothing is shown either that is for the owner of a bot alone.
    has_forms: bool = True

    @classmethod
    def on_this_machine(cls, host: str, role: auth_pb2.TokenRole) -> Self:
        """Return the site that this machine alone reaches, by that host or its usual names."""
        return cls(hosts=(*_LOOPBACK_HOSTS, host), role=role)

    @classmethod
    def parse(cls, url: str) -> Self:
        """Return the site at an address such as https://club.example/mazzo.

        Raises `InvalidInputError`.
        """
        try:
            parts = urlsplit(url)
            host, _ = parts.hostname, parts.port
        except ValueError:
            host = None
        is_plain = not (parts.query or parts.fragment or parts.username) if host else False
        if not host or not is_plain or parts.scheme not in ("http", "https"):
            raise InvalidInputError(
                f"--url: expected an address such as https://club.example/mazzo, got {url!r}"
            )
        shown = f"[{host}]" if ":" in host else host
        # A token must not cross a network in the clear.
        has_login = parts.scheme == "https" or host in _LOOPBACK_HOSTS
        return cls(
            hosts=(*_LOOPBACK_HOSTS, host, shown),
            prefix=parts.path.rstrip("/"),
            is_secure=parts.scheme == "https",
            has_login=has_login,
            has_forms=has_login,
        )


class Prefixed:
    """Lets an application live below a path, whether or not a proxy has taken it away."""

    def __init__(self, app: ASGIApp, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on with its whole path."""
        if scope["type"] == "http":
            path: str = scope["path"]
            if path != self._prefix and not path.startswith(f"{self._prefix}/"):
                path = self._prefix + path
            scope = {**scope, "root_path": self._prefix, "path": path}
        await self._app(scope, receive, send)
