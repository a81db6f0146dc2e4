"""A tournament while it is played."""
