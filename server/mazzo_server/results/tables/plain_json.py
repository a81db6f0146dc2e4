"""Wire messages as JSON values, for scripts."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

__all__ = ["to_json"]


def to_json(message: Message) -> Any:
    """Return a wire message as a JSON value.

    It has every field; an absent one is null. Enum values are lower-case words without the prefix
    of their type, times are RFC 3339.
    """
    if isinstance(message, Timestamp):
        return message.ToJsonString()
    value: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        content = getattr(message, field.name)
        if field.is_repeated:
            value[field.name] = [_make_plain(field, item) for item in content]
        elif field.has_presence and not message.HasField(field.name):
            value[field.name] = None
        else:
            value[field.name] = _make_plain(field, content)
    return value


def _make_plain(field: Any, content: Any) -> Any:
    if field.message_type is not None:
        return to_json(content)
    if field.enum_type is not None:
        names = [value.name for value in field.enum_type.values]
        prefix = names[0].removesuffix("UNSPECIFIED")
        return field.enum_type.values_by_number[content].name.removeprefix(prefix).lower()
    return content
