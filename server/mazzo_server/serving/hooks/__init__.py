"""Hooks: tells the web addresses of organisers what happens, signed and in order."""

from mazzo_server.serving.hooks.addresses import read_place
from mazzo_server.serving.hooks.deliverer import deliver_events
from mazzo_server.serving.hooks.hooks import Hooks
from mazzo_server.serving.hooks.posting import Poster

__all__ = ["Hooks", "Poster", "deliver_events", "read_place"]
