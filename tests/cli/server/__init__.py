"""Tests of `cli.server`."""
