"""Access tokens as messages."""

from __future__ import annotations

from mazzo.v1 import auth_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.model import Caller, Role
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.storage import TokenRow

__all__ = ["decode_role", "encode_caller", "encode_token"]

_TOKEN_ROLES = {
    Role.ORGANISER: auth_pb2.TOKEN_ROLE_ORGANISER,
    Role.AUTHOR: auth_pb2.TOKEN_ROLE_AUTHOR,
    Role.BOT: auth_pb2.TOKEN_ROLE_BOT,
}


def decode_role(number: int) -> Role:
    """Return the role of that number on the wire; raise `InvalidInputError` if there is none."""
    for role, known in _TOKEN_ROLES.items():
        if known == number:
            return role
    raise InvalidInputError(f"role: expected {', '.join(Role)}, got number {number}")


def encode_caller(caller: Caller) -> auth_pb2.GetCallerResponse:
    """Encode who a caller is, and what the caller may do."""
    role = None if caller.role is None else _TOKEN_ROLES[caller.role]
    return auth_pb2.GetCallerResponse(role=role, subject=caller.subject)


def encode_token(row: TokenRow, *, is_expired: bool) -> auth_pb2.AccessToken:
    """Encode a token, without its hash."""
    message = auth_pb2.AccessToken(
        id=row.id,
        role=_TOKEN_ROLES[row.role],
        subject=row.subject,
        label=row.label,
        create_time=encode_time(row.create_time),
        revoked=row.revoked,
        expired=is_expired,
    )
    if row.expire_time is not None:
        message.expire_time.CopyFrom(encode_time(row.expire_time))
    if row.last_use_time is not None:
        message.last_use_time.CopyFrom(encode_time(row.last_use_time))
    return message
