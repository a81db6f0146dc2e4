"""Who plays next on a ladder."""
