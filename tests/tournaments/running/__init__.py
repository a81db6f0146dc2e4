"""Tests of `tournaments.running`."""
