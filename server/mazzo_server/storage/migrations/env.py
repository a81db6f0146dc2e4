"""What Alembic runs to make the tables of a store, in the transaction of its caller."""

from __future__ import annotations

import logging

from alembic import context

from mazzo_server.storage.sql.schema import metadata

# A person who lists tournaments has not asked for a report of how the tables were made.
logging.getLogger("alembic").setLevel(logging.WARNING)

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
