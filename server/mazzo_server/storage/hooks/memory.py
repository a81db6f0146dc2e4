"""Hooks and their queues in memory."""

from __future__ import annotations

from dataclasses import replace
from threading import RLock

from mazzo_server.storage.hooks.events import Announcement
from mazzo_server.storage.hooks.rows import (
    MOST_WAITING,
    DeliveryRow,
    HookRow,
    make_hook_exists_error,
    make_no_hook_error,
    sort_hooks,
)

__all__ = ["MemoryHooks"]


class MemoryHooks:
    """A `HookStore` that lasts as long as the object."""

    def __init__(self) -> None:
        super().__init__()
        self._lock = RLock()
        self._hooks: dict[str, HookRow] = {}
        self._waiting: dict[str, dict[int, DeliveryRow]] = {}  # by hook and number, in order

    def add_hook(self, hook: HookRow) -> None:
        with self._lock:
            if hook.id in self._hooks:
                raise make_hook_exists_error(hook.id)
            self._hooks[hook.id] = hook
            self._waiting[hook.id] = {}

    def hook(self, hook_id: str) -> HookRow:
        with self._lock:
            if hook_id not in self._hooks:
                raise make_no_hook_error(hook_id)
            return replace(self._hooks[hook_id], waiting=len(self._waiting[hook_id]))

    def hooks(self) -> list[HookRow]:
        with self._lock:
            return sort_hooks([self.hook(hook_id) for hook_id in self._hooks])

    def delete_hook(self, hook_id: str) -> None:
        with self._lock:
            self.hook(hook_id)
            del self._hooks[hook_id], self._waiting[hook_id]

    def announce(self, announcement: Announcement, *, most_waiting: int = MOST_WAITING) -> None:
        with self._lock:
            for hook in self.hooks():
                if hook.disabled or announcement.event.kind not in hook.events:
                    continue
                queue = self._waiting[hook.id]
                while len(queue) >= most_waiting:
                    del queue[min(queue)]
                    self._count_dropped(hook.id, 1)
                number = hook.newest + 1
                self._change(hook.id, newest=number)
                queue[number] = DeliveryRow(
                    hook=hook,
                    number=number,
                    announcement=announcement,
                    attempts=0,
                    first_time=None,
                    due_time=0.0,
                )

    def deliveries(self) -> list[DeliveryRow]:
        with self._lock:
            return [
                replace(self._waiting[hook.id][min(self._waiting[hook.id])], hook=hook)
                for hook in self.hooks()
                if hook.waiting and not hook.disabled
            ]

    def finish_delivery(self, hook_id: str, number: int, *, time: float) -> None:
        with self._lock:
            if hook_id not in self._hooks:
                return
            queue = self._waiting[hook_id]
            if queue.pop(number, None) is not None:
                self._change(hook_id, delivered=self._hooks[hook_id].delivered + 1)
            if number == 0:
                self._change(hook_id, disabled=False)
                queue.update({key: replace(row, due_time=0.0) for key, row in queue.items()})
            self._change(hook_id, delivery_time=time, failing_since=None, error="")

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
        with self._lock:
            if hook_id not in self._hooks:
                return
            queue = self._waiting[hook_id]
            waiting = queue.get(number)
            if waiting is not None and due_time is not None:
                first = time if waiting.first_time is None else waiting.first_time
                queue[number] = replace(
                    waiting, attempts=waiting.attempts + 1, first_time=first, due_time=due_time
                )
            elif waiting is not None:
                del queue[number]
                self._count_dropped(hook_id, 1)
            since = self._hooks[hook_id].failing_since
            self._change(hook_id, error=error, failing_since=time if since is None else since)
            if disable:
                self._change(hook_id, disabled=True)
                self._count_dropped(hook_id, len(queue))
                queue.clear()

    def _count_dropped(self, hook_id: str, events: int) -> None:
        self._change(hook_id, dropped=self._hooks[hook_id].dropped + events)

    def _change(self, hook_id: str, **values: object) -> None:
        self._hooks[hook_id] = replace(self._hooks[hook_id], **values)  # type: ignore[arg-type]
