"""The Alembic environment: how the schema of a store came to be, revision by revision."""
