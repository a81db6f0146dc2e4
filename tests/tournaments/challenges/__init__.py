"""Tests of `tournaments.challenges`."""
