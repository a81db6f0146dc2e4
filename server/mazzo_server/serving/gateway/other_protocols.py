"""Refusals for clients of other protocols than gRPC: Connect, gRPC-Web, browsers, HTTP/1.1.

They get a refusal in their own protocol, as an error that their libraries show. Nothing of what
they sent goes to the server behind.

- gRPC-Web: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md
- Connect: https://connectrpc.com/docs/protocol
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from hpack import Decoder, Encoder, HPACKError

from mazzo_server.serving.gateway.frames import Flag, Frame, FrameType

__all__ = ["MOST_HEADERS", "Refusal", "find_content_type", "is_grpc", "read_headers"]

MOST_HEADERS: Final = 16 * 1024  # bytes of the headers of a request

_ADVICE: Final = (
    "this server speaks gRPC alone, over HTTP/2: expected the content type application/grpc, got "
    "{}; choose gRPC in your client, such as with --protocol grpc in buf curl"
)
_UNIMPLEMENTED: Final = 12  # gRPC's status
_TRAILERS: Final = 0x80  # flag of the part of a gRPC-Web body that holds the trailers
_END_STREAM: Final = 0x02  # flag of the last part of a Connect stream


def is_grpc(content_type: str) -> bool:
    """Return whether a request is one of gRPC itself."""
    return content_type.startswith("application/grpc") and not _is_grpc_web(content_type)


def _is_grpc_web(content_type: str) -> bool:
    return content_type.startswith("application/grpc-web")


def find_content_type(head: bytes) -> str:
    """Return what a request of HTTP/1.1 says of its content; "" for nothing."""
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-type":
            return value.strip().decode("ascii", "replace").lower()
    return ""


def read_headers(block: bytes) -> dict[str, str] | None:
    """Return the headers of the first request of a connection; None for what is no such block."""
    decoder = Decoder(max_header_list_size=MOST_HEADERS)
    try:
        fields = decoder.decode(block, raw=True)
    except HPACKError:
        return None
    return {_to_text(name): _to_text(value) for name, value, *_ in fields}


def _to_text(value: bytes | str) -> str:
    return value if isinstance(value, str) else value.decode("ascii", "replace")


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """An answer in the protocol of a request with this `content_type`."""

    status: HTTPStatus
    content_type: str
    body: bytes

    @classmethod
    def choose(cls, content_type: str) -> Refusal:
        """Return the refusal that such a client can read."""
        kind = content_type.partition(";")[0].strip()
        said = _ADVICE.format(ascii(kind[:100]) if kind else "none")
        if _is_grpc_web(kind):
            trailers = f"grpc-status: {_UNIMPLEMENTED}\r\ngrpc-message: {said}\r\n".encode()
            body = _pack_part(_TRAILERS, trailers)
            if kind.startswith("application/grpc-web-text"):
                body = base64.b64encode(body)
            return cls(status=HTTPStatus.OK, content_type=kind, body=body)
        error = {"code": "unimplemented", "message": said}
        if kind.startswith("application/connect+"):
            body = _pack_part(_END_STREAM, json.dumps({"error": error}).encode())
            return cls(status=HTTPStatus.OK, content_type=kind, body=body)
        return cls(
            status=HTTPStatus.NOT_IMPLEMENTED,
            content_type="application/json",
            body=json.dumps(error).encode(),
        )

    @classmethod
    def of_tls(cls) -> Refusal:
        """Return that of TLS where there is none, by which clients see that they are wrong."""
        return cls(
            status=HTTPStatus.BAD_REQUEST,
            content_type="text/plain",
            body=b"this port does not speak TLS\n",
        )

    def pack_http1(self) -> bytes:
        """Return the response of HTTP/1.1, after which the connection is closed."""
        lines = [
            f"HTTP/1.1 {self.status.value} {self.status.phrase}",
            f"content-type: {self.content_type}",
            f"content-length: {len(self.body)}",
            "connection: close",
            "",
            "",
        ]
        return "\r\n".join(lines).encode() + self.body

    def pack_http2(self, stream: int) -> bytes:
        """Return the frames that answer the first request of a connection, and end both."""
        fields = [(":status", str(self.status.value)), ("content-type", self.content_type)]
        block = Encoder().encode(fields)
        goodbye = stream.to_bytes(4, "big") + bytes(4)  # the last stream, no error
        return b"".join(
            (
                Frame(0, FrameType.HEADERS, Flag.END_HEADERS, stream).pack(block),
                Frame(0, FrameType.DATA, Flag.END_STREAM, stream).pack(self.body),
                Frame(0, FrameType.GOAWAY, 0, 0).pack(goodbye),
            )
        )


def _pack_part(flag: int, payload: bytes) -> bytes:
    return bytes((flag,)) + len(payload).to_bytes(4, "big") + payload
