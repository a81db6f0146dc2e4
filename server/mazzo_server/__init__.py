"""The platform: game master, tournaments, ranking, storage, isolation, command line."""
