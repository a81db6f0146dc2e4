"""Tests of `cli.screen`."""
