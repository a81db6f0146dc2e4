"""Isolation by the namespaces of Linux: the program bubblewrap, and a user of its own for a bot."""

from mazzo_server.sandbox.namespaces.bubblewrap import BubblewrapSandbox
from mazzo_server.sandbox.namespaces.uids import is_own_id

__all__ = ["BubblewrapSandbox", "is_own_id"]
