"""Tests of `play`; a sample bot has a module of that name, which is loaded in tests."""
