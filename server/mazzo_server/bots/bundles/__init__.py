"""Bundles: a bot's files on their way from its author's folder to the platform's store.

An archive comes from a stranger, so nothing that it says about itself is believed: what is
really unpacked is counted, and plain files and folders are all that is accepted.
"""

from mazzo_server.bots.bundles.packing import pack
from mazzo_server.bots.bundles.store import Bundle, BundleStore

__all__ = ["Bundle", "BundleStore", "pack"]
