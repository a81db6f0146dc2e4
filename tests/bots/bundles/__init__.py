"""Tests of `bots.bundles`."""
