"""What the server tells its operator: lines for people, or JSON lines for a log collector.

Every record has an `action` that never changes its meaning, and its facts as fields beside
the text. Tokens, seeds, salts, cards and the words of bots are in none of them.
"""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Collection
from enum import StrEnum
from typing import Literal

from pythonjsonlogger.json import JsonFormatter

__all__ = ["LogAction", "LogFormat", "LogLevel", "is_ours_to_tell", "make_formatter", "set_up"]

LogFormat = Literal["text", "json"]
LogLevel = Literal["debug", "info", "warning", "error"]


class LogAction(StrEnum):
    """What a record is about; docs/reference/logs.md says when, and with which fields."""

    SERVER_STARTED = "server-started"
    SERVER_STOPPING = "server-stopping"
    SERVER_STOPPED = "server-stopped"
    GATEWAY_LOST = "gateway-lost"
    PAGES_LOST = "pages-lost"
    TABLES_KEPT = "tables-kept"
    CHALLENGE_PUT_OFF = "challenge-put-off"
    CONNECTIONS_REFUSED = "connections-refused"
    ACCESS_REFUSED = "access-refused"
    STREAM_REFUSED = "stream-refused"
    TOKEN_CREATED = "token-created"  # noqa: S105 (no secret)
    TOKEN_REVOKED = "token-revoked"  # noqa: S105
    REQUEST_FAILED = "request-failed"
    BOT_SUBMITTED = "bot-submitted"
    BOT_REGISTERED = "bot-registered"
    KEY_RENEWED = "key-renewed"
    SESSION_BEGUN = "session-begun"
    SESSION_LOST = "session-lost"
    SESSION_BACK = "session-back"
    BOT_RETIRED = "bot-retired"
    BOT_DELETED = "bot-deleted"
    TRIAL_FAILED = "trial-failed"
    TRIAL_BROKEN_OFF = "trial-broken-off"
    VERSION_ACTIVATED = "version-activated"
    TOURNAMENT_CREATED = "tournament-created"
    TOURNAMENT_STARTED = "tournament-started"
    TOURNAMENT_FINISHED = "tournament-finished"
    TOURNAMENT_INTERRUPTED = "tournament-interrupted"
    TOURNAMENT_PAUSED = "tournament-paused"
    TOURNAMENT_CANCELLED = "tournament-cancelled"
    TOURNAMENT_CHANGED = "tournament-changed"
    TOURNAMENT_FAILED = "tournament-failed"
    TOURNAMENT_PRUNED = "tournament-pruned"
    TOURNAMENT_DELETED = "tournament-deleted"
    LADDERS_WAIT = "ladders-wait"
    TOURNAMENT_IMPORTED = "tournament-imported"
    WORKER_LOST = "worker-lost"
    WORKER_JOINED = "worker-joined"
    WORKER_LEFT = "worker-left"
    NODE_REFUSED = "node-refused"
    NODE_DIFFERS = "node-differs"
    CLUSTER_LOST = "cluster-lost"
    MATCH_FAULT = "match-fault"
    MATCH_SPOILT = "match-spoilt"
    ENTRANT_WITHDRAWN = "entrant-withdrawn"
    INSTANCE_STARTED = "instance-started"
    INSTANCE_LOST = "instance-lost"
    ENTRIES_OPENED = "entries-opened"
    ENTRIES_CALLED_OFF = "entries-called-off"
    ENTRIES_STARTED = "entries-started"
    ENTRIES_WAITING = "entries-waiting"
    ENTRIES_SKIPPED = "entries-skipped"
    ENTRIES_STUCK = "entries-stuck"
    BOT_ENTERED = "bot-entered"
    BOT_LEFT = "bot-left"
    HOOK_ADDED = "hook-added"
    HOOK_REMOVED = "hook-removed"
    HOOK_FAILED = "hook-failed"
    HOOK_DISABLED = "hook-disabled"
    HOOKS_STUCK = "hooks-stuck"
    LIBRARY = "library"


_OF_HEADERS = ("Invalid encoding on", "Unexpected [UnicodeDecodeError] raised by servicer method")


def set_up(
    log_format: LogFormat = "text", level: LogLevel = "info", *, without: Collection[LogAction] = ()
) -> None:
    """Send all records from `level` on to standard error; a second call replaces the first.

    Records of the actions in `without` are left out.

    Libraries log from warnings on, since their details may hold secrets.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(make_formatter(log_format))
    handler.addFilter(is_ours_to_tell)
    handler.addFilter(lambda record: getattr(record, "action", None) not in without)
    wanted = logging.getLevelNamesMapping()[level.upper()]
    handler.setLevel(wanted)
    logging.basicConfig(handlers=[handler], level=max(wanted, logging.WARNING), force=True)
    # Hooks report these records too, so they are made even where the log does not show them.
    logging.getLogger("mazzo_server").setLevel(min(wanted, logging.WARNING))


def make_formatter(log_format: LogFormat) -> logging.Formatter:
    """Return the formatter of `log_format`: a line, or an object of JSON, a record."""
    return _JSON if log_format == "json" else _Lines()


def is_ours_to_tell(record: logging.LogRecord) -> bool:
    """Tell whether a record may be shown.

    gRPC quotes headers that are no text, tokens among them. It writes a traceback for each call
    of a method whose name is no text, and one more when the caller does not wait for the refusal:
    anybody could fill the log with them.
    """
    error = record.exc_info[0] if record.exc_info else None
    refusal_unheard = error is not None and error.__name__ == "ExecuteBatchError"
    return not refusal_unheard and not str(record.msg).startswith(_OF_HEADERS)


class _Lines(logging.Formatter):
    """`TIME LEVEL action message`, one line a record; a traceback follows behind bars.

    Nobody can forge a record by a name or a message with line breaks in it.
    """

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        action = getattr(record, "action", LogAction.LIBRARY)
        head = f"{moment}.{record.msecs:03.0f}Z {record.levelname:<7} {action}"
        lines = [f"{head} {_make_harmless(record.getMessage())}"]
        if record.exc_info:
            lines += (f"  | {_make_harmless(line)}" for line in self._format_traceback(record))
        return "\n".join(lines)

    def _format_traceback(self, record: logging.LogRecord) -> list[str]:
        return self.formatException(record.exc_info).splitlines() if record.exc_info else []


def _make_harmless(text: str) -> str:
    """Return the text without control characters, which a terminal or a reader could obey."""
    return "".join(c if c.isprintable() else "\ufffd" for c in text)


_JSON = JsonFormatter(
    ("levelname", "name", "message"),
    rename_fields={"levelname": "level", "name": "logger"},
    defaults={"action": LogAction.LIBRARY.value},
    timestamp="time",
)
