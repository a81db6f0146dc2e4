"""Bots at home, without a server."""
