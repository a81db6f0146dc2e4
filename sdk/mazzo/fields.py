"""Typed fields of JSON objects; what is of another type makes a `BadRecordError`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from mazzo.errors import BadRecordError, quote_value

__all__ = ["read_int", "read_line", "read_list", "read_number", "read_object", "read_text"]

_Item = TypeVar("_Item")


def read_line(line: str) -> object:
    """Return the JSON value of a line, of whatever type; most often an object is expected."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadRecordError(f"expected a JSON object, got {quote_value(line.strip())}") from error


def read_object(value: object, name: str) -> dict[str, Any]:
    """Return the value as an object."""
    if not isinstance(value, dict):
        raise BadRecordError(f"{name}: expected an object, got {quote_value(value)}")
    return cast(dict[str, Any], value)


def read_text(record: Mapping[str, Any], key: str) -> str:
    """Return the text of a key."""
    value = record.get(key)
    if not isinstance(value, str):
        raise BadRecordError(f"{key}: expected a text, got {quote_value(value)}")
    return value


def read_int(record: Mapping[str, Any], key: str, *, least: int | None = None) -> int:
    """Return the whole number of a key, and `least` at least where that is given."""
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRecordError(f"{key}: expected a whole number, got {quote_value(value)}")
    if least is not None and value < least:
        raise BadRecordError(f"{key}: expected a number from {least} on, got {quote_value(value)}")
    return value


def read_number(record: Mapping[str, Any], key: str) -> float:
    """Return the number of a key, from 0 on and finite."""
    value = record.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e18:
        raise BadRecordError(f"{key}: expected a number from 0 on, got {quote_value(value)}")
    return float(value)


def read_list(
    record: Mapping[str, Any],
    key: str,
    item: Callable[[dict[str, Any], str], _Item],
    *,
    length: int | None = None,
) -> tuple[_Item, ...]:
    """Return the list of a key, `length` long where that is given.

    `item` reads one of its values, which it finds under the same key; so it is one of the
    other functions of this module.
    """
    value = record.get(key)
    if not isinstance(value, list) or length not in (None, len(value)):
        many = "" if length is None else f" of {length}"
        raise BadRecordError(f"{key}: expected a list{many}, got {quote_value(value)}")
    return tuple(item({key: part}, key) for part in value)
