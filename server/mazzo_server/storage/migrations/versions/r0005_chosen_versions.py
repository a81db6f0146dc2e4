"""The version of a bot that its owner chose; what a bot wrote that did not start."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add them; nothing was chosen, and no such log kept."""
    op.add_column("bots", sa.Column("chosen", sa.Integer))
    op.add_column("withdrawals", sa.Column("log", sa.Text))
