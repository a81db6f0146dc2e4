"""The tables, in types that SQLite and PostgreSQL share. JSON is text, which `encoding` writes.

Keys are natural: the key of a deal is its tournament, mirror group, seating and number. Without
row ids SQLite keeps matches and deals in this order, so a tournament is one range of pages.
Standings never read the big table: what they need of a deal stands in its match.

What PostgreSQL alone knows of them is in `storage.postgres`.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    false,
    text,
)

__all__ = [
    "SCHEMA",
    "attempts",
    "bots",
    "checkpoints",
    "deals",
    "deleted_tournaments",
    "entries",
    "fault_logs",
    "hook_events",
    "hooks",
    "match_results",
    "matches",
    "metadata",
    "node_results",
    "open_rounds",
    "open_tournaments",
    "ranking_states",
    "schedules",
    "spoilt_matches",
    "tokens",
    "tournaments",
    "versions",
    "withdrawals",
]

# The number of these tables, which every store carries. Until 0.1.0 a change of the tables edits
# the one migration and takes the next number.
SCHEMA: Final = "20"

metadata = MetaData()

bots = Table(
    "bots",
    metadata,
    Column("name", Text, primary_key=True),
    Column("retired", Boolean, nullable=False),
    Column("create_time", Double, nullable=False),
    Column("owner", Text, nullable=False),
    Column("remote", Boolean, nullable=False),
    Column("chosen", Integer),
)

versions = Table(
    "versions",
    metadata,
    Column("bot", Text, ForeignKey("bots.name"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("content_hash", Text, nullable=False),
    Column("manifest", Text, nullable=False),
    Column("trial", Text),
    Column("create_time", Double, nullable=False),
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("definition", Text, nullable=False),
    Column("variant", Text, nullable=False),  # that of the definition
    Column("kind", Text, nullable=False),  # that of the definition
    Column("concurrency", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("create_time", Double, nullable=False),
    Column("end_time", Double),
    Column("matches_played", Integer, nullable=False, server_default="0"),  # rows in `matches`
    Column("run_seconds", Double, nullable=False, server_default="0"),
    Column("pruned", Boolean, nullable=False, server_default=false()),
    Column("revision", Integer, nullable=False, server_default="0"),
    # Tables of people may be many, and most lists are without them.
    Index("tournaments_by_kind", "kind", "id"),
    sqlite_autoincrement=True,
)

# The numbers of tournaments that were deleted: none is ever used twice.
deleted_tournaments = Table(
    "deleted_tournaments",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
)

matches = Table(
    "matches",
    metadata,
    Column(
        "tournament",
        Integer,
        ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("mirror_group", Integer, primary_key=True, autoincrement=False),
    Column("seating", Integer, primary_key=True, autoincrement=False),
    Column("entrants", Text, nullable=False),
    Column("match_scores", Text, nullable=False),  # fractions as text, such as "3/2"
    Column("deals", Text, nullable=False),  # dealer, scores and forfeited of each
    Column("faults", Text, nullable=False),
    Column("late", Text, nullable=False),
    Column("decisions", Text, nullable=False),
    Column("thinking_seconds", Text, nullable=False),
    Column("counted", Text, nullable=False),  # scores by deal and seat; [] without a forfeit
    Column("attempt", Integer, nullable=False),
    Column("spoilt", Integer, nullable=False),
    Column("end_time", Double, nullable=False),
    sqlite_with_rowid=False,
)

# What a match was for each of its entrants, once that may be shown. In this order the matches of a
# bot are one range of pages, the newest last. Sorted by anything else, that range is read whole:
# an index by margin or swing makes storing four times as expensive, for every match is written to
# another page of it. PostgreSQL finds both in the index of the primary key, which is small beside
# the table.
match_results = Table(
    "match_results",
    metadata,
    Column("bot", Text),
    Column("tournament", Integer, ForeignKey("tournaments.id")),
    Column("end_time", Double),
    Column("mirror_group", Integer),
    Column("seating", Integer),
    Column("seat", Integer),
    Column("opponent", Text),  # NULL at a table of more than two sides
    Column("verdict", Integer, nullable=False),
    Column("margin", Double, nullable=False),
    Column("swing", Double),
    Column("late", Integer, nullable=False),
    Column("forfeited", Boolean, nullable=False),
    Column("spoilt", Integer, nullable=False),
    Column("odd", Integer, nullable=False),  # 1: late, forfeited or spoilt
    PrimaryKeyConstraint("bot", "tournament", "end_time", "mirror_group", "seating", "seat"),
    sqlite_with_rowid=False,
)
_BY_TIME: Final = match_results.c["tournament", "end_time", "mirror_group", "seating"]
for _name, _rows in (
    ("match_results_by_time", "seat = 0"),  # one row of each match
    ("odd_match_results", "odd = 1"),  # what is rare is found without reading the rest
    ("drawn_match_results", "verdict = 0"),
):
    Index(_name, *_BY_TIME, sqlite_where=text(_rows), postgresql_where=text(_rows))

# How two did against each other where tables have two sides, by what orders their matches.
Index(
    "met_match_results",
    *match_results.c["bot", "opponent", "tournament", "swing", "margin"],
    sqlite_where=text("opponent IS NOT NULL"),
    postgresql_where=text("opponent IS NOT NULL"),
)

deals = Table(
    "deals",
    metadata,
    Column("tournament", Integer, primary_key=True, autoincrement=False),
    Column("mirror_group", Integer, primary_key=True, autoincrement=False),
    Column("seating", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("actions", LargeBinary, nullable=False),
    Column("micros", LargeBinary, nullable=False),  # unsigned 32-bit little-endian numbers
    Column("substituted", LargeBinary, nullable=False),  # the same
    Column("notes", Text),  # pairs of index and text as JSON; NULL: none
    ForeignKeyConstraint(
        ["tournament", "mirror_group", "seating"],
        ["matches.tournament", "matches.mirror_group", "matches.seating"],
    ),
    sqlite_with_rowid=False,
)

# Not in `matches`: standings read the faults of every match, and no log.
fault_logs = Table(
    "fault_logs",
    metadata,
    Column("tournament", Integer, primary_key=True, autoincrement=False),
    Column("mirror_group", Integer, primary_key=True, autoincrement=False),
    Column("seating", Integer, primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),  # index in `faults`
    Column("log", Text, nullable=False),  # JSON, an `InstanceLog`
    ForeignKeyConstraint(
        ["tournament", "mirror_group", "seating"],
        ["matches.tournament", "matches.mirror_group", "matches.seating"],
    ),
)

# How entrants fared on each machine of a cluster, summed up as matches are stored.
node_results = Table(
    "node_results",
    metadata,
    Column(
        "tournament",
        Integer,
        ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("node", Text, primary_key=True),  # "": the platform's machine
    Column("entrant", Integer, primary_key=True, autoincrement=False),
    Column("seats", Integer, nullable=False),
    Column("late_seats", Integer, nullable=False),
    Column("forfeits", Integer, nullable=False),
    Column("decisions", BigInteger, nullable=False),
    Column("late_decisions", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)

withdrawals = Table(
    "withdrawals",
    metadata,
    Column(
        "tournament",
        Integer,
        ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("entrant", Integer, primary_key=True, autoincrement=False),
    Column("reason", Text, nullable=False),  # JSON, because it may quote a bot's odd bytes
    Column("log", Text),  # JSON, an `InstanceLog`; NULL: there is none
)

# The standings after the first groups of a tournament: later ones go on from there.
checkpoints = Table(
    "checkpoints",
    metadata,
    Column(
        "tournament",
        Integer,
        ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("groups", Integer, nullable=False),  # how many
    Column("state", Text, nullable=False),  # JSON, which only the standings read
)

# What a ladder plays next, as far as results decide it.
schedules = Table(
    "schedules",
    metadata,
    Column(
        "tournament",
        Integer,
        ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("state", Text, nullable=False),  # JSON, which only its pairing reads
)

# The ranking of a variant after each of its finished tournaments.
ranking_states = Table(
    "ranking_states",
    metadata,
    Column("variant", Text, primary_key=True),
    Column(
        "tournament",
        Integer,
        ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("state", Text, nullable=False),  # JSON, which only the ranking reads
)

# How often matches were begun that have another seed at each attempt. Written before the first
# card of each attempt.
attempts = Table(
    "attempts",
    metadata,
    Column(
        "tournament",
        Integer,
        ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("mirror_group", Integer, primary_key=True, autoincrement=False),
    Column("seating", Integer, primary_key=True, autoincrement=False),
    Column("begun", Integer, nullable=False),  # attempts
    sqlite_with_rowid=False,
)

# How often a fault of the platform spoilt a match, of those that it spoilt.
spoilt_matches = Table(
    "spoilt_matches",
    metadata,
    Column(
        "tournament",
        Integer,
        ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("mirror_group", Integer, primary_key=True, autoincrement=False),
    Column("seating", Integer, primary_key=True, autoincrement=False),
    Column("times", Integer, nullable=False),
    sqlite_with_rowid=False,
)

tokens = Table(
    "tokens",
    metadata,
    Column("id", Text, primary_key=True),
    Column("role", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("label", Text, nullable=False),  # JSON, because a person wrote it
    Column("hash", LargeBinary, nullable=False),
    Column("create_time", Double, nullable=False),
    Column("revoked", Boolean, nullable=False),
    Column("expire_time", Double),
    Column("last_use_time", Double),
)

# The web addresses that organisers have events sent to. What signs must be kept as it is.
hooks = Table(
    "hooks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("url", Text, nullable=False),
    Column("events", Text, nullable=False),  # JSON, the kinds that it asks for
    Column("format", Text, nullable=False),
    Column("secret", Text, nullable=False),
    Column("label", Text, nullable=False),  # JSON, because a person wrote it
    Column("create_time", Double, nullable=False),
    Column("newest", Integer, nullable=False, server_default="0"),
    Column("delivered", Integer, nullable=False, server_default="0"),
    Column("dropped", Integer, nullable=False, server_default="0"),
    Column("delivery_time", Double),
    Column("failing_since", Double),
    Column("error", Text, nullable=False, server_default='""'),  # JSON
    Column("disabled", Boolean, nullable=False, server_default=false()),
)

# The queues of hooks: what has not arrived yet.
hook_events = Table(
    "hook_events",
    metadata,
    Column("hook", Text, ForeignKey("hooks.id"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("event", Text, nullable=False),  # its id
    Column("kind", Text, nullable=False),
    Column("time", Double, nullable=False),
    Column("facts", Text, nullable=False),  # JSON
    Column("attempts", Integer, nullable=False, server_default="0"),  # that failed
    Column("first_time", Double),  # of the first attempt
    Column("due_time", Double, nullable=False, server_default="0"),
)

# Tournaments of which nobody knows yet who plays. The times are those of the round that takes
# entries now.
open_tournaments = Table(
    "open_tournaments",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("request", Text, nullable=False),  # JSON
    Column("entries_from", Double),
    Column("entries_until", Double),
    Column("start_at", Double),
    Column("start_with", Integer),
    Column("every", Text),
    Column("create_time", Double, nullable=False),
    Column("round", Integer, nullable=False, server_default="1"),
    Column("is_over", Boolean, nullable=False, server_default=false()),
    Column("last_start", Double),
    Column("problem", Text, nullable=False, server_default='""'),  # JSON
    Column("revision", Integer, nullable=False, server_default="0"),
)

# The bots that have entered the current round of each.
entries = Table(
    "entries",
    metadata,
    Column(
        "open_tournament",
        Integer,
        ForeignKey("open_tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("bot", Text, ForeignKey("bots.name"), primary_key=True),
    Column("author", Text, nullable=False),
    Column("time", Double, nullable=False),
)

# The rounds that are over. A tournament may have been deleted since.
open_rounds = Table(
    "open_rounds",
    metadata,
    Column(
        "open_tournament",
        Integer,
        ForeignKey("open_tournaments.id"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("time", Double, nullable=False),
    Column("tournament", Integer),  # NULL: it was not played
    Column("reason", Text, nullable=False),  # JSON
    Column("left_out", Text, nullable=False),  # JSON, names of bots
)
