"""Tests of `mazzo_server.play`.

This is the one folder of tests that is not named like its room: a sample bot has a module `play`,
which tests load in their own process, and a package `play` beside them would be loaded instead.
"""
