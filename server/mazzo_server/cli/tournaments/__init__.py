"""`mazzo tournament`: plan, create, play, change, look at."""
