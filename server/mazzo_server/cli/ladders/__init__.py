"""`mazzo ladder`: seasons without a planned end, which bots join and leave."""
