"""`mazzo bots`, `mazzo new` and `mazzo check`: what authors do with their bots."""
