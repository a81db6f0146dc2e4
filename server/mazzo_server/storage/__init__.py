"""The store: keeps bots, tournaments, matches and access tokens. SQL stays in this package."""

from mazzo_server.storage.base import (
    BotRow,
    Claim,
    Store,
    TokenRow,
    TournamentRow,
    TournamentStatus,
    VersionRow,
)
from mazzo_server.storage.entries import (
    EntryRow,
    Every,
    OpenTournamentRow,
    PlayedRound,
    RoundEnd,
    Timetable,
)
from mazzo_server.storage.hooks import (
    Announcement,
    ChallengeAnswered,
    DeliveryRow,
    HookFormat,
    HookHealth,
    HookRow,
    HookTest,
    LadderOvertaking,
    PlatformFault,
    TournamentOver,
    TrialFailed,
    TrialPassed,
    list_event_kinds,
)
from mazzo_server.storage.lookups import find_bot, read_withdrawn
from mazzo_server.storage.match_query import FoundMatch, MatchOrder, MatchPosition, MatchQuery
from mazzo_server.storage.memory import MemoryStore
from mazzo_server.storage.opening import open_store
from mazzo_server.storage.refusals import check_bot, check_same_bot
from mazzo_server.storage.writer import OutcomeWriter

__all__ = [
    "Announcement",
    "BotRow",
    "ChallengeAnswered",
    "Claim",
    "DeliveryRow",
    "EntryRow",
    "Every",
    "FoundMatch",
    "HookFormat",
    "HookHealth",
    "HookRow",
    "HookTest",
    "LadderOvertaking",
    "MatchOrder",
    "MatchPosition",
    "MatchQuery",
    "MemoryStore",
    "OpenTournamentRow",
    "OutcomeWriter",
    "PlatformFault",
    "PlayedRound",
    "RoundEnd",
    "Store",
    "Timetable",
    "TokenRow",
    "TournamentOver",
    "TournamentRow",
    "TournamentStatus",
    "TrialFailed",
    "TrialPassed",
    "VersionRow",
    "check_bot",
    "check_same_bot",
    "find_bot",
    "list_event_kinds",
    "open_store",
    "read_withdrawn",
]
