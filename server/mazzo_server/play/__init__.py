"""Matches that are being played, and the bots that play them."""
