"""The position where a bot failed, so that it can be asked again."""

from __future__ import annotations

import json

from mazzo.shuffle import bot_seed, seating_salt
from mazzo_server.play.live_match import LiveMatch
from mazzo_server.play.trial.table import TrialTable

__all__ = ["encode_position"]


def encode_position(live: LiveMatch, table: TrialTable) -> str:
    """Return the deal record of the position where the bot failed, JSON; "" if it did not.

    `decision` in it has what else the bot's view held: see docs/reference/trials.md.
    """
    if table.position is None:
        return ""
    record, asked = table.position
    seed, progress, control = table.match.seed, asked.deal.match, table.control
    decision = {
        "number": asked.number,
        "seed": bot_seed(seed, seating_salt(seed, live.key[1]), asked.seat).hex(),
        "match_format": progress.format,
        "deal": progress.deal,
        "match_scores": [str(score) for score in progress.scores],
        "bank_left_seconds": asked.bank,
        "increment_seconds": control.increment,
        "limit_seconds": control.limit,
    }
    return json.dumps(record.to_json() | {"decision": decision})
