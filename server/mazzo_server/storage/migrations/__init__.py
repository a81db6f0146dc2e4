"""The Alembic environment: `versions` has the one migration, which makes the tables."""
