"""Tests of `serving.gateway`."""
