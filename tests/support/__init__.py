"""Helpers of the tests that belong to no single room."""
