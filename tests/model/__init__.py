"""Tests of `model`."""
