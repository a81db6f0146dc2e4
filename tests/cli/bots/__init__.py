"""Tests of `cli.bots`."""
