"""What a server and its gateway tell each other: a line of JSON each."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Final

from mazzo_server.serving.gateway.admission import ConnectionLimits

__all__ = ["MOST_LINE", "SOCKET_NAME", "GatewayConfig", "GatewayReport", "Notice", "PeerName"]

MOST_LINE: Final = 64 * 1024  # bytes
# In the folder that the two share. There the gateway works, as a path to it may be too long.
SOCKET_NAME: Final = "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayConfig:
    """What a gateway needs to know to begin; the numbers are file descriptors."""

    generation: int  # of the gateways of one server
    listeners: list[int]
    control: int  # where notices come from and reports go to
    folder: str  # where the server's socket is, and the names of its own connections
    certificate: str | None  # PEM files
    key: str | None
    limits: ConnectionLimits

    def pack(self) -> str:
        """Return the text that `parse` reads."""
        return json.dumps(asdict(self))

    @classmethod
    def parse(cls, text: str) -> GatewayConfig:
        """Read what `pack` wrote."""
        values = json.loads(text)
        limits = ConnectionLimits(**values.pop("limits"))
        return cls(**values, limits=limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A call of a connection was begun, or has ended: from the server."""

    connection: int
    has_begun: bool
    token: str | None = None  # of a call that begins: the id of the valid token that it shows
    is_good: bool = False  # of a call that has ended: it was not refused

    def pack(self) -> bytes:
        """Return the line that `parse` reads."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> Notice:
        """Read what `pack` wrote."""
        return cls(**json.loads(line))


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayReport:
    """What a gateway has seen since its last report."""

    anonymous: int  # connections that have not shown a token, now
    authenticated: int  # those that have, now
    refused: dict[str, int]  # connections that were closed, by reason
    network: str = ""  # that most of them came from

    def pack(self) -> bytes:
        """Return the line that `parse` reads."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def parse(cls, line: bytes) -> GatewayReport:
        """Read what `pack` wrote."""
        return cls(**json.loads(line))


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerName:
    """What a connection of the gateway is called: the server reads it as the name of its peer."""

    generation: int
    connection: int
    host: str  # the client's address

    def pack(self) -> str:
        """Return the name of a file."""
        return f"{self.generation}-{self.connection}-{self.host}"

    @classmethod
    def parse(cls, name: str) -> PeerName:
        """Read what `pack` wrote."""
        generation, connection, host = name.split("-", 2)
        return cls(generation=int(generation), connection=int(connection), host=host)
