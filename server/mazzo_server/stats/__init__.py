"""Numbers in, numbers out: intervals, TrueSkill, sequential tests."""
