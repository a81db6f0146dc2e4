"""Tests of `cli.replay`."""
