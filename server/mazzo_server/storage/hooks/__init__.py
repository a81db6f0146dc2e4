"""What is told to the hooks of organisers, and the queues in which it waits."""

from mazzo_server.storage.hooks.events import (
    EVENTS,
    Announcement,
    HookTest,
    PlatformFault,
    TournamentOver,
    TrialFailed,
    TrialPassed,
)
from mazzo_server.storage.hooks.memory import MemoryHooks
from mazzo_server.storage.hooks.rows import DeliveryRow, HookFormat, HookRow, HookStore

__all__ = [
    "EVENTS",
    "Announcement",
    "DeliveryRow",
    "HookFormat",
    "HookRow",
    "HookStore",
    "HookTest",
    "MemoryHooks",
    "PlatformFault",
    "TournamentOver",
    "TrialFailed",
    "TrialPassed",
]
