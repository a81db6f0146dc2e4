"""What tournaments that go on for long need: counts, and states to go on from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add them; the matches that there are are counted once."""
    for column in (
        sa.Column("matches_played", sa.Integer, nullable=False, server_default="0"),
        sa.Column("run_seconds", sa.Double, nullable=False, server_default="0"),
        sa.Column("pruned", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("revision", sa.Integer, nullable=False, server_default="0"),
    ):
        op.add_column("tournaments", column)
    op.execute(
        "UPDATE tournaments SET matches_played ="
        " (SELECT count(*) FROM matches WHERE matches.tournament = tournaments.id)"
    )
    op.create_table(
        "checkpoints",
        sa.Column(
            "tournament",
            sa.Integer,
            sa.ForeignKey("tournaments.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("groups", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
    )
    op.create_table(
        "ranking_states",
        sa.Column("variant", sa.Text, primary_key=True),
        sa.Column(
            "tournament",
            sa.Integer,
            sa.ForeignKey("tournaments.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("state", sa.Text, nullable=False),
    )
