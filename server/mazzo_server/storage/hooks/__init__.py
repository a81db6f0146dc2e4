"""What is told to the hooks of organisers, and the queues in which it waits."""

from mazzo_server.storage.hooks.events import (
    Announcement,
    ChallengeAnswered,
    HookTest,
    LadderOvertaking,
    PlatformFault,
    TournamentOver,
    TrialFailed,
    TrialPassed,
    list_event_kinds,
)
from mazzo_server.storage.hooks.memory import MemoryHooks
from mazzo_server.storage.hooks.rows import DeliveryRow, HookFormat, HookHealth, HookRow, HookStore

__all__ = [
    "Announcement",
    "ChallengeAnswered",
    "DeliveryRow",
    "HookFormat",
    "HookHealth",
    "HookRow",
    "HookStore",
    "HookTest",
    "LadderOvertaking",
    "MemoryHooks",
    "PlatformFault",
    "TournamentOver",
    "TrialFailed",
    "TrialPassed",
    "list_event_kinds",
]
