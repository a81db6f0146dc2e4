"""What bots say of their decisions."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add it; no bot said anything so far."""
    op.add_column("deals", sa.Column("notes", sa.Text))
