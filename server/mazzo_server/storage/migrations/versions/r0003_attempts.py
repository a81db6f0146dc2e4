"""How often a match was begun that is played from another seed each time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the table; there was no such match before."""
    op.create_table(
        "attempts",
        sa.Column(
            "tournament",
            sa.Integer,
            sa.ForeignKey("tournaments.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("mirror_group", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("seating", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("begun", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
