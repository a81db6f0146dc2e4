"""Tests of `serving.grpc`."""
