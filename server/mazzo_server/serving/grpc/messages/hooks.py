"""Hooks as messages."""

from __future__ import annotations

from mazzo.v1 import hook_pb2
from mazzo_server.errors import InvalidInputError
from mazzo_server.serving.grpc.messages.timestamps import encode_time
from mazzo_server.serving.hooks import read_place
from mazzo_server.storage import HookFormat, HookRow

__all__ = ["decode_hook_format", "encode_hook"]

_FORMATS = {
    HookFormat.JSON: hook_pb2.HOOK_FORMAT_JSON,
    HookFormat.SLACK: hook_pb2.HOOK_FORMAT_SLACK,
}


def decode_hook_format(number: int) -> HookFormat:
    """Return the format of that number on the wire; raise `InvalidInputError` if there is none."""
    if number == hook_pb2.HOOK_FORMAT_UNSPECIFIED:
        return HookFormat.JSON
    for known, value in _FORMATS.items():
        if value == number:
            return known
    raise InvalidInputError(f"format: expected {', '.join(HookFormat)}, got number {number}")


def encode_hook(row: HookRow) -> hook_pb2.Hook:
    """Encode a hook, without its secret and without what of its URL may be one."""
    message = hook_pb2.Hook(
        id=row.id,
        place=read_place(row.url),
        events=row.events,
        format=_FORMATS[row.format],
        label=row.label,
        create_time=encode_time(row.create_time),
        waiting=row.waiting,
        delivered=row.delivered,
        dropped=row.dropped,
        error=row.error,
        disabled=row.disabled,
    )
    if row.delivery_time is not None:
        message.delivery_time.CopyFrom(encode_time(row.delivery_time))
    if row.failing_since is not None:
        message.failing_since.CopyFrom(encode_time(row.failing_since))
    return message
