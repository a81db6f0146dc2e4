"""What a hook is sent: the event with its facts, or a sentence for a chat program.

Names come from strangers. In the sentence each stands in a code span, where chat programs look
neither for markup nor for somebody to call; and what could end the span, mention or link is taken
apart all the same, since each program has its own rules.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Final

from mazzo_server.results.commentary import clean
from mazzo_server.storage import DeliveryRow, HookFormat

__all__ = ["make_body", "quote_in_chat"]

_MOST_QUOTED: Final = 300  # characters of a text of a stranger
_BREAK: Final = "\u200b"  # a space without width
_MENTION_OR_LINK: Final = re.compile(r"(?<=[@!#:]|\])(?=\S)|(?<=www)(?=\.)", re.IGNORECASE)
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode  # in ASCII: texts may be odd
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def make_body(delivery: DeliveryRow) -> bytes:
    """Return the body of a delivery: the same at every attempt."""
    announcement = delivery.announcement
    event = announcement.event
    if delivery.hook.format is HookFormat.SLACK:
        return _encode({"text": event.describe(quote_in_chat)}).encode()
    moment = datetime.fromtimestamp(announcement.time, UTC).isoformat(timespec="milliseconds")
    return _encode(
        {
            "type": event.kind,
            "id": announcement.id,
            "sequence": delivery.number,
            "timestamp": moment.replace("+00:00", "Z"),
            "text": event.describe(clean),
            "data": announcement.to_json(),
        }
    ).encode()


def quote_in_chat(text: str) -> str:
    """Return a text of a stranger as a code span that mentions nobody and leads nowhere."""
    short = text if len(text) <= _MOST_QUOTED else f"{text[:_MOST_QUOTED]}…"
    harmless = _MENTION_OR_LINK.sub(_BREAK, clean(short).replace("`", "'"))
    escaped = "".join(_ENTITIES.get(character, character) for character in harmless)
    return f"`{escaped.strip() or '?'}`"
