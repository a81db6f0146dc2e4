"""The rows of hooks and of what waits for them, and the part of a store that keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Protocol

from mazzo_server.errors import ConflictError, NotFoundError
from mazzo_server.storage.hooks.events import Announcement

__all__ = [
    "MOST_WAITING",
    "DeliveryRow",
    "HookFormat",
    "HookHealth",
    "HookRow",
    "HookStore",
    "make_damaged_hook",
    "make_hook_exists_error",
    "make_no_hook_error",
]

MOST_WAITING: Final = 1000  # events in the queue of a hook


class HookFormat(StrEnum):
    """What a hook is sent."""

    JSON = "json"  # the event with all its facts
    SLACK = "slack"  # {"text": …}, as Slack, Mattermost and Rocket.Chat take it


class HookHealth(StrEnum):
    """How a hook fares."""

    FINE = "fine"
    FAILING = "failing"  # the last delivery failed, and is tried again
    DISABLED = "disabled"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRow:
    """A hook of an organiser, and how it fares.

    The secret signs what is sent, so it is stored as it is. The address of a chat program is a
    secret, too.
    """

    id: str
    url: str = field(repr=False)
    events: tuple[str, ...]  # the kinds that it asks for
    format: HookFormat
    secret: str = field(repr=False)
    label: str  # what it is for, written by a person
    create_time: float  # Unix seconds; shown to people, and they are listed in this order
    newest: int = 0  # number of the newest event that was queued; the first is 1
    waiting: int = 0  # events in its queue
    delivered: int = 0  # events
    dropped: int = 0  # events that never arrived
    delivery_time: float | None = None  # Unix seconds of the last event that arrived; None: never
    failing_since: float | None = None  # Unix seconds; None: the last delivery succeeded
    error: str = ""  # of the last delivery; "": it succeeded
    disabled: bool = False  # nothing is queued any more, until a test succeeds

    @property
    def health(self) -> HookHealth:
        """How it fares."""
        if self.disabled:
            return HookHealth.DISABLED
        return HookHealth.FINE if self.failing_since is None else HookHealth.FAILING


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryRow:
    """The oldest event in the queue of a hook."""

    hook: HookRow
    number: int  # 1, 2, 3 … for each hook; a gap: events were dropped
    announcement: Announcement
    attempts: int  # that failed
    first_time: float | None  # Unix seconds of the first attempt; None: there was none
    due_time: float  # Unix seconds before which it is not tried again; 0.0: at once


class HookStore(Protocol):
    """The part of a `Store` that keeps hooks and their queues; the laws of `Store` hold.

    A hook that cannot be read is shown as disabled, with what is wrong as its error. It stops no
    other one, and it can be deleted.
    """

    def add_hook(self, hook: HookRow) -> None:
        """Keep a new hook; raise `ConflictError` if its id is taken."""
        ...

    def hook(self, hook_id: str) -> HookRow:
        """Return the hook of that id."""
        ...

    def hooks(self) -> list[HookRow]:
        """Return all hooks, the oldest first."""
        ...

    def delete_hook(self, hook_id: str) -> None:
        """Delete a hook with its queue."""
        ...

    def announce(self, announcement: Announcement, *, most_waiting: int = MOST_WAITING) -> None:
        """Put an event into the queue of every hook that asks for it and is not disabled.

        From a queue that has `most_waiting` events the oldest is dropped.
        """
        ...

    def deliveries(self) -> list[DeliveryRow]:
        """Return the oldest waiting event of each hook that has one, and is not disabled.

        An event that cannot be read is dropped and told in the log; the next one is there the next
        time.
        """
        ...

    def finish_delivery(self, hook_id: str, number: int, *, time: float) -> None:
        """Note that an event arrived: it waits no more. Without that event only the hook changes.

        With number 0 a test succeeded: the hook is not disabled any more, and its oldest event is
        due at once. A hook that is gone is nothing to note.
        """
        ...

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
        """Note that an event did not arrive, and when to try again; None: it is dropped.

        To `disable` the hook drops all that waits for it. A hook or an event that is gone is
        nothing to note.
        """
        ...


def make_no_hook_error(hook_id: str) -> NotFoundError:
    """Return the error that there is no hook of this id."""
    return NotFoundError(
        f"there is no hook {hook_id!r}: `mazzo hooks list` shows the ids of all hooks"
    )


def make_hook_exists_error(hook_id: str) -> ConflictError:
    """Return the error that the id is taken."""
    return ConflictError(f"there is a hook {hook_id!r} already: draw another id")


def make_damaged_hook(hook_id: str, *, waiting: int, error: str) -> HookRow:
    """Return in place of a hook that cannot be read one that gets nothing, and says why."""
    return HookRow(
        id=hook_id,
        url="",
        events=(),
        format=HookFormat.JSON,
        secret="",
        label="",
        create_time=0.0,
        waiting=waiting,
        error=f"{error}; remove it, and add it again",
        disabled=True,
    )


def sort_hooks(hooks: Sequence[HookRow]) -> list[HookRow]:
    """Return hooks in the order of their list."""
    return sorted(hooks, key=lambda row: (row.create_time, row.id))
