"""Asks an application for its pages without a network."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from starlette.types import ASGIApp, Message, Scope

__all__ = ["Answer", "Browser"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an application has answered."""

    status: int
    is_page: bool
    body: bytes


class Browser:
    """Gets pages from an application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def get(self, address: str) -> Answer:
        """Return the answer for a path with its query."""
        parts = urlsplit(address)
        scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "server": ("localhost", 80),
            "path": unquote(parts.path),
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(b"host", b"localhost")],
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self._app(scope, receive, send)
        begin = next(message for message in sent if message["type"] == "http.response.start")
        headers = {name.lower(): value for name, value in begin["headers"]}
        return Answer(
            status=begin["status"],
            is_page=headers.get(b"content-type", b"").startswith(b"text/html"),
            body=b"".join(message.get("body", b"") for message in sent),
        )
