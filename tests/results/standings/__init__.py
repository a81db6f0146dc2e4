"""Tests of `results.standings`."""
