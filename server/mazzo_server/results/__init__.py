"""What came of matches: rounds, standings, rankings, replays, logs."""
