"""Tests of `results.ranking`."""
