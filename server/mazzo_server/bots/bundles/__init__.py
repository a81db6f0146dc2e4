"""Bundles: a bot's files on their way from its author's folder to the platform's store.

An archive comes from a stranger, so the platform believes nothing that it says about itself: it
counts what it really unpacks, and accepts only plain files and folders.
"""

from mazzo_server.bots.bundles.limits import MAX_BUNDLE, check_needs
from mazzo_server.bots.bundles.packing import pack
from mazzo_server.bots.bundles.store import Bundle, BundleStore

__all__ = ["MAX_BUNDLE", "Bundle", "BundleStore", "check_needs", "pack"]
