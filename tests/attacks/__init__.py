"""Attacks: bots that try what no bot may do, in tournaments that must not notice.

The environment variable MAZZO_TEST_ISOLATION says which isolation they are tried against,
MAZZO_TEST_CPU whether processors are lent in turn (fair) or not (shared).
Nothing here relies on more than every isolation for strangers promises: the bundle in /bot,
scratch in TMPDIR, the socket in MAZZO_ADDRESS.
"""
