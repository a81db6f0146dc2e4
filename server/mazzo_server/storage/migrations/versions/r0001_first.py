"""Bots, tournaments, matches and deals."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the first tables."""
    op.create_table(
        "bots",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("retired", sa.Boolean, nullable=False),
        sa.Column("create_time", sa.Double, nullable=False),
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
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("definition", sa.Text, nullable=False),
        sa.Column("concurrency", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("create_time", sa.Double, nullable=False),
        sa.Column("end_time", sa.Double),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "matches",
        sa.Column(
            "tournament",
            sa.Integer,
            sa.ForeignKey("tournaments.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("mirror_group", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seating", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("entrants", sa.Text, nullable=False),
        sa.Column("match_scores", sa.Text, nullable=False),
        sa.Column("deals", sa.Text, nullable=False),
        sa.Column("faults", sa.Text, nullable=False),
        sa.Column("late", sa.Text, nullable=False),
        sa.Column("decisions", sa.Text, nullable=False),
        sa.Column("thinking_seconds", sa.Text, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "deals",
        sa.Column("tournament", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("mirror_group", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seating", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("actions", sa.LargeBinary, nullable=False),
        sa.Column("micros", sa.LargeBinary, nullable=False),
        sa.Column("substituted", sa.LargeBinary, nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament", "mirror_group", "seating"],
            ["matches.tournament", "matches.mirror_group", "matches.seating"],
        ),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "withdrawals",
        sa.Column(
            "tournament",
            sa.Integer,
            sa.ForeignKey("tournaments.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("entrant", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("reason", sa.Text, nullable=False),
    )
