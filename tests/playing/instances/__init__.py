"""Tests of `play.instances`."""
