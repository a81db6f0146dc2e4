"""Hooks, and the events that wait for them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, func, insert, select, update

from mazzo_server.errors import StoreError
from mazzo_server.logs import LogAction
from mazzo_server.storage.encoding import decode_json, encode_json, report_damage
from mazzo_server.storage.hooks.events import Announcement, decode_event
from mazzo_server.storage.hooks.rows import (
    MOST_WAITING,
    DeliveryRow,
    HookFormat,
    HookRow,
    make_damaged_hook,
    make_hook_exists_error,
    make_no_hook_error,
    sort_hooks,
)
from mazzo_server.storage.sql.database import Database, is_storable
from mazzo_server.storage.sql.schema import hook_events, hooks

__all__ = ["HookTables", "add_announcement"]

_LOG = logging.getLogger(__name__)


class HookTables(Database):
    """The part of a `Store` that keeps the hooks and their queues."""

    def add_hook(self, hook: HookRow) -> None:
        with self._writing() as connection:
            if _read_hooks(connection, hook.id):
                raise make_hook_exists_error(hook.id)
            connection.execute(
                insert(hooks).values(
                    id=hook.id,
                    url=hook.url,
                    events=encode_json(hook.events),
                    format=hook.format.value,
                    secret=hook.secret,
                    label=encode_json(hook.label),
                    create_time=hook.create_time,
                )
            )

    def hook(self, hook_id: str) -> HookRow:
        with self._reading() as connection:
            return _find_hook(connection, hook_id)

    def hooks(self) -> list[HookRow]:
        with self._reading() as connection:
            return _read_hooks(connection)

    def delete_hook(self, hook_id: str) -> None:
        with self._writing() as connection:
            _find_hook(connection, hook_id)
            connection.execute(delete(hook_events).where(hook_events.c.hook == hook_id))
            connection.execute(delete(hooks).where(hooks.c.id == hook_id))

    def announce(self, announcement: Announcement, *, most_waiting: int = MOST_WAITING) -> None:
        with self._writing() as connection:
            add_announcement(connection, announcement, most_waiting=most_waiting)

    def deliveries(self) -> list[DeliveryRow]:
        with self._reading() as connection:
            oldest = (
                select(hook_events.c.hook, func.min(hook_events.c.number).label("number"))
                .group_by(hook_events.c.hook)
                .subquery()
            )
            rows = connection.execute(
                select(hook_events).join(
                    oldest,
                    (hook_events.c.hook == oldest.c.hook)
                    & (hook_events.c.number == oldest.c.number),
                )
            ).mappings()
            found = {row["hook"]: row for row in rows}
            known = _read_hooks(connection) if found else []
        deliveries = []
        for hook in known:
            row = found.get(hook.id)
            if hook.disabled or row is None:
                continue
            try:
                deliveries.append(_read_delivery(hook, row))
            except StoreError as error:
                self._drop_damaged(hook.id, row, error)
        return deliveries

    def _drop_damaged(self, hook_id: str, row: RowMapping, error: StoreError) -> None:
        with self._writing() as connection:
            dropped = _drop_events(connection, hook_id, row["number"])
            _set(connection, hook_id, dropped=hooks.c.dropped + dropped)
        _LOG.warning(
            "an event for the hook %s is dropped: %s",
            *(hook_id, error),
            extra={
                "action": LogAction.HOOK_FAILED,
                "hook": hook_id,
                "event": row["event"],
                "kind": row["kind"],
            },
        )

    def finish_delivery(self, hook_id: str, number: int, *, time: float) -> None:
        with self._writing() as connection:
            arrived = _drop_events(connection, hook_id, number)
            _set(
                connection,
                hook_id,
                delivered=hooks.c.delivered + arrived,
                delivery_time=time,
                failing_since=None,
                error=encode_json(""),
            )
            if number == 0:
                _set(connection, hook_id, disabled=False)
                connection.execute(
                    update(hook_events).where(hook_events.c.hook == hook_id).values(due_time=0.0)
                )

    def fail_delivery(
        self,
        hook_id: str,
        number: int,
        *,
        time: float,
        error: str,
        due_time: float | None,
        disable: bool = False,
    ) -> None:
        with self._writing() as connection:
            dropped = 0
            if due_time is None:
                dropped = _drop_events(connection, hook_id, number)
            else:
                connection.execute(
                    update(hook_events)
                    .where(hook_events.c.hook == hook_id, hook_events.c.number == number)
                    .values(
                        attempts=hook_events.c.attempts + 1,
                        first_time=func.coalesce(hook_events.c.first_time, time),
                        due_time=due_time,
                    )
                )
            if disable:
                dropped += _drop_events(connection, hook_id)
                _set(connection, hook_id, disabled=True)
            _set(
                connection,
                hook_id,
                dropped=hooks.c.dropped + dropped,
                failing_since=func.coalesce(hooks.c.failing_since, time),
                error=encode_json(error),
            )


def add_announcement(
    connection: Connection, announcement: Announcement, *, most_waiting: int = MOST_WAITING
) -> None:
    """Put an event into queues, as `HookStore.announce` does, in the caller's transaction."""
    kind = announcement.event.kind
    for hook in _read_hooks(connection):
        if hook.disabled or kind not in hook.events:
            continue
        surplus = max(0, hook.waiting + 1 - most_waiting)
        if surplus:
            oldest = connection.scalars(
                select(hook_events.c.number)
                .where(hook_events.c.hook == hook.id)
                .order_by(hook_events.c.number)
                .limit(surplus)
            )
            for number in list(oldest):
                _drop_events(connection, hook.id, number)
        connection.execute(
            insert(hook_events).values(
                hook=hook.id,
                number=hook.newest + 1,
                event=announcement.id,
                kind=kind,
                time=announcement.time,
                facts=encode_json(announcement.to_json()),
            )
        )
        _set(connection, hook.id, newest=hook.newest + 1, dropped=hooks.c.dropped + surplus)


def _read_delivery(hook: HookRow, row: RowMapping) -> DeliveryRow:
    with report_damage("an event that waits for a hook"):
        facts = decode_json(row["facts"])
        if not isinstance(facts, dict):
            raise TypeError("its facts are no object")
        return DeliveryRow(
            hook=hook,
            number=row["number"],
            announcement=Announcement(
                id=row["event"], time=row["time"], event=decode_event(row["kind"], facts)
            ),
            attempts=row["attempts"],
            first_time=row["first_time"],
            due_time=row["due_time"],
        )


def _drop_events(connection: Connection, hook_id: str, number: int | None = None) -> int:
    """Delete the event of that number, or all that wait, and return how many there were."""
    wanted = [hook_events.c.hook == hook_id]
    if number is not None:
        wanted.append(hook_events.c.number == number)
    return connection.execute(delete(hook_events).where(*wanted)).rowcount


def _set(connection: Connection, hook_id: str, **values: Any) -> None:
    connection.execute(update(hooks).where(hooks.c.id == hook_id).values(**values))


def _find_hook(connection: Connection, hook_id: str) -> HookRow:
    found = _read_hooks(connection, hook_id) if is_storable(hook_id) else []
    if not found:
        raise make_no_hook_error(hook_id)
    return found[0]


def _read_hooks(connection: Connection, hook_id: str | None = None) -> list[HookRow]:
    """Return the hook of that id, if there is one, or all."""
    waiting = (
        select(func.count())
        .where(hook_events.c.hook == hooks.c.id)
        .scalar_subquery()
        .label("waiting")
    )
    query = select(hooks, waiting)
    if hook_id is not None:
        query = query.where(hooks.c.id == hook_id)
    return sort_hooks([_read_hook(row) for row in connection.execute(query).mappings().all()])


def _read_hook(row: RowMapping) -> HookRow:
    """Return a hook; of one that is damaged what can be said of it, so that it stops no other."""
    try:
        with report_damage("a hook"):
            hook = HookRow(
                **dict(row)
                | {
                    "events": tuple(decode_json(row["events"])),
                    "format": HookFormat(row["format"]),
                    "label": decode_json(row["label"]),
                    "error": decode_json(row["error"]),
                }
            )
            _check_types(hook)
    except StoreError as error:
        return make_damaged_hook(row["id"], waiting=row["waiting"], error=str(error))
    return hook


def _check_types(hook: HookRow) -> None:
    """Raise `TypeError` for a value that SQLite took, though the column is of another type."""
    expected: Mapping[type | UnionType, Sequence[object]] = {
        str: (hook.url, hook.secret, hook.label, hook.error, *hook.events),
        int: (hook.newest, hook.delivered, hook.dropped, hook.disabled),
        int | float: (hook.create_time, hook.delivery_time or 0.0, hook.failing_since or 0.0),
    }
    for kind, values in expected.items():
        for value in values:
            if not isinstance(value, kind):
                raise TypeError(f"a value is of the type {type(value).__name__}")
