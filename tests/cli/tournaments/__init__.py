"""Tests of `cli.tournaments`."""
