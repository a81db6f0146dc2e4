"""Tests of `home`."""
