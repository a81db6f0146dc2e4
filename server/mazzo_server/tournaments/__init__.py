"""Tournaments: defined, planned, played, changed, played again, pruned."""
