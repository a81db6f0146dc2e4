"""Tests of `cli.text`."""
