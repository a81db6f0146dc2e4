"""Tests of `cli.rankings`."""
