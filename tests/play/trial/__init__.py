"""Tests of `play.trial`."""
