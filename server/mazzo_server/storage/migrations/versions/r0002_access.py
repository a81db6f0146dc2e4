"""Owners of bots, remote bots, access tokens; attempts of matches, logs of faults."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what there was none of before: bots were uploaded, and by the organiser."""
    op.add_column("bots", sa.Column("owner", sa.Text, nullable=False, server_default=""))
    op.add_column(
        "bots", sa.Column("remote", sa.Boolean, nullable=False, server_default=sa.false())
    )
    op.add_column("matches", sa.Column("attempt", sa.Integer, nullable=False, server_default="0"))
    op.create_table(
        "fault_logs",
        sa.Column("tournament", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("mirror_group", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seating", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("log", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament", "mirror_group", "seating"],
            ["matches.tournament", "matches.mirror_group", "matches.seating"],
        ),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("label", sa.Text, nullable=False),
        sa.Column("hash", sa.LargeBinary, nullable=False),
        sa.Column("create_time", sa.Double, nullable=False),
        sa.Column("revoked", sa.Boolean, nullable=False),
    )
