"""Tests of `sandbox`."""
