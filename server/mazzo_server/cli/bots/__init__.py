"""`mazzo bots`, `mazzo new` and `mazzo check`."""
