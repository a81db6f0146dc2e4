"""Tests of `pairing`."""
