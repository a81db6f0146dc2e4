"""Helpers of the tests, under plain names."""
