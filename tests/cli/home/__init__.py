"""Tests of `cli.home`."""
