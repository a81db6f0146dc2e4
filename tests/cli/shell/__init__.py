"""Tests of `cli.shell`."""
