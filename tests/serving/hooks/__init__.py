"""Tests of `serving.hooks`."""
