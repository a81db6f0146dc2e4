"""What Alembic runs to bring a store up to date, in a transaction of whoever calls it."""

from __future__ import annotations

import logging

from alembic import context

from mazzo_server.storage.schema import metadata

# A person who lists tournaments has not asked for a report of how the tables were made.
logging.getLogger("alembic").setLevel(logging.WARNING)

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
