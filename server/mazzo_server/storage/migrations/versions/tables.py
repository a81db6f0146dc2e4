"""All tables. Until 0.1.0 there is no other migration: a change of the tables edits this one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "20"  # `SCHEMA`, a new one with every change
down_revision = None


def upgrade() -> None:
    """Make the tables."""
    _make_bots()
    _make_tournaments()
    _make_matches()
    _make_derived()
    op.create_table(
        "tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("create_time", sa.Double, nullable=False),
        sa.Column("revoked", sa.Boolean, nullable=False),
        sa.Column("expire_time", sa.Double),
        sa.Column("last_use_time", sa.Double),
    )
    _make_hooks()
    _make_entries()


def _make_bots() -> None:
    op.create_table(
        "bots",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("retired", sa.Boolean, nullable=False),
        sa.Column("create_time", sa.Double, nullable=False),
        sa.Column("owner", sa.Text, nullable=False),
        sa.Column("remote", sa.Boolean, nullable=False),
        sa.Column("chosen", sa.Integer),
    )
    op.create_table(
        "versions",
        sa.Column("bot", sa.Text, sa.ForeignKey("bots.name"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("content_hash", sa.Text, nullable=False),
        sa.Column("manifest", sa.Text, nullable=False),
        sa.Column("trial", sa.Text),
        sa.Column("create_time", sa.Double, nullable=False),
    )


def _make_tournaments() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("definition", sa.Text, nullable=False),
        sa.Column("variant", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("concurrency", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("create_time", sa.Double, nullable=False),
        sa.Column("end_time", sa.Double),
        sa.Column("matches_played", sa.Integer, nullable=False, server_default="0"),
        sa.Column("run_seconds", sa.Double, nullable=False, server_default="0"),
        sa.Column("pruned", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
        sqlite_autoincrement=True,
    )
    op.create_index("tournaments_by_kind", "tournaments", ["kind", "id"])
    op.create_table(
        "deleted_tournaments",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
    )
    op.create_table(
        "withdrawals",
        _tournament(),
        sa.Column("entrant", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("log", sa.Text),
    )


def _make_matches() -> None:
    op.create_table(
        "matches",
        _tournament(),
        *_group_and_seating(),
        sa.Column("entrants", sa.Text, nullable=False),
        sa.Column("match_scores", sa.Text, nullable=False),
        sa.Column("deals", sa.Text, nullable=False),
        sa.Column("faults", sa.Text, nullable=False),
        sa.Column("late", sa.Text, nullable=False),
        sa.Column("decisions", sa.Text, nullable=False),
        sa.Column("thinking_seconds", sa.Text, nullable=False),
        sa.Column("counted", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("spoilt", sa.Integer, nullable=False),
        sa.Column("end_time", sa.Double, nullable=False),
        sqlite_with_rowid=False,
    )
    _make_match_results()
    op.create_table(
        "deals",
        *_match(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("actions", sa.LargeBinary, nullable=False),
        sa.Column("micros", sa.LargeBinary, nullable=False),
        sa.Column("substituted", sa.LargeBinary, nullable=False),
        sa.Column("notes", sa.Text),
        _of_a_match(),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "fault_logs",
        *_match(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("log", sa.Text, nullable=False),
        _of_a_match(),
    )
    op.create_table(
        "node_results",
        _tournament(),
        sa.Column("node", sa.Text, primary_key=True),
        sa.Column("entrant", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("late_seats", sa.Integer, nullable=False),
        sa.Column("forfeits", sa.Integer, nullable=False),
        sa.Column("decisions", sa.BigInteger, nullable=False),
        sa.Column("late_decisions", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "attempts",
        _tournament(),
        *_group_and_seating(),
        sa.Column("begun", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "spoilt_matches",
        _tournament(),
        *_group_and_seating(),
        sa.Column("times", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )


def _make_match_results() -> None:
    op.create_table(
        "match_results",
        sa.Column("bot", sa.Text),
        sa.Column("tournament", sa.Integer, sa.ForeignKey("tournaments.id")),
        sa.Column("end_time", sa.Double),
        sa.Column("mirror_group", sa.Integer),
        sa.Column("seating", sa.Integer),
        sa.Column("seat", sa.Integer),
        sa.Column("opponent", sa.Text),
        sa.Column("verdict", sa.Integer, nullable=False),
        sa.Column("margin", sa.Double, nullable=False),
        sa.Column("swing", sa.Double),
        sa.Column("late", sa.Integer, nullable=False),
        sa.Column("forfeited", sa.Boolean, nullable=False),
        sa.Column("spoilt", sa.Integer, nullable=False),
        sa.Column("odd", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint(
            *("bot", "tournament", "end_time", "mirror_group", "seating", "seat"),
            postgresql_include=["margin", "swing", "verdict"],
        ),
        sqlite_with_rowid=False,
    )
    for name, rows in (
        ("match_results_by_time", "seat = 0"),
        ("odd_match_results", "odd = 1"),
        ("drawn_match_results", "verdict = 0"),
    ):
        op.create_index(
            name,
            "match_results",
            ["tournament", "end_time", "mirror_group", "seating"],
            sqlite_where=sa.text(rows),
            postgresql_where=sa.text(rows),
        )
    op.create_index(
        "met_match_results",
        "match_results",
        ["bot", "opponent", "tournament", "swing", "margin"],
        sqlite_where=sa.text("opponent IS NOT NULL"),
        postgresql_where=sa.text("opponent IS NOT NULL"),
    )


def _make_derived() -> None:
    op.create_table(
        "checkpoints",
        _tournament(),
        sa.Column("groups", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
    op.create_table(
        "schedules",
        _tournament(),
        sa.Column("state", sa.Text, nullable=False),
    )
    op.create_table(
        "ranking_states",
        sa.Column("variant", sa.Text, primary_key=True),
        _tournament(),
        sa.Column("state", sa.Text, nullable=False),
    )


def _make_hooks() -> None:
    op.create_table(
        "hooks",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("events", sa.Text, nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("secret", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("create_time", sa.Double, nullable=False),
        sa.Column("newest", sa.Integer, nullable=False, server_default="0"),
        sa.Column("delivered", sa.Integer, nullable=False, server_default="0"),
        sa.Column("dropped", sa.Integer, nullable=False, server_default="0"),
        sa.Column("delivery_time", sa.Double),
        sa.Column("failing_since", sa.Double),
        sa.Column("error", sa.Text, nullable=False, server_default='""'),
        sa.Column("disabled", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "hook_events",
        sa.Column("hook", sa.Text, sa.ForeignKey("hooks.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("first_time", sa.Double),
        sa.Column("due_time", sa.Double, nullable=False, server_default="0"),
    )


def _make_entries() -> None:
    op.create_table(
        "open_tournaments",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("entries_from", sa.Double),
        sa.Column("entries_until", sa.Double),
        sa.Column("start_at", sa.Double),
        sa.Column("start_with", sa.Integer),
        sa.Column("every", sa.Text),
        sa.Column("create_time", sa.Double, nullable=False),
        sa.Column("round", sa.Integer, nullable=False, server_default="1"),
        sa.Column("is_over", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("last_start", sa.Double),
        sa.Column("problem", sa.Text, nullable=False, server_default='""'),
        sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
    )
    op.create_table(
        "entries",
        _open_tournament(),
        sa.Column("bot", sa.Text, sa.ForeignKey("bots.name"), primary_key=True),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("time", sa.Double, nullable=False),
    )
    op.create_table(
        "open_rounds",
        _open_tournament(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("time", sa.Double, nullable=False),
        sa.Column("tournament", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("left_out", sa.Text, nullable=False),
    )


def _open_tournament() -> sa.Column[int]:
    return sa.Column(
        "open_tournament",
        sa.Integer,
        sa.ForeignKey("open_tournaments.id"),
        primary_key=True,
        autoincrement=False,
    )


def _tournament() -> sa.Column[int]:
    return sa.Column(
        "tournament",
        sa.Integer,
        sa.ForeignKey("tournaments.id"),
        primary_key=True,
        autoincrement=False,
    )


def _group_and_seating() -> list[sa.Column[int]]:
    return [
        sa.Column("mirror_group", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seating", sa.Integer, primary_key=True, autoincrement=False),
    ]


def _match() -> list[sa.Column[int]]:
    return [
        sa.Column("tournament", sa.Integer, primary_key=True, autoincrement=False),
        *_group_and_seating(),
    ]


def _of_a_match() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["tournament", "mirror_group", "seating"],
        ["matches.tournament", "matches.mirror_group", "matches.seating"],
    )
